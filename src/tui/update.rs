//! The root update: overlay first, then global actions, then the open screen.

use super::action::Action;
use super::auditing::{Audit, Audited};
use super::blind;
use super::effect::Effect;
use super::help;
use super::key::{Code, Key};
use super::keymap::Lookup;
use super::loading;
use super::message::Message;
use super::model::{Model, OpensFirst, Screen, Severity};
use super::overlays::{self, Overlay};
use super::queue;
use super::screens::{
    agreement, compare, disagreements, grader, groups, remarks, schedule, schedules, steps,
};
use super::timing;
use crate::domain::Ranking;
use crate::review::{Assignment, Change, Event, EventBody, ReviewError};

/// Texts of how many groups are kept in memory.
pub(super) const OPENED_KEPT: usize = 4;

/// Changes the model for a message and returns the work it asks for.
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    timing::before(model, &message);
    let mut effects = handle(model, message);
    effects.extend(timing::after(model));
    save_at_once(model, effects)
}

/// Puts what one message saves into one transaction: a submission, the time on its group and the
/// opening of the next are stored together or not at all.
fn save_at_once(model: &mut Model, effects: Vec<Effect>) -> Vec<Effect> {
    let is_save = |effect: &&Effect| matches!(effect, Effect::Save(_));
    let saves = effects.iter().filter(is_save).count();
    if saves < 2 || model.saves.pending.len() < saves {
        return effects;
    }
    let first = model.saves.pending.len() - saves;
    let all: Vec<_> = model.saves.pending.drain(first..).flatten().collect();
    model.saves.pending.push_back(all.clone());
    let rest = effects
        .into_iter()
        .filter(|effect| !matches!(effect, Effect::Save(_)));
    std::iter::once(Effect::Save(all)).chain(rest).collect()
}

