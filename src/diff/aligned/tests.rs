use super::*;
use crate::diff::BaseOrigin;

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn candidate(text: &str) -> CandidatePatch {
    CandidatePatch {
        patch: Arc::new(Patch::read(Arc::from(text))),
        passing: true,
    }
}

fn of(texts: &[&str], base: Option<&str>) -> Aligned {
    let candidates: Vec<_> = texts.iter().map(|text| candidate(text)).collect();
    let mut bases = Bases::default();
    if let Some(base) = base {
        bases.insert("x", Arc::from(base), BaseOrigin::Record);
    }
    Aligned::of(&candidates, &bases)
}

/// Rows of the first file, one text each: `3  three|-three|three` and the like.
fn drawn(aligned: &Aligned) -> Vec<String> {
    let file = &aligned.files[0];
    let cell = |row: usize, candidate: usize| {
        let text = aligned
            .text(0, row, candidate)
            .map_or("?", |line| line.text);
        match file.cell(row, candidate) {
            Cell::Untouched => format!("~{text}"),
            Cell::Context { .. } => format!(" {text}"),
            Cell::Removed { .. } => format!("-{text}"),
            Cell::Added { .. } => format!("+{text}"),
            Cell::Filler => "/".to_owned(),
            Cell::Absent => "absent".to_owned(),
            Cell::Opaque => "opaque".to_owned(),
        }
    };
    (0..file.len())
        .map(|row| {
            let head = match file.row(row).unwrap() {
                AlignedRow::Line { base } => base.to_string(),
                AlignedRow::Inserted { after } => format!(">{after}"),
                AlignedRow::Gap { from, to, known } => {
                    let to = to.map_or("?".to_owned(), |to| to.to_string());
                    return format!("{from}..{to}{}", if known { "" } else { " unknown" });
                }
            };
            let cells: Vec<_> = (0..aligned.candidates().len())
                .map(|candidate| cell(row, candidate))
                .collect();
            format!("{head}: {}", cells.join("|"))
        })
        .collect()
}

const A: &str =
    "--- a/x\n+++ b/x\n@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+three and a half\n four\n";
const B: &str =
    "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@\n-three\n+THREE\n four\n@@ -9,2 +9,1 @@\n nine\n-ten\n";

#[test]
fn what_candidates_do_to_a_line_stands_in_one_row() {
    assert_eq!(
        drawn(&of(&[A, B, ""], None)),
        [
            "1..1 unknown",
            "2:  two|~two|absent",
            "3: -three|-three|absent",
            ">3: +THREE|+THREE|absent",
            ">3: +three and a half|/|absent",
            "4:  four| four|absent",
            "5..8 unknown",
            "9: ~nine| nine|absent",
            "10: ~ten|-ten|absent",
            "11..? unknown",
        ]
    );
    let known = drawn(&of(&[A, B, ""], Some(BASE)));
    assert_eq!(known.first().map(String::as_str), Some("1..1"));
    assert_eq!(
        known.last().map(String::as_str),
        Some("10: ~ten|-ten|absent")
    );
}

#[test]
fn regions_tell_who_touches_and_who_leaves_the_same() {
    let aligned = of(&[A, B, B], None);
    let file = &aligned.files[0];
    let [first, second] = &file.regions[..] else {
        panic!("{:?}", file.regions);
    };
    assert_eq!((first.rows.clone(), first.base), (2..5, (3, 3)));
    assert!(first.differs(&[0, 1]) && !first.differs(&[1, 2]));
    assert_eq!(second.base, (10, 10));
    assert!(second.differs(&[0, 1]) && !second.is_touched_by(0));
    assert_eq!(aligned.next_difference((0, 0), &[0, 1]), Some((0, 2)));
    assert_eq!(aligned.next_difference((0, 2), &[1, 2]), None);
    assert_eq!(aligned.previous_difference((0, 8), &[0, 1]), Some((0, 2)));
    assert_eq!(aligned.next_only((0, 0), 1, &[0, 1, 2]), None);
    assert_eq!(
        of(&[A, B], None).next_only((0, 0), 1, &[0, 1]),
        Some((0, 8))
    );
    assert!(aligned.differs(0, 4, &[0, 1]) && !aligned.differs(0, 3, &[0, 1]));
}

#[test]
fn numbers_of_the_result_follow_the_hunks_before() {
    let aligned = of(&[A, B], Some(BASE));
    let file = &aligned.files[0];
    assert_eq!(file.new_line(1, 0), 1);
    assert_eq!(file.new_line(7, 0), 8);
    assert_eq!(file.new_line(7, 1), 7);
    assert_eq!(file.row_of(0, 0, 2), Some(3));
    assert_eq!(file.row_of(1, 1, 1), Some(8));
}

#[test]
fn a_hunk_with_a_wrong_number_stands_where_its_lines_are() {
    let shifted = B.replace("-9,2 +9,1", "-6,2 +6,1");
    let aligned = of(&[&shifted], Some(BASE));
    let anchors = &aligned.files[0].file_of(0).unwrap().anchors;
    assert_eq!(anchors[..], [Anchor::AsWritten, Anchor::Relocated(3)]);
    assert!(aligned.files[0].contradictions.is_empty());
    assert!(drawn(&aligned).contains(&"10: -ten".to_owned()));
}

#[test]
fn contradicting_quotes_are_told() {
    let other = A.replace(" four", " vier");
    let aligned = of(&[A, &other], None);
    let told = Contradiction {
        line: 4,
        taken: Some(0),
        others: vec![1],
    };
    assert_eq!(aligned.files[0].contradictions, [told]);
    let aligned = of(&[A, &other], Some(BASE));
    let told = Contradiction {
        line: 4,
        taken: None,
        others: vec![1],
    };
    assert_eq!(aligned.files[0].contradictions, [told]);
    let anchors = &aligned.files[0].file_of(1).unwrap().anchors;
    assert_eq!(anchors[..], [Anchor::DoesNotApply]);
}

#[test]
fn files_are_one_by_the_path_before() {
    let renamed = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n";
    let new = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    let binary = "diff --git a/x b/x\nBinary files a/x and b/x differ\n";
    let aligned = of(&[A, renamed, new, binary], None);
    let paths: Vec<_> = aligned
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths, ["x", "n"]);
    let touched: Vec<_> = aligned.files[0]
        .candidates
        .iter()
        .map(Option::is_some)
        .collect();
    assert_eq!(touched, [true, true, false, true]);
    assert_eq!(aligned.files[0].cell(0, 3), Cell::Opaque);
    assert_eq!(
        aligned.files[1].rows(),
        [AlignedRow::Inserted { after: 0 }; 2]
    );
    assert_eq!(aligned.files[1].regions[0].base, (1, 0));
}

#[test]
fn a_line_removed_by_two_hunks_is_there_twice() {
    let twice =
        "--- a/x\n+++ b/x\n@@ -3,2 +3,1 @@\n-three\n four\n@@ -3,2 +2,1 @@\n-three\n four\n";
    let aligned = of(&[twice], None);
    let removed = drawn(&aligned)
        .iter()
        .filter(|row| row.contains("-three"))
        .count();
    assert_eq!(removed, 2);
}

#[test]
fn cells_are_small() {
    assert_eq!(size_of::<Packed>(), 4);
    assert!(size_of::<Cell>() <= 12);
    assert!(size_of::<AlignedRow>() <= 16);
}
