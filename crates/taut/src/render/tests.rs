//! Laws of the renderer.
