//! The table of actions: what a key can mean, its name, one line of help, where it applies.
//!
//! The default keys stand in `keymap.default.toml`; help, footer, palette, `gagar keys` and the
//! README's table are derived from the two.

/// Where an action applies; also the section of the keymap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// On every screen.
    Global,
    /// On the list of groups.
    Groups,
    /// Comparing the candidates of one group.
    Compare,
    /// Comparing the candidates test by test; keys of [`Self::Compare`] apply too.
    Tests,
    /// Reading which candidate touches which file; keys of [`Self::Compare`] apply too.
    Matrix,
    /// Reading one trajectory's steps.
    Steps,
    /// Reading the grader's answer.
    Grader,
    /// Changing estimator and scheme.
    Schedule,
    /// Ranking by pairs; keys of [`Self::Compare`] apply too.
    Pairs,
    /// Reading every ranking of one group; keys of [`Self::Compare`] apply too.
    Rankings,
    /// Walking through the list of remarks; keys of [`Self::Compare`] apply too.
    Spotting,
    /// On the list of remarks.
    Remarks,
    /// Reading how much raters agree.
    Agreement,
    /// On the list of groups that grader and people rank differently.
    Disagreements,
    /// Comparing schemes over all groups.
    Schedules,
}

impl Context {
    /// Every context, in the order of the key table.
    pub const ALL: [Self; 15] = [
        Self::Global,
        Self::Groups,
        Self::Compare,
        Self::Tests,
        Self::Matrix,
        Self::Steps,
        Self::Grader,
        Self::Schedule,
        Self::Pairs,
        Self::Rankings,
        Self::Spotting,
        Self::Remarks,
        Self::Agreement,
        Self::Disagreements,
        Self::Schedules,
    ];

    /// The section's name in the keymap.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Groups => "groups",
            Self::Compare => "compare",
            Self::Tests => "tests",
            Self::Matrix => "matrix",
            Self::Steps => "steps",
            Self::Grader => "grader",
            Self::Schedule => "schedule",
            Self::Pairs => "pairs",
            Self::Rankings => "rankings",
            Self::Spotting => "spotting",
            Self::Remarks => "remarks",
            Self::Agreement => "agreement",
            Self::Disagreements => "disagreements",
            Self::Schedules => "schedules",
        }
    }

    /// The contexts whose keys apply here, the innermost first.
    #[must_use]
    pub fn chain(self) -> &'static [Self] {
        match self {
            Self::Global => &[Self::Global],
            Self::Groups => &[Self::Groups, Self::Global],
            Self::Compare => &[Self::Compare, Self::Global],
            Self::Tests => &[Self::Tests, Self::Compare, Self::Global],
            Self::Matrix => &[Self::Matrix, Self::Compare, Self::Global],
            Self::Steps => &[Self::Steps, Self::Global],
            Self::Grader => &[Self::Grader, Self::Global],
            Self::Schedule => &[Self::Schedule, Self::Global],
            Self::Pairs => &[Self::Pairs, Self::Compare, Self::Global],
            Self::Rankings => &[Self::Rankings, Self::Compare, Self::Global],
            Self::Spotting => &[Self::Spotting, Self::Compare, Self::Global],
            Self::Remarks => &[Self::Remarks, Self::Global],
            Self::Agreement => &[Self::Agreement, Self::Global],
            Self::Disagreements => &[Self::Disagreements, Self::Global],
            Self::Schedules => &[Self::Schedules, Self::Global],
        }
    }
}

macro_rules! actions {
    ($($variant:ident $context:ident $name:literal $doc:literal;)*) => {
        /// What a key can mean.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $(#[doc = $doc] $variant,)* }

        impl Action {
            /// Every action, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name in the keymap and the palette.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// One line of help.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }

            /// Where it applies.
            #[must_use]
            pub fn context(self) -> Context {
                match self { $(Self::$variant => Context::$context,)* }
            }
        }
    };
}

