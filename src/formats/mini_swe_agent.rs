//! mini-swe-agent trajectories (`*.traj.json`) of all generations: a bare list of messages (v0),
//! messages beside `info` (v1), tool calls and times of their own (v2).
//!
//! Source: SWE-agent/mini-swe-agent, `agents/default.py` and `models/`. What is *not* here: other
//! message lists (`chat`), and to which run a trajectory belongs (`swebench::runs`).

use super::chat::{message, settle};
use super::files::{Body, Record};
use super::found::Found;
use super::json::{self, Fields, JsonError, Raw};
use super::responses;
use super::rollout::Opened;
use super::swebench::traces::{Trace, seconds, small};
use crate::diff::summarize;
use crate::domain::{Extra, PatchPresence, Step, StepKind, TrajectoryContent};

/// What the agent's prompts of v0 make every answer hold.
const FENCES: [&str; 2] = ["```bash", "```mswea_bash_command"];

/// What only this agent's prompts and observations hold.
const OWN: [&str; 3] = [
    "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
    "SWE_AGENT_FINAL_OUTPUT",
    "<returncode>",
];

/// Endings that the agent did not choose.
const CUT_OFF: [&str; 4] = [
    "LimitsExceeded",
    "TimeExceeded",
    "ContextWindowExceededError",
    "RepeatedFormatError",
];

/// An object that names this agent, or a whole file that is a list of messages with its commands.
pub(crate) fn is_mini_swe_agent(record: &Record<'_>) -> bool {
    match &record.body {
        Body::Object(fields) => {
            let named = fields
                .text("trajectory_format")
                .is_ok_and(|name| name.is_some_and(|name| name.starts_with("mini-swe-agent")));
            let versioned = || {
                let info = fields.object("info").ok().flatten();
                info.is_some_and(|info| info.has("mini_version"))
            };
            record.has_list("messages") && (named || versioned())
        }
        Body::List(items) => record.key.is_none() && record.line.is_none() && is_bare(items),
    }
}

/// Whether a list is one of v0: system, user, then an answer with a fenced command.
fn is_bare(items: &[Raw<'_>]) -> bool {
    let Some(answer) = items.iter().take(4).find_map(|raw| {
        let fields = Fields::of("", *raw).ok()?;
        let role = fields.text("role").ok()??;
        (role == "assistant").then_some(fields)
    }) else {
        return false;
    };
    let text = answer.text("content").ok().flatten().unwrap_or_default();
    // Commands alone occur in any chat.
    FENCES.iter().any(|fence| text.contains(fence))
        && items
            .iter()
            .any(|raw| OWN.iter().any(|word| raw.get().contains(word)))
}

/// Reads what the index needs of a trajectory.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(mut trace) = Trace::start(record, found) else {
        return;
    };
    trace.alone = true;
    let messages = match messages(&record.body) {
        Ok(messages) => messages,
        Err(error) => {
            found.problem(record, None, format!("the trace cannot be read: {error}"));
            return;
        }
    };
    let mut problems = Vec::new();
    trace.steps = u32::try_from(steps(&messages, &mut problems).len()).unwrap_or(u32::MAX);
    for problem in problems {
        found.problem(record, trace.instance.clone().as_deref(), problem);
    }
    trace.tokens = tokens(&messages);
    trace.submission = Some(summarize(submission(&record.body, &messages).as_deref()));
    let info = record
        .fields()
        .and_then(|fields| fields.object("info").ok().flatten());
    if let Some(info) = info {
        trace.exit_status = info
            .text("exit_status")
            .ok()
            .flatten()
            .filter(|status| !status.is_empty());
        let stats = info.object("model_stats").ok().flatten();
        trace.cost_usd = stats
            .and_then(|stats| stats.number("instance_cost").ok().flatten())
            .filter(|cost| cost.is_finite());
        let model = info
            .object("config")
            .ok()
            .flatten()
            .and_then(|config| config.object("model").ok().flatten());
        trace.model = model.and_then(|model| model.text("model_name").ok().flatten());
        trace.meta = Extra(small(info.extra(&[
            "exit_status",
            "submission",
            "model_stats",
            "config",
        ])));
    }
    trace.truncated = trace
        .exit_status
        .as_deref()
        .is_some_and(|status| CUT_OFF.iter().any(|word| status.contains(word)));
    found.swebench.traces.push(trace);
}

/// Opens the steps and the submission.
///
/// # Errors
/// When the record has no list of messages.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let messages = messages(body)?;
    Ok(Opened {
        content: TrajectoryContent {
            patch: submission(body, &messages),
            steps: steps(&messages, problems),
            ..TrajectoryContent::default()
        },
        ..Opened::default()
    })
}

fn messages<'a>(body: &Body<'a>) -> Result<Vec<Raw<'a>>, JsonError> {
    match body {
        Body::List(items) => Ok(items.clone()),
        Body::Object(fields) => Ok(fields.list("messages")?.unwrap_or_default()),
    }
}

