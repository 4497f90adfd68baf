//! The `taut` command as a user meets it: the real program, run in temporary folders.
//!
//! | module | law |
//! |---|---|
//! | `documentation` | every command and scene in README, docs/ and --help works; tables equal the source |
//! | `json` | the object on standard output; one result at any number of threads; quiet means quiet |
//! | `errors` | exit code 2, one line that helps, nothing written |
//! | `files` | results are whole or absent: full disk, signals, kill; one writer each |
//! | `endings` | divergence, rest, options on top of a scene's method |
//! | `compare` | several methods, one exact answer: table, CSV, plot, and those that diverge |
//! | `bench` | ratios as an object and as files; rows by name |
//! | `poses` | a solid that turns, in every frame of every output |
//! | `resume` | a run that stops and goes on, bit for bit |
//! | `convert` | meshes through the command and back |
//! | `view` | the viewer's server: who may ask what |

mod bench;
mod common;
mod compare;
mod convert;
mod documentation;
mod endings;
mod errors;
#[cfg(unix)]
mod files;
mod json;
mod poses;
mod resume;
mod verify;
mod view;
