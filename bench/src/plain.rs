//! A reference for time: sequential clustering as its paper writes it down, without any pruning.
//!
//! Every record asks every other cluster at every turn, O(n/k) of them. What a careful programmer would do is done: one
//! look-up or one comparison per column and cluster, over consecutive numbers of 32 bits, in loops that become vector
//! instructions. Whoever claims to be faster than Algorithm 1 has to be faster than this. One thread.
//!
//! Random choices are those of the library's `sequential(split=pass)` with the same seed. Clusters are ranked in single precision, and
//! those that it cannot tell apart in double precision, so the loss is the same as there.
//!
//! Goldberger, Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 3, 2010, Algorithm 1.

use amidst::Result;
use amidst::internals::cost::Payer;
use amidst::internals::encode::{Code, Domain, Span};
use amidst::internals::partition::Partitioner;
use amidst::internals::problem::{Partition, Problem};
use amidst::progress::Progress;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

/// What it is called in the tables.
pub const NAME: &str = "plain Algorithm 1";

/// The size of clusters at the start, and that above which they are split, as multiples of k.
const ALPHA: f64 = 0.5;
const OMEGA: f64 = 1.5;

/// Passes end after so many.
const PASSES: usize = 100;

/// A gain below this share of the costs is a rounding error.
const ROUNDING: f64 = 1e-12;

/// What single precision may be off by, per record of a cluster, as a share of what it costs to say nothing of a record.
const BLUR: f32 = 2e-6;

/// So many clusters are looked at together.
const LANES: usize = 16;
type Lanes = [f32; LANES];

/// Algorithm 1, for measures that are a sum over the columns (LM is one) and k alone as constraint.
pub struct Plain;

impl Partitioner for Plain {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let costs = Costs::new(problem);
        let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
        let mut groups: Vec<Group> = start(problem, &mut rng).iter().map(|rows| Group::new(&costs, rows)).collect();
        for _ in 0..PASSES {
            let moved = pass(&costs, &mut groups, progress)?;
            groups.retain(|group| !group.rows.is_empty());
            split(&costs, &mut groups, &mut rng);
            if !moved {
                break;
            }
        }
        Partition::new(problem.rows(), unite(&costs, groups, progress)?)
    }
}

/// A random partition into clusters of k₀ records or a few more.
fn start(problem: &Problem, rng: &mut ChaCha12Rng) -> Vec<Vec<u32>> {
    let mut rows: Vec<u32> = (0..problem.rows() as u32).collect();
    rows.shuffle(rng);
    let size = ((ALPHA * problem.min_size() as f64).round() as usize).max(2);
    let count = (rows.len() / size).max(1);
    let mut rest = rows.as_slice();
    let mut next = |cluster| {
        let (first, behind) = rest.split_at(rest.len().div_ceil(count - cluster));
        rest = behind;
        first.to_vec()
    };
    (0..count).map(&mut next).collect()
}

/// Splits clusters that are too large into random halves.
fn split(costs: &Costs, groups: &mut Vec<Group>, rng: &mut ChaCha12Rng) {
    let most = OMEGA * costs.problem.min_size() as f64;
    for place in 0..groups.len() {
        if groups[place].rows.len() as f64 > most {
            let mut rows = std::mem::take(&mut groups[place].rows);
            rows.sort_unstable();
            rows.shuffle(rng);
            let (stay, go) = rows.split_at(rows.len().div_ceil(2));
            groups[place] = Group::new(costs, stay);
            groups.push(Group::new(costs, go));
        }
    }
}