actions! {
    Help Global "help" "Show the keys of this screen";
    Palette Global "palette" "Find an action by name and run it";
    Quit Global "quit" "Leave gagar";
    Back Global "back" "Back to the screen before; stop reading files";
    Suspend Global "suspend" "Suspend to the shell";
    Redraw Global "redraw" "Draw the screen anew";
    NextTheme Global "next_theme" "Switch to the next theme";
    RetrySave Global "retry_save" "Try again to save what could not be saved";
    Reload Global "reload" "Look for changed files, or go on reading";
    Problems Global "problems" "List problems and notes, whole";
    Down Global "down" "Down one line";
    Up Global "up" "Up one line";
    PageDown Global "page_down" "Down one page";
    PageUp Global "page_up" "Up one page";
    HalfPageDown Global "half_page_down" "Down half a page";
    HalfPageUp Global "half_page_up" "Up half a page";
    Top Global "top" "To the top";
    Bottom Global "bottom" "To the bottom";
    Search Global "search" "Search";
    NextMatch Global "next_match" "Next match of the search";
    PreviousMatch Global "previous_match" "Previous match of the search";
    NextUnfinished Global "next_unfinished" "Go to the next unfinished group of the queue";
    Guidelines Global "guidelines" "Read the guidelines and the rubric";
    OpenRemarks Global "open_remarks" "Spot-check the remarks of the out-of-scope rules";
    OpenAgreement Global "open_agreement" "See how much grader and annotators agree";
    OpenDisagreements Global "open_disagreements" "List the groups that grader and people rank differently";
    OpenSchedules Global "open_schedules" "Compare schemes over all groups";
    OpenGroup Groups "open_group" "Compare the candidates of the group";
    Sort Groups "sort" "Sort by the next column";
    SortBack Groups "sort_back" "Sort by the column before";
    SortReverse Groups "sort_reverse" "Reverse the sort";
    Filter Groups "filter" "Filter: kept !masked class:mixed passing>=2 task~text policy~qwen";
    KeptOnly Groups "kept_only" "Show only the groups kept for training";
    TogglePreview Groups "toggle_preview" "Show or hide the preview";
    QueueOrder Groups "queue_order" "Choose the order in which groups are worked on";
    FocusNext Compare "focus_next" "Focus the next candidate";
    FocusUnplaced Compare "focus_unplaced" "Focus the next candidate that you have not placed yet; when all are, the next";
    FocusPrevious Compare "focus_previous" "Focus the candidate before";
    MoveUp Compare "move_up" "Move the focused candidate up in the ranking";
    MoveDown Compare "move_down" "Move the focused candidate down in the ranking";
    PlaceDigit Compare "place_digit" "Put the focused candidate on that place, below a tie that covers it (1-9)";
    TieAbove Compare "tie_above" "Tie the focused candidate with the one above";
    Split Compare "split" "Take the focused candidate out of its tie";
    Unrank Compare "unrank" "Take the focused candidate out of the ranking";
    AcceptGrader Compare "accept_grader" "Accept the grader's order as your draft";
    Submit Compare "submit" "Submit your ranking and go on to the next unfinished group";
    Undo Compare "undo" "Undo the last change in this group";
    Redo Compare "redo" "Redo";
    EditNote Compare "edit_note" "Write a note on the group";
    Skip Compare "skip" "Skip the group with a reason, or no longer";
    Flag Compare "flag" "Flag the group for another look, or no longer";
    Confidence Compare "confidence" "Say how sure you are: low, medium, high, not said";
    AddFinding Compare "add_finding" "Add a finding at this hunk, the selected lines, the file or the candidate";
    SelectLines Compare "select_lines" "Begin or end a selection of lines";
    ListFindings Compare "list_findings" "List the findings of this group";
    ConfirmRemark Compare "confirm_remark" "Confirm the rule's remark here: it becomes a finding";
    DismissRemark Compare "dismiss_remark" "Dismiss the rule's remark here";
    Reveal Compare "reveal" "Show what was hidden in the blind group just submitted";
    Pairwise Compare "pairwise" "Rank by comparing two candidates at a time";
    Rankings Compare "rankings" "Read every ranking of this group side by side, and settle it";
    History Compare "history" "Who judged this group, when, before and after";
    NextGroup Compare "next_group" "Next group of the list";
    PreviousGroup Compare "previous_group" "Previous group of the list";
    Columns Compare "columns" "Change the number of columns (1-4)";
    ScrollMode Compare "scroll_mode" "Scroll columns together or alone";
    Wrap Compare "wrap" "Wrap or cut long lines";
    Left Compare "left" "Scroll left";
    Right Compare "right" "Scroll right";
    NextHunk Compare "next_hunk" "Next hunk";
    PreviousHunk Compare "previous_hunk" "Previous hunk";
    NextFile Compare "next_file" "Next file";
    PreviousFile Compare "previous_file" "Previous file";
    FileList Compare "file_list" "Show or hide the list of files";
    FoldStrip Compare "fold_strip" "Fold the ranking strip to one line";
    Reference Compare "reference" "Show or hide the reference patch in the last column";
    Task Compare "task" "Read the task's text";
    Aligned Compare "aligned" "Rows aligned by the base, or each column its own patch";
    SideBySide Compare "side_by_side" "Old and new side by side, or what was shown before";
    Whitespace Compare "whitespace" "Show or hide changes of white space only";
    Fold Compare "fold" "Aligned: unfold 10 more lines of the base here, or fold them; else: fold the file";
    Folds Compare "folds" "Aligned: unfold or fold all lines of the base; else: all files";
    ColumnsRight Compare "columns_right" "Show the columns further down in the ranking";
    ColumnsLeft Compare "columns_left" "Show the columns further up in the ranking";
    Interdiff Compare "interdiff" "What turns the result of the column beside it into the focused one's";
    InterdiffOther Compare "interdiff_other" "The interdiff against the next candidate, at last the reference";
    NextRemark Compare "next_remark" "Next remark of the grader or of yours";
    PreviousRemark Compare "previous_remark" "Previous remark";
    OtherEnd Compare "other_end" "Go to the other end of the moved block";
    NextDifference Compare "next_difference" "Next place where the columns differ; with one column, or not aligned: all candidates";
    PreviousDifference Compare "previous_difference" "Previous place where the columns differ; with one column, or not aligned: all candidates";
    NextUnique Compare "next_unique" "Next place that no other candidate of the group touches";
    PreviousUnique Compare "previous_unique" "Previous place that no other candidate of the group touches";
    SearchGroup Compare "search_group" "Search the patches of all candidates, with a list of the places";
    Matrix Compare "matrix" "Which candidate touches which file";
    Tests Compare "tests" "Compare the candidates test by test";
    Marks Compare "marks" "Read all marks of the focused candidate";
    OpenSteps Compare "open_steps" "Read the focused candidate's steps";
    OpenGrader Compare "open_grader" "Read the grader's answer";
    OpenSchedule Compare "open_schedule" "Change estimator and scheme";
    OpenStepOfHunk Compare "open_step_of_hunk" "Read the step that made this change";
    CopyLine Compare "copy_line" "Copy the line";
    CopyHunk Compare "copy_hunk" "Copy the hunk";
    CopyPatch Compare "copy_patch" "Copy the focused candidate's patch";
    CopyPath Compare "copy_path" "Copy the file's path";
    OpenEditor Compare "open_editor" "Open the focused candidate's patch in $EDITOR at this line";
    OpenPager Compare "open_pager" "Open the focused candidate's patch in $PAGER";
    SavePatch Compare "save_patch" "Save the focused candidate's patch to a file";
    NextFailing Tests "next_failing" "Next test that failed";
    PreviousFailing Tests "previous_failing" "Previous test that failed";
    TestPlaces Tests "test_places" "Go to the lines of the patch that name this test";
    TestLog Tests "test_log" "Read the log of the test run";
    OpenFile Matrix "open_file" "Go to this file in this candidate's patch";
    FoldStep Steps "fold_step" "Fold or unfold the step";
    FoldAll Steps "fold_all" "Fold or unfold all steps";
    NextError Steps "next_error" "Next step that failed";
    PreviousError Steps "previous_error" "Previous step that failed";
    NextEdit Steps "next_edit" "Next step that edits a file";
    PreviousEdit Steps "previous_edit" "Previous step that edits a file";
    OpenHunk Steps "open_hunk" "Go to the hunk that this step made";
    FilterKinds Steps "filter_kinds" "Show only some kinds of steps";
    SearchHits Steps "search_hits" "List the matches of the search";
    SecondTrajectory Steps "second_trajectory" "Read two trajectories side by side, or one";
    OtherColumn Steps "other_column" "Focus the other of two trajectories, or the next candidate";
    SyncColumns Steps "sync_columns" "Let the other trajectory follow by step number, or not";
    WholeTexts Steps "whole_texts" "Show overwritten lines and encoded data whole, or in short";
    NextStep Steps "next_step" "Next step";
    PreviousStep Steps "previous_step" "Previous step";
    NextTrajectory Steps "next_trajectory" "Steps of the next candidate";
    PreviousTrajectory Steps "previous_trajectory" "Steps of the candidate before";
    NextVote Grader "next_vote" "Next answer of a grader about this group";
    RawAnswer Grader "raw_answer" "Show the raw answer";
    NextValue Schedule "next_value" "Next value of the line";
    PreviousValue Schedule "previous_value" "Previous value of the line";
    EditValue Schedule "edit_value" "Type the value of the line";
    ResetSchedule Schedule "reset_schedule" "Back to the settings at the start";
    PairFirst Pairs "pair_first" "The left one is better";
    PairSecond Pairs "pair_second" "The right one is better";
    PairTie Pairs "pair_tie" "Neither is better";
    TakeRanking Rankings "take_ranking" "Take the focused rater's ranking for the settlement";
    NextRater Rankings "next_rater" "Focus the next rater";
    PreviousRater Rankings "previous_rater" "Focus the rater before";
    HideNames Rankings "hide_names" "Show or hide the names of the raters";
    Settle Rankings "settle" "Settle the group with the ranking in the last column";
    NextListed Spotting "next_listed" "Next remark of the list";
    PreviousListed Spotting "previous_listed" "Previous remark of the list";
    OpenRemark Remarks "open_remark" "Go to the place of the remark";
    ConfirmListed Remarks "confirm_listed" "Confirm the remark: it becomes a finding";
    DismissListed Remarks "dismiss_listed" "Dismiss the remark";
    UndoVerdict Remarks "undo_verdict" "Take the last verdict back and go to its remark";
    RedoVerdict Remarks "redo_verdict" "Give the verdict again that was taken back";
    UnfoldRemarks Remarks "unfold_remarks" "Unfold remarks of one rule about one candidate, or fold them";
    NextOpenRemark Remarks "next_open_remark" "Next remark without a verdict";
    PreviousOpenRemark Remarks "previous_open_remark" "Previous remark without a verdict";
    RemarkFilter Remarks "remark_filter" "Filter: rule:stray_file path~tests level:check passing open judged text~...";
    PassingOnly Remarks "passing_only" "Only passing candidates, or all";
    OpenOnly Remarks "open_only" "Only remarks without a verdict, or all";
    Artefacts Remarks "artefacts" "Show or hide what the harness left in whole groups";
    NextTable Agreement "next_table" "Next table";
    PreviousTable Agreement "previous_table" "Previous table";
    OpenPair Agreement "open_pair" "List the groups that the two raters rank differently";
    NextAggregate Agreement "next_aggregate" "Consensus by Borda, Kemeny or Bradley-Terry";
    OpenDisagreement Disagreements "open_disagreement" "Open grader and human rankings side by side";
    NextPairing Disagreements "next_pairing" "Whose rankings are compared";
    UseScheme Schedules "use_scheme" "Use this scheme from now on";
    NextAffected Schedules "next_affected" "Next group of the list";
    PreviousAffected Schedules "previous_affected" "Previous group of the list";
    OpenAffected Schedules "open_affected" "Compare the candidates of the selected group";
    SortSchedules Schedules "sort_schedules" "Sort by the next column";
}
