//! Where the bench works: the checkout with the peers' sources, scratch files in its target folder, results by date and
//! machine; and what must be known about a measurement for it to mean something later.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use taut::Error;
use taut::run::files::make_folder;

/// The checkout in use.
pub struct Place {
    root: PathBuf,
    target: PathBuf,
}

impl Place {
    /// The checkout around the current folder, else the one this program was built from.
    pub fn find() -> Result<Self, Error> {
        let here = std::env::current_dir().unwrap_or_default();
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut folders = here.ancestors().map(Path::to_path_buf).chain([built]);
        let root = folders.find(|f| f.join("benches/peers/build").is_file()).ok_or_else(|| {
            let remedy = "start it inside a checkout of taut, which has benches/peers/build";
            Error::file(here.to_string_lossy(), None, "no checkout of taut around this folder", remedy)
        })?;
        let root = root.canonicalize().unwrap_or(root);
        let target = root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()));
        Ok(Place { root, target })
    }

    /// A file of the checkout.
    pub fn file(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// A file for this run's own use, in the target folder.
    pub fn scratch(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.target.join("bench");
        make_folder(&folder)?;
        Ok(folder.join(name))
    }

    /// Where results of today on this machine belong.
    pub fn results(&self) -> PathBuf {
        self.file("benches/runs").join(format!("{}-{}", today(), slug(&processor())))
    }

    /// Machine, compilers, versions, commit.
    pub fn context(&self) -> Value {
        let line = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(&self.root).output().ok();
            let text = output
                .filter(|o| o.status.success())
                .map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
            text.and_then(|t| t.lines().next().map(str::to_string)).unwrap_or_else(|| "unknown".into())
        };
        // Results are no part of what was measured.
        let sources = ["status", "--porcelain", "--untracked-files=no", "--", ".", ":!benches/runs"];
        let dirty = line("git", &sources) != "unknown";
        json!({
            "date": today(),
            "taut": env!("CARGO_PKG_VERSION"),
            "commit": line("git", &["rev-parse", "HEAD"]),
            "commit_is_clean": !dirty,
            "profile": if cfg!(debug_assertions) { "dev" } else { "release" },
            "kernel": taut::kernel::Kernel::detected().name(),
            "processor": processor(),
            "cores": std::thread::available_parallelism().map_or(1, |n| n.get()),
            "memory": from_file("/proc/meminfo", "MemTotal"),
            "system": from_file("/proc/version", "Linux version"),
            "load_average": std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim(),
            "rustc": line("rustc", &["--version"]),
            "g++": line("g++", &["--version"]),
            "faer": self.locked("faer"),
        })
    }

    /// Version of a crate in Cargo.lock.
    fn locked(&self, name: &str) -> String {
        let lock = std::fs::read_to_string(self.file("Cargo.lock")).unwrap_or_default();
        let entry = lock.split("[[package]]").find(|p| p.contains(&format!("name = \"{name}\"\n")));
        let version = entry.and_then(|e| e.split("version = \"").nth(1)?.split('"').next());
        version.unwrap_or("unknown").into()
    }
}

/// What follows `key` and a colon or blank in the first such line of a file.
fn from_file(path: &str, key: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix(key)).unwrap_or("unknown");
    line.trim_start_matches([':', ' ', '\t']).to_string()
}

fn processor() -> String {
    from_file("/proc/cpuinfo", "model name")
}

/// Largest resident memory of this process so far [MiB]; 0 where the system does not tell.
pub fn peak_memory() -> f64 {
    let text = from_file("/proc/self/status", "VmHWM");
    text.split_whitespace().next().and_then(|n| n.parse().ok()).map_or(0.0, |kib: f64| kib / 1024.0)
}

/// A name that is good in paths.
fn slug(text: &str) -> String {
    let mapped: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let words: Vec<&str> = mapped.split_whitespace().collect();
    if words.is_empty() { std::env::consts::ARCH.into() } else { words.join("-") }
}

/// The date in Greenwich, like 2026-01-31.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days after 1970-01-01.
fn civil(mut days: u64) -> (u64, usize, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates_and_names_become_paths() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_453), (2025, 12, 31));
        assert_eq!(slug("Intel(R) Xeon(R) CPU @ 2.20GHz"), "intel-r-xeon-r-cpu-2-20ghz");
    }
}
