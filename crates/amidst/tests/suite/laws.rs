//! What holds for every table.

use std::collections::{HashMap, HashSet};

use amidst::internals::encode::{Code, Domain, Span};
use amidst::internals::publish::row_order;
use amidst::internals::registry::Spec;
use amidst::internals::schema::Quasi;
use amidst::internals::verify::{Cell, CellReader};
use amidst::internals::{constraint, cost};
use amidst::plan::RowOrder;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::naive::Naive;
use crate::tables::{Sketch, sketches, specs};

/// Every span that joins of values can reach, at most 127.
fn spans(domain: &Domain) -> Vec<Span> {
    let singles: Vec<Span> = (0..domain.len() as Code).map(|code| domain.span(code)).collect();
    let mut known: HashSet<Span> = singles.iter().copied().collect();
    let mut all: Vec<Span> = singles.clone();
    let mut next = 0;
    while next < all.len() {
        for single in &singles {
            let joined = domain.join(all[next], *single);
            if known.insert(joined) {
                all.push(joined);
            }
        }
        next += 1;
    }
    all
}

/// The closure that a published text stands for, as the measures read it.
fn read_back(domain: &Domain, quasi: &Quasi, text: &str) -> Option<Span> {
    if text == "*" {
        return Some(domain.everything());
    }
    if let Some(code) = domain.code(text) {
        return Some(domain.span(code));
    }
    match CellReader::new((&quasi.form).into(), std::iter::empty()).read(text) {
        Cell::Everything => Some(domain.everything()),
        Cell::Between(lo, hi) => domain.between(&lo, &hi),
        Cell::Beyond(low, high) => domain.within(low.as_deref(), high.as_ref().map(|(text, at)| (text.as_str(), *at))),
        Cell::One(label) => domain.hierarchy()?.node(&label).map(|node| Span::range(node.lo, node.hi)),
        Cell::OneOf(members) => {
            let spans: Option<Vec<Span>> = members.iter().map(|m| domain.code(m).map(|c| domain.span(c))).collect();
            spans?.into_iter().reduce(|a, b| domain.join(a, b))
        }
    }
}

fn small() -> impl Strategy<Value = Sketch> {
    sketches(1..=10_usize)
}

