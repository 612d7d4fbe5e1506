//! The terminal interface: a model, one update, and drawing from the model alone.
//!
//! A key becomes an [`action::Action`], [`update::update`] changes the [`model::Model`] and answers
//! with [`effect::Effect`]s, [`runtime`] has them done by [`workers`] and draws once per batch of
//! messages. What is *not* here: arithmetic ([`crate::domain`]) and what a judgement means
//! ([`crate::review`]).

pub mod action;
pub mod ansi;
pub mod area;
pub mod auditing;
pub mod blind;
pub mod colour_depth;
mod colouring;
pub mod document;
pub mod effect;
pub mod feed;
pub mod guidelines;
pub mod help;
pub mod highlight;
pub mod input;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod legend;
pub mod list;
pub mod loading;
pub mod long_text;
pub mod message;
pub mod model;
pub mod number;
pub mod overlays;
pub mod patch_file;
pub mod pattern;
pub mod print;
pub mod programs;
pub mod query;
pub mod queue;
pub mod runtime;
pub mod screens;
pub mod screenshot;
pub mod scroll;
pub mod settings;
pub mod svg;
pub mod terminal;
pub mod testing;
pub mod text;
pub mod theme;
pub mod timing;
pub mod update;
pub mod view;
pub mod widgets;
pub mod workers;

pub use settings::TuiOptions;

/// Reviews the rollouts at the paths given, until the person leaves.
///
/// # Errors
/// A theme or key file that cannot be used (all their errors in one text), no terminal, or a
/// terminal that cannot be read or written. The terminal is restored in every case.
pub fn run(options: TuiOptions) -> std::io::Result<()> {
    runtime::run(options)
}
