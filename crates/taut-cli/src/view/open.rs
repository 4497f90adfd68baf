//! Showing an address to the user: in the browser, in a window of its own, or as words.

use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Browsers that can show a page as a window of its own.
const WINDOWS: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "chrome"];

/// Whether somebody sits elsewhere: the address means nothing in their browser.
pub fn is_remote() -> bool {
    let set = |name: &str| env::var_os(name).is_some_and(|v| !v.is_empty());
    (set("SSH_CONNECTION") || set("SSH_TTY")) && !set("DISPLAY") && !set("WAYLAND_DISPLAY")
}

/// Open the address in the usual browser. Returns whether there was one to ask.
pub fn browser(address: &str) -> bool {
    let asked: &[&str] = match env::consts::OS {
        "macos" => &["open"],
        "windows" => &["explorer"],
        _ => &["xdg-open", "gio open", "sensible-browser"],
    };
    asked.iter().any(|command| {
        let mut words = command.split(' ');
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(program);
        quiet(command.args(words).arg(address)).status().is_ok_and(|status| status.success())
    })
}

/// A window of its own, and the folder its browser keeps its files in.
pub struct Window {
    child: Child,
    profile: PathBuf,
}

impl Window {
    /// Open one, if a browser is installed that can.
    pub fn open(address: &str) -> Option<Window> {
        let profile = env::temp_dir().join(format!("taut-view-{}", std::process::id()));
        let open = |program: &&str| {
            let mut command = Command::new(program);
            let own = [format!("--app={address}"), format!("--user-data-dir={}", profile.display())];
            quiet(command.args(own).args(["--no-first-run", "--no-default-browser-check"])).spawn().ok()
        };
        let child = WINDOWS.iter().find_map(open)?;
        Some(Window { child, profile })
    }

    /// Whether it has been closed.
    pub fn is_closed(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}
