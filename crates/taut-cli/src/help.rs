//! `taut completions` and `taut man`: the arguments, for shells and for `man`.

use crate::args::Arguments;
use crate::{Stopped, print};
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use taut::Error;

/// A shell's completions.
pub fn completions(shell: Shell) -> Result<(), Stopped> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "taut", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// A manual page.
pub fn man(command: Option<&str>) -> Result<(), Stopped> {
    let mut taut = Arguments::command();
    taut.build(); // subcommands learn their whole names
    let page = match command {
        None => taut,
        Some(name) => taut.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = taut.get_subcommands().map(|c| c.get_name()).collect();
            let remedy = format!("commands are {}", names.join(", "));
            Stopped::Input(Error::setting("command", name, remedy))
        })?,
    };
    let mut text = Vec::new();
    let page = Man::new(page.disable_help_subcommand(true)).render(&mut text);
    page.map_err(|e| Stopped::Told(format!("the manual page cannot be made: {e}")))?;
    print(&String::from_utf8_lossy(&text))
}