/// Gives every record its turn. True when one has moved.
fn pass(costs: &Costs, groups: &mut [Group], progress: Progress) -> Result<bool> {
    let mut of = vec![0; costs.problem.rows()];
    for (place, group) in groups.iter().enumerate() {
        group.rows.iter().for_each(|row| of[*row as usize] = place);
    }
    let mut scan = Scan::new(costs, groups);
    let mut moved = false;
    for (row, own) in of.into_iter().enumerate() {
        if row % 256 == 0 {
            progress.advance(0)?;
        }
        let row = row as u32;
        let codes = costs.problem.encoded.row(row);
        let more = |place: usize| groups[place].cost_with(costs, codes) - groups[place].cost();
        let candidates = scan.candidates(codes, own).map(|place| (more(place), place));
        let Some((more, best)) = candidates.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let size = groups[own].rows.len() as f64;
        let gain = groups[own].cost() - (size - 1.0) * costs.sum(&groups[own].without(costs, codes));
        let rounding = ROUNDING * (groups[best].cost_with(costs, codes) + groups[own].cost());
        if size > 1.0 && more >= gain - rounding {
            continue;
        }
        groups[own].remove(costs, row);
        groups[best].add(costs, row);
        scan.write(costs, own, &groups[own], false);
        scan.write(costs, best, &groups[best], false);
        moved = true;
    }
    Ok(moved)
}

/// Unites the two closest of the clusters that are too small until one is left, which joins the cluster closest to it. Each
/// cluster remembers the closest of those before it, and looks again once that one is gone.
fn unite(costs: &Costs, groups: Vec<Group>, progress: Progress) -> Result<Vec<Vec<u32>>> {
    let k = costs.problem.min_size();
    let (mut done, small): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|group| group.rows.len() >= k);
    let mut small: Vec<Option<Group>> = small.into_iter().map(Some).collect();
    let mut near: Vec<Near> = (0..small.len()).map(|place| nearest(costs, &small[..=place])).collect();
    loop {
        progress.advance(0)?;
        let known = |(place, near): (usize, &Near)| near.map(|(distance, other)| (distance, place, other));
        let Some((_, place, other)) = near.iter().enumerate().filter_map(known).min_by(|a, b| a.0.total_cmp(&b.0))
        else {
            break;
        };
        if small[place].is_some()
            && let Some(earlier) = small[other].take()
            && let Some(later) = small[place].take()
        {
            let united = Group::new(costs, &[earlier.rows, later.rows].concat());
            if united.rows.len() >= k {
                done.push(united);
            } else {
                small.push(Some(united));
                near.push(nearest(costs, &small));
            }
        }
        near[place] = nearest(costs, &small[..=place]);
    }
    for group in small.into_iter().flatten() {
        let distance = |place: &usize| distance(costs, &done[*place], &group);
        match (0..done.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            Some(place) => done[place].rows.extend(group.rows),
            None => done.push(group),
        }
    }
    Ok(done.into_iter().map(|group| group.rows).collect())
}

/// The distance and the place of the nearest.
type Near = Option<(f64, usize)>;

/// The nearest to the last of the groups.
fn nearest(costs: &Costs, groups: &[Option<Group>]) -> Near {
    let (last, before) = groups.split_last()?;
    let last = last.as_ref()?;
    let known = |(place, other): (usize, &Option<Group>)| Some((distance(costs, other.as_ref()?, last), place));
    before.iter().enumerate().filter_map(known).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// What uniting two groups adds to the loss.
fn distance(costs: &Costs, a: &Group, b: &Group) -> f64 {
    let domains = costs.problem.encoded.domains().iter();
    let spans = domains.zip(&a.closure).zip(&b.closure).map(|((domain, a), b)| domain.join(*a, *b));
    let sum: f64 = spans.enumerate().map(|(column, span)| costs.part(column, span)).sum();
    let united = (a.rows.len() + b.rows.len()) as f64 * sum;
    let added = united - a.cost() - b.cost();
    if added <= ROUNDING * united { 0.0 } else { added }
}

/// What each record costs per column, from tables where they are small.
struct Costs<'a> {
    problem: &'a Problem,
    tables: Vec<Table>,
    /// What it costs to say nothing of a record.
    whole: f64,
}