/// The patch: `info.submission`, else that of the last message; in v0, the last answer of the
/// shell when it is a diff.
fn submission(body: &Body<'_>, messages: &[Raw<'_>]) -> Option<String> {
    let last = Fields::of("messages", *messages.last()?).ok()?;
    match body {
        Body::Object(fields) => {
            let told = |fields: &Fields<'_>, key: &str| {
                let inner = fields.object(key).ok().flatten()?;
                inner.text("submission").ok().flatten()
            };
            told(fields, "info").or_else(|| told(&last, "extra"))
        }
        Body::List(_) => last
            .text("content")
            .ok()
            .flatten()
            .filter(|text| summarize(Some(text)).presence == PatchPresence::Diff),
    }
}

/// Sums of the tokens sent and received, where the answers of the API are kept.
fn tokens(messages: &[Raw<'_>]) -> (Option<u64>, Option<u64>) {
    let mut sums = (None, None);
    for raw in messages {
        let Some(usage) = usage(*raw) else { continue };
        let add = |sum: &mut Option<u64>, keys: [&str; 2]| {
            let count = keys
                .into_iter()
                .find_map(|key| usage.count(key).ok().flatten());
            if let Some(count) = count {
                *sum = Some(sum.unwrap_or(0) + count);
            }
        };
        add(&mut sums.0, ["prompt_tokens", "input_tokens"]);
        add(&mut sums.1, ["completion_tokens", "output_tokens"]);
    }
    sums
}

/// The usage in an answer of the API: in `extra.response`, or in the message itself.
fn usage(message: Raw<'_>) -> Option<Fields<'_>> {
    let fields = Fields::of("messages", message).ok()?;
    let extra = fields.object("extra").ok().flatten();
    let response = extra.and_then(|extra| extra.object("response").ok().flatten());
    response
        .and_then(|response| response.object("usage").ok().flatten())
        .or_else(|| fields.object("usage").ok().flatten())
}

/// The steps; messages that cannot be read are told and left out.
fn steps(messages: &[Raw<'_>], problems: &mut Vec<String>) -> Vec<Step> {
    let mut out = Vec::new();
    let mut asked = false;
    for (index, raw) in messages.iter().enumerate() {
        let read = json::element("messages", index, *raw, |fields| {
            one(*raw, fields, &mut asked, &mut out)
        });
        if let Err(error) = read {
            problems.push(error.to_string());
        }
    }
    settle(&mut out);
    out
}

/// The one fenced command of an answer of v0 and v1 as a call, what stands around it as messages.
/// Answers with several are refused by the agent and stay as they are.
fn split_command(out: &mut Vec<Step>, from: usize) {
    let Some([step]) = out.get(from..) else {
        return;
    };
    if step.kind != Some(StepKind::Message) {
        return;
    }
    let mut fences = FENCES.iter().flat_map(|fence| {
        let opening = format!("{fence}\n");
        let starts: Vec<(usize, usize)> = step
            .text
            .match_indices(&opening)
            .map(|(at, found)| (at, at + found.len()))
            .collect();
        starts
    });
    let (Some((open, start)), None) = (fences.next(), fences.next()) else {
        return;
    };
    let Some(length) = step.text[start..].find("\n```") else {
        return;
    };
    let end = start + length;
    let part = |text: &str, kind| Step {
        kind: Some(kind),
        text: text.trim().to_owned(),
        ..step.clone()
    };
    let call = Step {
        tool: Some("bash".to_owned()),
        text: step.text[start..end].to_owned(),
        ..part("", StepKind::ToolCall)
    };
    let before = part(&step.text[..open], StepKind::Message);
    let behind = part(&step.text[end + "\n```".len()..], StepKind::Message);
    out.truncate(from);
    let all = [before, call, behind].into_iter();
    out.extend(all.filter(|step| !step.text.trim().is_empty()));
}

/// One message with what stands beside it in `extra`.
fn one(
    raw: Raw<'_>,
    fields: &Fields<'_>,
    asked: &mut bool,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
    let from = out.len();
    if let Some(items) = fields.list("output").ok().flatten() {
        // An answer of the Responses API is kept whole.
        responses::items(&items, out)?;
    } else if fields.has("type") && !fields.has("role") {
        responses::items(&[raw], out)?;
    } else {
        message(fields, asked, out)?;
        split_command(out, from);
    }
    let Some(extra) = fields.object("extra").ok().flatten() else {
        return Ok(());
    };
    let added = out.get_mut(from..).unwrap_or_default();
    let time = extra.number("timestamp").ok().flatten().and_then(seconds);
    for step in added.iter_mut() {
        step.time.clone_from(&time);
    }
    if let Some(first) = added.first_mut() {
        let cost = extra.number("cost").ok().flatten();
        first.cost_usd = cost.filter(|cost| cost.is_finite());
        if matches!(first.kind, Some(StepKind::Message | StepKind::ToolCall)) {
            let response = extra.object("response").ok().flatten();
            first.tokens = response
                .and_then(|response| response.object("usage").ok().flatten())
                .and_then(|usage| usage.count("completion_tokens").ok().flatten());
        }
    }
    if let Some(last) = added.last_mut() {
        if last.kind == Some(StepKind::Observation) && last.exit_code.is_none() {
            last.exit_code = extra.integer("returncode").ok().flatten();
        }
        // What the agent ended with: its status where there is nothing else to show.
        if last.kind == Some(StepKind::Submit) && last.text.trim().is_empty() {
            last.text = ["submission", "exit_status"]
                .into_iter()
                .find_map(|key| extra.text(key).ok().flatten().filter(|t| !t.is_empty()))
                .unwrap_or_default();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Body<'_> {
        super::super::files::Body::split(text).expect("JSON")
    }

    #[test]
    fn a_message_that_cannot_be_read_is_told_and_the_others_stay() {
        let text = r#"{"messages":[{"role":"user","content":"x"},7,{"role":"exit","content":"",
            "extra":{"exit_status":"LimitsExceeded","submission":""}}]}"#;
        let mut problems = Vec::new();
        let opened = open(&body(text), None, &mut problems).expect("opens");
        assert_eq!(opened.content.steps.len(), 2);
        assert_eq!(opened.content.steps[1].text, "LimitsExceeded");
        assert_eq!(opened.content.patch.as_deref(), Some(""));
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("messages: element 2"),
            "{problems:?}"
        );
    }

    #[test]
    fn the_one_command_of_an_answer_is_a_call() {
        let messages = |answer: &str| {
            format!(
                r#"[{{"role":"user","content":"fix"}},{{"role":"assistant","content":{}}},
                {{"role":"user","content":"<returncode>0</returncode>\n<output>\na.py\n</output>"}}]"#,
                serde_json::to_string(answer).expect("JSON")
            )
        };
        let of = |answer: &str| {
            let text = messages(answer);
            let opened = open(&body(&text), None, &mut Vec::new()).expect("opens");
            opened.content.steps
        };
        let steps = of("THOUGHT: look\n\n```bash\nls -a\ncat x\n```\n");
        let shown: Vec<_> = steps.iter().map(|s| (s.kind().word(), &*s.text)).collect();
        let expected = [
            ("user", "fix"),
            ("message", "THOUGHT: look"),
            ("tool_call", "ls -a\ncat x"),
            ("observation", "a.py"),
        ];
        assert_eq!(shown, expected);
        assert_eq!(steps[2].tool.as_deref(), Some("bash"));
        assert_eq!(steps[3].exit_code, Some(0));
        // Several are refused by the agent.
        let steps = of("```bash\nls\n```\n```bash\npwd\n```");
        assert_eq!(steps.len(), 3);
        assert_eq!(steps[1].kind(), StepKind::Message);
    }

    #[test]
    fn answers_of_the_responses_api_are_steps() {
        let text = r#"{"messages":[{"role":"user","content":"fix"},
            {"object":"response","output":[
              {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Look"}]},
              {"type":"function_call","name":"bash","call_id":"c1","arguments":"{\"command\":\"ls\"}"}],
              "extra":{"cost":0.5}},
            {"type":"function_call_output","call_id":"c1","output":"a.py","extra":{"returncode":1}}]}"#;
        let mut problems = Vec::new();
        let opened = open(&body(text), None, &mut problems).expect("opens");
        assert_eq!(problems, Vec::<String>::new());
        let kinds: Vec<StepKind> = opened.content.steps.iter().map(Step::kind).collect();
        let expected = [
            StepKind::User,
            StepKind::Message,
            StepKind::ToolCall,
            StepKind::Observation,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(opened.content.steps[1].cost_usd, Some(0.5));
        assert_eq!(opened.content.steps[3].exit_code, Some(1));
    }

    #[test]
    fn times_costs_and_exit_codes_stand_on_their_steps() {
        let text = r#"{"messages":[{"role":"user","content":"fix"},
            {"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function",
              "function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}],
              "extra":{"cost":0.25,"timestamp":1700000000.5}},
            {"role":"tool","tool_call_id":"c1","content":"a.py",
              "extra":{"returncode":2,"timestamp":1700000001}}]}"#;
        let opened = open(&body(text), None, &mut Vec::new()).expect("opens");
        let steps = opened.content.steps;
        assert_eq!(steps[1].kind(), StepKind::ToolCall);
        assert_eq!(steps[1].cost_usd, Some(0.25));
        assert_eq!(steps[1].time.as_deref(), Some("2023-11-14T22:13:20.5Z"));
        assert_eq!(steps[2].exit_code, Some(2));
        assert_eq!(steps[2].call_id.as_deref(), Some("c1"));
    }
}