fn handle(model: &mut Model, message: Message) -> Vec<Effect> {
    match message {
        Message::Key(key) => on_key(model, key),
        Message::Paste(text) => overlays::paste(model, &text),
        Message::Mouse { kind, x, y } => on_mouse(model, kind, x, y),
        Message::Resize(columns, rows) => {
            model.size = (columns, rows);
            after_layout(model)
        }
        // What it says of time is counted already.
        Message::Focus(_) => Vec::new(),
        Message::Loading { progress, elapsed } => {
            model.progress = progress;
            model.loading_for = elapsed;
            model.loading.rereads = model.loading.stage == loading::Stage::Complete;
            Vec::new()
        }
        Message::Loaded(session) => {
            let guessed = session
                .set()
                .guessed
                .first()
                .filter(|_| !session.hides_names());
            let guessed = guessed.map(|guessed| {
                let name = guessed.path.file_name().unwrap_or_default();
                format!("{}: {guessed}", name.to_string_lossy())
            });
            let mut session = *session;
            if let Some(rows) = &model.assigned {
                let name = session.identity().annotator.clone();
                session.set_assignment(Some(Assignment::of(rows, &name)));
            }
            model.session = Some(session);
            let mut effects = groups::reload(model);
            effects.extend(loading::open_first(model));
            if let (Some(text), true) = (guessed, model.status.text.is_empty()) {
                model.say(Severity::Info, text);
            }
            // A screen that was opened before asks for what it needs.
            effects.extend(after_layout(model));
            effects
        }
        Message::Snapshot { set, prepared } => {
            let mut effects = loading::on_snapshot(model, set, prepared.map(|prepared| *prepared));
            effects.extend(loading::open_first(model));
            effects
        }
        Message::LoadEnded { complete } => {
            model.loading.rereads = false;
            loading::ended(model, complete)
        }
        Message::Followed(follow) => {
            model.loading.rereads = false;
            model.loading.follow = Some(follow);
            Vec::new()
        }
        Message::Rewritten(groups) => {
            loading::rewritten(model, groups);
            Vec::new()
        }
        Message::GroupChanged { group, reason } => {
            loading::group_changed(model, group, reason);
            Vec::new()
        }
        Message::LoadFailed(reason) => {
            model.load_failed = Some(reason);
            Vec::new()
        }
        Message::StoreUnreadable(reason) => {
            model.say(
                Severity::Error,
                format!("saved judgements cannot be read, none is shown: {reason}"),
            );
            Vec::new()
        }
        Message::GroupOpened { group, result } => on_opened(model, group, result),
        Message::GroupAligned { opened, on_base } => {
            opened.put_on_base(on_base);
            tell_base(model, &opened);
            after_layout(model)
        }
        Message::GroupRemarked { opened, remarks } => {
            opened.put_remarks(remarks);
            after_layout(model)
        }
        Message::Spotted(spotted) => remarks::spotted(model, spotted),
        Message::Highlighted {
            group,
            of,
            file,
            units,
            colours,
        } => {
            for unit in units {
                model.colouring.remove(&(group, of, file, unit));
            }
            let Some(colours) = colours else {
                // What was dropped may be on screen again.
                return after_layout(model);
            };
            if model.opened(group).is_some() {
                let key = (group, of, file);
                model.colours.entry(key).or_default().merge(colours);
            }
            // A base text that arrived meanwhile makes better ones.
            after_layout(model)
        }
        Message::Interdiffed {
            group,
            from,
            to,
            result,
        } => {
            model.compare.interdiffing.remove(&(group, from, to));
            match result {
                Ok(found) => {
                    model.compare.interdiffs.insert((group, from, to), found);
                }
                Err(reason) => {
                    model.compare.interdiff = None;
                    model.say(Severity::Error, format!("no interdiff: {reason}"));
                }
            }
            after_layout(model)
        }
        Message::StepsSearched {
            group,
            trajectory,
            hits,
        } => steps::found(model, (group, trajectory), *hits),
        Message::SchemesProgress { number, done, all } => {
            schedules::progressed(model, number, done, all);
            Vec::new()
        }
        Message::SchemesCompared { number, result } => {
            schedules::answered(model, number, result);
            Vec::new()
        }
        Message::GroupSearched {
            group,
            query,
            found,
        } => {
            compare::group_searched(model, group, &query, &found);
            Vec::new()
        }
        Message::Audited {
            revision,
            audit,
            result,
        } => on_audited(model, revision, &audit, result),
        Message::FileSaved { typed, result } => {
            compare::patch_saved(model, &typed, result);
            Vec::new()
        }
        Message::TextEdited { text, problem } => overlays::edited(model, text, problem),
        Message::Saved => {
            model.saves.pending.pop_front();
            model.saves.stored += 1;
            let quiet = std::mem::take(&mut model.saves.quiet);
            if model.saves.failed.take().is_some() {
                // An error that stands there may be of this failure: it is over.
                if !quiet || model.overlay.is_none() {
                    model.say(Severity::Info, "everything is saved");
                }
            }
            Vec::new()
        }
        Message::LogChanged { whole, foreign } => on_log_changed(model, whole.as_deref(), &foreign),
        Message::RetryDue => retry_quietly(model),
        Message::StoreNote(text) => {
            tell_aside(model, Severity::Warning, text);
            Vec::new()
        }
        Message::SaveFailed(reason) => {
            let quiet = std::mem::take(&mut model.saves.quiet);
            if quiet {
                // Nobody asked, and what the failure means was said when it came.
                model
                    .saves
                    .unsaved
                    .extend(std::mem::take(&mut model.saves.pending));
                model.saves.failed = Some(reason);
                return Vec::new();
            }
            // The reason needs the room more than a key does.
            if let Some(key) = model.keymap.key_of(Action::Undo) {
                let hint = format!("; {key} undoes");
                let said = model.status.text.strip_suffix(&hint).map(str::len);
                model
                    .status
                    .text
                    .truncate(said.unwrap_or(model.status.text.len()));
            }
            let submitted = model.saves.submitted_last().map(ToOwned::to_owned);
            // Later saves build on this one, so they wait with it, in order.
            model
                .saves
                .unsaved
                .extend(std::mem::take(&mut model.saves.pending));
            let first = model.saves.failed.replace(reason).is_none();
            match submitted {
                Some(group) => back_to_submitted(model, &group, first),
                None => Vec::new(),
            }
        }
    }
}

