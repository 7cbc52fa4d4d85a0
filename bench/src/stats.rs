//! A little arithmetic: means, slopes, and whether a figure keeps to its bound.

use std::fmt;

/// Several figures of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    /// Not a number without figures.
    pub fn of(figures: impl Iterator<Item = f64> + Clone) -> Self {
        Spread {
            mean: figures.clone().sum::<f64>() / figures.clone().count() as f64,
            least: figures.clone().fold(f64::NAN, f64::min),
            most: figures.fold(f64::NAN, f64::max),
        }
    }
}

/// `mean [least-most]`, with four decimals unless another precision is asked for.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(4);
        let Spread { mean, least, most } = self;
        f.pad_integral(true, "", &format!("{mean:.digits$} [{least:.digits$}-{most:.digits$}]"))
    }
}

/// A bound that somebody has set.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// A figure as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    Known(f64),
    /// It is at least this.
    More(f64),
    Unknown,
}

impl Figure {
    /// One figure in relation to one that is known.
    pub fn over(self, other: Figure) -> Figure {
        match (self, other) {
            (Figure::Known(a), Figure::Known(b)) => Figure::Known(a / b),
            (Figure::More(a), Figure::Known(b)) => Figure::More(a / b),
            _ => Figure::Unknown,
        }
    }

    /// What it is, the bound, and whether it keeps to it.
    pub fn judge(self, bound: Bound, digits: usize) -> String {
        let (sign, limit) = match bound {
            Bound::AtMost(limit) => ("<=", limit),
            Bound::AtLeast(limit) => (">=", limit),
        };
        let word = match (self, bound) {
            (Figure::Known(figure), Bound::AtMost(limit)) if figure <= limit => "met",
            (Figure::Known(figure) | Figure::More(figure), Bound::AtLeast(limit)) if figure >= limit => "met",
            (Figure::Known(_), _) => "NOT MET",
            (Figure::More(figure), Bound::AtMost(limit)) if figure > limit => "NOT MET",
            _ => "not known",
        };
        format!("{self:.digits$} {sign} {limit:.digits$} {word}")
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(4);
        match self {
            Figure::Known(figure) => write!(f, "{figure:.digits$}"),
            Figure::More(figure) => write!(f, "over {figure:.digits$}"),
            Figure::Unknown => f.write_str("?"),
        }
    }
}

/// The slope of the line nearest to the points; `None` without two of them.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    (points.len() > 1).then(|| sum(&|p| (p.0 - x) * (p.1 - y)) / sum(&|p| (p.0 - x).powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_nearest_line() {
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), Some(2.0));
        // Means 1 and 1; (-1)(-1) + 0·(2) + (1)(-1) = 0.
        assert_eq!(slope(&[(0.0, 0.0), (1.0, 3.0), (2.0, 0.0)]), Some(0.0));
        assert_eq!(slope(&[(1.0, 1.0)]), None);
    }

    #[test]
    fn spreads() {
        let spread = Spread::of([0.25, 0.5, 0.0].into_iter());
        assert_eq!(spread, Spread { mean: 0.25, least: 0.0, most: 0.5 });
        assert_eq!(format!("{spread:.2}"), "0.25 [0.00-0.50]");
        assert_eq!(format!("{spread:>18.2}|{spread:<18.2}|"), "  0.25 [0.00-0.50]|0.25 [0.00-0.50]  |");
        assert!(Spread::of(std::iter::empty()).mean.is_nan());
    }

    #[test]
    fn figures_keep_to_their_bounds_or_not() {
        let (known, more) = (Figure::Known(2.0), Figure::More(2.0));
        assert_eq!(known.judge(Bound::AtMost(2.0), 1), "2.0 <= 2.0 met");
        assert_eq!(known.judge(Bound::AtMost(1.5), 1), "2.0 <= 1.5 NOT MET");
        assert_eq!(known.judge(Bound::AtLeast(3.0), 0), "2 >= 3 NOT MET");
        assert_eq!(more.judge(Bound::AtLeast(1.0), 0), "over 2 >= 1 met");
        assert_eq!(more.judge(Bound::AtLeast(3.0), 0), "over 2 >= 3 not known");
        assert_eq!(more.judge(Bound::AtMost(1.0), 0), "over 2 <= 1 NOT MET");
        assert_eq!(more.judge(Bound::AtMost(3.0), 0), "over 2 <= 3 not known");
        assert_eq!(Figure::Unknown.judge(Bound::AtMost(1.0), 0), "? <= 1 not known");
        assert_eq!(more.over(Figure::Known(0.5)), Figure::More(4.0));
        assert_eq!(known.over(more), Figure::Unknown);
    }
}
