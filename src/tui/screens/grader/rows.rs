//! A grader's answer as lines of text with roles. All of it is untrusted text.

use crate::domain::{Finding, GraderAnswer, Ranking, RolloutGroup, TrajectoryIndex};
use crate::tui::screens::compare::letter;
use crate::tui::theme::Role;
use crate::tui::{long_text, text};

/// Text in roles.
pub type Line = Vec<(String, Role)>;

/// An answer in lines of at most `width` cells. `shown` is the ranking that the group is shown
/// with, to say where it differs; `raw` gives the raw answer instead.
#[must_use]
pub fn lines(
    group: &RolloutGroup,
    answer: &GraderAnswer,
    shown: Option<&Ranking>,
    raw: bool,
    width: usize,
) -> Vec<Line> {
    let mut page = Page {
        lines: Vec::new(),
        width: width.max(1),
    };
    if raw {
        match &answer.raw {
            Some(raw) => page.paragraphs("", raw, Role::Text),
            None => page.paragraphs("", "the raw answer was not kept", Role::Dim),
        }
        return page.lines;
    }
    let name = |index: TrajectoryIndex| {
        let id = group.trajectories.get(index).map_or("", |t| t.id.as_str());
        format!("{} {id}", letter(index))
    };
    page.heading("ranking");
    match &answer.ranking {
        None => {
            let why = format!("no ranking: {}", answer.status);
            page.paragraphs("  ", &why, Role::Warning);
        }
        Some(ranking) => {
            for &index in ranking.tiers().iter().flatten() {
                page.ranked(ranking, index, &name(index), shown);
            }
        }
    }
    if !answer.shown_order.is_empty() {
        let order: Vec<_> = answer
            .shown_order
            .iter()
            .map(|&index| letter(index))
            .collect();
        let line = format!("shown to the grader in the order {}", order.join(" "));
        page.paragraphs("  ", &line, Role::Dim);
    }
    page.heading("reasoning");
    match &answer.reasoning {
        Some(reasoning) => page.paragraphs("  ", reasoning, Role::Text),
        None => page.paragraphs("  ", "none given", Role::Dim),
    }
    if !answer.summaries.is_empty() {
        page.heading("summaries");
        for (index, summary) in &answer.summaries {
            page.paragraphs("  ", &name(*index), Role::Strong);
            page.paragraphs("    ", summary, Role::Text);
        }
    }
    page.heading("findings");
    if answer.findings.is_empty() {
        page.paragraphs("  ", "none", Role::Dim);
    }
    for finding in &answer.findings {
        page.paragraphs("  ", &headline(finding), Role::Finding);
        if let Some(note) = &finding.note {
            page.paragraphs("    ", note, Role::Text);
        }
    }
    if !answer.problems.is_empty() {
        page.heading("problems of the answer");
        for (code, detail) in &answer.problems {
            page.paragraphs("  ", &format!("{code}: {detail}"), Role::Warning);
        }
    }
    page.heading("usage");
    page.paragraphs("  ", &usage(answer), Role::Dim);
    page.lines
}

/// Who answered, which answer it is, and how it went.
#[must_use]
pub fn title(answer: &GraderAnswer, place: usize, count: usize) -> String {
    let grader = &answer.grader;
    let facts: Vec<_> = [&grader.kind, &grader.model, &grader.version]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let facts = if facts.is_empty() {
        String::new()
    } else {
        format!(" ({})", facts.join(", "))
    };
    // Votes are counted from 0 in files; the same number twice would only be noise.
    let vote = answer
        .vote
        .and_then(|vote| usize::try_from(vote).ok())
        .filter(|&vote| vote != place)
        .map(|vote| format!(" (vote {})", vote.saturating_add(1)))
        .unwrap_or_default();
    let line = format!(
        "grader {}{facts} · answer {} of {count}{vote} · {}",
        grader.name,
        place + 1,
        answer.status
    );
    text::sanitize_line(&line)
}

fn headline(finding: &Finding) -> String {
    let mut line = format!("{} {}", letter(finding.trajectory), finding.code);
    if let Some(severity) = &finding.severity {
        line.push_str(&format!(" ({severity})"));
    }
    if let Some(file) = &finding.file {
        line.push_str(&format!("  {file}"));
        match finding.lines {
            Some((first, last)) if first == last => line.push_str(&format!(":{first}")),
            Some((first, last)) => line.push_str(&format!(":{first}-{last}")),
            None => {}
        }
        if let Some(side) = &finding.side {
            line.push_str(&format!(" {side}"));
        }
    }
    line
}

