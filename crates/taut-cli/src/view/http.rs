//! As much of HTTP/1.1 as one page needs that talks to its own server: requests with a length, replies with a length.
//! `httparse` reads the heads; what is too long, too slow or not understood ends the connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longest head of a request [B].
const MOST_HEAD: usize = 16 << 10;
/// Longest body [B].
pub const MOST_BODY: usize = 1 << 20;
/// Header lines of a request, at most.
const MOST_LINES: usize = 64;
/// A request must come within this time, and a page asks again within it.
const PATIENCE: Duration = Duration::from_secs(20);

/// What was asked.
pub struct Request {
    pub method: String,
    pub path: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    pub body: Vec<u8>,
    /// Whether the connection is to end after it.
    pub last: bool,
}

/// Why there is no request.
pub enum Refused {
    /// Nobody is there any more, or nothing came in time.
    Gone,
    /// It is answered with this status and one sentence.
    Bad(u16, &'static str),
}

impl From<io::Error> for Refused {
    fn from(_: io::Error) -> Self {
        Refused::Gone
    }
}

/// One connection.
pub struct Connection {
    stream: TcpStream,
    /// What has come of the next request.
    read: Vec<u8>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Connection { stream, read: Vec::new() })
    }

    /// The next request.
    pub fn request(&mut self) -> Result<Request, Refused> {
        loop {
            if let Some((mut request, head, length)) = parse(&self.read)? {
                while self.read.len() < head + length {
                    self.more()?;
                }
                request.body = self.read[head..head + length].to_vec();
                self.read.drain(..head + length);
                return Ok(request);
            }
            if self.read.len() > MOST_HEAD {
                return Err(Refused::Bad(431, "the head of the request is too long"));
            }
            self.more()?;
        }
    }

    fn more(&mut self) -> Result<(), Refused> {
        let mut piece = [0; 16 << 10];
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return Err(Refused::Gone),
                Ok(n) => {
                    self.read.extend(&piece[..n]);
                    return Ok(());
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Answer.
    pub fn reply(
        &mut self,
        status: u16,
        kind: &str,
        headers: &str,
        body: &[u8],
        last: bool,
    ) -> io::Result<()> {
        let reason = match status {
            200 => "OK",
            204 => "No Content",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            413 => "Content Too Large",
            503 => "Service Unavailable",
            _ => "Bad Request",
        };
        let connection = if last { "close" } else { "keep-alive" };
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n{headers}\r\n",
            body.len()
        );
        let mut all = head.into_bytes();
        all.extend(body);
        self.stream.write_all(&all)
    }
}

/// The request whose head is complete, the length of that, and of its body.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Refused> {
    let mut lines = [httparse::EMPTY_HEADER; MOST_LINES];
    let mut parsed = httparse::Request::new(&mut lines);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) if head <= MOST_HEAD => head,
        Ok(httparse::Status::Complete(_)) => {
            return Err(Refused::Bad(431, "the head of the request is too long"));
        }
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Refused::Bad(400, "this is no request of HTTP")),
    };
    let header = |name: &str| {
        let mut found = parsed.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (first, None) => Ok(first.map(|h| String::from_utf8_lossy(h.value).trim().to_string())),
            _ => Err(Refused::Bad(400, "a header is there twice")),
        }
    };
    if header("transfer-encoding")?.is_some() {
        return Err(Refused::Bad(400, "a body needs a Content-Length"));
    }
    let length = header("content-length")?.map_or(Ok(0), |text| text.parse::<usize>());
    let Ok(length) = length else { return Err(Refused::Bad(400, "Content-Length is no number")) };
    if length > MOST_BODY {
        return Err(Refused::Bad(413, "the request is too long: at most 1 MiB"));
    }
    let request = Request {
        method: parsed.method.unwrap_or_default().into(),
        path: parsed.path.unwrap_or_default().into(),
        host: header("host")?,
        origin: header("origin")?,
        body: Vec::new(),
        last: header("connection")?.is_some_and(|c| c.eq_ignore_ascii_case("close"))
            || parsed.version == Some(0),
    };
    Ok(Some((request, head, length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> u16 {
        match parse(text.as_bytes()) {
            Err(Refused::Bad(status, _)) => status,
            _ => 0,
        }
    }

    #[test]
    fn heads_are_read_and_what_is_odd_is_refused() {
        let text = "POST /x HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 3\r\n\r\nabc";
        let Ok(Some((request, head, length))) = parse(text.as_bytes()) else { panic!("it is one") };
        assert_eq!((request.method.as_str(), request.path.as_str(), length), ("POST", "/x", 3));
        assert_eq!((request.host.as_deref(), &text[head..]), (Some("localhost:1"), "abc"));
        assert!(
            (1..head).all(|n| matches!(parse(&text.as_bytes()[..n]), Ok(None))),
            "half a head is awaited"
        );
        assert_eq!(refused("POST / HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n"), 413);
        assert_eq!(refused("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(refused("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
        assert_eq!(refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
        assert_eq!(refused("\0\0\0\0"), 400);
    }
}