/// Hands figures to the screen that asked for them.
fn on_audited(
    model: &mut Model,
    revision: u64,
    audit: &Audit,
    result: Result<Option<Audited>, String>,
) -> Vec<Effect> {
    match result {
        Ok(Some(Audited::Agreement(found))) => agreement::found(model, revision, &found),
        Ok(Some(Audited::Disagreements(found))) => {
            if let Audit::Disagreements {
                pairing, aggregate, ..
            } = audit
            {
                let over = (revision, pairing.clone(), *aggregate);
                disagreements::found(model, over, found);
            }
        }
        // A newer request came: whoever is on screen asks again.
        Ok(None) => match audit {
            Audit::Agreement(_) => agreement::given_up(model),
            Audit::Disagreements { .. } => disagreements::given_up(model),
        },
        Err(reason) => model.say(Severity::Error, reason),
    }
    after_layout(model)
}

/// Shows what somebody else wrote, with this run's changes that are not stored yet on top.
fn on_log_changed(model: &mut Model, whole: Option<&[Event]>, foreign: &[Event]) -> Vec<Effect> {
    let chosen = overlays::chosen(model);
    let Some(session) = model.session.as_mut() else {
        return Vec::new();
    };
    match whole {
        Some(log) => {
            let waiting = model.saves.unsaved.iter().chain(&model.saves.pending);
            session.replace_log(log, waiting.flatten());
        }
        None => session.fold_in(foreign),
    }
    let own = &session.identity().annotator;
    let note = if foreign.iter().any(|event| event.annotator == *own) {
        let said = "another gagar wrote to this database as you: its changes are shown";
        Some((Severity::Warning, said.to_owned()))
    } else {
        submissions_of_others(foreign).map(|said| (Severity::Info, said))
    };
    schedules::forget(&mut model.schedules);
    if let Some((group, _)) = model.reviewed {
        refresh_reviewed(model, group);
    }
    if let Some((severity, said)) = note {
        tell_aside(model, severity, said);
    }
    let mut effects = groups::reload(model);
    effects.extend(after_layout(model));
    overlays::choose_again(model, chosen);
    effects
}

/// What others submitted, in a few words; drafts of others are nobody's business.
fn submissions_of_others(foreign: &[Event]) -> Option<String> {
    let mut submitted = foreign.iter().filter_map(|event| {
        let is_submission = matches!(
            event.body,
            EventBody::RankSubmit { .. } | EventBody::Adjudicate { .. }
        );
        let group = event.group_id.as_deref().filter(|_| is_submission)?;
        Some((event.annotator.as_str(), group))
    });
    let (annotator, group) = submitted.next()?;
    Some(match submitted.count() {
        0 => format!("{annotator} submitted {group}"),
        more => format!("{annotator} submitted {group}, and {more} more were submitted"),
    })
}

/// Says what nobody asked for: never over a line that is typed, a warning or an error.
fn tell_aside(model: &mut Model, severity: Severity, text: String) {
    let is_free = model.status.text.is_empty() || model.status.severity == Severity::Info;
    if is_free && model.overlay.is_none() && model.pending_keys.is_empty() {
        model.say(severity, text);
    }
}

/// Says that a submission could not be stored; the `first` failure came after the next group was
/// opened, so this goes back, unless the person is elsewhere by now.
fn back_to_submitted(model: &mut Model, id: &str, first: bool) -> Vec<Effect> {
    let group = model.session.as_ref().and_then(|session| session.find(id));
    let mut effects = Vec::new();
    if let Some(group) = group
        && first
        && model.screen == Screen::Compare
        && model.overlay.is_none()
        && model.compare.group != Some(group)
    {
        effects = open_group(model, group);
    }
    model.say(Severity::Error, "the submission is not stored");
    effects
}