enum Table {
    /// Suppressed unless all agree: what a suppressed value costs.
    Suppress(f64),
    /// By the smallest and the largest code.
    Ranges(Vec<f64>),
    /// Too large for a table.
    Asked,
}

impl<'a> Costs<'a> {
    fn new(problem: &'a Problem) -> Self {
        let table = |(column, domain): (usize, &Domain)| {
            let len = domain.len() as Code;
            let part = |lo: Code, hi: Code| ask(problem, column, Span::range(lo, hi));
            if is_suppress(domain) {
                Table::Suppress(ask(problem, column, domain.everything()))
            } else if domain.is_set() || len > 512 {
                Table::Asked
            } else {
                Table::Ranges((0..len).flat_map(|lo| (0..len).map(move |hi| part(lo.min(hi), lo.max(hi)))).collect())
            }
        };
        let domains = || problem.encoded.domains().iter().enumerate();
        let whole = domains().map(|(column, domain)| ask(problem, column, domain.everything())).sum();
        Costs { problem, tables: domains().map(table).collect(), whole }
    }

    fn part(&self, column: usize, span: Span) -> f64 {
        match &self.tables[column] {
            Table::Suppress(part) => f64::from(u8::from(span.lo() != span.hi())) * part,
            Table::Ranges(parts) => {
                parts[span.lo() as usize * self.problem.encoded.domains()[column].len() + span.hi() as usize]
            }
            Table::Asked => ask(self.problem, column, span),
        }
    }

    fn sum(&self, closure: &[Span]) -> f64 {
        closure.iter().enumerate().map(|(column, span)| self.part(column, *span)).sum()
    }
}

fn ask(problem: &Problem, column: usize, span: Span) -> f64 {
    problem.measure.part(column, span, Payer::default())
}

/// Of all kinds only these have neither sets, nor trees, nor distances.
fn is_suppress(domain: &Domain) -> bool {
    !domain.is_set() && domain.hierarchy().is_none() && domain.extent(domain.everything()).is_none()
}

/// A cluster.
#[derive(Default)]
struct Group {
    rows: Vec<u32>,
    closure: Vec<Span>,
    /// What a record costs in it.
    each: f64,
    /// How often each code occurs, by column and rising code.
    counts: Vec<Vec<(Code, u32)>>,
}

impl Group {
    fn new(costs: &Costs, rows: &[u32]) -> Self {
        let mut group = Group { counts: vec![Vec::new(); costs.problem.encoded.domains().len()], ..Group::default() };
        rows.iter().for_each(|row| group.count(costs, *row));
        group.close(costs);
        group
    }

    fn cost(&self) -> f64 {
        self.rows.len() as f64 * self.each
    }

    fn count(&mut self, costs: &Costs, row: u32) {
        self.rows.push(row);
        for (counts, code) in self.counts.iter_mut().zip(costs.problem.encoded.row(row)) {
            match counts.binary_search_by_key(code, |(c, _)| *c) {
                Ok(place) => counts[place].1 += 1,
                Err(place) => counts.insert(place, (*code, 1)),
            }
        }
    }

    fn add(&mut self, costs: &Costs, row: u32) {
        self.count(costs, row);
        self.close(costs);
    }

    fn remove(&mut self, costs: &Costs, row: u32) {
        self.rows.retain(|r| *r != row);
        for (counts, code) in self.counts.iter_mut().zip(costs.problem.encoded.row(row)) {
            counts.iter_mut().filter(|(c, _)| c == code).for_each(|(_, times)| *times -= 1);
            counts.retain(|(_, times)| *times > 0);
        }
        self.close(costs);
    }

    fn close(&mut self, costs: &Costs) {
        let domains = costs.problem.encoded.domains();
        let columns = self.counts.iter().zip(domains).filter(|(counts, _)| !counts.is_empty());
        self.closure = columns.map(|(counts, domain)| span(domain, counts.iter())).collect();
        self.each = costs.sum(&self.closure);
    }

