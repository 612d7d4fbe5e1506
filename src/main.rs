//! The `gagar` program: arguments in, exit code out.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use gagar::cli;

fn main() -> ExitCode {
    // Not locked: the terminal interface and its panic hook write from other threads.
    let mut out = BufWriter::new(std::io::stdout());
    let mut err = std::io::stderr();
    let mut io = cli::Io {
        out: &mut out,
        err: &mut err,
    };
    let mut result = cli::run(std::env::args_os(), &mut io);
    if let Err(error) = out.flush()
        && result.is_ok()
    {
        result = Err(error.into());
    }
    match result {
        Ok(ending) => ExitCode::from(ending.code()),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            // When even stderr is gone, the exit code remains.
            let _ = write!(err, "{error}");
            ExitCode::from(error.code())
        }
    }
}