fn on_key(model: &mut Model, key: Key) -> Vec<Effect> {
    model.opens_first = OpensFirst::No;
    if model.overlay.is_some() {
        return overlays::key(model, key);
    }
    model.pending_keys.push(key);
    let pressed = model.pending_keys.clone();
    match model.keymap.lookup(model.context(), &pressed) {
        Lookup::Hit(action) => {
            model.pending_keys.clear();
            let (does_nothing, screen) = (!help::applies(model, action), model.screen);
            let effects = perform(model, action, Some(key));
            if does_nothing && model.screen == screen && effects.is_empty() {
                say_nothing_here(model, &pressed);
            }
            effects
        }
        Lookup::Pending => Vec::new(),
        Lookup::Miss => {
            model.pending_keys.clear();
            // A key that ends no sequence was meant for one: alone it may submit or leave.
            if pressed.len() > 1 && key.code != Code::Esc {
                let keys: String = pressed.iter().map(Key::to_string).collect();
                model.say(Severity::Info, format!("{keys} is no key"));
            } else if pressed.len() == 1 {
                model.status = super::model::Status::default();
                say_nothing_here(model, &pressed);
            }
            Vec::new()
        }
    }
}

/// Says that a key had no effect on the open screen, when nothing was said yet: it may mean something
/// on the one that the person takes this for.
fn say_nothing_here(model: &mut Model, pressed: &[Key]) {
    if !model.status.text.is_empty() || model.overlay.is_some() {
        return;
    }
    let keys: String = pressed.iter().map(Key::to_string).collect();
    let key = |action| model.keymap.key_of(action).unwrap_or_default();
    let way_out = match model.screen {
        Screen::Groups => format!("{} shows what does", key(Action::Help)),
        _ => format!("{} goes back", key(Action::Back)),
    };
    model.say(
        Severity::Info,
        format!("{keys} does nothing here; {way_out}"),
    );
}

/// Performs an action; `key` is the key that asked for it (its digit for [`Action::PlaceDigit`]).
pub fn perform(model: &mut Model, action: Action, key: Option<Key>) -> Vec<Effect> {
    // A message that was cut is read whole with the problems.
    if action != Action::Problems {
        model.status = super::model::Status::default();
    }
    blind::forget_question(model, action);
    match action {
        Action::Help => open(model, Overlay::help()),
        Action::Palette => open(model, Overlay::palette()),
        Action::Problems => open(model, Overlay::problems()),
        Action::Guidelines => open(model, Overlay::guidelines()),
        Action::Quit => quit(model),
        Action::Suspend => vec![Effect::Suspend],
        Action::Redraw => vec![Effect::Redraw],
        Action::NextTheme => next_theme(model),
        Action::RetrySave => {
            model.saves.quiet = false;
            retry_save(model)
        }
        Action::Reload => loading::reload(model),
        Action::NextUnfinished => queue::go_on(model),
        Action::OpenRemarks => remarks::enter(model),
        Action::OpenAgreement => go_to(model, Screen::Agreement),
        Action::OpenDisagreements => go_to(model, Screen::Disagreements),
        Action::OpenSchedules => go_to(model, Screen::Schedules),
        Action::Reveal if model.screen == Screen::Compare => blind::reveal(model),
        // A key does nothing with what is not shown.
        action if action != Action::Back && blind::withheld(model).is_some() => {
            let why = blind::withheld(model).unwrap_or_default().join(" ");
            model.say(Severity::Info, why);
            Vec::new()
        }
        _ => {
            let digit = match key.map(|key| key.code) {
                Some(Code::Char(c)) => c.to_digit(10).map(|digit| digit as usize),
                _ => None,
            };
            match model.screen {
                Screen::Groups => groups::update(model, action),
                Screen::Compare => compare::update(model, action, digit),
                Screen::Steps => steps::update(model, action),
                Screen::Grader => grader::update(model, action),
                Screen::Schedule => schedule::update(model, action),
                Screen::Remarks => remarks::update(model, action),
                Screen::Agreement => agreement::update(model, action),
                Screen::Disagreements => disagreements::update(model, action),
                Screen::Schedules => schedules::update(model, action),
            }
        }
    }
}

