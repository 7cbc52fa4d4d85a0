//! How many records look the same at a node.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::lattice::Lattice;
use crate::encode::Code;
use crate::problem::Problem;

/// The classes of records that look the same at a node.
pub(super) struct Counts {
    width: usize,
    /// The nodes of each class, one class after the other.
    codes: Vec<Code>,
    /// The number of records of each class.
    pub sizes: Vec<u32>,
    /// The number of rows of the table that they stand for.
    pub weights: Vec<u32>,
    /// The class of each class of the counts that these were made from; for the first ones, of each distinct tuple.
    pub class_of: Vec<u32>,
}

impl Counts {
    /// The classes at the finest node: the distinct tuples.
    pub fn new(problem: &Problem, lattice: &Lattice) -> Self {
        let encoded = &problem.encoded;
        let tuples = || 0..encoded.tuples() as u32;
        let of_tuple = |tuple: u32| lattice.columns.iter().map(move |column| encoded.tuple(tuple)[column.place]);
        Counts {
            width: lattice.columns.len(),
            codes: tuples().flat_map(of_tuple).collect(),
            sizes: tuples().map(|tuple| encoded.rows_of(tuple).len() as u32).collect(),
            weights: tuples().map(|tuple| problem.weight(encoded.rows_of(tuple)) as u32).collect(),
            class_of: tuples().collect(),
        }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The nodes of a class.
    pub fn class(&self, class: usize) -> &[Code] {
        &self.codes[class * self.width..][..self.width]
    }

    /// The classes at a coarser node.
    pub fn rolled_up(&self, lattice: &Lattice, node: &[u8]) -> Self {
        let nodes: Vec<&[Code]> = lattice.at(node).map(|(_, level)| level.nodes.as_slice()).collect();
        let (hasher, width) = (FxBuildHasher, self.width);
        let mut numbers: HashTable<u32> = HashTable::new();
        let (mut codes, mut sizes, mut weights): (Vec<Code>, Vec<u32>, Vec<u32>) = Default::default();
        let mut class_of = Vec::with_capacity(self.len());
        let mut key = vec![0; width];
        for class in 0..self.len() {
            for ((coarse, fine), nodes) in key.iter_mut().zip(self.class(class)).zip(&nodes) {
                *coarse = nodes[*fine as usize];
            }
            let at = |number: u32| number as usize * width..(number as usize + 1) * width;
            let hash = hasher.hash_one(key.as_slice());
            let number = if let Some(known) = numbers.find(hash, |number| codes[at(*number)] == key) {
                *known
            } else {
                let number = sizes.len() as u32;
                codes.extend_from_slice(&key);
                sizes.push(0);
                weights.push(0);
                numbers.insert_unique(hash, number, |number| hasher.hash_one(&codes[at(*number)]));
                number
            };
            sizes[number as usize] += self.sizes[class];
            weights[number as usize] += self.weights[class];
            class_of.push(number);
        }
        Counts { width, codes, sizes, weights, class_of }
    }

    /// The records of each class. `finer` are the counts that these were made from, which were made from the distinct tuples.
    pub fn records(&self, problem: &Problem, finer: &Counts) -> Vec<Vec<u32>> {
        let mut records: Vec<Vec<u32>> = self.sizes.iter().map(|size| Vec::with_capacity(*size as usize)).collect();
        for (tuple, class) in finer.class_of.iter().enumerate() {
            let class = self.class_of[*class as usize];
            records[class as usize].extend_from_slice(problem.encoded.rows_of(tuple as u32));
        }
        records
    }
}
