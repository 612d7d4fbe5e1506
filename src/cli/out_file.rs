//! A file that a command writes: never over what it reads, nor over a database.
//!
//! What is *not* here: how a file is written whole ([`super::whole_file`]), databases that are
//! written ([`crate::store`]).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::Input;
use super::error::CliError;
use super::whole_file::write_whole;
use crate::formats::LoadedSet;
use crate::store::is_database;

/// A file that may be written.
pub struct OutFile {
    path: PathBuf,
}

impl OutFile {
    /// Looks at what stands there, before anything is loaded.
    ///
    /// # Errors
    /// It is a folder, a database, or a file that the command line names as an input.
    pub fn new(path: &Path, input: &Input) -> Result<Self, CliError> {
        let name = path.display();
        let out = Self {
            path: path.to_owned(),
        };
        let Ok(real) = path.canonicalize() else {
            return Ok(out);
        };
        if real.is_dir() {
            return Err(CliError::usage(format!("{name} is a folder")));
        }
        let common = &input.common;
        let all = input.paths.iter().chain(&common.rankings);
        let mut inputs = all.map(PathBuf::as_path).chain([common.db()]);
        if let Some(path) = inputs.find(|path| path.canonicalize().is_ok_and(|path| path == real)) {
            let input = path.display();
            return Err(CliError::usage(format!("this would overwrite {input}")));
        }
        if is_database(&real) {
            return Err(
                CliError::usage(format!("{name} is a database: this would overwrite it"))
                    .hint("choose another name"),
            );
        }
        Ok(out)
    }

    /// Looks whether anything was loaded from the file, wherever below the paths it lies.
    ///
    /// # Errors
    /// When it was.
    pub fn check(&self, set: &LoadedSet) -> Result<(), CliError> {
        match set.reads(&self.path) {
            true => Err(CliError::usage(format!(
                "this would overwrite {}, which was loaded",
                self.path.display()
            ))),
            false => Ok(()),
        }
    }

    /// Writes the file whole or not at all, unless something of the set was loaded from it. Returns
    /// what `write` returned and the SHA-256 of the bytes, lower-case hex.
    ///
    /// # Errors
    /// Those of [`Self::check`], or why it cannot be written.
    pub fn write<T>(
        &self,
        set: Option<&LoadedSet>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<(T, String), CliError> {
        set.map_or(Ok(()), |set| self.check(set))?;
        write_whole(&self.path, write)
            .map_err(|error| CliError::failed(format!("{}: {error}", self.path.display())))
    }
}
