//! Addresses: sets on a web server load as those on the disk do, and range by range.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gagar::formats::LoadedSet;

use super::{has_problem, load_all};

/// What a server does otherwise than a good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Good,
    /// Serves whole files only.
    WholeOnly,
    /// Answers 403 to HEAD, as an address signed for GET does.
    GetOnly,
}

/// A web server on a port of its own; it ends with the process.
struct Server {
    port: u16,
    files: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    /// Bytes of bodies sent.
    sent: Arc<AtomicU64>,
}

impl Server {
    fn new(way: Way, files: &[(&str, Vec<u8>)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let port = listener.local_addr().expect("address").port();
        let files = files
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), bytes.clone()));
        let server = Self {
            port,
            files: Arc::new(Mutex::new(files.collect())),
            sent: Arc::default(),
        };
        let (files, sent) = (Arc::clone(&server.files), Arc::clone(&server.sent));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (files, sent) = (Arc::clone(&files), Arc::clone(&sent));
                std::thread::spawn(move || answer(&stream, way, &files, &sent));
            }
        });
        server
    }

    fn url(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("http://127.0.0.1:{}/{name}", self.port))
    }

    fn sent(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }
}

fn answer(stream: &TcpStream, way: Way, files: &Mutex<HashMap<String, Vec<u8>>>, sent: &AtomicU64) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let header = |name: &str| {
        let mut found = headers.iter().filter_map(|line| line.split_once(": "));
        found
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    };
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let name = target
        .trim_start_matches('/')
        .split('?')
        .next()
        .unwrap_or("");
    let file = files.lock().expect("files").get(name).cloned();
    let mut out = stream;
    let mut send = |status: &str, more: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{more}\r\n");
        let _ = out.write_all(head.as_bytes());
        if method != "HEAD" {
            sent.fetch_add(body.len() as u64, Ordering::SeqCst);
            let _ = out.write_all(body);
        }
    };
    if name.starts_with("secret") {
        return send("403 Forbidden", "Content-Length: 0\r\n", b"");
    }
    if method == "PROPFIND" {
        return send("405 Method Not Allowed", "Content-Length: 0\r\n", b"");
    }
    let Some(file) = file else {
        return send("404 Not Found", "Content-Length: 0\r\n", b"");
    };
    if method == "HEAD" && way == Way::GetOnly {
        return send("403 Forbidden", "Content-Length: 0\r\n", b"");
    }
    let tag = format!(
        "\"{}-{:?}\"",
        file.len(),
        file.iter().map(|b| u64::from(*b)).sum::<u64>()
    );
    if header("if-match").is_some_and(|wanted| wanted != tag) {
        return send("412 Precondition Failed", "Content-Length: 0\r\n", b"");
    }
    let about = format!("ETag: {tag}\r\nLast-Modified: Mon, 30 Nov 2026 08:00:00 GMT\r\n");
    let range = header("range").filter(|_| way != Way::WholeOnly);
    let Some(range) = range else {
        let more = format!("{about}Content-Length: {}\r\n", file.len());
        return send("200 OK", &more, &file);
    };
    let (start, end) = range
        .trim_start_matches("bytes=")
        .split_once('-')
        .expect("range");
    let start: usize = start.parse().expect("start");
    let end = end
        .parse()
        .map_or(file.len(), |end: usize| (end + 1).min(file.len()));
    let part = &file[start..end];
    let more = format!(
        "{about}Content-Length: {}\r\nContent-Range: bytes {start}-{}/{}\r\n",
        part.len(),
        end - 1,
        file.len()
    );
    send("206 Partial Content", &more, part);
}

/// Groups with a long text each.
fn lines(count: usize) -> Vec<u8> {
    let text = "x".repeat(100_000);
    let line = |number: usize| {
        format!(
            "{{\"group_id\":\"g{number:03}\",\"trajectory_id\":\"a\",\"reward\":1,\
             \"patch\":\"text {number}\",\"steps\":[{{\"kind\":\"message\",\"text\":\"{text}\"}}]}}\n"
        )
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in files {
        writer.start_file(*name, options).expect("zip");
        writer.write_all(bytes).expect("zip");
    }
    writer.finish().expect("zip").into_inner()
}

fn patch(loaded: &LoadedSet, group: usize) -> Option<String> {
    let content = loaded.open(group).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[0].steps.len(), 1);
    content.trajectories[0].patch.clone()
}

