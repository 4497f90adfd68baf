//! What can be typed after `taut`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use taut::scene::Output;
use taut::{Error, Scene};

/// Fast, exact mass-spring simulation of cloth, hair and soft solids.
#[derive(Parser)]
#[command(name = "taut", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Examples:
  taut run curtain                               five seconds of cloth as out/curtain.gif
  taut run shirt.toml --format glb,html          your own scene, for Blender and for the browser
  taut run curtain --method hybrid --frames 30   the exact solution, one second of it
  taut compare curtain21 --methods local_global,newton,xpbd   which one, measured
  taut view curtain                              drag it with the mouse, in the browser
  taut check shirt.toml                          what is in it, and what might go wrong

Units are metres, kilograms, seconds; Y is up. The guide is in docs/.

Exit codes:
  0          done
  1          a run could not be finished (finished frames are kept)
  2          bad input, nothing done
  130, 143   stopped by Ctrl-C or a termination signal (finished frames are kept)")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Simulate a scene and write what it looks like
    Run(Run),
    /// Play with a scene in the browser: drag it, cut it, race methods on it
    View(View),
    /// Run several methods on one scene and measure them against the exact solution
    Compare(Compare),
    /// Find the static equilibrium of a scene (how it hangs when all motion has died)
    Settle(Settle),
    /// Run one scene with other values, many times, one case on each core
    Sweep(crate::sweep::Sweep),
    /// List the scenes that come with taut
    Scenes,
    /// Read a scene, say what is in it, and warn of what will go wrong
    Check {
        #[command(flatten)]
        scene: SceneName,
        /// Print one JSON object on standard output and nothing else
        #[arg(long)]
        json: bool,
    },
    /// Judge the frames of any simulator: what intersects, passes through, stretches, is not finite
    Verify(Verify),
    /// Time taut beside the solvers one could use instead, and print ratios
    Bench(Bench),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = "Examples:
  taut completions bash   save it as ~/.local/share/bash-completion/completions/taut
  taut completions zsh    save it as _taut in a folder of $fpath
  taut completions fish   save it as ~/.config/fish/completions/taut.fish")]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of taut, or of one of its commands
    #[command(after_help = "Examples:
  taut man       save it as taut.1 in a folder man1 of $MANPATH
  taut man run   save it as taut-run.1")]
    Man {
        /// The command [default: taut itself]
        command: Option<String>,
    },
    /// Convert a mesh to OBJ, PLY or GLB; or write the start of a scene as a mesh
    #[command(after_help = "Examples:
  taut convert shirt.stl shirt.obj
  taut convert curtain curtain.ply

Reads OBJ, PLY, STL, glTF, GLB, Medit .mesh, TetGen .node/.ele, Gmsh .msh, VTK .vtk, and scenes.")]
    Convert {
        /// A mesh file, a scene file, or the name of a built-in scene
        input: String,
        /// The file to write: .obj, .ply or .glb
        output: PathBuf,
        /// Let a scene read meshes outside its folder
        #[arg(long)]
        allow_outside: bool,
    },
}

/// Ways to write a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Animated picture, <out>/<scene>.gif
    Gif,
    /// Pictures, <out>/<scene>_NNNN.png
    Png,
    /// Animated glTF for Blender and others, <out>/<scene>.glb
    Glb,
    /// Page that plays the animation offline in any browser, <out>/<scene>.html
    Html,
    /// Meshes, <out>/<scene>_NNNN.obj, full precision
    Obj,
    /// Meshes, <out>/<scene>_NNNN.ply, full precision, binary
    Ply,
    /// No files
    None,
}

#[derive(Args)]
#[command(after_help = "Examples:
  taut run curtain
  taut run curtain --method conjugate_gradient --iterations 50
  taut run hammock --format html --out film
  taut run curtain21 --frames 20 --exact --json --format none
  taut run knives --every-step --format ply --out steps
  taut run curtain --frames 60 --save-state curtain.state
  taut run curtain --resume curtain.state

For an MP4 write pictures and join them:
  taut run curtain --format png
  ffmpeg -framerate 30 -i out/curtain_%04d.png -pix_fmt yuv420p curtain.mp4")]
