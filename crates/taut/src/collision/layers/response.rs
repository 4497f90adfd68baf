//! What contact did in a step.

/// What contact did in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// Pairs whose boxes came within their thickness.
    pub pairs: usize,
    /// Pairs of a body that are nearer at rest than its thickness, and so kept apart by less.
    pub capped: usize,
    /// Constraints that pressed.
    pub contacts: usize,
    /// Constraints of particles and faces with obstacles that pressed.
    pub touching: usize,
    /// Rounds of impacts.
    pub rounds: usize,
    /// Rigid zones, and particles in the largest.
    pub zones: usize,
    /// Particles in the largest rigid zone.
    pub largest_zone: usize,
    /// How often the path of the step was halved.
    pub halvings: u32,
    /// Pinched pairs that were let through.
    pub pinches: usize,
    /// Edges that crossed a face at the start of the step.
    pub tangled: usize,
    /// Smallest distance at the start of the step among pairs within their thickness \[m\]; infinite if there is none.
    pub nearest: f64,
}

/// Wall-clock time \[s\] of what contact does in a step. What it adds to a minimisation is the integrator's time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactSeconds {
    /// Trees, candidates and their distances.
    pub search: f64,
    /// Constraints with obstacles.
    pub solids: f64,
    /// Sweeps after the integrator, of positions and of velocities.
    pub sweep: f64,
    /// Certifying that nothing passes through.
    pub certify: f64,
    /// Rigid zones.
    pub zones: f64,
}

impl std::ops::AddAssign for ContactSeconds {
    fn add_assign(&mut self, more: ContactSeconds) {
        self.search += more.search;
        self.solids += more.solids;
        self.sweep += more.sweep;
        self.certify += more.certify;
        self.zones += more.zones;
    }
}

impl Default for Response {
    fn default() -> Self {
        Response {
            pairs: 0,
            capped: 0,
            contacts: 0,
            touching: 0,
            rounds: 0,
            zones: 0,
            largest_zone: 0,
            halvings: 0,
            pinches: 0,
            tangled: 0,
            nearest: f64::INFINITY,
        }
    }
}

impl std::ops::AddAssign for Response {
    /// Several steps, or pieces of one, together: rounds, zones, halvings and pinches of all, of the rest the extremes.
    fn add_assign(&mut self, more: Response) {
        self.pairs = self.pairs.max(more.pairs);
        self.capped = self.capped.max(more.capped);
        self.contacts = self.contacts.max(more.contacts);
        self.touching = self.touching.max(more.touching);
        self.rounds += more.rounds;
        self.zones += more.zones;
        self.largest_zone = self.largest_zone.max(more.largest_zone);
        self.halvings += more.halvings;
        self.pinches += more.pinches;
        self.tangled = self.tangled.max(more.tangled);
        self.nearest = self.nearest.min(more.nearest);
    }
}