/// Opens a screen, keeping the state of the others.
pub fn go_to(model: &mut Model, screen: Screen) -> Vec<Effect> {
    model.screen = screen;
    model.pending_keys.clear();
    after_layout(model)
}

/// Opens the compare screen on a group and asks for its texts.
pub fn open_group(model: &mut Model, group: usize) -> Vec<Effect> {
    refresh_reviewed(model, group);
    model.open_failed = None;
    let mut effects = blind::record_opening(model, group);
    compare::enter(model, group);
    effects.extend(go_to(model, Screen::Compare));
    if model.opened(group).is_none() {
        effects.push(Effect::OpenGroup { group });
    }
    effects
}

/// Computes the open group anew after a change.
pub fn refresh_reviewed(model: &mut Model, group: usize) {
    model.reviewed = model
        .session
        .as_ref()
        .and_then(|session| session.reviewed(group))
        .map(|reviewed| (group, reviewed));
}

/// Proposes a change of a group's judgement, applies it and asks for its save; says why not.
/// Answers whether something changed.
pub fn change(model: &mut Model, group: usize, change: Change, effects: &mut Vec<Effect>) -> bool {
    let Some(session) = model.session.as_mut() else {
        return false;
    };
    match session.propose(group, change) {
        Ok(proposal) => {
            session.apply(&proposal);
            model.groups.count(session);
            timing::submitted(model, &proposal.events);
            blind::submitted(model, &proposal.events);
            refresh_reviewed(model, group);
            model.say(Severity::Info, proposal.summary);
            effects.extend(save(model, proposal.events));
            true
        }
        Err(error @ (ReviewError::Nothing(_) | ReviewError::NoDraft)) => {
            model.say(Severity::Info, error.to_string());
            false
        }
        Err(error) => {
            model.say(Severity::Warning, error.to_string());
            false
        }
    }
}

/// The ranking the open group is shown with.
#[must_use]
pub fn shown_ranking(model: &Model) -> Option<&Ranking> {
    model
        .reviewed
        .as_ref()
        .map(|(_, reviewed)| &reviewed.shown.ranking)
}

pub(super) fn save(model: &mut Model, events: Vec<crate::review::NewEvent>) -> Vec<Effect> {
    if model.saves.failed.is_some() {
        // Nothing is stored past a hole: try everything again, in order.
        model.saves.unsaved.push_back(events);
        return retry_save(model);
    }
    model.saves.pending.push_back(events.clone());
    vec![Effect::Save(events)]
}

/// Tries again what could not be saved, without a word unless it works.
fn retry_quietly(model: &mut Model) -> Vec<Effect> {
    if model.saves.unsaved.is_empty() || !model.saves.pending.is_empty() {
        return Vec::new();
    }
    model.saves.quiet = true;
    retry_save(model)
}

fn retry_save(model: &mut Model) -> Vec<Effect> {
    if model.saves.unsaved.is_empty() {
        let said = match model.saves.pending.is_empty() {
            true => "everything is saved",
            false => "trying to save",
        };
        model.say(Severity::Info, said);
        return Vec::new();
    }
    // One transaction holds all of them, so that none can be stored without those before it.
    let all: Vec<_> = std::mem::take(&mut model.saves.unsaved)
        .into_iter()
        .flatten()
        .collect();
    // The failure is told until a save works.
    model.saves.pending.push_back(all.clone());
    vec![Effect::Save(all)]
}

