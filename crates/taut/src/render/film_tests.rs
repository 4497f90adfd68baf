//! Laws of the files: PNG exact, GIF with the right frames, pace and colours.

use super::tests::folds;
use super::*;
use std::f64::consts::PI;

#[test]
fn png_comes_back_exactly() {
    let mut picture = Picture::new(37, 23);
    picture.rgb.iter_mut().enumerate().for_each(|(i, b)| *b = (i * i % 251) as u8);
    let bytes = picture.to_png("taut – scene é").unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.info().uncompressed_latin1_text[0].text, "taut ? scene é");
    let mut back = vec![0; picture.rgb.len()];
    reader.next_frame(&mut back).unwrap();
    assert_eq!(back, picture.rgb);
    assert!(Picture::new(0, 5).to_png("").is_err());
    assert!(Picture { width: 9, height: 9, rgb: vec![0; 5] }.to_png("").is_err());
}

/// Play a GIF: every frame as it appears, and the delays [centiseconds].
fn play(bytes: &[u8], [width, height]: [usize; 2]) -> (Vec<Vec<u8>>, Vec<u16>) {
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    assert!(matches!(decoder.repeat(), ::gif::Repeat::Infinite));
    let (mut canvas, mut frames, mut delays) = (vec![0; 3 * width * height], Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (i, c) in frame.buffer.chunks(4).enumerate().filter(|(_, c)| c[3] > 0) {
            let w = frame.width as usize;
            let at = 3 * ((frame.top as usize + i / w) * width + frame.left as usize + i % w);
            canvas[at..at + 3].copy_from_slice(&c[..3]);
        }
        delays.push(frame.delay);
        frames.push(canvas.clone());
    }
    (frames, delays)
}

#[test]
fn a_film_comes_back_with_its_frames_pace_and_colours() {
    let (positions, triangles) = folds();
    let size = [120, 90];
    let mut renderer = Renderer::new(size[0], size[1]).unwrap();
    let mut film = Gif::new(Vec::new(), size[0], size[1], 30.0).unwrap().comment("taut test");
    let mut pictures = Vec::new();
    for k in 0..25 {
        // Half way the sheet turns its other colour to the viewer: the palette must follow. Two frames stand still.
        let turn = if k < 12 { 0.05 * k as f64 } else { PI - 0.05 * (k / 2) as f64 };
        let turned: Vec<_> = positions.iter().map(|p| glam::DQuat::from_rotation_y(turn) * *p).collect();
        let drawing = Drawing {
            positions: &turned,
            triangles: &triangles,
            ground: Some(0.0),
            extent: Some([-DVec3::ONE, DVec3::splat(2.0)]),
            ..Drawing::default()
        };
        pictures.push(renderer.draw(&drawing).clone());
        film.frame(&pictures[k]).unwrap();
    }
    let bytes = film.finish().unwrap();
    assert!(bytes.windows(9).any(|w| w == b"taut test"));
    let (frames, delays) = play(&bytes, size);
    assert_eq!(frames.len(), 25);
    let total: u32 = delays.iter().map(|&d| u32::from(d)).sum();
    assert!((f64::from(total) - 2500.0 / 30.0).abs() <= 1.0, "{total} centiseconds");
    for (k, (frame, picture)) in frames.iter().zip(&pictures).enumerate() {
        let errors = || frame.iter().zip(&picture.rgb).map(|(a, b)| a.abs_diff(*b));
        let mean = errors().map(f64::from).sum::<f64>() / frame.len() as f64;
        assert!(mean < 3.0, "frame {k}: mean error {mean}");
        let bad = errors().filter(|&e| e > 24).count() as f64 / frame.len() as f64;
        assert!(bad < 1e-3, "frame {k}: {bad} of all bytes are more than 24 levels off");
    }
}

#[test]
fn a_film_refuses_what_it_cannot_hold() {
    assert!(Gif::new(Vec::new(), 0, 4, 30.0).is_err());
    assert!(Gif::new(Vec::new(), 70_000, 4, 30.0).is_err());
    assert!(Gif::new(Vec::new(), 4, 4, 60.0).is_err() && Gif::new(Vec::new(), 4, 4, f64::NAN).is_err());
    let mut film = Gif::new(Vec::new(), 4, 4, 30.0).unwrap();
    assert!(film.frame(&Picture::new(5, 4)).is_err());
    assert!(film.finish().is_err(), "no frame, no film");
    let mut black = Gif::new(Vec::new(), 4, 4, 7.0).unwrap();
    for _ in 0..15 {
        black.frame(&Picture::new(4, 4)).unwrap();
    }
    let (frames, delays) = play(&black.finish().unwrap(), [4, 4]);
    assert_eq!(frames, vec![vec![0; 48]; 15]);
    assert!((delays.iter().map(|&d| f64::from(d)).sum::<f64>() - 1500.0 / 7.0).abs() <= 1.0);
}
