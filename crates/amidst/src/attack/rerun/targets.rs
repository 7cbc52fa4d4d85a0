//! The targets of the attack, each with the worlds that could be true instead.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rustc_hash::FxHashSet;

use super::super::{Scene, World};
use crate::encode::Code;

/// A target: the other worlds that are possible according to the release.
pub(super) type Target = Vec<World>;

/// Random targets in classes with several combinations of sensitive values. In each other world, the target has exchanged its sensitive values
/// with a record of its class. Each other combination of the class is tried once.
pub(super) fn sensitive(scene: &Scene, members: &[Vec<u32>], number: usize) -> Vec<Target> {
    let several = |rows: &Vec<u32>| rows.iter().any(|row| secret(scene, *row) != secret(scene, rows[0]));
    let classes = members.iter().filter(|rows| several(rows));
    let mut targets: Vec<(u32, &[u32])> =
        classes.flat_map(|rows| rows.iter().map(move |row| (*row, rows.as_slice()))).collect();
    let (chosen, _) = targets.partial_shuffle(&mut ChaCha12Rng::seed_from_u64(0), number);
    chosen.iter().map(|(target, class)| exchanges(scene, *target, class)).collect()
}

/// The sensitive values of a record.
fn secret(scene: &Scene, row: u32) -> Vec<Code> {
    scene.encoded().sensitive().iter().map(|column| column.row(row)).collect()
}

fn exchanges(scene: &Scene, target: u32, class: &[u32]) -> Target {
    let mut seen: FxHashSet<Vec<Code>> = FxHashSet::from_iter([secret(scene, target)]);
    class.iter().filter(|row| seen.insert(secret(scene, **row))).map(|row| World::Exchanged(target, *row)).collect()
}

/// Random targets, each with a random quasi-identifier whose published cell covers several values. In each other world, the target has another
/// value that occurs in the table and that the cell covers. At most `worlds` of them are tried.
pub(super) fn quasi(scene: &Scene, piece_of: &[u32], number: usize, worlds: usize) -> Vec<Target> {
    let encoded = scene.encoded();
    let mut rng = ChaCha12Rng::seed_from_u64(0);
    // For each column, a record with each value.
    let mut owners: Vec<Vec<Option<u32>>> = encoded.domains().iter().map(|domain| vec![None; domain.len()]).collect();
    for row in (0..encoded.rows() as u32).rev() {
        for (owners, code) in owners.iter_mut().zip(encoded.row(row)) {
            owners[*code as usize] = Some(row);
        }
    }
    let published = |row: &u32| (piece_of[*row as usize] as usize) < scene.pieces().len();
    let mut rows: Vec<u32> = (0..encoded.rows() as u32).filter(published).collect();
    rows.shuffle(&mut rng);
    let others = |row: u32, column: usize| -> Target {
        let (domain, own) = (&encoded.domains()[column], encoded.row(row)[column]);
        let span = scene.view.pieces[piece_of[row as usize] as usize].closure[column];
        let owners = owners[column].iter().zip(0..).filter(|(_, code)| *code != own && domain.covers(span, *code));
        owners.filter_map(|(owner, _)| Some(World::Other { row, column, like: (*owner)? })).collect()
    };
    let mut targets = Vec::new();
    for row in rows {
        let mut columns: Vec<usize> = (0..encoded.domains().len()).collect();
        columns.shuffle(&mut rng);
        let open = columns.into_iter().map(|column| others(row, column)).find(|others| !others.is_empty());
        if let Some(mut others) = open {
            targets.push(others.partial_shuffle(&mut rng, worlds).0.to_vec());
        }
        if targets.len() == number {
            break;
        }
    }
    targets
}
