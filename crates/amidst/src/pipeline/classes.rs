//! Clusters that look the same in the release are one class there, and that must hold, too.
//!
//! By most privacy models it does because its clusters do. By those that are not monotone (δ-disclosure, a personal ℓ) it may not: a value
//! that is just frequent enough in one cluster is too rare in a class with others that lack it. Such a class is united with others
//! until all hold.

use crate::error::Result;
use crate::partition;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::publish::Publisher;
use crate::schema::Schema;

/// The same partition where all its classes hold, else one of fewer clusters.
pub(super) fn hold(
    problem: &Problem,
    schema: &Schema,
    publisher: &dyn Publisher,
    mut partition: Partition,
    progress: Progress,
) -> Result<Partition> {
    if problem.monotone() {
        return Ok(partition);
    }
    let (remarks, mut mended) = (partition.remarks().to_vec(), 0);
    loop {
        progress.advance(0)?;
        let classes = publisher.classes(schema, problem, &partition)?;
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); classes.iter().max().map_or(0, |class| *class as usize + 1)];
        partition.clusters().zip(classes).for_each(|(cluster, class)| rows[class as usize].extend(cluster));
        let broken = rows.iter().filter(|rows| !problem.hold(rows)).count();
        if broken == 0 || partition.len() == 1 {
            let remark = format!(
                "{mended} classes of clusters that look the same broke a privacy model and were united with others"
            );
            return Ok(if mended == 0 { partition } else { partition.remarked(remarks.into_iter().chain([remark])) });
        }
        mended += broken;
        // What is united looks otherwise, and may look like others now.
        partition = partition::united(problem, rows, progress)?.like(&partition);
    }
}