    /// What it costs with a record more.
    fn cost_with(&self, costs: &Costs, codes: &[Code]) -> f64 {
        let columns = self.closure.iter().zip(costs.problem.encoded.domains()).zip(codes).enumerate();
        let parts = columns.map(|(c, ((span, domain), code))| costs.part(c, domain.join(*span, domain.span(*code))));
        (self.rows.len() + 1) as f64 * parts.sum::<f64>()
    }

    /// The closure without one of its records; empty when there is no other.
    fn without(&self, costs: &Costs, codes: &[Code]) -> Vec<Span> {
        if self.rows.len() < 2 {
            return Vec::new();
        }
        let columns = self.counts.iter().zip(costs.problem.encoded.domains()).zip(codes).zip(&self.closure);
        let without = columns.map(|(((counts, domain), code), all)| match counts.binary_search_by_key(code, |c| c.0) {
            Ok(place) if counts[place].1 == 1 => span(domain, counts.iter().filter(|(c, _)| c != code)),
            _ => *all,
        });
        without.collect()
    }
}

/// The closure of codes in rising order, of which there is one.
fn span<'a>(domain: &Domain, mut codes: impl DoubleEndedIterator<Item = &'a (Code, u32)>) -> Span {
    if domain.is_set() {
        return Span::mask(codes.fold(0, |bits, (code, _)| bits | domain.span(*code).bits()));
    }
    let lo = codes.next().map_or(0, |(code, _)| *code);
    Span::range(lo, codes.next_back().map_or(lo, |(code, _)| *code))
}

/// What a record would cost in each cluster, as numbers that stand side by side.
struct Scan {
    columns: Vec<Column>,
    /// The size with one record more.
    sizes: Vec<Lanes>,
    /// What a record of each cluster costs.
    each: Vec<Lanes>,
    /// The same, but infinite where none may be joined.
    base: Vec<Lanes>,
    /// What a record adds to each, by the last search, and the least of each block.
    found: Vec<Lanes>,
    lowest: Vec<f32>,
    /// The most records that a cluster has had.
    most: usize,
    /// What single precision may be off by, per record of a cluster.
    blur: f32,
    closures: Vec<Vec<Span>>,
}

enum Column {
    /// The code on which each cluster agrees, and what a record costs where it does not.
    Agreed(Vec<[Code; LANES]>, f32),
    /// What a record costs in each cluster with one of that code more: all clusters for the first code first.
    Joined(Vec<Lanes>),
}

/// Where the values of a cluster differ.
const NONE: Code = Code::MAX;

impl Scan {
    fn new(costs: &Costs, groups: &[Group]) -> Self {
        let blocks = groups.len().div_ceil(LANES);
        let domains = costs.problem.encoded.domains().iter();
        let column = |(table, domain): (&Table, &Domain)| match table {
            Table::Suppress(part) => Column::Agreed(vec![[NONE; LANES]; blocks], *part as f32),
            _ => Column::Joined(vec![[0.0; LANES]; blocks * domain.len()]),
        };
        let mut scan = Scan {
            columns: costs.tables.iter().zip(domains).map(column).collect(),
            sizes: vec![[0.0; LANES]; blocks],
            each: vec![[0.0; LANES]; blocks],
            base: vec![[f32::INFINITY; LANES]; blocks],
            found: vec![[0.0; LANES]; blocks],
            lowest: vec![0.0; blocks],
            most: 0,
            blur: BLUR * costs.whole as f32,
            closures: vec![Vec::new(); groups.len()],
        };
        groups.iter().enumerate().for_each(|(place, group)| scan.write(costs, place, group, true));
        scan
    }