fn usage(answer: &GraderAnswer) -> String {
    let mut parts = Vec::new();
    if let Some((input, output)) = answer.tokens {
        parts.push(format!("{input} tokens in, {output} out"));
    }
    if let Some(cost) = answer.cost_usd {
        parts.push(format!("${cost:.4}"));
    }
    if let Some(run) = &answer.run_id {
        parts.push(format!("run {run}"));
    }
    if parts.is_empty() {
        "not recorded".to_owned()
    } else {
        parts.join(" · ")
    }
}

struct Page {
    lines: Vec<Line>,
    width: usize,
}

impl Page {
    fn heading(&mut self, name: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        self.lines.push(vec![(name.to_owned(), Role::Header)]);
    }

    fn paragraphs(&mut self, indent: &str, text: &str, role: Role) {
        let width = self.width.saturating_sub(indent.len()).max(1);
        for line in text.lines() {
            let line = text::sanitize_line(&long_text::shown(line));
            for range in long_text::wrapped(&line, width, 0, usize::MAX) {
                self.lines
                    .push(vec![(format!("{indent}{}", &line[range]), role)]);
            }
        }
    }

    fn ranked(
        &mut self,
        ranking: &Ranking,
        index: TrajectoryIndex,
        name: &str,
        shown: Option<&Ranking>,
    ) {
        let rank = ranking.rank_of(index).unwrap_or(0);
        let tied = ranking
            .tier_of(index)
            .and_then(|tier| ranking.tiers().get(tier))
            .is_some_and(|tier| tier.len() > 1);
        let mark = if tied { "=" } else { " " };
        let mut line = vec![
            (format!("  {rank:>2}{mark} "), Role::Key),
            (text::cut(name, self.width.saturating_sub(24)), Role::Text),
        ];
        match shown.map(|shown| shown.rank_of(index)) {
            Some(Some(now)) if now != rank => {
                line.push((format!("  now rank {now}"), Role::Warning));
            }
            Some(None) => line.push(("  now unranked".to_owned(), Role::Warning)),
            _ => {}
        }
        self.lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Extra, GroupId, Outcome, TaskSummary, Trajectory};

    #[test]
    fn answers_are_counted_from_one() {
        let mut answer = GraderAnswer {
            vote: Some(0),
            ..GraderAnswer::default()
        };
        assert!(title(&answer, 0, 2).contains("answer 1 of 2 ·"));
        // The first vote of a second run.
        assert!(title(&answer, 2, 4).contains("answer 3 of 4 (vote 1) ·"));
        answer.vote = None;
        assert!(title(&answer, 1, 2).contains("answer 2 of 2 ·"));
    }

    #[test]
    fn an_answer_in_lines() {
        let group = RolloutGroup {
            id: GroupId("g".to_owned()),
            step: None,
            task: TaskSummary::default(),
            trajectories: ["a", "b", "c"]
                .map(|id| Trajectory::new(id, Outcome::Pass))
                .to_vec(),
            fingerprint: String::new(),
            meta: Extra::default(),
        };
        let answer = GraderAnswer {
            status: "ok".to_owned(),
            ranking: Ranking::new(vec![vec![1, 2], vec![0]]).ok(),
            reasoning: Some("B is \u{1b}[31mshorter.\n\nA edits more.".to_owned()),
            findings: vec![Finding {
                trajectory: 0,
                code: "out_of_scope".to_owned(),
                severity: Some("major".to_owned()),
                file: Some("a.py".to_owned()),
                side: None,
                lines: Some((3, 5)),
                note: Some("a stray file".to_owned()),
            }],
            ..GraderAnswer::default()
        };
        let shown = Ranking::new(vec![vec![0], vec![1, 2]]).unwrap();
        let text: Vec<String> = lines(&group, &answer, Some(&shown), false, 60)
            .iter()
            .map(|line| line.iter().map(|(text, _)| text.as_str()).collect())
            .collect();
        assert_eq!(text[1], "   1= B b  now rank 2");
        assert_eq!(text[3], "   3  A a  now rank 1");
        assert!(text.iter().all(|line| !line.contains('\u{1b}')));
        assert!(
            text.iter()
                .any(|line| line == "  A out_of_scope (major)  a.py:3-5")
        );
        let raw = lines(&group, &answer, None, true, 60);
        assert_eq!(raw[0][0].0, "the raw answer was not kept");
    }
}
