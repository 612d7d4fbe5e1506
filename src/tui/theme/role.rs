//! What a style is for: the roles that screens name and themes fill.

macro_rules! roles {
    ($($variant:ident $name:literal $fallback:ident;)*) => {
        /// What a style is for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role { $(#[doc = concat!("`", $name, "` in a theme.")] $variant,)* }

        impl Role {
            /// Every role, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The role's name in a theme file.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The role whose style is taken when a theme does not set this one.
            #[must_use]
            pub fn fallback(self) -> Self {
                match self { $(Self::$variant => Self::$fallback,)* }
            }
        }
    };
}

roles! {
    Text "text" Text;
    Dim "dim" Text;
    Strong "strong" Text;
    Title "title" Strong;
    Border "border" Dim;
    FocusedBorder "focused_border" Strong;
    Cursor "cursor" Strong;
    Header "header" Strong;
    Key "key" Strong;
    Pass "pass" Text;
    Fail "fail" Text;
    Unscored "unscored" Dim;
    Up "up" Pass;
    Down "down" Fail;
    Bar "bar" Text;
    Info "info" Text;
    Warning "warning" Strong;
    Error "error" Fail;
    Finding "finding" Warning;
    Match "match" Cursor;
    FileHeader "file_header" Strong;
    HunkHeader "hunk_header" Dim;
    LineNumber "line_number" Dim;
    Added "added" Text;
    Removed "removed" Text;
    AddedWord "added_word" Added;
    RemovedWord "removed_word" Removed;
    Control "control" Warning;
    SyntaxKeyword "syntax.keyword" Text;
    SyntaxString "syntax.string" Text;
    SyntaxComment "syntax.comment" Dim;
    SyntaxNumber "syntax.number" Text;
    SyntaxFunction "syntax.function" Text;
    SyntaxType "syntax.type" Text;
    SyntaxConstant "syntax.constant" SyntaxNumber;
    SyntaxVariable "syntax.variable" Text;
    SyntaxOperator "syntax.operator" Text;
    SyntaxPunctuation "syntax.punctuation" Text;
    SyntaxTag "syntax.tag" SyntaxKeyword;
    SyntaxAttribute "syntax.attribute" SyntaxFunction;
    MovedFrom "moved_from" Removed;
    MovedTo "moved_to" Added;
    Whitespace "whitespace" Dim;
    Repaired "repaired" Warning;
    Fold "fold" HunkHeader;
    Filler "filler" Dim;
    Untouched "untouched" Dim;
    ConsensusAll "consensus_all" Strong;
    ConsensusFew "consensus_few" Warning;
    CursorLine "cursor_line" Cursor;
    Conflict "conflict" Error;
    AnsiBlack "ansi.black" Text;
    AnsiRed "ansi.red" Text;
    AnsiGreen "ansi.green" Text;
    AnsiYellow "ansi.yellow" Text;
    AnsiBlue "ansi.blue" Text;
    AnsiMagenta "ansi.magenta" Text;
    AnsiCyan "ansi.cyan" Text;
    AnsiWhite "ansi.white" Text;
    AnsiBrightBlack "ansi.bright_black" Text;
    AnsiBrightRed "ansi.bright_red" Text;
    AnsiBrightGreen "ansi.bright_green" Text;
    AnsiBrightYellow "ansi.bright_yellow" Text;
    AnsiBrightBlue "ansi.bright_blue" Text;
    AnsiBrightMagenta "ansi.bright_magenta" Text;
    AnsiBrightCyan "ansi.bright_cyan" Text;
    AnsiBrightWhite "ansi.bright_white" Text;
}

impl Role {
    /// The sixteen colours that programs print with, in the order of their numbers (0 = black,
    /// 15 = bright white).
    pub const ANSI: [Self; 16] = [
        Self::AnsiBlack,
        Self::AnsiRed,
        Self::AnsiGreen,
        Self::AnsiYellow,
        Self::AnsiBlue,
        Self::AnsiMagenta,
        Self::AnsiCyan,
        Self::AnsiWhite,
        Self::AnsiBrightBlack,
        Self::AnsiBrightRed,
        Self::AnsiBrightGreen,
        Self::AnsiBrightYellow,
        Self::AnsiBrightBlue,
        Self::AnsiBrightMagenta,
        Self::AnsiBrightCyan,
        Self::AnsiBrightWhite,
    ];

    /// Roles that lie under text that may have colours of its own: changed lines and words, the
    /// cursor's line.
    pub const GROUNDS: [Self; 9] = [
        Self::Text,
        Self::Added,
        Self::Removed,
        Self::AddedWord,
        Self::RemovedWord,
        Self::MovedFrom,
        Self::MovedTo,
        Self::Cursor,
        Self::CursorLine,
    ];
}
