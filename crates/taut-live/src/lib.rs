//! The engine behind taut's viewer: one simulation that is asked in JSON and answers in bytes. It does no input or output of
//! its own; `taut view` serves it to a browser, `taut-web` runs it in one.
//!
//! # Requests
//!
//! One at a time, as text; every key may be missing.
//!
//! ```json
//! {"until": 1.25, "budget": 0.03, "topology": 7, "want": ["strain"], "commands": [["grab", [12], [0.1, 0.2, 0.3]]]}
//! ```
//!
//! Commands are made in their order, then steps are taken until the simulated time `until` \[s\] or until the wall-clock time
//! `budget` \[s\] has passed, one at least. A command that is refused has changed nothing; the report names it in
//! `errors` and the next ones are made.
//!
//! | command | what it does |
//! |---|---|
//! | `scenes` | list those that come with taut |
//! | `scene` name, `open` text name files | another scene; if it is refused the one there was goes on. `files`: false keeps it from reading any |
//! | `restart` | from the scene's start |
//! | `step` n | so many steps, whatever the time |
//! | `grab` particles place | hold particles; the first goes to the place \[m\] with the next steps, the others beside it |
//! | `drop` | let them go; those that were pinned before stay so |
//! | `pin` particles | pin them where they are, or let them go if the first is pinned |
//! | `cut` eye line | cut along the triangles from a point through the pieces of a line \[m\] |
//! | `punch` particle | a hole: its triangles and springs go |
//! | `solid` k turn shift, `body` b turn shift | move a static mesh of the picture, or a body that is a solid, to a pose |
//! | `set` key value | settings by the keys of a scene, gravity, wind, `stiffness.FAMILY` as a factor on the scene's |
//! | `undo` | back to just before the last grab, cut, pin, motion of a solid, or setting |
//! | `save`, `hash` | the scene with all that was done as events; a hash of the state |
//!
//! # Replies
//!
//! Sections: a tag of four letters, a length (u32), so many bytes, zeros up to a multiple of eight; all little-endian.
//! `RPRT` is always there, a JSON object about the last step. Sections a reader does not know are to be passed over.
//! Places are seen from the `origin` in `TOPO`, which comes whenever the request's `topology` is not its version.
//!
//! | section | what |
//! |---|---|
//! | `POSI` | positions, three f32 for each particle |
//! | `TOPO`, `TRIS`, `LINE`, `STAT`, `STCO` | names, colours and ranges; corners; ends; vertices and corners of static meshes |
//! | `PARE`, `SPRI`, `SPFA` | copies with their originals; ends and families of springs |
//! | `PINS` | pinned particles, where they may have changed |
//! | `STRN`, `COMP` | strain of each spring (f32), component of each particle (u16, 65535 if pinned), where wanted |
//! | `TOML`, `SCNS` | a saved scene; the scenes there are |

mod apart;
mod command;
mod hand;
mod live;
mod reply;
mod report;
mod running;
mod topology;
mod tune;
mod undo;

pub use live::Live;