#[test]
fn one_group_is_opened_without_fetching_the_file_again() {
    let bytes = lines(100);
    let total = bytes.len() as u64;
    let server = Server::new(Way::Good, &[("runs/x.jsonl", bytes)]);
    let loaded = load_all(&[server.url("runs/x.jsonl")]);
    assert_eq!(loaded.problems, Vec::new());
    assert_eq!(loaded.groups.len(), 100);
    let indexed = server.sent();
    assert!(
        indexed < total + (3 << 20),
        "{indexed} of {total} bytes were sent"
    );
    assert_eq!(patch(&loaded, 42), Some("text 42".to_owned()));
    let opened = server.sent() - indexed;
    assert!(opened <= 2 << 20, "{opened} bytes were sent for one group");
    // Again, from what is held.
    assert_eq!(patch(&loaded, 42), Some("text 42".to_owned()));
    assert_eq!(server.sent() - indexed, opened);
}

#[test]
fn packed_files_on_a_server_are_read() {
    let bytes = lines(30);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&bytes).expect("gz");
    let other = b"{\"group_id\":\"other\",\"trajectory_id\":\"a\",\"reward\":1}\n".as_slice();
    let server = Server::new(
        Way::Good,
        &[
            ("x.jsonl.gz", gz.finish().expect("gz")),
            ("y.zip", zip(&[("a/x.jsonl", &bytes), ("b.jsonl", other)])),
        ],
    );
    let loaded = load_all(&[server.url("x.jsonl.gz?signature=abc")]);
    assert_eq!(loaded.problems, Vec::new());
    assert_eq!(loaded.groups.len(), 30);
    assert_eq!(patch(&loaded, 7), Some("text 7".to_owned()));
    let loaded = load_all(&[server.url("y.zip")]);
    assert_eq!(loaded.problems, Vec::new());
    assert_eq!(loaded.groups.len(), 31);
    let before = server.sent();
    assert_eq!(patch(&loaded, 29), Some("text 29".to_owned()));
    assert!(server.sent() - before <= 2 << 20);
}

#[test]
fn servers_that_can_less_are_read_too() {
    for way in [Way::WholeOnly, Way::GetOnly] {
        let server = Server::new(way, &[("x.jsonl", lines(20))]);
        let loaded = load_all(&[server.url("x.jsonl")]);
        assert_eq!(loaded.problems, Vec::new(), "{way:?}");
        assert_eq!(loaded.groups.len(), 20, "{way:?}");
        assert_eq!(patch(&loaded, 3), Some("text 3".to_owned()));
    }
}

#[test]
fn what_cannot_be_fetched_is_told_and_the_rest_loads() {
    let server = Server::new(Way::Good, &[("x.jsonl", lines(2))]);
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        listener.local_addr().expect("address").port()
    };
    let start = std::time::Instant::now();
    let loaded = load_all(&[
        server.url("secret.jsonl?key=hidden"),
        server.url("nothing.jsonl"),
        server.url("folder/"),
        PathBuf::from(format!("http://127.0.0.1:{closed}/x.jsonl")),
        server.url("x.jsonl"),
    ]);
    assert_eq!(loaded.groups.len(), 2);
    assert_eq!(loaded.problems.len(), 4, "{:#?}", loaded.problems);
    has_problem(&loaded, None, "403");
    has_problem(&loaded, None, "404");
    has_problem(&loaded, None, "WebDAV");
    has_problem(&loaded, None, "refused");
    assert_eq!(loaded.problems[0].path, server.url("secret.jsonl"));
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}

#[test]
fn another_file_in_its_place_is_not_shown() {
    let server = Server::new(Way::Good, &[("x.jsonl", lines(40))]);
    let loaded = load_all(&[server.url("x.jsonl")]);
    let mut bytes = lines(40);
    let at = bytes
        .windows(6)
        .position(|w| w == b"text 1")
        .expect("there");
    bytes[at] = b'T';
    server
        .files
        .lock()
        .expect("files")
        .insert("x.jsonl".to_owned(), bytes);
    // Blocks that are still held are those that were loaded; nothing of the other file is shown.
    let content = loaded.open(1).expect("open");
    let texts = content.trajectories[0].patch.clone();
    assert!(texts.is_none_or(|text| text == "text 1"), "{content:?}");
}

#[test]
fn the_servers_body_is_counted() {
    let server = Server::new(Way::Good, &[("x", vec![7; 1000])]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("connect");
    stream
        .write_all(b"GET /x HTTP/1.1\r\nRange: bytes=10-19\r\n\r\n")
        .expect("ask");
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("answer");
    assert!(text.ends_with(&[7; 10]));
    assert_eq!(server.sent(), 10);
}
