//! The rows of the bench, as data: what is done, who does it, and what taut wants to reach.

pub use super::work::{Aim, Pose, Row, Subject, Target, Touch, Work};
use taut::geometry::Kind;

const fn target(against: &'static [&'static str], must: f64, aim: f64) -> Target {
    Target { against, must, aim: Aim::Ratio(aim) }
}

const DIRECT: &[&str] = &[
    "taut",
    "taut_f64",
    "faer",
    "eigen_llt",
    "eigen_llt_3m",
    "eigen_llt_published",
    "cholmod_supernodal_amd",
    "cholmod_supernodal_metis",
    "cholmod_simplicial_amd",
    "cholmod_simplicial_metis",
];

const DIRECT_DOG: &[&str] = &[
    "taut",
    "taut_f64",
    "faer",
    "eigen_llt",
    "eigen_llt_3m",
    "cholmod_supernodal_amd",
    "cholmod_supernodal_metis",
    "cholmod_simplicial_metis",
];

/// Without the 3m×3m form: Eigen's minimum-degree order of a compact solid fills up so much that it would take minutes.
const DIRECT_BALL: &[&str] = &[
    "taut",
    "taut_f64",
    "faer",
    "eigen_llt",
    "cholmod_supernodal_amd",
    "cholmod_supernodal_metis",
    "cholmod_simplicial_metis",
];

const PREFACTOR: &[&str] = &[
    "taut",
    "faer",
    "eigen_llt",
    "cholmod_supernodal_amd",
    "cholmod_supernodal_metis",
    "cholmod_simplicial_amd",
];

/// Newton by taut with the solvers that are not its default, then by peers: `PEER:COMMAND[:FORCING]`.
const NEWTON: &[&str] = &[
    "newton+pcg_constant",
    "hybrid+pcg_constant",
    "newton+pcg_jacobi",
    "cholmod_supernodal_metis:newton",
    "cholmod_simplicial_metis:newton",
    "eigen_llt:newton",
    "eigen_llt:newton_pcg:0.1",
    "eigen_llt:newton_pcg:0.01",
    "eigen_llt:newton_pcg_projected:0.1",
    "eigen_llt:newton_pcg_projected:0.01",
];

const ROUGH: &[Target] = &[target(
    &[
        "newton+pcg_jacobi",
        "eigen_llt:newton_pcg:0.1",
        "eigen_llt:newton_pcg:0.01",
        "eigen_llt:newton_pcg_projected:0.1",
        "eigen_llt:newton_pcg_projected:0.01",
    ],
    20.0,
    50.0,
)];

const FINE: &[Target] = &[Target {
    against: &["newton+pcg_jacobi", "eigen_llt:newton_pcg:0.1", "eigen_llt:newton_pcg:0.01"],
    must: 3.0,
    aim: Aim::Seconds(1.0 / 30.0),
}];

const DETECTION: &[&str] = &["taut", "tight_inclusion", "additive"];
const DETECTED: &[Target] = &[target(&["tight_inclusion"], 6.0, 8.0), target(&["additive"], 2.5, 3.3)];

const PAIRS: &[&str] = &["taut", "taut_unculled", "lbvh"];
const CONTACT: &[&str] = &["ten_iterations", "off", "fast", "exact"];

const TWO_THREADS: &[Target] = &[target(&["one_thread"], 1.4, 1.8)];
/// The smallest models that use threads at all.
const NOT_SLOWER: &[Target] = &[target(&["one_thread"], 1.0, 1.4)];

const fn to_error(name: &'static str, what: &'static str, stiffness: f64, error: f64) -> Row {
    let targets = if error > 1e-3 { ROUGH } else { FINE };
    Row { name, what, work: Work::Error(stiffness, error), contestants: NEWTON, targets }
}

const fn on_threads(
    name: &'static str,
    what: &'static str,
    subject: Subject,
    targets: &'static [Target],
) -> Row {
    Row { name, what, work: Work::Threads(subject), contestants: &[], targets }
}

const fn edit(
    name: &'static str,
    what: &'static str,
    (touch, subject): (Touch, Subject),
    contestants: &'static [&'static str],
    targets: &'static [Target],
) -> Row {
    Row { name, what, work: Work::Edit(touch, subject), contestants, targets }
}

