//! `taut view`: who may ask what, and what happens to those who ask otherwise.

use crate::common::{Folder, TAUT};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server that is killed when the test is over.
pub struct Served {
    child: Child,
    port: u16,
    token: String,
}

impl Served {
    /// `taut view --no-open` with these arguments, once it has told its address.
    pub fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = Command::new(TAUT);
        command.arg("view").args(arguments).arg("--no-open").current_dir(&folder.0);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line:?}"));
        let (port, token) = address.split_once('/').unwrap();
        Served { port: port.parse().unwrap(), token: token.trim_end_matches('/').into(), child }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The status and the body of what is answered to some bytes; none if the connection ends.
    fn raw(&self, bytes: &[u8]) -> Option<(u16, Vec<u8>)> {
        let mut stream = self.connect();
        stream.write_all(bytes).ok()?;
        answer(&mut stream)
    }

    fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> (u16, Vec<u8>) {
        let host =
            if more.contains("Host:") { String::new() } else { format!("Host: 127.0.0.1:{}\r\n", self.port) };
        let path = path.replace("TOKEN", &self.token);
        let head =
            format!("{method} {path} HTTP/1.1\r\n{host}{more}Content-Length: {}\r\n\r\n{body}", body.len());
        self.raw(head.as_bytes()).expect("an answer")
    }

    /// The report of an exchange.
    fn report(&self, engine: usize, request: &str) -> Value {
        let (status, bytes) = self.ask("POST", &format!("/TOKEN/exchange/{engine}"), "", request);
        assert_eq!((status, &bytes[..4]), (200, &b"RPRT"[..]));
        let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        serde_json::from_slice(&bytes[8..8 + length]).unwrap()
    }

    pub fn page(&self) -> String {
        let (status, body) = self.ask("GET", "/TOKEN/", "", "");
        assert_eq!(status, 200);
        String::from_utf8(body).unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(stream: &mut TcpStream) -> Option<(u16, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let head = bytes.windows(4).position(|w| w == b"\r\n\r\n");
        if let Some(head) = head {
            let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
            let length = text
                .lines()
                .find_map(|l| l.strip_prefix("Content-Length: "))
                .map_or(0, |n| n.parse().unwrap());
            if bytes.len() >= head + 4 + length {
                let status = text.split(' ').nth(1)?.parse().ok()?;
                return Some((status, bytes[head + 4..head + 4 + length].to_vec()));
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend(&piece[..n]),
        }
    }
}

#[test]
fn the_page_and_its_engines_are_served() {
    let folder = Folder::new("view");
    let served = Served::start(&folder, &["curtain21"]);
    assert!(served.page().contains("<canvas"));
    let start: Value = serde_json::from_slice(&served.ask("GET", "/TOKEN/start", "", "").1).unwrap();
    assert_eq!(
        (start["engine"].as_str(), start["scene"]["name"].as_str()),
        (Some("native"), Some("curtain21"))
    );
    let report = served.report(0, r#"{"commands": [["step", 3], ["hash"]]}"#);
    assert_eq!((report["taken"].as_u64(), report["errors"].as_array().map(Vec::len)), (Some(3), Some(0)));
    // Another engine is another simulation.
    let other = served.report(1, r#"{"commands": [["scene", "curtain21"], ["step", 3], ["hash"]]}"#);
    assert_eq!(other["hash"], report["hash"]);
    assert_eq!(served.ask("DELETE", "/TOKEN/exchange/1", "", "").0, 204);
    assert_eq!(served.report(1, "{}")["version"], 0);
    assert_eq!(served.report(0, "{}")["step"], 3);
}

#[test]
fn others_are_refused() {
    let folder = Folder::new("view-others");
    let served = Served::start(&folder, &["curtain21", "--allow-host", "cloth.example"]);
    let get = |path: &str, more: &str| served.ask("GET", path, more, "").0;
    for (status, path, more) in [
        (200, "/TOKEN/", ""),
        (200, "/TOKEN/start", "Host: localhost:1\r\n"),
        (200, "/TOKEN/", "Host: [::1]:99\r\n"),
        (200, "/TOKEN/", "Host: cloth.example\r\n"),
        (403, "/TOKEN/", "Host: evil.example\r\n"),
        (403, "/TOKEN/", "Host: 127.0.0.1.evil.example\r\n"),
        (403, "/TOKEN/start", "Origin: http://evil.example\r\n"),
        (403, "/TOKEN/start", "Origin: null\r\n"),
        (404, "/", ""),
        (404, "/00000000000000000000000000000000/", ""),
        (404, "/TOKEN", ""),
        (404, "/TOKEN/../Cargo.toml", ""),
        (404, "/TOKEN/page/nothing.js", ""),
        (405, "/TOKEN/exchange/0", ""),
        (404, "/TOKEN/exchange/8", ""),
        (404, "/TOKEN/exchange/-1", ""),
    ] {
        assert_eq!(get(path, more), status, "{path} {more}");
    }
    let post = served.ask("POST", "/TOKEN/exchange/0", "Origin: http://evil.example\r\n", "{}");
    assert_eq!(post.0, 403);
    assert_eq!(served.report(0, "{}")["step"], 0);
}

#[test]
fn what_is_half_long_or_much_does_no_harm() {
    let folder = Folder::new("view-harm");
    let served = Served::start(&folder, &["curtain21"]);
    // Nobody waits for the other half.
    drop(served.connect().write_all(b"POST / HT"));
    let big = format!(
        "POST /{}/exchange/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n",
        served.token
    );
    assert_eq!(served.raw(big.as_bytes()).map(|(status, _)| status), Some(413));
    assert_eq!(served.raw(b"\x16\x03\x01\x02\x00\x01\x00").map(|(status, _)| status), Some(400));
    let endless = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &[b'x'; 40_000]].concat();
    assert!(served.raw(&endless).is_none_or(|(status, _)| status == 431));
    // A hundred at once: those that are too many are told so, and room is made again.
    let crowd: Vec<TcpStream> = (0..100).map(|_| served.connect()).collect();
    std::thread::sleep(Duration::from_millis(200));
    drop(crowd);
    let patience = std::time::Instant::now() + Duration::from_secs(30);
    let request = format!("GET /{}/ HTTP/1.1\r\nHost: localhost\r\n\r\n", served.token);
    while served.raw(request.as_bytes()).is_none_or(|(status, _)| status != 200) {
        assert!(std::time::Instant::now() < patience, "the crowd has left, and nobody is let in");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Two requests on one connection, the second in pieces.
    let mut stream = served.connect();
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(answer(&mut stream).map(|(status, _)| status), Some(200));
    for piece in request.as_bytes().chunks(7) {
        stream.write_all(piece).unwrap();
    }
    assert_eq!(answer(&mut stream).map(|(status, _)| status), Some(200));
    assert_eq!(served.report(0, "not json")["errors"].as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_frees_the_port() {
    let folder = Folder::new("view-signal");
    let mut served = Served::start(&folder, &["curtain21"]);
    served.report(0, "{}");
    let id = served.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(130));
    let again = Served::start(&folder, &["curtain21", "--port", &served.port.to_string()]);
    assert_eq!(again.port, served.port);
    // A port that is taken is said so.
    let port = again.port.to_string();
    folder
        .taut(&["view", "curtain21", "--no-open", "--port", &port])
        .failed(2, &["--port", &port, "another port"]);
    folder.taut(&["view", "nowhere", "--no-open"]).failed(2, &["nowhere"]);
}
