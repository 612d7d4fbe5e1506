//! The lines of one file, in blocks, on all cores.
//!
//! The file is read piece by piece into one buffer that is used again and again; each piece is cut
//! into blocks at line ends, and every core reads blocks. What is *not* here: what a line means.

use std::io;

use rayon::prelude::*;

use super::files::{self, Line};
use super::source::Candidate;

/// Bytes that one core reads at a time, about.
const BLOCK: usize = 512 << 10;
/// Blocks for each core in one piece: they are not equally hard.
const BLOCKS_A_CORE: usize = 12;
/// Most bytes in one piece while no line is longer.
const MOST: usize = 64 << 20;
/// The first piece is short, so that its lines are there soon; each next one is twice as long.
const FIRST: usize = 1 << 20;

/// A place between two bytes of a file of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cursor {
    /// Bytes before it.
    pub byte: u64,
    /// Line ends before it.
    pub lines: u64,
}

/// Some lines of a file, one after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    /// Where it begins.
    pub start: Cursor,
    /// Whole lines; only the file's last one may lack its end.
    pub bytes: &'a [u8],
    /// Whether the file ends with it.
    pub is_last: bool,
}

impl<'a> Block<'a> {
    /// The lines that are not blank, with their numbers and places in the file.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        files::lines_from(self.bytes, self.start.byte, self.start.lines)
    }
}

/// How reading a file of lines ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// Up to where the lines were read.
    pub at: Cursor,
    /// Whether that is the end of the file, and not where the reader had enough.
    pub is_whole: bool,
}