/// Every row, in the order they are run.
pub const ROWS: &[Row] = &[
    Row {
        name: "curtain_iteration",
        what: "Curtain, one local/global iteration (local step and solve)",
        work: Work::Iteration(Subject::Curtain),
        contestants: DIRECT,
        targets: &[
            target(&["eigen_llt"], 8.0, 12.0),
            target(&["eigen_llt_3m", "eigen_llt_published"], 12.0, 25.0),
        ],
    },
    Row {
        name: "curtain_shuffled",
        what: "Curtain numbered at random, one local/global iteration",
        work: Work::Iteration(Subject::Shuffled),
        contestants: DIRECT,
        targets: &[target(&["eigen_llt"], 8.0, 12.0)],
    },
    Row {
        name: "curtain_solve",
        what: "Curtain, one solve with the constant matrix",
        work: Work::Solve(Subject::Curtain),
        contestants: DIRECT,
        targets: &[],
    },
    Row {
        name: "curtain_prefactor",
        what: "Curtain, ordering, analysis and factorization of the constant matrix",
        work: Work::Prefactor(Subject::Curtain),
        contestants: PREFACTOR,
        targets: &[target(&["cholmod_supernodal_amd"], 0.5, 1.0)],
    },
    Row {
        name: "dog_iteration",
        what: "Dog, one local/global iteration",
        work: Work::Iteration(Subject::Dog),
        contestants: DIRECT_DOG,
        targets: &[target(&["eigen_llt"], 10.0, 20.0)],
    },
    Row {
        name: "ball_iteration",
        what: "compact solid of the Dog's size, one local/global iteration",
        work: Work::Iteration(Subject::Ball),
        contestants: DIRECT_BALL,
        targets: &[target(&["eigen_llt"], 10.0, 20.0)],
    },
    Row {
        name: "membranes",
        what: "Curtain of membranes and bending links, one local/global iteration beside that of springs",
        work: Work::Elements(Subject::Curtain),
        contestants: &["springs", "membranes", "eigen_membranes"],
        targets: &[target(&["springs"], 0.5, 0.8), target(&["eigen_membranes"], 6.0, 12.0)],
    },
    Row {
        name: "blocks_rotations",
        what: "Dog of blocks without resistance to change of volume, one local/global iteration beside that of springs",
        work: Work::Elements(Subject::Dog),
        contestants: &["springs", "rotations", "eigen_rotations"],
        targets: &[target(&["springs"], 0.4, 0.6), target(&["eigen_rotations"], 6.0, 12.0)],
    },
    Row {
        name: "blocks_volume",
        what: "the same with Poisson's ratio 0.45",
        work: Work::Elements(Subject::Dog),
        contestants: &["springs", "volume", "eigen_volume"],
        targets: &[target(&["springs"], 0.25, 0.4), target(&["eigen_volume"], 6.0, 12.0)],
    },
    to_error("error_1e-2_k100", "Curtain frame, k = 100 N/m, step to relative error 1e-2", 100.0, 1e-2),
    to_error("error_1e-2_k1000", "Curtain frame, k = 1000 N/m, step to relative error 1e-2", 1000.0, 1e-2),
    to_error("error_1e-2_k10000", "Curtain frame, k = 10000 N/m, step to relative error 1e-2", 1e4, 1e-2),
    to_error("error_1e-4_k100", "Curtain frame, k = 100 N/m, step to relative error 1e-4", 100.0, 1e-4),
    to_error("error_1e-4_k1000", "Curtain frame, k = 1000 N/m, step to relative error 1e-4", 1000.0, 1e-4),
    to_error("error_1e-4_k10000", "Curtain frame, k = 10000 N/m, step to relative error 1e-4", 1e4, 1e-4),
    Row {
        name: "detection_vertex_face",
        what: "Curtain folded into 8 layers 3 mm apart, continuous detection of near vertices and faces",
        work: Work::Detection(Kind::VertexFace),
        contestants: DETECTION,
        targets: DETECTED,
    },
    Row {
        name: "detection_edge_edge",
        what: "Curtain folded into 8 layers 3 mm apart, continuous detection of near edges",
        work: Work::Detection(Kind::EdgeEdge),
        contestants: DETECTION,
        targets: DETECTED,
    },
    Row {
        name: "pairs_rest",
        what: "Curtain folded into 8 layers 3 mm apart, at rest: refitting the tree and finding pairs",
        work: Work::Pairs { falling: false },
        contestants: PAIRS,
        targets: &[target(&["lbvh"], 1.0, 2.0)],
    },
    Row {
        name: "pairs_falling",
        what: "the same falling 160 mm in the step",
        work: Work::Pairs { falling: true },
        contestants: PAIRS,
        targets: &[target(&["lbvh"], 10.0, 20.0)],
    },
    Row {
        name: "contact_hanging",
        what: "Curtain frame, nothing near: what contact adds to a step",
        work: Work::Contact(Pose::Hanging),
        contestants: CONTACT,
        targets: &[target(&["ten_iterations"], 1.0, 2.0)],
    },
    Row {
        name: "contact_folded",
        what: "Curtain folded into 8 layers 3 mm apart, thickness 3 mm: what contact adds to a step",
        work: Work::Contact(Pose::Folded),
        contestants: CONTACT,
        targets: &[target(&["ten_iterations"], 0.2, 0.33)],
    },
    Row {
        name: "contact_dress",
        what: "Dress on a woman who walks and turns: what exact contact adds to a step of 20 iterations",
        work: Work::Contact(Pose::Dress),
        contestants: &["twenty_iterations", "off", "exact"],
        targets: &[target(&["twenty_iterations"], 1.0 / 15.0, 0.1)],
    },
    edit(
        "edit_hold",
        "Curtain, a particle grabbed: what the next step prepares",
        (Touch::Hold, Subject::Curtain),
        &["grab", "three_solves"],
        &[target(&["three_solves"], 1.0, 3.0)],
    ),
    edit(
        "edit_held",
        "Curtain, a step of 10 iterations while a particle is held, beside one while none is",
        (Touch::Held, Subject::Curtain),
        &["held", "free"],
        &[target(&["free"], 1.0 / 1.1, 1.0 / 1.03)],
    ),
    edit(
        "edit_refactor_curtain",
        "Curtain, analysis and factor in the order there was, beside ordering afresh",
        (Touch::Refactor, Subject::Curtain),
        &["kept_order", "fresh_order"],
        &[target(&["fresh_order"], 2.0, 2.6)],
    ),
    edit(
        "edit_refactor_dog",
        "Dog, analysis and factor in the order there was, beside ordering afresh",
        (Touch::Refactor, Subject::Dog),
        &["kept_order", "fresh_order"],
        &[target(&["fresh_order"], 2.0, 2.6)],
    ),
    edit(
        "edit_cut",
        "Curtain cut from edge to edge, all that comes of it, beside five steps of 10 iterations",
        (Touch::Cut, Subject::Curtain),
        &["cut", "five_steps"],
        &[target(&["five_steps"], 1.0, 5.0 / 3.0)],
    ),
    edit(
        "edit_live",
        "Curtain cut by a stroke of 60 samples, h = 1/30 s: by how much the latest step begins late, beside one step",
        (Touch::Stroke, Subject::Curtain),
        &["latest", "one_step"],
        &[target(&["one_step"], 1.0, 1.0)],
    ),
    edit(
        "edit_live_161",
        "cloth of 161 x 161, a cut prepared on another thread: the slowest step meanwhile, beside three median ones",
        (Touch::Live, Subject::Cloths(1, 161)),
        &["slowest", "three_steps"],
        &[target(&["three_steps"], 1.0, 1.5)],
    ),
    edit(
        "edit_live_dog",
        "Dog, the same",
        (Touch::Live, Subject::Dog),
        &["slowest", "three_steps"],
        &[target(&["three_steps"], 1.0, 1.5)],
    ),
    on_threads(
        "threads_110",
        "smallest cloth worth threads, one iteration on two threads and on one",
        Subject::Cloths(1, 110),
        NOT_SLOWER,
    ),
    on_threads(
        "threads_150",
        "middling cloth, one iteration on two threads and on one",
        Subject::Cloths(1, 150),
        NOT_SLOWER,
    ),
    on_threads(
        "threads_bodies",
        "40 cloths of 21 x 21, one iteration on two threads and on one",
        Subject::Cloths(40, 21),
        NOT_SLOWER,
    ),
    on_threads(
        "threads_dog",
        "Dog-size solid, one iteration on two threads and on one",
        Subject::Dog,
        NOT_SLOWER,
    ),
    on_threads(
        "threads_300",
        "large cloth, one iteration on two threads and on one",
        Subject::Cloths(1, 300),
        TWO_THREADS,
    ),
    on_threads(
        "threads_600",
        "larger cloth, one iteration on two threads and on one",
        Subject::Cloths(1, 600),
        TWO_THREADS,
    ),
    Row {
        name: "scale",
        what: "cloth from 21 x 21 to 1000 x 1000, one thread, each size in a process of its own",
        work: Work::Scale,
        contestants: &[],
        targets: &[],
    },
];