pub struct Run {
    #[command(flatten)]
    pub common: Common,
    /// How steps are taken: local_global, conjugate_gradient, lbfgs, anderson, chebyshev, newton, hybrid,
    /// semi_implicit, baraff_witkin, static_imex, adaptive_imex, symplectic_euler, forward_euler, pbd or xpbd
    /// [default: the scene's]
    #[arg(long, short)]
    pub method: Option<String>,
    /// Time scheme of methods that solve for a step: implicit_euler, bdf2 or midpoint [default: the scene's]
    #[arg(long)]
    pub scheme: Option<String>,
    /// Largest number of iterations per step [default: the scene's]
    #[arg(long, short, value_name = "COUNT", allow_negative_numbers = true)]
    pub iterations: Option<usize>,
    /// Stop a step at this scaled residual, max |grad g| / (mass * mean rest length) [default: the scene's].
    /// Without --iterations their number is then not limited
    #[arg(long, value_name = "RESIDUAL", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Stop a step when its estimated error is this part of the first: the usual end of conjugate_gradient, lbfgs,
    /// anderson and chebyshev, at 1e-3 or after 100 iterations [default: the scene's]
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    pub accuracy: Option<f64>,
    /// Stop a step after this time [s]; results then depend on the machine. Without --iterations their
    /// number is then not limited
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub budget: Option<f64>,
    /// Frames to simulate [default: the scene's duration]
    #[arg(long, short = 'n', value_name = "COUNT", allow_negative_numbers = true)]
    pub frames: Option<usize>,
    /// Make every step a frame, so that `taut verify` can certify the run; --frames then counts steps
    #[arg(long)]
    pub every_step: bool,
    /// Also solve the last step of every frame exactly and report the relative error of eq. (15) of Liu et
    /// al. 2013 (slow)
    #[arg(long)]
    pub exact: bool,
    /// Which instructions to compute with: plain has the bits of a browser [default: the best of this processor]
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// When the run ends, whatever ends it, write all that is needed to go on to this file. After a divergence that is
    /// the last step that went well
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Go on, bit for bit, from where another run of the scene saved its state: frames are numbered on, and films are
    /// named <scene>_from_NNNN [default frames: those it has left]
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  taut view                      the Curtain: drag it with the mouse
  taut view shirt.toml           your own scene
  taut view hammock --window     in a window of its own
  taut view --no-open --port 8080   only print the address

The page comes from this program and talks to nobody else. Left-drag on cloth grabs it, on a
solid moves it, elsewhere orbits; right-drag pans; the wheel zooms. H or ? shows all keys.")]
pub struct View {
    /// A scene file (.toml), or the name of a built-in scene (`taut scenes` lists them)
    #[arg(value_name = "SCENE", default_value = "curtain")]
    pub scene: String,
    /// Let the scene read meshes outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Port on 127.0.0.1 [default: one that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Only print the address
    #[arg(long)]
    pub no_open: bool,
    /// Open a window of its own, where Chromium, Chrome or Edge is installed
    #[arg(long, conflicts_with = "no_open")]
    pub window: bool,
    /// Another name by which this machine may be asked for the page, as behind a proxy; may be given several times
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Threads to use [default: all cores]; results do not depend on it
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub threads: Option<usize>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  taut settle curtain                     how the curtain hangs, as out/curtain_rest.png
  taut settle shirt.toml --format obj     and as a mesh, out/shirt_rest.obj

Events of the scene do not happen: the pins are those of the start.
A scene that is not at rest after --steps is written as out/<scene>_unsettled, and the exit code is 1.")]
pub struct Settle {
    #[command(flatten)]
    pub common: Common,
    /// Settled when no particle moves by more than this many mean rest lengths in a step. What touches a solid may creep
    /// for ever by friction: there, less than 1e-3 in 32 steps is enough
    #[arg(long, value_name = "LENGTHS", default_value = "1e-9", allow_negative_numbers = true)]
    pub rest: f64,
    /// Largest number of steps
    #[arg(long, value_name = "COUNT", default_value_t = 3000, allow_negative_numbers = true)]
    pub steps: usize,
}

#[derive(Args)]
#[command(after_help = "Examples:
  taut compare curtain21 --methods local_global,xpbd,pbd,semi_implicit
  taut compare curtain21 --methods local_global,newton --scheme bdf2 --frames 20
  taut compare demo_stretched --methods symplectic_euler,forward_euler,newton --frames 20

Prints a table and writes <out>/<scene>_compare.csv, .svg and .png: relative error of each frame's last step (for
methods that solve for a step), distance from the exact trajectory, energy, longest spring, time per frame. A
method that diverges is shown up to that frame. This is slow: every step is solved exactly as well.")]
pub struct Compare {
    #[command(flatten)]
    pub scene: SceneName,
    /// Methods, separated by commas, as for `taut run --method`
    #[arg(long, short, value_delimiter = ',', required = true)]
    pub methods: Vec<String>,
    /// Frames to simulate [default: the scene's duration, at most 30]
    #[arg(long, short = 'n', value_name = "COUNT", allow_negative_numbers = true)]
    pub frames: Option<usize>,
    /// Iterations per step of methods that take a fixed number [default: the method's own]
    #[arg(long, short, value_name = "COUNT", allow_negative_numbers = true)]
    pub iterations: Option<usize>,
    /// Time scheme of methods that solve for a step: implicit_euler, bdf2 or midpoint [default: the scene's]
    #[arg(long)]
    pub scheme: Option<String>,
    /// Threads to use [default: all cores]; results do not depend on it
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Folder for results
    #[arg(long, short, value_name = "FOLDER", default_value = "out")]
    pub out: PathBuf,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  taut run curtain --format obj     a sequence of meshes, out/curtain_0000.obj and so on
  taut verify out/curtain_*.obj     whether anything in it intersects or passes through itself

A PC2 file needs the mesh that it moves: --rest cloth.obj. In every frame all edges are tested against all faces, exactly.
From frame to frame all vertices are tested against all faces and all edges against all edges, for straight motion
between them: nobody knows how things moved in between. What shares a vertex, also by having one in the very same place
in the first frame, is not tested against each other; lines without faces are not read.

Exit codes:
  0   nothing intersects or passes through, everything is finite
  1   something was found, or the search was cut short
  2   bad input: a missing frame, another mesh, a file that cannot be read")]
pub struct Verify {
    /// OBJ or PLY files that are numbered, their folder, or one PC2 file
    #[arg(required = true, value_name = "FRAMES")]
    pub frames: Vec<PathBuf>,
    /// The mesh at rest: strain is measured against it [default: the first frame]. A PC2 file has its faces
    #[arg(long, value_name = "MESH")]
    pub rest: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
    /// No progress bar and no notes
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  taut bench                                  everything; half an hour, more the first time
  taut bench --only curtain                   the rows whose names begin with curtain
  taut bench --only error_1e-2,scale --json   as one JSON object
  taut bench --quick                          small models, seconds: to see that it works, not to quote

Rows: curtain_iteration, curtain_shuffled, curtain_solve, curtain_prefactor, dog_iteration,
ball_iteration, error_1e-2_k100 (k1000, k10000), error_1e-4_k100 (k1000, k10000),
threads_110 (150, 300, 600, bodies, dog), scale. docs/benchmarks.md explains them.")]
pub struct Bench {
    /// Rows to run, separated by commas; the beginning of a name is enough [default: all]
    #[arg(long, value_name = "ROWS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Largest number of rounds; in a round every solver is timed once [default: 40, with --quick 3]
    #[arg(long, value_name = "COUNT")]
    pub rounds: Option<usize>,
    /// Small models and few rounds; nothing is stored unless --out is given
    #[arg(long)]
    pub quick: bool,
    /// Leave out the C++ programs of benches/peers
    #[arg(long)]
    pub no_peers: bool,
    /// Folder for raw results [default: benches/runs/<date>-<machine> in the checkout]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
    /// Measure one size of the row `scale` in this process
    #[arg(long, hide = true)]
    pub one_size: Option<usize>,
}

/// Which scene.
#[derive(Args)]
pub struct SceneName {
    /// A scene file (.toml), or the name of a built-in scene (`taut scenes` lists them)
    #[arg(id = "scene", value_name = "SCENE")]
    pub name: String,
    /// Let the scene read meshes outside its folder
    #[arg(long)]
    pub allow_outside: bool,
}

impl SceneName {
    pub fn load(&self) -> Result<Scene, Error> {
        if self.allow_outside { Scene::load_trusted(&self.name) } else { Scene::load(&self.name) }
    }
}

/// What `run` and `settle` have in common.
#[derive(Args)]
pub struct Common {
    #[command(flatten)]
    pub scene: SceneName,
    /// Threads to use [default: all cores]; results do not depend on it
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Folder for results [default: the scene's, or out]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// What to write, separated by commas [default: the scene's, or gif for run, png for settle]
    #[arg(long, short, value_delimiter = ',')]
    pub format: Vec<Format>,
    /// Width and height of pictures [pixels] [default: the scene's, or 640x480]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub size: Option<(usize, usize)>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
    /// No progress bar, no notes and no summary; only errors are printed
    #[arg(long, short)]
    pub quiet: bool,
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parts {
        Some((w, h)) if [w, h].iter().all(|n| Output::SIZES.contains(n)) => Ok((w, h)),
        _ => Err("write width and height like 640x480, each between 16 and 8192".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scenes and the command line speak of the same formats.
    #[test]
    fn formats_have_one_list() {
        let names =
            Format::value_variants().iter().map(|f| f.to_possible_value().unwrap().get_name().to_string());
        assert_eq!(names.collect::<Vec<_>>(), taut::scene::FORMATS);
    }
}