fn rows_of(picks: &[Index], rows: usize) -> Vec<u32> {
    let mut rows: Vec<u32> = picks.iter().map(|pick| pick.index(rows) as u32).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Rows for one side or the other.
fn sides() -> impl Strategy<Value = Vec<(Index, bool)>> {
    vec(any::<(Index, bool)>(), 2..9)
}

/// Two sets of rows without a row in common, either of which may be empty.
fn split(picks: &[(Index, bool)], rows: usize) -> [Vec<u32>; 2] {
    let side = |left: bool| {
        let picks: Vec<Index> = picks.iter().filter(|p| p.1 == left).map(|p| p.0).collect();
        rows_of(&picks, rows)
    };
    let left = side(true);
    let right = side(false).into_iter().filter(|row| !left.contains(row)).collect();
    [left, right]
}

proptest! {
    #[test]
    fn joins_can_be_made_in_any_order(sketch in small(), picks in vec(any::<[Index; 3]>(), 50)) {
        for domain in sketch.load().encoded.domains() {
            let spans = spans(domain);
            for [a, b, c] in picks.iter().map(|p| p.map(|i| *i.get(&spans))) {
                prop_assert_eq!(domain.join(a, domain.join(b, c)), domain.join(domain.join(a, b), c));
                prop_assert_eq!(domain.join(a, b), domain.join(b, a));
                prop_assert_eq!(domain.join(a, a), a);
            }
        }
    }

    #[test]
    fn closing_covers_every_member_and_is_done_once(sketch in small()) {
        for domain in sketch.load().encoded.domains() {
            for span in spans(domain) {
                let closed = domain.close(span);
                prop_assert_eq!(domain.close(closed), closed);
                prop_assert_eq!(domain.join(span, closed), closed);
                let members: Vec<Code> = (0..domain.len() as Code).filter(|c| domain.covers(span, *c)).collect();
                prop_assert!(members.iter().all(|code| domain.covers(closed, *code)));
                prop_assert_eq!(domain.count(span), members.len());
                prop_assert!(domain.covers(domain.everything(), members[0]));
            }
            for code in 0..domain.len() as Code {
                prop_assert_eq!(domain.close(domain.span(code)), domain.span(code));
            }
        }
    }

    #[test]
    fn a_single_value_costs_nothing_and_no_cell_less(sketch in small()) {
        let encoded = sketch.load().encoded;
        for spec in specs(cost::ALL) {
            let measure = cost::build(&spec, &encoded).unwrap();
            for (column, domain) in encoded.domains().iter().enumerate() {
                for span in spans(domain) {
                    let loss = measure.cell(column, span);
                    prop_assert!(loss >= 0.0, "{} is {}", spec, loss);
                    prop_assert!(domain.count(span) > 1 || loss == 0.0, "{} is {} for one value", spec, loss);
                }
            }
        }
    }

    #[test]
    fn shares_of_the_domain_grow_with_the_closure_from_nothing_to_everything(sketch in small()) {
        let encoded = sketch.load().encoded;
        for spec in specs(cost::ALL).into_iter().filter(|spec| ["lm", "ncp"].contains(&spec.name())) {
            let measure = cost::build(&spec, &encoded).unwrap();
            for (column, domain) in encoded.domains().iter().enumerate() {
                for span in spans(domain) {
                    let loss = measure.cell(column, span);
                    prop_assert!(loss <= 1.0, "{} is {}", spec, loss);
                    for code in 0..domain.len() as Code {
                        let more = measure.cell(column, domain.join(span, domain.span(code)));
                        prop_assert!(more >= loss, "{}: {} after {}", spec, more, loss);
                    }
                }
                prop_assert!(domain.len() == 1 || measure.cell(column, domain.everything()) >= 1.0, "{}", spec);
            }
        }
    }

    #[test]
    fn merging_clusters_never_lowers_a_monotone_loss(sketch in small(), picks in sides()) {
        let loaded = sketch.load();
        let [left, right] = split(&picks, sketch.rows());
        for spec in specs(cost::ALL) {
            let problem = loaded.free(&spec);
            let loss = |rows: &[u32]| problem.cluster(rows).map_or(0.0, |cluster| problem.measure.cluster(&cluster));
            let (apart, together) = (loss(&left) + loss(&right), loss(&[left.as_slice(), &right].concat()));
            let allowed = 1e-9 * apart.abs().max(1.0);
            prop_assert!(!problem.measure.monotone() || together >= apart - allowed, "{}: {} < {}", spec, together, apart);
        }
    }

    #[test]
    fn published_texts_are_read_back_as_what_they_were(sketch in small()) {
        let loaded = sketch.load();
        for (domain, quasi) in loaded.encoded.domains().iter().zip(&loaded.schema.quasi) {
            let mut texts: HashMap<String, Span> = HashMap::new();
            for span in spans(domain) {
                let closed = domain.close(span);
                let text = domain.text(closed).unwrap_or_default();
                prop_assert_eq!(read_back(domain, quasi, &text), Some(closed), "`{}`", text);
                let other = texts.insert(text.clone(), closed);
                prop_assert!(other.is_none_or(|other| other == closed), "`{}` stands for two closures", text);
            }
        }
    }

    #[test]
    fn a_published_text_covers_what_the_definition_of_the_closure_says(sketch in small(), picks in vec(any::<Index>(), 1..5)) {
        let problem = sketch.load().free(&Spec::new("lm"));
        let rows = rows_of(&picks, sketch.rows());
        let cluster = problem.cluster(&rows).unwrap();
        for ((column, domain), span) in sketch.columns.iter().zip(problem.encoded.domains()).zip(cluster.closure()) {
            let naive = Naive { column, missing: sketch.missing };
            let class: Vec<&str> = rows.iter().map(|r| column.cells[*r as usize].as_str()).collect();
            let text = domain.text(domain.close(*span)).unwrap_or_default();
            let (published, expected) = (naive.covered(&text), naive.closure(&class));
            prop_assert_eq!(published.len(), expected.len(), "`{}` for {:?}", text, class);
            prop_assert!(expected.iter().all(|v| naive.covers(&text, v)), "`{}` for {:?}", text, class);
        }
    }

    #[test]
    fn codes_stand_for_the_texts_of_their_rows(sketch in small()) {
        let encoded = sketch.load().encoded;
        prop_assert_eq!(encoded.rows(), sketch.rows());
        for row in 0..sketch.rows() {
            for ((domain, code), column) in encoded.domains().iter().zip(encoded.row(row as u32)).zip(&sketch.columns) {
                let naive = Naive { column, missing: sketch.missing };
                let text = domain.text(domain.span(*code)).unwrap_or_default();
                prop_assert_eq!(naive.covered(&text).len(), 1);
                prop_assert!(naive.covers(&text, &column.cells[row]), "`{}` for `{}`", text, column.cells[row]);
                prop_assert_eq!(domain.code(&text), Some(*code));
            }
        }
    }

    #[test]
    fn tuples_are_the_distinct_rows(sketch in small()) {
        let encoded = sketch.load().encoded;
        let distinct: HashSet<&[Code]> = (0..encoded.rows() as u32).map(|row| encoded.row(row)).collect();
        prop_assert_eq!(encoded.tuples(), distinct.len());
        let mut seen = 0;
        for tuple in 0..encoded.tuples() as u32 {
            prop_assert!(!encoded.rows_of(tuple).is_empty());
            for row in encoded.rows_of(tuple) {
                prop_assert_eq!(encoded.tuple_of(*row), tuple);
                prop_assert_eq!(encoded.row(*row), encoded.tuple(tuple));
                seen += 1;
            }
        }
        prop_assert_eq!(seen, encoded.rows());
    }

    #[test]
    fn two_clusters_together_are_the_cluster_of_their_rows(sketch in small(), picks in sides()) {
        let loaded = sketch.load();
        let [left, right] = split(&picks, sketch.rows());
        for measure in specs(cost::ALL) {
            let problem = loaded.free(&measure);
            if let (Some(mut joined), Some(other)) = (problem.cluster(&left), problem.cluster(&right)) {
                problem.join(&mut joined, &other);
                prop_assert_eq!(&joined, &problem.cluster(&[right.as_slice(), &left].concat()).unwrap());
                let mut grown = problem.cluster(&left).unwrap();
                right.iter().for_each(|row| problem.add(&mut grown, *row));
                prop_assert_eq!(&joined, &grown);
            }
        }
    }

    #[test]
    fn constraints_are_what_they_say(sketch in small(), picks in sides()) {
        // Clusters that know everything any measure asks for.
        let loaded = sketch.load();
        let all = specs(cost::ALL);
        let problem = loaded.free(all.iter().find(|m| loaded.free(m).measure.uses_sensitive()).unwrap_or(&all[0]));
        let [left, right] = split(&picks, sketch.rows());
        if let (Some(left), Some(right)) = (problem.cluster(&left), problem.cluster(&right)) {
            let mut both = left.clone();
            problem.join(&mut both, &right);
            for spec in specs(constraint::ALL) {
                // What the column has no order or tree for cannot be asked for.
                let built = constraint::build(&spec, &constraint::attributes(&loaded.encoded));
                for constraint in built.unwrap_or_default() {
                    let merged = constraint.holds(&both) || !constraint.holds(&left) || !constraint.holds(&right);
                    prop_assert!(merged || !constraint.monotone(), "{}", spec);
                    prop_assert_eq!(constraint.feasible(&both).is_ok(), constraint.holds(&both), "{}", spec);
                    prop_assert!(both.size() >= constraint.min_size() || !constraint.holds(&both), "{}", spec);
                }
            }
        }
    }

    #[test]
    fn the_shuffle_is_a_permutation(sketch in small(), seed in any::<u64>()) {
        let loaded = sketch.load();
        let order = |order| row_order(&loaded.table, &loaded.schema, order, seed).unwrap();
        let mut sorted = order(RowOrder::Shuffle);
        prop_assert_eq!(&sorted, &order(RowOrder::Shuffle));
        sorted.sort_unstable();
        prop_assert_eq!(&sorted, &order(RowOrder::Keep));
        prop_assert!(sorted.into_iter().eq(0..loaded.table.rows() as u32));
    }
}

#[test]
fn the_shuffle_depends_on_the_seed_and_on_the_data() {
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }";
    let loaded = |first: &str| {
        let rest: String = (1..40).map(|i| format!("{i}\n")).collect();
        crate::tables::load(&format!("x\n{first}\n{rest}"), plan)
    };
    // Two of the 40! orders are equal with a chance below 1e-47.
    let order = |first: &str, seed| {
        let loaded = loaded(first);
        row_order(&loaded.table, &loaded.schema, RowOrder::Shuffle, seed).unwrap()
    };
    assert_eq!(order("1", 1), order("1", 1));
    assert_ne!(order("1", 1), order("1", 2));
    assert_ne!(order("1", 1), order("2", 1));
}
