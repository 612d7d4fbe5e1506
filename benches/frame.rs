//! What a key costs: update and a whole frame at 200x60.
//!
//! Measures the sample data, or the folder named by `GAGAR_BENCH_DATA`.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use gagar::tui::message::Message;
use gagar::tui::testing::Harness;
use gagar::tui::theme::Theme;

fn frames(criterion: &mut Criterion) {
    let folder = std::env::var_os("GAGAR_BENCH_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sample-data"),
        PathBuf::from,
    );
    let themes = Theme::embedded().expect("the themes can be read");
    let theme = &themes[0];
    for (name, way, keys) in [
        ("groups", "", "jk"),
        ("groups sort", "", "s"),
        ("compare focus", "<enter>", "lh"),
        ("compare move", "<enter>", "JK"),
        ("compare scroll", "<enter>", "jk"),
        ("next group", "<enter>", ")("),
        ("steps", "<enter>s", "jk"),
    ] {
        let mut harness = Harness::open(&[&folder], 200, 60).expect("the folder can be read");
        if !way.is_empty() {
            harness.press(way);
        }
        criterion.bench_function(&format!("{name} {keys}"), |bencher| {
            bencher.iter(|| {
                harness.press(keys);
                black_box(harness.draw(theme));
            });
        });
    }
    // What following costs between two keys, when another state of the set comes.
    let mut harness = Harness::open(&[&folder], 200, 60).expect("the folder can be read");
    let session = harness.model.session.as_ref().expect("a session");
    let set = session.set().clone();
    criterion.bench_function("a state of the set", |bencher| {
        bencher.iter(|| {
            harness.send(Message::Snapshot {
                set: set.clone(),
                prepared: None,
            });
            black_box(harness.draw(theme));
        });
    });
}

criterion_group!(benches, frames);
criterion_main!(benches);
