//! `taut verify`: frames of any simulator, judged.

use crate::args::Verify;
use crate::inspect::count;
use crate::run::progress_bar;
use crate::signals::Signals;
use crate::{Stopped, print};
use serde_json::{Value, json};
use taut::Error;
use taut::geometry::{Kind, Surface};
use taut::mesh_io::{self, Sequence};
use taut::verify::{Findings, Verifier};

pub fn verify(args: &Verify) -> Result<(), Stopped> {
    let (sequence, surface) = open(args).map_err(Stopped::Input)?;
    let quiet = args.quiet || args.json;
    if !quiet {
        sequence.mesh.notes.iter().for_each(|note| say!("note: {note}"));
    }
    let signals = Signals::listen();
    let bar = progress_bar(quiet, sequence.len(), "frames");
    let mut verifier = Verifier::new(surface, &sequence.mesh.positions);
    for frame in 0..sequence.len() {
        let positions = sequence.positions(frame).map_err(Stopped::Input)?;
        verifier.frame(positions);
        bar.inc(1);
        if let Some(code) = signals.seen() {
            bar.finish_and_clear();
            return Err(Stopped::Signal(code));
        }
    }
    bar.finish_and_clear();
    let told = Told { args, sequence: &sequence, found: verifier.findings() };
    print(&if args.json { told.object() } else { told.lines() })?;
    told.verdict()
}

fn open(args: &Verify) -> Result<(Sequence, Surface), Error> {
    let files = mesh_io::numbered(&args.frames)?;
    let rest = args.rest.as_ref().map(mesh_io::read).transpose()?;
    let sequence = Sequence::open(files, rest)?;
    let mesh = &sequence.mesh;
    if mesh.triangles.is_empty() {
        let name = args.rest.as_ref().map_or_else(|| sequence.name(0).into(), |rest| rest.to_string_lossy());
        return Err(Error::file(name, None, "has no faces", "there is nothing that could intersect"));
    }
    let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &[])?;
    Ok((sequence, surface))
}

/// What was found, in words and as an object. Vertices have the numbers they have in the files, from 0.
struct Told<'a> {
    args: &'a Verify,
    sequence: &'a Sequence,
    found: &'a Findings,
}

impl Told<'_> {
    fn vertices<const N: usize>(&self, particles: [u32; N]) -> [u32; N] {
        particles.map(|p| self.sequence.vertex(p))
    }

    fn lines(&self) -> String {
        let Told { sequence, found, .. } = *self;
        let mesh = &sequence.mesh;
        let mut lines = vec![format!(
            "{}, {} vertices, {} triangles",
            count(found.frames, "frame", "frames"),
            mesh.original.vertices.len(),
            mesh.triangles.len()
        )];
        lines.push(match found.non_finite {
            None => "not finite: nothing".into(),
            Some(first) => format!(
                "not finite: {} (left out below), the first {}: vertex {} is at {}",
                count(found.non_finite_frames, "frame", "frames"),
                self.frame(first.frame),
                self.vertices([first.particle])[0],
                first.position
            ),
        });
        lines.push(match found.intersection {
            None => "edges that meet faces: none".into(),
            Some(first) => format!(
                "edges that meet faces: {} in {}, the first in {}: edge {:?} and triangle {:?}",
                found.intersections,
                count(found.intersecting_frames, "frame", "frames"),
                self.frame(first.frame),
                self.vertices(first.edge),
                self.vertices(first.corners)
            ),
        });
        lines.push(match found.crossing {
            None => "pairs that touch between frames, for straight motion: none".into(),
            Some(first) => {
                let [a, b, c, d] = self.vertices(first.particles);
                let pair = match first.kind {
                    Kind::VertexFace => format!("vertex {a} and triangle {:?}", [b, c, d]),
                    Kind::EdgeEdge => format!("edges {:?} and {:?}", [a, b], [c, d]),
                };
                format!(
                    "pairs that touch between frames, for straight motion: {}, the first {:.6} of the way after {}: {pair}",
                    found.crossings,
                    first.time,
                    self.frame(first.frame)
                )
            }
        });
        if let Some(most) = found.strain {
            lines.push(format!(
                "largest strain: {:+.2} % in {}, edge {:?}, against {}",
                100.0 * most.strain,
                self.frame(most.frame),
                self.vertices(most.edge),
                self.against()
            ));
        }
        lines.join("\n  ") + "\n"
    }

    fn frame(&self, frame: usize) -> String {
        format!("frame {frame} ({})", self.sequence.name(frame))
    }

    fn against(&self) -> String {
        self.args.rest.as_ref().map_or("the first frame".into(), |rest| rest.to_string_lossy().into_owned())
    }

    fn object(&self) -> String {
        let Told { sequence, found, .. } = *self;
        let at = |frame: usize, mut more: Value| {
            more["frame"] = frame.into();
            more["file"] = sequence.name(frame).into();
            more
        };
        let object = json!({
            "frames": found.frames,
            "vertices": sequence.mesh.original.vertices.len(),
            "triangles": sequence.mesh.triangles.len(),
            "clean": found.clean(),
            "non_finite": {
                "frames": found.non_finite_frames,
                "first": found.non_finite.map(|f| at(f.frame, json!({ "vertex": self.vertices([f.particle])[0] }))),
            },
            "intersections": {
                "pairs": found.intersections,
                "frames": found.intersecting_frames,
                "first": found.intersection.map(|f| at(f.frame, json!({
                    "edge": self.vertices(f.edge),
                    "triangle": self.vertices(f.corners),
                }))),
            },
            "crossings": {
                "motion": "straight from frame to frame",
                "pairs": found.crossings,
                "first": found.crossing.map(|f| at(f.frame, json!({
                    "time": f.time,
                    "kind": match f.kind {
                        Kind::VertexFace => "vertex_face",
                        Kind::EdgeEdge => "edge_edge",
                    },
                    "vertices": self.vertices(f.particles),
                }))),
            },
            "strain": found.strain.map(|f| at(f.frame, json!({
                "largest": f.strain,
                "edge": self.vertices(f.edge),
                "against": self.against(),
            }))),
        });
        format!("{object:#}\n")
    }

    /// Whether all is well; if not, what is wrong in one line.
    fn verdict(&self) -> Result<(), Stopped> {
        let found = self.found;
        let wrong = [
            (found.non_finite_frames, "frame that is not finite", "frames that are not finite"),
            (found.intersections, "edge that meets a face", "edges that meet faces"),
            (found.crossings, "pair that touches between frames", "pairs that touch between frames"),
        ];
        let told = wrong.iter().filter(|w| w.0 > 0).map(|&(n, one, many)| count(n, one, many));
        let told: Vec<String> = told.collect();
        if told.is_empty() { Ok(()) } else { Err(Stopped::Told(format!("found {}", told.join(", ")))) }
    }
}
