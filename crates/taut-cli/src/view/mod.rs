//! `taut view`: a page from memory on a loopback address, and the engines behind it.
//!
//! Whoever knows the address may use it: 128 random bits are its path. Other sites cannot: requests that name another
//! host or come from another origin are refused, so neither a page elsewhere nor a name that somebody points at
//! 127.0.0.1 reaches a simulation.

mod http;
mod open;
mod pages;

use crate::args::{SceneName, View};
use crate::signals::Signals;
use crate::{Stopped, print, run};
use http::{Connection, Refused, Request};
use open::Window;
use serde_json::json;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use taut::kernel::Kernel;
use taut::{Error, Scene};
use taut_live::Live;

/// Engines of a page: one, or one for each contestant of a race and one for the exact answer.
const MOST_ENGINES: usize = 8;
/// Connections at a time; a browser opens six.
const MOST_CONNECTIONS: usize = 64;
/// How often a new connection, a signal and a closed window are looked for.
const WATCH: Duration = Duration::from_millis(5);

const TEXT: &str = "text/plain; charset=utf-8";
/// What the page may load: its own files, and nothing from anywhere else.
const POLICY: &str = "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      connect-src 'self'; worker-src 'self' blob:; img-src 'self' data: blob:; media-src blob:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

/// What all connections share.
struct Server {
    token: String,
    hosts: Vec<String>,
    scene: Scene,
    folder: PathBuf,
    engines: [Mutex<Option<Live>>; MOST_ENGINES],
    connections: AtomicUsize,
}

pub fn view(args: &View) -> Result<(), Stopped> {
    let name = SceneName { name: args.scene.clone(), allow_outside: args.allow_outside };
    let scene = run::load_scene(&name, args.threads, false).map_err(Stopped::Input)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok((listener.local_addr()?.port(), listener))
    });
    let (port, listener) = listener.map_err(|e| {
        let remedy = format!("{e}: choose another port, or none to have one chosen");
        Stopped::Input(Error::setting("--port", args.port, remedy))
    })?;
    let signals = Signals::listen();
    let server = Arc::new(Server::new(scene, args));
    let address = format!("http://127.0.0.1:{port}/{}/", server.token);
    let mut window = show(&address, port, args)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => server.serve(stream),
            Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(WATCH),
            Err(_) => std::thread::sleep(WATCH), // too many files are open, or the visitor has left
        }
        if let Some(code) = signals.seen() {
            drop(window);
            return Err(Stopped::Signal(code));
        }
        if window.as_mut().is_some_and(Window::is_closed) {
            return Ok(());
        }
    }
}

/// Tell the address, and open it.
fn show(address: &str, port: u16, args: &View) -> Result<Option<Window>, Stopped> {
    print(&format!("{address}\n"))?;
    if args.no_open {
        return Ok(None);
    }
    if open::is_remote() {
        say!("on your own machine: ssh -L {port}:127.0.0.1:{port} HOST, then open that address there");
    } else if args.window {
        let window = Window::open(address);
        if window.is_none() {
            say!("no Chromium, Chrome or Edge for a window of its own: open that address in any browser");
        }
        return Ok(window);
    } else if !open::browser(address) {
        say!("no browser could be opened: open that address in one");
    }
    say!("Ctrl-C ends it");
    Ok(None)
}

impl Server {
    fn new(scene: Scene, args: &View) -> Self {
        // Keyed by the system's own randomness.
        let random = || RandomState::new().build_hasher().finish();
        let path = Path::new(&args.scene).parent().filter(|p| !p.as_os_str().is_empty());
        Server {
            token: format!("{:016x}{:016x}", random(), random()),
            hosts: args.allow_host.clone(),
            scene,
            folder: path.unwrap_or(Path::new(".")).into(),
            engines: Default::default(),
            connections: AtomicUsize::new(0),
        }
    }

