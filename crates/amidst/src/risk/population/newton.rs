//! A solver for two equations in two unknowns.
//!
//! It is Newton's iteration with the damping of Levenberg and Marquardt: if a full step would lead away from the solution, the step becomes
//! shorter and turns downhill. The result is `None` if the iteration does not converge.

/// The most steps of the iteration.
const MAX_STEPS: usize = 200;

/// The largest residual at which an equation counts as solved.
const MAX_RESIDUAL: f64 = 1e-9;

/// The values of both equations at a point, and their derivatives.
pub(super) struct Residuals {
    pub values: [f64; 2],
    pub slopes: [[f64; 2]; 2],
}

impl Residuals {
    fn size(&self) -> f64 {
        self.values[0].hypot(self.values[1])
    }

    fn is_finite(&self) -> bool {
        self.values.iter().chain(self.slopes.iter().flatten()).all(|value| value.is_finite())
    }

    /// (JᵀJ + λI)⁻¹ Jᵀr, the step back towards the solution.
    fn step(&self, damping: f64) -> [f64; 2] {
        let [first, second] = &self.slopes;
        let sum = |x: usize, y: usize| first[x] * first[y] + second[x] * second[y];
        let downhill = |x: usize| first[x] * self.values[0] + second[x] * self.values[1];
        let damped = |x: usize| sum(x, x) * (1.0 + damping) + f64::MIN_POSITIVE;
        let determinant = damped(0) * damped(1) - sum(0, 1) * sum(0, 1);
        [
            (damped(1) * downhill(0) - sum(0, 1) * downhill(1)) / determinant,
            (damped(0) * downhill(1) - sum(0, 1) * downhill(0)) / determinant,
        ]
    }
}

/// A solution of the equations, searched from `start`; `None` if the iteration does not converge.
pub(super) fn solve(start: [f64; 2], equations: impl Fn([f64; 2]) -> Residuals) -> Option<[f64; 2]> {
    let (mut at, mut here) = (start, equations(start));
    let mut damping = 1e-3;
    for _ in 0..MAX_STEPS {
        if !here.is_finite() {
            return None;
        }
        if here.values.iter().all(|value| value.abs() <= MAX_RESIDUAL) {
            return Some(at);
        }
        let step = here.step(damping);
        let next = [at[0] - step[0], at[1] - step[1]];
        let there = equations(next);
        if there.is_finite() && there.size() < here.size() {
            (at, here) = (next, there);
            damping = (damping * 0.1).max(1e-12);
        } else {
            damping *= 10.0;
        }
        if damping > 1e12 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_where_both_hold_or_says_that_it_does_not() {
        // x² + y² = 5 and x y = 2 at (2, 1).
        let circle = |[x, y]: [f64; 2]| Residuals {
            values: [x * x + y * y - 5.0, x * y - 2.0],
            slopes: [[2.0 * x, 2.0 * y], [y, x]],
        };
        let [x, y] = solve([3.0, 0.5], circle).unwrap();
        assert!((x - 2.0).abs() < 1e-8 && (y - 1.0).abs() < 1e-8);
        // x² + 1 = 0 nowhere.
        let never = |[x, y]: [f64; 2]| Residuals { values: [x * x + 1.0, y], slopes: [[2.0 * x, 0.0], [0.0, 1.0]] };
        assert_eq!(solve([3.0, 3.0], never), None);
    }
}
