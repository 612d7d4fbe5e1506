//! Objects on S3, Google Cloud Storage, Azure and web servers, read range by range.
//!
//! What is *not* here: downloading whole sets. Only a server that serves no ranges makes an object
//! be kept here (in the spool).

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::future::Future;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, SystemTime};

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{ClientConfigKey, GetOptions, GetRange, ObjectMeta, ObjectStore, RetryConfig};

use super::archive::folder_order;
use super::spool::{Content, Spool, Writer};
use super::store::Store;
use super::{Candidate, Stamp};
use crate::formats::Problem;

/// Bytes fetched at a time where reads are small.
const BLOCK: u64 = 1 << 20;
/// For reads of at least so many bytes several blocks are fetched at once, and shorter objects as a
/// whole.
const LONG_READ: u64 = 4 << 20;
/// Blocks kept.
const BLOCKS: usize = 64;
/// Blocks fetched at once when an object is read from its start to its end.
const AHEAD: u64 = 8;
/// Objects that one listing may have.
const OBJECTS: usize = 1_000_000;
/// Time for everything about one request, however slow.
const WHOLE_REQUEST: Duration = Duration::from_secs(600);

/// Seconds until a connection must stand, and between two parts of an answer; of a whole request.
const LIMITS: [(ClientConfigKey, &str); 3] = [
    (ClientConfigKey::ConnectTimeout, "10 seconds"),
    (ClientConfigKey::ReadTimeout, "30 seconds"),
    (ClientConfigKey::Timeout, "10 minutes"),
];

/// A service, and what helps when it refuses.
#[derive(Debug, Clone)]
struct Service {
    store: Arc<dyn ObjectStore>,
    hint: &'static str,
}

const S3_HINT: &str = "credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and \
                       AWS_SESSION_TOKEN, the region from AWS_REGION; AWS_SKIP_SIGNATURE=true is \
                       for public buckets";
const GCS_HINT: &str = "credentials come from GOOGLE_SERVICE_ACCOUNT or \
                        GOOGLE_APPLICATION_CREDENTIALS; GOOGLE_SKIP_SIGNATURE=true is for public \
                        buckets";
const AZURE_HINT: &str = "the account comes from AZURE_STORAGE_ACCOUNT_NAME, credentials from \
                          AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY; \
                          AZURE_SKIP_SIGNATURE=true is for public containers";
const HTTP_HINT: &str = "a signed address may have expired";

/// What helps when the service of a scheme refuses.
fn hint(scheme: &str) -> &'static str {
    match scheme {
        "http" | "https" => HTTP_HINT,
        "gs" => GCS_HINT,
        "az" => AZURE_HINT,
        _ => S3_HINT,
    }
}

/// Blocks of all objects of a listing.
#[derive(Debug, Default)]
struct Cache(Mutex<Blocks>);

#[derive(Debug, Default)]
struct Blocks {
    /// By object and number of the block.
    held: HashMap<(u64, u64), Held>,
    clock: u64,
}

/// A block.
#[derive(Debug)]
struct Held {
    bytes: Arc<[u8]>,
    /// When it was last used.
    used: u64,
}

impl Cache {
    fn get(&self, object: u64, block: u64) -> Option<Arc<[u8]>> {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.clock += 1;
        let now = blocks.clock;
        let held = blocks.held.get_mut(&(object, block))?;
        held.used = now;
        Some(Arc::clone(&held.bytes))
    }

    fn put(&self, object: u64, block: u64, bytes: &[u8]) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.clock += 1;
        let now = blocks.clock;
        if blocks.held.len() >= BLOCKS {
            let oldest = blocks.held.iter().min_by_key(|(_, held)| held.used);
            if let Some(key) = oldest.map(|(key, _)| *key) {
                blocks.held.remove(&key);
            }
        }
        let held = Held {
            bytes: Arc::from(bytes),
            used: now,
        };
        blocks.held.insert((object, block), held);
    }
}

/// What all objects of a listing share.
#[derive(Debug, Clone, Default)]
struct Shared {
    cache: Arc<Cache>,
    spool: Arc<Spool>,
}

