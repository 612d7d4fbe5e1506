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
    /// Reading one trajectory's steps.
    Steps,
    /// Reading the grader's answer.
    Grader,
    /// Changing estimator and scheme.
    Schedule,
}

impl Context {
    /// Every context, in the order of the key table.
    pub const ALL: [Self; 6] = [
        Self::Global,
        Self::Groups,
        Self::Compare,
        Self::Steps,
        Self::Grader,
        Self::Schedule,
    ];

    /// The section's name in the keymap.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Groups => "groups",
            Self::Compare => "compare",
            Self::Steps => "steps",
            Self::Grader => "grader",
            Self::Schedule => "schedule",
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
    OpenGroup Groups "open_group" "Compare the candidates of the group";
    Sort Groups "sort" "Sort by the next column";
    SortBack Groups "sort_back" "Sort by the column before";
    SortReverse Groups "sort_reverse" "Reverse the sort";
    Filter Groups "filter" "Filter: kept !masked class:mixed passing>=2 task~text policy~qwen";
    KeptOnly Groups "kept_only" "Show only the groups kept for training";
    TogglePreview Groups "toggle_preview" "Show or hide the preview";
    FocusNext Compare "focus_next" "Focus the next candidate";
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
    Marks Compare "marks" "Read all marks of the focused candidate";
    OpenSteps Compare "open_steps" "Read the focused candidate's steps";
    OpenGrader Compare "open_grader" "Read the grader's answer";
    OpenSchedule Compare "open_schedule" "Change estimator and scheme";
    CopyPatch Compare "copy_patch" "Copy the focused candidate's patch";
    FoldStep Steps "fold_step" "Fold or unfold the step";
    FoldAll Steps "fold_all" "Fold or unfold all steps";
    NextError Steps "next_error" "Next step that failed";
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
}
