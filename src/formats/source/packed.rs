//! Unpacks compressed bytes, once, when they are first read.
//!
//! What is *not* here: archives (`archive`), and where the unpacked bytes stay (`spool`).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use flate2::bufread::{DeflateDecoder, GzDecoder};

use super::spool::{Content, Spool, Writer};
use super::store::{Reader, Store};

/// Bytes read at a time.
const BUFFER: usize = 256 << 10;
/// Unpacked bytes between two tellings of how far it is.
const TOLD_EVERY: u64 = 4 << 20;
/// Unpacked bytes from which on the ratio counts.
const BOMB_FROM: u64 = 1 << 30;
/// Unpacked bytes for one packed byte; texts stay far below.
const BOMB_RATIO: u64 = 1000;
/// Largest window of a zstd frame, as a power of two: the largest that `zstd --long` makes.
const WINDOW: u32 = 31;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Not at all, but they can be read once only: a pipe.
    Stream,
    /// One or more gzip members.
    Gzip,
    /// One or more zstd frames.
    Zstd,
    /// A member of a zip archive.
    Member {
        /// How.
        method: Method,
        /// Unpacked length, as the archive tells it.
        len: u64,
        /// CRC-32 of the unpacked bytes, as the archive tells it.
        crc: u32,
    },
}

/// How a member of a zip archive is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Deflate.
    Deflate,
    /// Zstd (method 93).
    Zstd,
}

/// Packed bytes.
#[derive(Debug)]
pub(super) struct Packed {
    of: Store,
    coding: Coding,
    spool: Arc<Spool>,
    unpacked: OnceLock<Result<Unpacked, (io::ErrorKind, String)>>,
}

/// What came of them.
#[derive(Debug)]
struct Unpacked {
    content: Content,
    damage: Option<String>,
}

/// Why unpacking ended before the packed bytes did.
#[derive(Debug)]
enum Stop {
    /// The packed bytes end too early, or are not what they should be.
    Input(io::Error),
    /// There are too many unpacked bytes, or no room for them.
    Output(io::Error),
}

impl Packed {
    pub(super) fn new(of: Store, coding: Coding, spool: &Arc<Spool>) -> Self {
        Self {
            of,
            coding,
            spool: Arc::clone(spool),
            unpacked: OnceLock::new(),
        }
    }

    /// What the packed bytes are read from.
    pub(super) fn of(&self) -> &Store {
        &self.of
    }

    pub(super) fn is_stream(&self) -> bool {
        self.coding == Coding::Stream || self.of.is_stream()
    }

    /// Whether it is a compressed file rather than a member of an archive.
    pub(super) fn is_compressed_file(&self) -> bool {
        matches!(self.coding, Coding::Gzip | Coding::Zstd)
    }

    /// The unpacked bytes.
    pub(super) fn content(&self) -> io::Result<&Content> {
        self.unpacked()
            .as_ref()
            .map(|unpacked| &unpacked.content)
            .map_err(|(kind, text)| io::Error::new(*kind, text.clone()))
    }

    /// What is wrong although something could be unpacked; unpacks.
    pub(super) fn damage(&self) -> Option<&str> {
        self.unpacked().as_ref().ok()?.damage.as_deref()
    }

    fn unpacked(&self) -> &Result<Unpacked, (io::ErrorKind, String)> {
        self.unpacked.get_or_init(|| {
            unpack(&self.of, self.coding, &self.spool, BOMB_FROM, &mut |_| true)
                .map_err(|error| (error.kind(), error.to_string()))
        })
    }

    /// Unpacks when it is not unpacked yet. `tell` is told now and then how many packed bytes were
    /// read, and answers whether to go on; what is stopped begins anew the next time. Answers whether
    /// it came to its end; what went wrong is told by the other methods.
    pub(super) fn prepare(&self, tell: &mut dyn FnMut(u64) -> bool) -> bool {
        if self.unpacked.get().is_some() {
            return true;
        }
        let mut is_stopped = false;
        let mut told = |read: u64| {
            is_stopped = !tell(read);
            !is_stopped
        };
        let made = unpack(&self.of, self.coding, &self.spool, BOMB_FROM, &mut told);
        if is_stopped {
            return false;
        }
        let made = made.map_err(|error| (error.kind(), error.to_string()));
        // Another thread may have been quicker: it is the same.
        let _ = self.unpacked.set(made);
        true
    }

