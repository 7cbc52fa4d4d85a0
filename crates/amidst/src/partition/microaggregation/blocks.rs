//! Cuts a table into blocks of near records or clusters.

/// The number of items whose spread decides across which axis a block is cut.
const SAMPLE: usize = 1024;

/// What is cut: items with a size and a place on each axis.
pub(super) struct Items<'a> {
    /// The number of axes.
    pub width: usize,
    /// How many records an item stands for.
    pub size: &'a dyn Fn(u32) -> usize,
    /// Where an item stands on an axis.
    pub on: &'a dyn Fn(u32, usize) -> f64,
}

impl Items<'_> {
    /// Cuts items into blocks of at most `most` records, unless a single item has more. `share` of the items lie before the first cut,
    /// half of them before all others.
    pub(super) fn blocks(&self, items: Vec<u32>, most: usize, share: f64) -> Vec<Vec<u32>> {
        let mut done = Vec::new();
        let mut open = vec![(items, share)];
        while let Some((items, share)) = open.pop() {
            let records: usize = items.iter().map(|item| (self.size)(*item)).sum();
            if records <= most || items.len() < 2 {
                done.push(items);
                continue;
            }
            let (before, after) = self.cut(items, share);
            open.push((after, 0.5));
            open.push((before, 0.5));
        }
        done
    }

    fn cut(&self, items: Vec<u32>, share: f64) -> (Vec<u32>, Vec<u32>) {
        let axis = self.widest(&items);
        let at = ((items.len() as f64 * share) as usize).clamp(1, items.len() - 1);
        let mut places: Vec<(f64, u32)> = items.into_iter().map(|item| ((self.on)(item, axis), item)).collect();
        places.select_nth_unstable_by(at, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let sorted = |part: &[(f64, u32)]| {
            let mut part: Vec<u32> = part.iter().map(|(_, item)| *item).collect();
            part.sort_unstable();
            part
        };
        let (before, after) = places.split_at(at);
        (sorted(before), sorted(after))
    }

    /// The axis on which a sample of the items has the largest variance.
    fn widest(&self, items: &[u32]) -> usize {
        let sample: Vec<u32> = items.iter().step_by(items.len().div_ceil(SAMPLE)).copied().collect();
        let variance = |axis: usize| {
            let places: Vec<f64> = sample.iter().map(|item| (self.on)(*item, axis)).collect();
            let mean = places.iter().sum::<f64>() / places.len() as f64;
            places.iter().map(|place| (place - mean).powi(2)).sum::<f64>()
        };
        let axes = (0..self.width).map(|axis| (variance(axis), axis));
        axes.fold((-1.0, 0), |most, next| if next.0 > most.0 { next } else { most }).1
    }
}
