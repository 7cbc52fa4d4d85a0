//! The goals of the engine: constants that its measured figures are compared with.

/// Adult by suppression, 14 quasi-identifiers, against plain Algorithm 1.
pub struct Suppression {
    pub k: usize,
    /// Required: the loss at most.
    pub loss: f64,
    /// Required: so many times less processor time than plain Algorithm 1.
    pub faster: f64,
    /// Aimed at: the loss at most.
    pub aim: f64,
}

pub const SUPPRESSION: &[Suppression] = &[
    Suppression { k: 10, loss: 0.262, faster: 50.0, aim: 0.2553 },
    Suppression { k: 20, loss: 0.292, faster: 20.0, aim: 0.2844 },
    Suppression { k: 30, loss: 0.311, faster: 20.0, aim: 0.3034 },
    Suppression { k: 40, loss: 0.324, faster: 20.0, aim: 0.3163 },
    Suppression { k: 50, loss: 0.336, faster: 20.0, aim: 0.3273 },
    Suppression { k: 75, loss: 0.356, faster: 12.0, aim: 0.3474 },
    Suppression { k: 100, loss: 0.372, faster: 12.0, aim: 0.3636 },
];

/// Adult by ranges and sets, 8 quasi-identifiers.
pub struct Sets {
    pub k: usize,
    /// Required with balanced effort: the loss at most.
    pub loss: f64,
    /// Aimed at with the best effort: the loss at most.
    pub aim: f64,
}

pub const SETS: &[Sets] = &[
    Sets { k: 10, loss: 0.0335, aim: 0.0312 },
    Sets { k: 50, loss: 0.095, aim: 0.0860 },
    Sets { k: 100, loss: 0.137, aim: 0.1215 },
];

/// Required with balanced effort: processor seconds at most.
pub const SETS_CPU: f64 = 1.0;
/// What the best effort may take there.
pub const SETS_SECONDS: &str = "20";

/// The first rows of Adult by taxonomies, 8 quasi-identifiers, against ARX.
pub struct Taxonomies {
    pub k: usize,
    /// The loss of ARX's best local recoding, as measured elsewhere.
    pub arx_loss: f64,
    /// The processor seconds that it took there.
    pub arx_cpu: f64,
    /// Required with balanced effort: the loss at most.
    pub loss: f64,
    /// Aimed at with the best effort: the loss at most.
    pub aim: f64,
}

pub const TAXONOMIES: &[Taxonomies] = &[
    Taxonomies { k: 5, arx_loss: 0.0513, arx_cpu: 9.4, loss: 0.0482, aim: 0.0474 },
    Taxonomies { k: 10, arx_loss: 0.0744, arx_cpu: 16.8, loss: 0.0712, aim: 0.0705 },
    Taxonomies { k: 50, arx_loss: 0.1439, arx_cpu: 26.6, loss: 0.1427, aim: 0.1413 },
    Taxonomies { k: 100, arx_loss: 0.1873, arx_cpu: 21.0, loss: 0.1848, aim: 0.1828 },
];

/// The rows that ARX's examples have: those of the training file.
pub const TAXONOMIES_ROWS: usize = 30_162;
/// Required with balanced effort: processor seconds at most.
pub const TAXONOMIES_CPU: f64 = 1.5;
/// What the best effort may take there.
pub const TAXONOMIES_SECONDS: &str = "10";
