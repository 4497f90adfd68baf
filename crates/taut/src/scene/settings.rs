//! The tables of a scene that there is one of: air, damping, camera, output.

use super::place::Source;
use super::text::{AirText, CameraText, DampingText, OutputText};
use crate::words::suggest;
use crate::{Air, Damping, Error, Method, Settings};
use glam::DVec3;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// Where pictures are taken from; what is not given is chosen to hold the whole animation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Viewpoint {
    /// Position of the eye \[m\].
    pub eye: Option<DVec3>,
    /// Point in the middle of the picture \[m\].
    pub target: Option<DVec3>,
    /// Direction of the eye, from +Z towards +X \[rad\].
    pub azimuth: Option<f64>,
    /// Height of the eye above the horizon \[rad\].
    pub elevation: Option<f64>,
    /// Vertical angle of view \[rad\].
    pub field_of_view: Option<f64>,
}

/// Words for what a run can write, in scenes and on the command line.
pub const FORMATS: [&str; 7] = ["gif", "png", "glb", "html", "obj", "ply", "none"];

/// What a run writes; the command line may say otherwise.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// Words out of [`FORMATS`]; empty if the scene does not say.
    pub formats: Vec<String>,
    /// Width and height of pictures \[pixels\].
    pub size: Option<(usize, usize)>,
    /// Folder for results, inside the one the program is run in.
    pub folder: Option<PathBuf>,
}

impl Output {
    /// Smallest and largest width or height of pictures \[pixels\].
    pub const SIZES: std::ops::RangeInclusive<usize> = 16..=8192;
}

impl Source<'_> {
    pub(super) fn air(&self, text: Option<&Spanned<AirText>>) -> Result<Air, Error> {
        let Some(text) = text else { return Ok(Air::default()) };
        let (start, text) = (text.span().start, text.get_ref());
        let usual = Air { density: 1.2, ..Air::default() };
        let air = Air {
            wind: self.vector(start, "wind", text.wind.unwrap_or_default())?,
            density: text.density.unwrap_or(usual.density),
            drag: text.drag.unwrap_or(usual.drag),
            lift: text.lift.unwrap_or(usual.lift),
        };
        air.validate().map_err(|e| self.refused(start, e))?;
        Ok(air)
    }

    /// Damping, given that of the fabrics, and the share of energy conserved.
    pub(super) fn damping(
        &self,
        text: Option<&Spanned<DampingText>>,
    ) -> Result<(impl Fn(f64) -> Damping, f64), Error> {
        let own = text.map(Spanned::get_ref).cloned().unwrap_or_default();
        let conserve = own.conserve.unwrap_or(0.0);
        let damping = move |fabric: f64| Damping {
            ether: own.ether.unwrap_or(1.0),
            rigid: own.rigid.unwrap_or(0.0),
            drag: own.drag.unwrap_or(0.0),
            material: own.material.unwrap_or(fabric),
        };
        let settings = Settings { damping: damping(0.0), conserve, ..Settings::new(Method::default(), 1.0) };
        settings.validate().map_err(|e| self.refused(text.map_or(0, |t| t.span().start), e))?;
        Ok((damping, conserve))
    }

    pub(super) fn view(&self, text: Option<&Spanned<CameraText>>) -> Result<Viewpoint, Error> {
        let Some(text) = text else { return Ok(Viewpoint::default()) };
        let (start, text) = (text.span().start, text.get_ref());
        let point = |key, v: Option<[f64; 3]>| v.map(|v| self.vector(start, key, v)).transpose();
        let angle = |key: &str, v: Option<f64>, low: f64, high: f64| match v {
            Some(v) if !(low..=high).contains(&v) => {
                Err(self.bad(start, key, v, &format!("must be between {low} and {high} degrees")))
            }
            _ => Ok(v.map(f64::to_radians)),
        };
        let (eye, target) = (point("eye", text.eye)?, point("target", text.target)?);
        if let Some(place) = eye.filter(|_| eye == target) {
            return Err(self.bad(start, "eye", place, "must not be where the target is"));
        }
        Ok(Viewpoint {
            eye,
            target,
            azimuth: angle("azimuth", text.azimuth, -360.0, 360.0)?,
            elevation: angle("elevation", text.elevation, -89.0, 89.0)?,
            field_of_view: angle("field_of_view", text.field_of_view, 1.0, 150.0)?,
        })
    }

    pub(super) fn output(&self, text: Option<&Spanned<OutputText>>) -> Result<Output, Error> {
        let Some(text) = text else { return Ok(Output::default()) };
        let (start, text) = (text.span().start, text.get_ref());
        let formats = text.formats.clone().unwrap_or_default();
        if let Some(odd) = formats.iter().find(|f| !FORMATS.contains(&f.as_str())) {
            return Err(self.bad(
                start,
                "formats",
                format!("{odd:?}"),
                &suggest(odd, &FORMATS, "formats are"),
            ));
        }
        if let Some(size) = text.size.filter(|size| size.iter().any(|n| !Output::SIZES.contains(n))) {
            let (low, high) = Output::SIZES.into_inner();
            let remedy = format!("width and height must be between {low} and {high} pixels");
            return Err(self.bad(start, "size", format!("{size:?}"), &remedy));
        }
        // A scene from a stranger may not write wherever it likes; --out may.
        let inside = |f: &str| Path::new(f).components().all(|c| matches!(c, Component::Normal(_)));
        if let Some(folder) = text.folder.as_ref().filter(|f| f.is_empty() || !inside(f)) {
            let remedy = "must be a folder inside the one taut is run in; --out can be any";
            return Err(self.bad(start, "folder", format!("{folder:?}"), remedy));
        }
        let size = text.size.map(|[width, height]| (width, height));
        Ok(Output { formats, size, folder: text.folder.as_ref().map(PathBuf::from) })
    }
}