    /// The first bytes, at most `count`; the rest stays packed.
    pub(super) fn head(&self, count: usize) -> io::Result<Vec<u8>> {
        if self.coding == Coding::Stream || self.unpacked.get().is_some() {
            let mut bytes = vec![0; count];
            let read = self.content()?.read_at(0, &mut bytes)?;
            bytes.truncate(read);
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
        let input = BufReader::with_capacity(8 << 10, self.of.reader());
        let mut decoder = decoder(input, self.coding)?;
        let mut buf = vec![0; count];
        while bytes.len() < count {
            match decoder.read(&mut buf[..count - bytes.len()]) {
                Ok(0) => break,
                Ok(read) => bytes.extend_from_slice(&buf[..read]),
                // What there is tells enough; the error comes again when everything is read.
                Err(_) if !bytes.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(bytes)
    }
}

/// A reader of the first member or frame.
fn decoder<'a, R: BufRead + 'a>(input: R, coding: Coding) -> io::Result<Box<dyn Read + 'a>> {
    Ok(match coding {
        Coding::Stream => Box::new(input),
        Coding::Gzip => Box::new(GzDecoder::new(input)),
        Coding::Member {
            method: Method::Deflate,
            ..
        } => Box::new(DeflateDecoder::new(input)),
        Coding::Zstd
        | Coding::Member {
            method: Method::Zstd,
            ..
        } => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?.single_frame();
            decoder.window_log_max(WINDOW)?;
            Box::new(decoder)
        }
    })
}

/// Unpacks everything; `bomb_from` is the number of unpacked bytes from which on the ratio counts.
/// `tell` is told the packed bytes read so far and answers whether to go on.
fn unpack(
    of: &Store,
    coding: Coding,
    spool: &Arc<Spool>,
    bomb_from: u64,
    tell: &mut dyn FnMut(u64) -> bool,
) -> io::Result<Unpacked> {
    let packed_len = match coding {
        Coding::Stream => 0,
        _ => of.len()?,
    };
    let mut output = Output {
        writer: Writer::new(spool),
        crc: flate2::Crc::new(),
        limit: match coding {
            Coding::Stream => None,
            _ => Some(bomb_from.max(packed_len.saturating_mul(BOMB_RATIO))),
        },
        expected: None,
        read: Arc::default(),
        told: 0,
        tell,
    };
    let counted = Counted {
        of: of.reader(),
        read: Arc::clone(&output.read),
    };
    let mut input = BufReader::with_capacity(BUFFER, counted);
    match coding {
        Coding::Stream => {
            // It has no positions to read at.
            let mut input = File::open(of.origin())?;
            copy(&mut input, &mut output).map_err(Stop::into_error)?;
            output.finish(None)
        }
        Coding::Member { len, crc, .. } => {
            output.expected = Some(len);
            let mut decoder = decoder(&mut input, coding)?;
            copy(&mut *decoder, &mut output).map_err(Stop::into_error)?;
            if output.writer.len() != len || output.crc.sum() != crc {
                let reason = if output.writer.len() == len {
                    "its checksum is not the one the archive tells".to_owned()
                } else {
                    let found = output.writer.len();
                    format!("it is {found} bytes long instead of the {len} the archive tells")
                };
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            drop(decoder);
            output.finish(None)
        }
        Coding::Gzip | Coding::Zstd => unpack_file(&mut input, coding, output),
    }
}

/// Unpacks one member or frame after the other.
fn unpack_file(
    input: &mut BufReader<Counted<'_>>,
    coding: Coding,
    mut output: Output<'_>,
) -> io::Result<Unpacked> {
    // Bytes whose member or frame is whole.
    let mut sound = 0;
    let mut first = true;
    loop {
        let head = input.fill_buf()?;
        let Some(&byte) = head.first() else { break };
        let starts = match coding {
            Coding::Gzip => byte == 0x1f,
            // A frame, or one to be skipped.
            _ => byte == 0x28 || byte & 0xf0 == 0x50,
        };
        if !starts && !first {
            let left = count_left(input)?;
            let reason = format!("{left} bytes after the compressed data are left out");
            return output.finish((left > 0).then_some(reason));
        }
        first = false;
        let copied = match decoder(&mut *input, coding) {
            Ok(mut decoder) => copy(&mut *decoder, &mut output),
            Err(error) => Err(Stop::Input(error)),
        };
        match copied {
            Ok(()) => sound = output.writer.len(),
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Input(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                if output.writer.len() == 0 {
                    let reason = "the compressed data break off at once";
                    return Err(io::Error::new(error.kind(), reason));
                }
                let reason = "the compressed data break off; what comes before is read";
                return output.finish(Some(reason.to_owned()));
            }
            Err(Stop::Input(error)) if sound == 0 => return Err(error),
            Err(Stop::Input(error)) => {
                let reason = format!(
                    "the compressed data are broken after the first {sound} bytes, which are read: \
                     {error}"
                );
                return output.finish_at(sound, Some(reason));
            }
        }
    }
    output.finish(None)
}

/// The number of bytes left; 0 when they are all zero, as a tape's padding is.
fn count_left(input: &mut impl BufRead) -> io::Result<u64> {
    let mut count = 0;
    let mut zero = true;
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(if zero { 0 } else { count });
        }
        zero &= bytes.iter().all(|byte| *byte == 0);
        let len = bytes.len();
        count += len as u64;
        input.consume(len);
    }
}