    /// Answer whoever has come, on a thread of its own.
    fn serve(self: &Arc<Self>, stream: TcpStream) {
        let Ok(mut connection) = Connection::new(stream) else { return };
        if self.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            let _ = connection.reply(503, TEXT, "", b"too many connections at once\n", true);
            self.connections.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let server = Arc::clone(self);
        std::thread::spawn(move || {
            while server.answer(&mut connection) {}
            server.connections.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// Answer one request. Returns whether there may be another.
    fn answer(&self, connection: &mut Connection) -> bool {
        let request = match connection.request() {
            Ok(request) => request,
            Err(Refused::Gone) => return false,
            Err(Refused::Bad(status, why)) => {
                let _ = connection.reply(status, TEXT, "", format!("{why}\n").as_bytes(), true);
                return false;
            }
        };
        let (status, kind, body) = self.find(&request);
        let sent = connection.reply(status, kind, POLICY, &body, request.last);
        sent.is_ok() && !request.last
    }

    fn find(&self, request: &Request) -> (u16, &'static str, Vec<u8>) {
        let refuse = |status, why: &str| (status, TEXT, format!("{why}\n").into_bytes());
        let host = request.host.as_deref().unwrap_or_default();
        if !self.knows(host) {
            return refuse(403, "this server is for its own machine: see --allow-host");
        }
        if request.origin.as_ref().is_some_and(|origin| *origin != format!("http://{host}")) {
            return refuse(403, "requests of other sites are refused");
        }
        let inside = request.path.strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        let Some(path) = inside.and_then(|path| path.strip_prefix('/')) else {
            return refuse(404, "nothing is here: open the address that `taut view` has printed");
        };
        let method = request.method.as_str();
        if let Some(number) = path.strip_prefix("exchange/") {
            let engine =
                number.parse().ok().and_then(|n: usize| self.engines.get(n).map(|engine| (n, engine)));
            let Some((number, engine)) = engine else { return refuse(404, "there is no such engine") };
            return match method {
                "POST" => self.exchange(number, engine, &request.body),
                "DELETE" => {
                    *engine.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    (204, TEXT, Vec::new())
                }
                _ => refuse(405, "engines are asked with POST"),
            };
        }
        match (method, path) {
            ("GET", "start") => (200, "application/json", self.start()),
            ("GET", _) => match pages::file(path) {
                Some((kind, text)) => (200, kind, text.as_bytes().to_vec()),
                None => refuse(404, "there is no such file"),
            },
            _ => refuse(405, "files are asked for with GET"),
        }
    }

    /// Whether requests may name this host: loopback by any of its names, at any port (it may be forwarded).
    fn knows(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        ["localhost", "127.0.0.1", "[::1]"].contains(&name)
            || self.hosts.iter().any(|h| h == name || h == host)
    }

    /// What the page asks for first.
    fn start(&self) -> Vec<u8> {
        let start = json!({
            "engine": "native", "version": env!("CARGO_PKG_VERSION"), "kernel": Kernel::detected().name(),
            "threads": rayon::current_num_threads(),
            "scene": { "name": self.scene.name, "text": self.scene.text },
        });
        start.to_string().into_bytes()
    }

    fn exchange(
        &self,
        number: usize,
        engine: &Mutex<Option<Live>>,
        body: &[u8],
    ) -> (u16, &'static str, Vec<u8>) {
        let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            let live = engine.get_or_insert_with(|| self.engine(number));
            live.exchange(body).to_vec()
        }));
        match answer {
            Ok(bytes) => (200, "application/octet-stream", bytes),
            Err(_) => {
                *engine = None; // whatever it was about to do is half done
                (400, TEXT, b"this is a mistake in taut: the simulation has ended\n".to_vec())
            }
        }
    }

    /// The first engine begins with the scene of the command line.
    fn engine(&self, number: usize) -> Live {
        let mut live = Live::in_folder(self.folder.clone());
        if number == 0 {
            live.open(self.scene.clone()).expect("it was built once already");
        }
        live
    }
}