/// One object.
#[derive(Debug)]
pub(super) struct Object {
    number: u64,
    service: Service,
    key: Key,
    /// The address, without what is secret in it.
    shown: PathBuf,
    len: u64,
    e_tag: Option<String>,
    modified: SystemTime,
    shared: Shared,
    /// The block behind the last ones fetched: reading on near it is reading through. Locked while
    /// blocks are fetched.
    next: Mutex<Option<u64>>,
    /// Everything, when the server serves no ranges.
    kept: OnceLock<Result<Content, (io::ErrorKind, String)>>,
}

impl Object {
    fn new(service: Service, meta: &ObjectMeta, shown: PathBuf, shared: &Shared) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            service,
            key: meta.location.clone(),
            shown,
            len: meta.size,
            e_tag: meta.e_tag.clone(),
            modified: meta.last_modified.into(),
            shared: shared.clone(),
            next: Mutex::new(None),
            kept: OnceLock::new(),
        }
    }

    /// The address, as shown.
    pub(super) fn shown(&self) -> &Path {
        &self.shown
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    fn stamp(&self) -> Stamp {
        let tag = self.e_tag.as_ref().map(|tag| {
            let mut hasher = DefaultHasher::new();
            tag.hash(&mut hasher);
            (hasher.finish(), 0)
        });
        Stamp {
            bytes: self.len,
            modified: Some(self.modified),
            node: tag,
        }
    }

    /// The tag that a request may be bound to.
    fn strong_tag(&self) -> Option<&str> {
        self.e_tag.as_deref().filter(|tag| !tag.starts_with("W/"))
    }

    /// Whether there is another object at the address now. One that is gone, or cannot be asked
    /// about, is not taken for another.
    pub(super) fn changed(&self) -> bool {
        if self.strong_tag().is_some() {
            // Every request is bound to it: what another object holds cannot be read.
            return false;
        }
        let now = head(&self.service, &self.key);
        now.is_ok_and(|meta| {
            meta.size != self.len || SystemTime::from(meta.last_modified) != self.modified
        })
    }

    /// Reads from `start` on; 0 at the end.
    pub(super) fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() || start >= self.len {
            return Ok(0);
        }
        if self.kept.get().is_some() {
            return self.kept()?.read_at(start, buf);
        }
        let block = start / BLOCK;
        let inside = (start % BLOCK) as usize;
        if let Some(bytes) = self.shared.cache.get(self.number, block) {
            return Ok(take(&bytes, inside, buf));
        }
        // One fetch at a time: cores that read an object together want the same blocks.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = self.shared.cache.get(self.number, block) {
            return Ok(take(&bytes, inside, buf));
        }
        let wants_more = self.len <= LONG_READ
            || buf.len() as u64 >= LONG_READ
            || next.is_some_and(|next| next.abs_diff(block) <= 2);
        let count = if wants_more {
            (1..AHEAD)
                .find(|more| self.shared.cache.get(self.number, block + more).is_some())
                .unwrap_or(AHEAD)
        } else {
            1
        };
        let first = block * BLOCK;
        let end = self.len.min(first + BLOCK * count);
        let Some(bytes) = self.fetch(first..end)? else {
            return self.kept()?.read_at(start, buf);
        };
        *next = Some(block + count);
        for (number, part) in (block..).zip(bytes.chunks(BLOCK as usize)) {
            self.shared.cache.put(self.number, number, part);
        }
        Ok(take(&bytes, inside, buf))
    }

    /// Fetches a range; `None` when the server serves whole objects only.
    fn fetch(&self, range: Range<u64>) -> io::Result<Option<Vec<u8>>> {
        let wanted = range.end - range.start;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: self.strong_tag().map(str::to_owned),
            ..GetOptions::default()
        };
        let (store, key) = (Arc::clone(&self.service.store), self.key.clone());
        let fetched = wait(async move {
            let bytes = store.get_opts(&key, options).await?.bytes().await?;
            Ok(bytes.to_vec())
        });
        match fetched {
            Ok(bytes) if bytes.len() as u64 == wanted => Ok(Some(bytes)),
            Ok(_) => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the server sent fewer bytes than asked for",
            )),
            Err(error) if is_whole_only(&error) => Ok(None),
            Err(error) => Err(error.into_io(self.service.hint)),
        }
    }

    /// Everything, fetched once.
    fn kept(&self) -> io::Result<&Content> {
        let kept = self.kept.get_or_init(|| {
            self.fetch_whole()
                .map_err(|error| (error.kind(), error.to_string()))
        });
        kept.as_ref()
            .map_err(|(kind, text)| io::Error::new(*kind, text.clone()))
    }

    fn fetch_whole(&self) -> io::Result<Content> {
        let failed = |error: Failed| error.into_io(self.service.hint);
        let options = GetOptions {
            if_match: self.strong_tag().map(str::to_owned),
            ..GetOptions::default()
        };
        let (store, key) = (Arc::clone(&self.service.store), self.key.clone());
        let got = wait(async move { store.get_opts(&key, options).await });
        let mut stream = got.map_err(failed)?.into_stream();
        let mut writer = Writer::new(&self.shared.spool);
        loop {
            let (rest, part) = wait(async move {
                let part = stream.try_next().await?;
                Ok((stream, part))
            })
            .map_err(failed)?;
            stream = rest;
            let Some(part) = part else { break };
            writer.push(&part)?;
        }
        writer.finish(u64::MAX)
    }
}