/// Reads the lines from a place on until byte `until` (the file's length when it was asked for):
/// `read` gets block after block on all cores, `take` what it made of them in the order of the file,
/// some blocks at a time, with the place reached; it answers whether to go on. A last line without an
/// end for which `waits` answers true is left to a later call.
///
/// # Errors
/// When the file cannot be read, or became shorter meanwhile; what was taken stays taken.
pub(crate) fn read<T: Send>(
    file: &Candidate,
    from: Cursor,
    until: u64,
    waits: &dyn Fn(&[u8]) -> bool,
    read: &(dyn Fn(Block<'_>) -> T + Sync),
    take: &mut dyn FnMut(Vec<T>, Cursor) -> bool,
) -> io::Result<End> {
    let most = (BLOCK * BLOCKS_A_CORE * rayon::current_num_threads()).min(MOST);
    let mut buffer = Vec::new();
    let mut length = FIRST.min(most);
    // Bytes of a line whose end is not read yet, at the start of the buffer.
    let mut kept = 0;
    let mut at = from;
    loop {
        let offset = at.byte + kept as u64;
        let left = usize::try_from(until.saturating_sub(offset)).unwrap_or(usize::MAX);
        let is_last = left <= length;
        let filled = kept + left.min(length);
        resize(&mut buffer, filled, most);
        fill(file, offset, &mut buffer[kept..filled])?;
        let piece = &buffer[..filled];
        let end = if is_last {
            let last = last_line(piece);
            if last < filled && waits(&piece[last..]) {
                last
            } else {
                filled
            }
        } else {
            // What was kept has no line end.
            kept + last_line(&piece[kept..])
        };
        if end <= kept && !is_last {
            // One line that is longer than the piece.
            kept = filled;
            length = (length * 2).max(most);
            continue;
        }
        let (made, reached) = read_piece(&piece[..end], at, is_last, read);
        at = reached;
        if !take(made, at) || is_last {
            return Ok(End {
                at,
                is_whole: is_last,
            });
        }
        buffer.copy_within(end..filled, 0);
        kept = filled - end;
        length = (length * 2).min(most);
    }
}

/// Reads whole lines that begin at `start`; also tells where they end.
fn read_piece<T: Send>(
    piece: &[u8],
    start: Cursor,
    is_last: bool,
    read: &(dyn Fn(Block<'_>) -> T + Sync),
) -> (Vec<T>, Cursor) {
    let blocks = cut(piece);
    let ends: Vec<u64> = blocks
        .par_iter()
        .map(|block| memchr::memchr_iter(b'\n', block).count() as u64)
        .collect();
    let count = blocks.len();
    let mut at = start;
    let mut placed = Vec::with_capacity(count);
    for (index, (bytes, ends)) in blocks.into_iter().zip(ends).enumerate() {
        placed.push(Block {
            start: at,
            bytes,
            is_last: is_last && index + 1 == count,
        });
        at.byte += bytes.len() as u64;
        at.lines += ends;
    }
    let made = placed.into_par_iter().with_max_len(1).map(read).collect();
    (made, at)
}

/// Cuts at line ends into blocks of about [`BLOCK`] bytes.
fn cut(piece: &[u8]) -> Vec<&[u8]> {
    let mut blocks = Vec::with_capacity(piece.len() / BLOCK + 1);
    let mut rest = piece;
    while rest.len() > BLOCK {
        let Some(end) = memchr::memchr(b'\n', &rest[BLOCK..]) else {
            break;
        };
        let (block, behind) = rest.split_at(BLOCK + end + 1);
        blocks.push(block);
        rest = behind;
    }
    if !rest.is_empty() {
        blocks.push(rest);
    }
    blocks
}

/// Where the line begins that the bytes end in: behind the last line end.
fn last_line(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1)
}

/// Makes room for that many bytes; gives back what a long line took once it is read.
fn resize(buffer: &mut Vec<u8>, bytes: usize, most: usize) {
    if bytes > buffer.len() {
        // Exactly: the buffer of a long line is doubled already.
        buffer.reserve_exact(bytes - buffer.len());
        buffer.resize(bytes, 0);
    } else if buffer.len() > 2 * most && bytes <= 2 * most {
        buffer.truncate(bytes);
        buffer.shrink_to_fit();
    }
}

/// Fills the buffer with the bytes from `offset` on, on all cores.
fn fill(file: &Candidate, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    buffer
        .par_chunks_mut(BLOCK)
        .enumerate()
        .try_for_each(|(index, mut chunk)| {
            let mut at = offset + (index * BLOCK) as u64;
            while !chunk.is_empty() {
                match file.read_at(at, chunk) {
                    Ok(0) => {
                        return Err(io::Error::new(
                            io::ErrorKind::UnexpectedEof,
                            "the file became shorter while it was read",
                        ));
                    }
                    Ok(count) => {
                        at += count as u64;
                        chunk = &mut chunk[count..];
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::formats::source;

    fn candidate(bytes: &[u8]) -> (Candidate, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let path: PathBuf = folder.path().join("lines.jsonl");
        std::fs::write(&path, bytes).expect("written");
        let mut files = source::list(&[path], &mut Vec::new());
        (files.remove(0), folder)
    }

    /// (number, first byte, bytes) of every line from a place on, and the end.
    fn all(bytes: &[u8], from: Cursor, wait: bool) -> (Vec<(u64, u64, Vec<u8>)>, End) {
        let (file, _folder) = candidate(bytes);
        let mut found = Vec::new();
        let mut last = 0;
        let end = read(
            &file,
            from,
            bytes.len() as u64,
            &|_| wait,
            &|block: Block<'_>| {
                let lines: Vec<_> = block
                    .lines()
                    .map(|line| (line.number, line.start, line.bytes.to_vec()))
                    .collect();
                (lines, block.is_last)
            },
            &mut |made, _| {
                for (lines, is_last) in made {
                    found.extend(lines);
                    last += usize::from(is_last);
                }
                true
            },
        )
        .expect("read");
        assert!(last <= 1);
        (found, end)
    }

    fn expected(bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
        files::lines(bytes)
            .into_iter()
            .map(|line| (line.number, line.start, line.bytes.to_vec()))
            .collect()
    }

    #[test]
    fn lines_of_every_length_are_the_same_as_read_at_once() {
        let mut bytes = b"\xEF\xBB\xBF".to_vec();
        let mut random = 7_u64;
        for number in 0..4000_u64 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let length = match random >> 60 {
                0 => 0,
                1 => 40_000,
                _ => (random >> 33) % 3000,
            };
            bytes.extend(std::iter::repeat_n(
                b'a' + (number % 26) as u8,
                length as usize,
            ));
            bytes.extend(if number % 3 == 0 {
                &b"\r\n"[..]
            } else {
                b" \n"
            });
        }
        for whole in [true, false] {
            if !whole {
                bytes.extend(b"the end");
            }
            let (lines, end) = all(&bytes, Cursor::default(), false);
            assert_eq!(lines, expected(&bytes));
            assert_eq!(end.at.byte, bytes.len() as u64);
            assert_eq!(end.at.lines, 4000);
            assert!(end.is_whole);
        }
    }

    #[test]
    fn lines_longer_than_every_buffer_are_read() {
        let most = (BLOCK * BLOCKS_A_CORE * rayon::current_num_threads()).min(MOST);
        let mut bytes = b"first\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 3 * most));
        bytes.extend(b"\nbetween\n");
        bytes.extend(std::iter::repeat_n(b'y', most + 17));
        let (lines, end) = all(&bytes, Cursor::default(), false);
        assert!(lines == expected(&bytes));
        assert_eq!(end.at.lines, 3);
    }

    #[test]
    fn reading_goes_on_where_it_ended() {
        let bytes = b"one\n\ntwo\nthr";
        let (lines, end) = all(bytes, Cursor::default(), true);
        assert_eq!(lines.len(), 2);
        assert_eq!(end.at, Cursor { byte: 9, lines: 3 });
        let (lines, _) = all(b"one\n\ntwo\nthree\nfour\n", end.at, true);
        let lines: Vec<_> = lines
            .iter()
            .map(|(number, start, _)| (*number, *start))
            .collect();
        assert_eq!(lines, [(4, 9), (5, 15)]);
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let (file, _folder) = candidate(b"one\ntwo\n");
        let error = read(
            &file,
            Cursor::default(),
            100,
            &|_| false,
            &|_| (),
            &mut |_, _| true,
        )
        .expect_err("shorter");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn the_reader_can_have_enough() {
        let bytes = b"some line\n".repeat(FIRST / 4);
        let (file, _folder) = candidate(&bytes);
        let mut calls = 0;
        let end = read(
            &file,
            Cursor::default(),
            bytes.len() as u64,
            &|_| false,
            &|_| (),
            &mut |_, _| {
                calls += 1;
                false
            },
        );
        let end = end.expect("read");
        assert_eq!(calls, 1);
        assert!(!end.is_whole && end.at.byte <= FIRST as u64);
    }
}