    /// Takes note of a cluster that has changed.
    fn write(&mut self, costs: &Costs, place: usize, group: &Group, all: bool) {
        let (block, lane, blocks) = (place / LANES, place % LANES, self.sizes.len());
        self.sizes[block][lane] = (group.rows.len() + 1) as f32;
        self.most = self.most.max(group.rows.len());
        // Summed as by the scan, so that a record that a cluster covers adds exactly this.
        let parts = group.closure.iter().enumerate().map(|(column, span)| costs.part(column, *span) as f32);
        let each = parts.fold(0.0, |sum, part| sum + part);
        self.each[block][lane] = each;
        self.base[block][lane] = if group.rows.is_empty() { f32::INFINITY } else { each };
        for (column, span) in group.closure.iter().enumerate() {
            if !all && self.closures[place][column] == *span {
                continue;
            }
            match &mut self.columns[column] {
                Column::Agreed(codes, _) => codes[block][lane] = if span.lo() == span.hi() { span.lo() } else { NONE },
                Column::Joined(parts) => {
                    let domain = &costs.problem.encoded.domains()[column];
                    for code in 0..domain.len() {
                        let joined = domain.join(*span, domain.span(code as Code));
                        parts[code * blocks + block][lane] = costs.part(column, joined) as f32;
                    }
                }
            }
        }
        self.closures[place].clone_from(&group.closure);
    }

    /// The clusters to which a record of these codes adds least, its own aside, as far as single precision tells.
    fn candidates(&mut self, codes: &[Code], own: usize) -> impl Iterator<Item = usize> {
        let kept = std::mem::replace(&mut self.base[own / LANES][own % LANES], f32::INFINITY);
        let blocks = self.sizes.len();
        let mut least = f32::INFINITY;
        for block in 0..blocks {
            let mut sum = [0.0; LANES];
            for (column, code) in self.columns.iter().zip(codes) {
                match column {
                    Column::Agreed(agreed, part) => add_unequal(&mut sum, &agreed[block], *code, *part),
                    Column::Joined(parts) => add(&mut sum, &parts[*code as usize * blocks + block]),
                }
            }
            let added = added(&sum, &self.sizes[block], &self.each[block], &self.base[block]);
            self.found[block] = added;
            self.lowest[block] = lowest_of(&added);
            least = least.min(self.lowest[block]);
        }
        self.base[own / LANES][own % LANES] = kept;
        let limit = (least + self.blur * (self.most + 1) as f32).min(f32::MAX);
        let (found, lowest) = (&self.found, &self.lowest);
        (0..blocks).filter(move |block| lowest[*block] <= limit).flat_map(move |block| {
            (0..LANES).filter(move |lane| found[block][*lane] <= limit).map(move |lane| block * LANES + lane)
        })
    }
}

// Plain loops over arrays of fixed length, which compilers turn into instructions on several lanes at once.

#[inline]
fn add(sum: &mut Lanes, parts: &Lanes) {
    for lane in 0..LANES {
        sum[lane] += parts[lane];
    }
}

#[inline]
fn add_unequal(sum: &mut Lanes, agreed: &[Code; LANES], code: Code, part: f32) {
    for lane in 0..LANES {
        sum[lane] += if agreed[lane] == code { 0.0 } else { part };
    }
}

/// (s + 1) · P′ − s · P, where a record costs P before and P′ after, as (s + 1) · (P′ − P) + P, which rounds less.
#[inline]
fn added(sum: &Lanes, sizes: &Lanes, each: &Lanes, base: &Lanes) -> Lanes {
    let mut added = [0.0; LANES];
    for lane in 0..LANES {
        added[lane] = sizes[lane] * (sum[lane] - each[lane]) + base[lane];
    }
    added
}

#[inline]
fn lowest_of(values: &Lanes) -> f32 {
    let mut lowest = *values;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lowest[lane] = if lowest[lane + half] < lowest[lane] { lowest[lane + half] } else { lowest[lane] };
        }
        half /= 2;
    }
    lowest[0]
}

#[cfg(test)]
mod tests;
