//! The terminal: entered once, restored whatever happens.
//!
//! What is *not* here: what is drawn.

use std::io::{BufWriter, Stdout, Write, stdout};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Bytes of a frame written at once.
const BUFFER: usize = 1 << 16;
/// How long a terminal may take to tell its background.
const COLOUR_QUERY: Duration = Duration::from_millis(40);

/// The terminal in raw mode on its alternate screen; restored when dropped.
pub struct Tty {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    /// The frame that the terminal shows, when that is known.
    shown: Option<Buffer>,
}

impl Tty {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// The terminal cannot be set up; it is restored then.
    pub fn enter() -> std::io::Result<Self> {
        take_over().inspect_err(|_| restore())?;
        let backend = CrosstermBackend::new(BufWriter::with_capacity(BUFFER, stdout()));
        match Terminal::new(backend) {
            Ok(terminal) => Ok(Self {
                terminal,
                shown: None,
            }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// The terminal does not say.
    pub fn size(&self) -> std::io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Shows a frame as a whole. Writes nothing when the terminal shows it already.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn show(&mut self, buffer: Buffer) -> std::io::Result<()> {
        if self.shown.as_ref() == Some(&buffer) {
            return Ok(());
        }
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let mut fits = false;
        self.terminal.draw(|frame| {
            // Between a resize and its message the frame has another size than the model knows.
            fits = frame.area() == *buffer.area();
            if fits {
                frame.buffer_mut().content.clone_from(&buffer.content);
            }
        })?;
        self.shown = fits.then_some(buffer);
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// Forgets what is on the screen, so that the next frame is drawn in full.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn clear(&mut self) -> std::io::Result<()> {
        // `Terminal::clear` asks the terminal for the cursor, and the answer would go to the thread
        // that reads the input. Resizing to the same size clears without asking.
        self.shown = None;
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Puts text on the clipboard by OSC 52.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn copy(&mut self, text: &str) -> std::io::Result<()> {
        execute!(
            self.terminal.backend_mut(),
            CopyToClipboard::to_clipboard_from(text)
        )
    }

    /// Hands the terminal over as it was before, lets `work` use it, and takes it over again.
    ///
    /// # Errors
    /// The terminal cannot be set up again.
    pub fn hand_over<T>(&mut self, work: impl FnOnce() -> T) -> std::io::Result<T> {
        restore();
        let done = work();
        take_over()?;
        self.clear()?;
        Ok(done)
    }

    /// Hands the terminal back to the shell, stops the process, and takes the terminal over again
    /// when it is continued.
    ///
    /// # Errors
    /// The terminal cannot be set up again.
    pub fn suspend(&mut self) -> std::io::Result<()> {
        #[cfg(unix)]
        {
            restore();
            signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
            take_over()?;
            self.clear()?;
        }
        Ok(())
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was. Safe to call more than once; a terminal that is gone cannot
/// be restored, so errors have nobody to go to.
pub fn restore() {
    let mut out = stdout();
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        DisableFocusChange,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
    let _ = out.flush();
}

/// Restores the terminal before a panic of this thread is printed. Panics of other threads are
/// caught by [`super::workers`], which tells them on screen; printing them would draw over it.
pub fn restore_on_panic() {
    let interface = std::thread::current().id();
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == interface {
            restore();
            print(info);
        }
    }));
}

/// Whether the background is dark, as far as can be told quickly. Asked before raw mode.
#[must_use]
pub fn background_is_dark() -> bool {
    // Over a network the answer may come later than we wait, and would then be read as keys.
    let remote = std::env::var_os("SSH_CONNECTION").is_some();
    if !remote {
        let mut options = terminal_colorsaurus::QueryOptions::default();
        options.timeout = COLOUR_QUERY;
        if let Ok(mode) = terminal_colorsaurus::theme_mode(options) {
            return mode == terminal_colorsaurus::ThemeMode::Dark;
        }
    }
    // `COLORFGBG` is "foreground;background" in the 16 colours: 7 and 15 are the light ones.
    let variable = std::env::var("COLORFGBG").unwrap_or_default();
    !matches!(variable.rsplit(';').next(), Some("7" | "15"))
}

fn take_over() -> std::io::Result<()> {
    enable_raw_mode()?;
    execute!(
        stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste,
        EnableFocusChange,
        cursor::Hide
    )
}