/// Copies from a position on.
fn take(bytes: &[u8], from: usize, buf: &mut [u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let count = rest.len().min(buf.len());
    buf[..count].copy_from_slice(&rest[..count]);
    count
}

/// Why a request gave nothing.
#[derive(Debug, thiserror::Error)]
enum Failed {
    /// The service says so, or cannot be reached.
    #[error(transparent)]
    Service(#[from] object_store::Error),
    /// The thread that asks is gone.
    #[error("the thread that reads from the network ended")]
    Thread,
    /// There was no answer in time.
    #[error("there was no answer in {} seconds", WHOLE_REQUEST.as_secs())]
    Late,
    /// The thread cannot be started.
    #[error(transparent)]
    Start(io::Error),
}

impl Failed {
    /// In one sentence, with what may help. Addresses are left out: they may hold signatures.
    fn into_io(self, hint: &str) -> io::Error {
        use object_store::Error;
        let (kind, text) = match &self {
            Self::Service(Error::NotFound { .. }) => (
                io::ErrorKind::NotFound,
                "there is nothing at this address (404)".to_owned(),
            ),
            Self::Service(Error::Unauthenticated { .. }) => (
                io::ErrorKind::PermissionDenied,
                format!("the server wants credentials (401): {hint}"),
            ),
            Self::Service(Error::PermissionDenied { .. }) => (
                io::ErrorKind::PermissionDenied,
                format!("the server refuses (403): {hint}"),
            ),
            Self::Service(Error::Precondition { .. } | Error::NotModified { .. }) => (
                io::ErrorKind::InvalidData,
                "the object changed since it was loaded".to_owned(),
            ),
            Self::Service(error) => {
                let text = innermost(error);
                let lower = text.to_ascii_lowercase();
                let kind = if lower.contains("timed out") {
                    io::ErrorKind::TimedOut
                } else {
                    io::ErrorKind::Other
                };
                let about_access = [
                    "credential",
                    "redirect",
                    "token",
                    "account",
                    "169.254.",
                    "403",
                    "401",
                ];
                if about_access.iter().any(|word| lower.contains(word)) {
                    (
                        kind,
                        format!("{}: {hint}", text.trim_end_matches([' ', ':'])),
                    )
                } else {
                    (kind, text)
                }
            }
            Self::Thread | Self::Start(_) => (io::ErrorKind::Other, self.to_string()),
            Self::Late => (io::ErrorKind::TimedOut, self.to_string()),
        };
        io::Error::new(kind, text)
    }
}

/// The cause of an error, shortened.
fn innermost(error: &object_store::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.split_once('?').map_or(word, |(before, _)| before))
        .collect();
    let mut text: String = words.join(" ").chars().take(300).collect();
    text.retain(|character| !character.is_control());
    text
}

/// Whether the server answered a request for a range with everything.
fn is_whole_only(failed: &Failed) -> bool {
    match failed {
        Failed::Service(object_store::Error::NotSupported { .. }) => true,
        Failed::Service(error) => innermost(error).contains("non-partial response"),
        _ => false,
    }
}

/// Runs a request to its end on the thread that reads from the network.
fn wait<T, F>(request: F) -> Result<T, Failed>
where
    T: Send + 'static,
    F: Future<Output = Result<T, object_store::Error>> + Send + 'static,
{
    static RUNTIME: OnceLock<Result<tokio::runtime::Handle, String>> = OnceLock::new();
    let handle = RUNTIME
        .get_or_init(|| start().map_err(|error| error.to_string()))
        .as_ref()
        .map_err(|text| Failed::Start(io::Error::other(text.clone())))?;
    let (sender, answer) = mpsc::channel();
    handle.spawn(async move {
        let result = tokio::time::timeout(WHOLE_REQUEST, request).await;
        // Nobody waits any more when the load was stopped.
        let _ = sender.send(result);
    });
    match answer.recv() {
        Ok(Ok(result)) => Ok(result?),
        Ok(Err(_)) => Err(Failed::Late),
        Err(_) => Err(Failed::Thread),
    }
}

fn start() -> io::Result<tokio::runtime::Handle> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("network".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}

/// What the service tells about an object.
fn head(service: &Service, key: &Key) -> Result<ObjectMeta, Failed> {
    let ask = |options: GetOptions| {
        let (store, key) = (Arc::clone(&service.store), key.clone());
        wait(async move { Ok(store.get_opts(&key, options).await?.meta) })
    };
    let asked = ask(GetOptions {
        head: true,
        ..GetOptions::default()
    });
    match asked {
        Err(Failed::Service(object_store::Error::NotFound { .. })) => asked,
        // An address may be signed for GET alone; its answer tells the same.
        Err(error) => ask(GetOptions {
            range: Some(GetRange::Bounded(0..1)),
            ..GetOptions::default()
        })
        .map_err(|_| error),
        Ok(meta) => Ok(meta),
    }
}

/// An address, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Address<'a> {
    scheme: &'a str,
    /// Host or bucket, without a user.
    host: &'a str,
    /// Behind the host, without the first `/`, and without query and fragment.
    path: &'a str,
}

