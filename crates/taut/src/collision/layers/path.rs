//! The path of a step in pieces.

use super::{Ground, Layers, Pinched, Response};
use crate::collision::Level;
use glam::DVec3;

/// How often a path is halved, at most.
const MOST_HALVINGS: u32 = 6;

impl Layers {
    /// Put right a step of length `h` \[s\] from `start`, where nothing crosses, to `end` \[m\]. If something is pinched
    /// then, `exact` follows the path from start to end in more and more straight pieces: less is caught at once.
    pub fn respond(
        &mut self,
        ground: Ground,
        start: &[DVec3],
        end: &mut [DVec3],
        velocities: &mut [DVec3],
        h: f64,
    ) -> Result<Response, Pinched> {
        if self.settings.level != Level::Exact {
            return self.respond_to(ground, start, end, velocities, h);
        }
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.0.clear();
        wanted.0.extend_from_slice(end);
        wanted.1.clear();
        wanted.1.extend_from_slice(velocities);
        self.gently = true;
        let mut result = self.respond_to(ground, start, end, velocities, h);
        for halvings in 1..=MOST_HALVINGS {
            if result.is_ok() {
                break;
            }
            velocities.copy_from_slice(&wanted.1);
            // What a piece presses with says nothing of the next, which is as short.
            self.before.clear();
            self.gently = halvings < MOST_HALVINGS;
            result = self.follow_path(1 << halvings, ground, (start, &wanted.0), end, velocities, h);
            if let Ok(response) = &mut result {
                response.halvings = halvings;
            }
        }
        if !matches!(result, Ok(Response { halvings: 0, .. })) {
            self.loads.clear();
        }
        self.wanted = wanted;
        result
    }

    /// Respond to the straight path from `start` to `wanted` piece by piece. What contact took from the way of one piece
    /// is not asked for again in the next.
    fn follow_path(
        &mut self,
        pieces: usize,
        ground: Ground,
        (start, wanted): (&[DVec3], &[DVec3]),
        end: &mut [DVec3],
        velocities: &mut [DVec3],
        h: f64,
    ) -> Result<Response, Pinched> {
        let mut here = std::mem::take(&mut self.here);
        here.clear();
        here.extend_from_slice(start);
        let mut result = Ok(Response::default());
        for piece in 1..=pieces {
            let part = piece as f64 / pieces as f64;
            for (i, to) in end.iter_mut().enumerate() {
                let way = wanted[i] - start[i];
                // Prescribed particles are exactly where they are to be at the end.
                *to = match self.prescribed[i] {
                    true if piece == pieces => wanted[i],
                    true => start[i] + part * way,
                    false => here[i] + way / pieces as f64,
                };
            }
            let ground = ground.part((piece - 1) as f64 / pieces as f64, part);
            let response = self.respond_to(ground, &here, end, velocities, h / pieces as f64);
            match (&mut result, response) {
                (Ok(all), Ok(response)) => *all += response,
                (_, Err(pinched)) => {
                    result = Err(pinched);
                    break;
                }
                (Err(_), _) => unreachable!("a pinch ends it"),
            }
            here.copy_from_slice(end);
        }
        self.here = here;
        result
    }
}