fn quit(model: &mut Model) -> Vec<Effect> {
    let mut effects = timing::leave(model);
    // Openings and times alone are nobody's judgement.
    if model.saves.unsaved_changes() == 0 {
        effects.push(Effect::Quit);
        effects
    } else {
        open(model, Overlay::confirm_quit())
    }
}

fn open(model: &mut Model, overlay: Overlay) -> Vec<Effect> {
    model.overlay = Some(overlay);
    Vec::new()
}

fn next_theme(model: &mut Model) -> Vec<Effect> {
    if !model.theme_names.is_empty() {
        model.theme = (model.theme + 1) % model.theme_names.len();
        let name = model.theme_names[model.theme].clone();
        model.say(Severity::Info, format!("theme {name}"));
    }
    Vec::new()
}

/// Says why base texts are not known, when somebody named a repository for them.
fn tell_base(model: &mut Model, opened: &super::model::OpenedGroup) {
    let problem = opened.on_base().and_then(|found| found.problems.first());
    if let Some(problem) = problem {
        let said = match blind::hides_names(model) {
            true => {
                "base texts are not known; ".to_owned() + &blind::sentence(model, None, problem)
            }
            false => problem.clone(),
        };
        model.say(Severity::Warning, said);
    }
}

fn on_opened(
    model: &mut Model,
    group: usize,
    result: Result<std::sync::Arc<super::model::OpenedGroup>, String>,
) -> Vec<Effect> {
    let rollouts = model
        .session
        .as_ref()
        .and_then(|session| session.group(group))
        .map(|group| group.trajectories.len());
    match result {
        // The group changed while its texts were read.
        Ok(opened) if rollouts.is_some_and(|n| n != opened.content.trajectories.len()) => {
            return vec![Effect::OpenGroup { group }];
        }
        Ok(opened) => {
            if model.loading.awaited == Some(group) {
                model.loading.awaited = None;
            }
            tell_base(model, &opened);
            model.opened.retain(|other| other.group != group);
            model.opened.push(opened);
            if model.opened.len() > OPENED_KEPT {
                let dropped = model.opened.remove(0).group;
                model.colours.retain(|(group, _, _), _| *group != dropped);
                model.colouring.retain(|(group, ..)| *group != dropped);
            }
        }
        Err(reason) => {
            let said = blind::sentence(model, Some(group), &reason);
            let hidden = model
                .session
                .as_ref()
                .is_some_and(|found| found.is_hidden(group));
            model.open_failed = Some((group, if hidden { said } else { reason }));
        }
    }
    after_layout(model)
}

fn on_mouse(model: &mut Model, kind: super::message::MouseKind, x: u16, y: u16) -> Vec<Effect> {
    if model.overlay.is_some() {
        return overlays::mouse(model, kind, x, y);
    }
    match model.screen {
        Screen::Groups => groups::mouse(model, kind, x, y),
        Screen::Compare => compare::mouse(model, kind, x, y),
        Screen::Steps => steps::mouse(model, kind, x, y),
        Screen::Grader => grader::mouse(model, kind, x, y),
        Screen::Schedule => schedule::mouse(model, kind, x, y),
        Screen::Remarks => remarks::mouse(model, kind, x, y),
        Screen::Agreement => agreement::mouse(model, kind, x, y),
        Screen::Disagreements => disagreements::mouse(model, kind, x, y),
        Screen::Schedules => schedules::mouse(model, kind, x, y),
    }
}

/// Lets the open screen fit its scroll positions to what is shown now, and ask for what it needs.
pub(super) fn after_layout(model: &mut Model) -> Vec<Effect> {
    match model.screen {
        Screen::Groups => groups::settle(model),
        Screen::Compare => compare::settle(model),
        Screen::Steps => steps::settle(model),
        Screen::Grader => grader::settle(model),
        Screen::Schedule => schedule::settle(model),
        Screen::Remarks => remarks::settle(model),
        Screen::Agreement => agreement::settle(model),
        Screen::Disagreements => disagreements::settle(model),
        Screen::Schedules => schedules::settle(model),
    }
}