impl<'a> Address<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        (!host.is_empty()).then_some(Self { scheme, host, path })
    }

    /// The address without what is secret in it.
    fn shown(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("{}://{}/{path}", self.scheme, self.host))
    }
}

/// Lists the object at an address, or those below it.
pub(super) fn list(url: &str, problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let Some(address) = Address::of(url) else {
        problems.push(Problem::new(Path::new(url), "the address has no host"));
        return Vec::new();
    };
    let shown = address.shown(address.path);
    let service = match service(url, &address) {
        Ok(service) => service,
        Err(error) => {
            let error = error.into_io(hint(address.scheme));
            problems.push(Problem::of_file(&shown, &error));
            return Vec::new();
        }
    };
    let is_web = matches!(address.scheme, "http" | "https");
    let key = if is_web && !address.path.ends_with('/') {
        // The service is at the address itself, so that nothing in it is written otherwise.
        Ok(Key::default())
    } else if is_web {
        Key::from_url_path(address.path)
    } else {
        Key::parse(address.path)
    };
    let key = match key {
        Ok(key) => key,
        Err(error) => {
            problems.push(Problem::new(&shown, error.to_string()));
            return Vec::new();
        }
    };
    list_at(&service, &key, &address, problems)
}

fn list_at(
    service: &Service,
    key: &Key,
    address: &Address<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<Candidate> {
    let shared = Shared::default();
    let shown = address.shown(address.path);
    let is_web = matches!(address.scheme, "http" | "https");
    let is_folder = address.path.is_empty() || address.path.ends_with('/');
    if !is_folder {
        match head(service, key) {
            Ok(meta) => {
                let object = Object::new(service.clone(), &meta, shown.clone(), &shared);
                return vec![candidate(object, true)];
            }
            // There may be objects below it.
            Err(Failed::Service(object_store::Error::NotFound { .. })) if !is_web => {}
            Err(error) => {
                let error = error.into_io(service.hint);
                problems.push(Problem::of_file(&shown, &error));
                return Vec::new();
            }
        }
    }
    let metas = {
        let (store, prefix) = (Arc::clone(&service.store), key.clone());
        wait(async move {
            let prefix = (prefix != Key::default()).then_some(prefix);
            let stream = store.list(prefix.as_ref()).take(OBJECTS);
            stream.try_collect::<Vec<_>>().await
        })
    };
    let metas = match metas {
        Ok(metas) => metas,
        Err(error) => {
            let error = error.into_io(service.hint);
            let mut problem = Problem::of_file(&shown, &error);
            if is_web {
                problem.reason.push_str(
                    "; folders are listed where the server speaks WebDAV: name the files instead",
                );
            }
            problems.push(problem);
            return Vec::new();
        }
    };
    if metas.len() == OBJECTS {
        let reason = format!("there are more than {OBJECTS} objects; the rest is not read");
        problems.push(Problem::new(&shown, reason));
    }
    let depth = key.parts().count();
    let mut found: Vec<Candidate> = metas
        .iter()
        .filter(|meta| {
            let mut below = meta.location.parts().skip(depth);
            !below.any(|part| part.as_ref().starts_with('.'))
        })
        .map(|meta| {
            let path = address.shown(meta.location.as_ref());
            candidate(Object::new(service.clone(), meta, path, &shared), false)
        })
        .collect();
    if found.is_empty() {
        problems.push(Problem::new(&shown, "there is nothing at this address"));
    }
    found.sort_by(|a, b| folder_order(&a.path, &b.path));
    found
}

fn candidate(object: Object, named: bool) -> Candidate {
    Candidate {
        path: object.shown.clone(),
        bytes: object.len,
        named,
        stamp: object.stamp(),
        store: Store::Remote(Arc::new(object)),
    }
}

/// The service of an address, with credentials from the environment.
fn service(url: &str, address: &Address<'_>) -> Result<Service, Failed> {
    let retry = RetryConfig {
        max_retries: 3,
        retry_timeout: Duration::from_secs(30),
        ..RetryConfig::default()
    };
    let root = format!("{}://{}", address.scheme, address.host);
    let store: Arc<dyn ObjectStore> = match address.scheme {
        "http" | "https" => {
            // Folders are listed from the root; a file is its own root.
            let base = if address.path.is_empty() || address.path.ends_with('/') {
                url.split(['?', '#'])
                    .next()
                    .and_then(|url| url.strip_suffix(address.path))
                    .unwrap_or(url)
            } else {
                url
            };
            let builder = HttpBuilder::new()
                .with_url(base)
                .with_retry(retry)
                .with_config(ClientConfigKey::AllowHttp, "true");
            let builder = LIMITS.into_iter().fold(builder, |builder, (key, value)| {
                builder.with_config(key, value)
            });
            Arc::new(builder.build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env()
                .with_url(root)
                .with_retry(retry);
            let builder = LIMITS.into_iter().fold(builder, |builder, (key, value)| {
                builder.with_config(GoogleConfigKey::Client(key), value)
            });
            Arc::new(builder.build()?)
        }
        "az" => {
            let builder = MicrosoftAzureBuilder::from_env()
                .with_url(root)
                .with_retry(retry);
            let builder = LIMITS.into_iter().fold(builder, |builder, (key, value)| {
                builder.with_config(AzureConfigKey::Client(key), value)
            });
            Arc::new(builder.build()?)
        }
        _ => {
            let builder = AmazonS3Builder::from_env().with_url(root).with_retry(retry);
            let builder = LIMITS.into_iter().fold(builder, |builder, (key, value)| {
                builder.with_config(AmazonS3ConfigKey::Client(key), value)
            });
            Arc::new(builder.build()?)
        }
    };
    let hint = hint(address.scheme);
    Ok(Service { store, hint })
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::ObjectStoreExt as _;
    use object_store::memory::InMemory;

    fn service_with(objects: &[(&str, &[u8])]) -> Service {
        let store = InMemory::new();
        let objects: Vec<(String, Vec<u8>)> = objects
            .iter()
            .map(|(key, bytes)| ((*key).to_owned(), bytes.to_vec()))
            .collect();
        let store = Arc::new(store);
        let there = Arc::clone(&store);
        wait(async move {
            for (key, bytes) in objects {
                store.put(&Key::from(key), bytes.into()).await?;
            }
            Ok(())
        })
        .expect("put");
        Service {
            store: there,
            hint: S3_HINT,
        }
    }

    fn list_of(service: &Service, path: &str) -> (Vec<Candidate>, Vec<Problem>) {
        let address = Address {
            scheme: "s3",
            host: "bucket",
            path,
        };
        let mut problems = Vec::new();
        let key = Key::parse(path).expect("key");
        let found = list_at(service, &key, &address, &mut problems);
        (found, problems)
    }

    #[test]
    fn objects_below_a_prefix_are_listed_as_a_folder_is() {
        let service = service_with(&[
            ("runs/b/x.jsonl", b"1"),
            ("runs/a.jsonl", b"22"),
            ("runs/.hidden/y.jsonl", b"333"),
            ("runs/z.jsonl", b"4444"),
            ("other/a.jsonl", b"5"),
        ]);
        let names = |path: &str| -> Vec<(String, u64, bool)> {
            let (found, problems) = list_of(&service, path);
            assert_eq!(problems, Vec::new());
            let named =
                |file: &Candidate| (file.path.display().to_string(), file.bytes, file.named);
            found.iter().map(named).collect()
        };
        let expected = [
            ("s3://bucket/runs/a.jsonl".to_owned(), 2, false),
            ("s3://bucket/runs/z.jsonl".to_owned(), 4, false),
            ("s3://bucket/runs/b/x.jsonl".to_owned(), 1, false),
        ];
        assert_eq!(names("runs"), expected);
        assert_eq!(names("runs/"), expected);
        let one = [("s3://bucket/runs/a.jsonl".to_owned(), 2, true)];
        assert_eq!(names("runs/a.jsonl"), one);
        let (found, problems) = list_of(&service, "nothing");
        assert!(found.is_empty());
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn every_range_is_given_back() {
        let bytes: Vec<u8> = (0..20_u32 << 20).map(|at| (at % 251) as u8).collect();
        let service = service_with(&[("x", &bytes)]);
        let (found, _) = list_of(&service, "x");
        let file = &found[0];
        assert_eq!(file.len().expect("len"), bytes.len() as u64);
        for (start, len) in [
            (0, 10),
            (1_048_570, 20),
            (5 << 20, 9 << 20),
            (bytes.len() as u64 - 3, 3),
        ] {
            let read = file.read(start, len).expect("read");
            let start = usize::try_from(start).expect("start");
            assert!(read == bytes[start..start + read.len()] && read.len() as u64 == len);
        }
        assert!(file.read(bytes.len() as u64 - 3, 4).is_err());
        assert!(file.read(5, u64::MAX).is_err());
        let mut through = Vec::new();
        io::copy(&mut file.store.reader(), &mut through).expect("through");
        assert!(through == bytes);
        assert!(*file.whole().expect("whole") == *bytes);
    }

    #[test]
    fn another_object_in_its_place_is_not_read() {
        let service = service_with(&[("x", b"one")]);
        let (found, _) = list_of(&service, "x");
        let store = Arc::clone(&service.store);
        wait(async move {
            let key = Key::from("x");
            store.put(&key, b"two".to_vec().into()).await.map(|_| ())
        })
        .expect("put");
        let error = found[0].read(0, 3).expect_err("changed");
        assert!(error.to_string().contains("changed"), "{error}");
    }

    #[test]
    fn addresses_are_shown_without_secrets() {
        let address = Address::of("https://me:secret@host.example/a/b.jsonl?signature=1#x");
        let address = address.expect("address");
        let shown = address.shown(address.path);
        assert_eq!(shown, Path::new("https://host.example/a/b.jsonl"));
        assert_eq!(Address::of("s3://"), None);
    }
}