/// Counts the packed bytes that are read.
struct Counted<'a> {
    of: Reader<'a>,
    read: Arc<AtomicU64>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.of.read(buf)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Takes what is unpacked, within limits.
struct Output<'a> {
    writer: Writer,
    crc: flate2::Crc,
    /// More bytes than this are a bomb.
    limit: Option<u64>,
    /// The length told.
    expected: Option<u64>,
    /// Packed bytes read so far.
    read: Arc<AtomicU64>,
    /// Unpacked bytes when it was told last.
    told: u64,
    /// Is told the packed bytes read, and answers whether to go on.
    tell: &'a mut dyn FnMut(u64) -> bool,
}

impl Output<'_> {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.writer.len() - self.told >= TOLD_EVERY {
            self.told = self.writer.len();
            if !(self.tell)(self.read.load(Ordering::Relaxed)) {
                return Err(io::Error::other("unpacking was stopped"));
            }
        }
        let len = self.writer.len() + bytes.len() as u64;
        let refused = |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        if self.limit.is_some_and(|limit| len > limit) {
            return refused(
                "unpacking was stopped: it is more than a thousand times longer than its packed \
                 bytes, as no data are",
            );
        }
        if self.expected.is_some_and(|expected| len > expected) {
            return refused("it is longer than the archive tells");
        }
        if self.expected.is_some() {
            self.crc.update(bytes);
        }
        self.writer.push(bytes)
    }

    fn finish(self, damage: Option<String>) -> io::Result<Unpacked> {
        self.finish_at(u64::MAX, damage)
    }

    fn finish_at(self, len: u64, damage: Option<String>) -> io::Result<Unpacked> {
        let content = self.writer.finish(len)?;
        Ok(Unpacked { content, damage })
    }
}

fn copy(input: &mut dyn Read, output: &mut Output<'_>) -> Result<(), Stop> {
    let mut buf = vec![0; BUFFER];
    loop {
        match input.read(&mut buf) {
            Ok(0) => return Ok(()),
            Ok(count) => output.push(&buf[..count]).map_err(Stop::Output)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Stop::Input(error)),
        }
    }
}

impl Stop {
    fn into_error(self) -> io::Error {
        match self {
            Self::Input(error) | Self::Output(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_stopped() {
        let root = tempfile::tempdir().expect("folder");
        let path = root.path().join("bomb.zst");
        let packed = zstd::encode_all(io::repeat(b'x').take(64 << 20), 3).expect("pack");
        std::fs::write(&path, packed).expect("write");
        let of = Store::File(Arc::from(path.as_path()));
        let spool = Arc::new(Spool::default());
        let error = unpack(&of, Coding::Zstd, &spool, 32 << 20, &mut |_| true).expect_err("bomb");
        assert!(error.to_string().contains("a thousand times"), "{error}");
        // The ratio alone is no reason: short texts may repeat themselves.
        let unpacked = unpack(&of, Coding::Zstd, &spool, 64 << 20, &mut |_| true).expect("unpack");
        assert_eq!(unpacked.content.len(), 64 << 20);
    }
}
