//! Tables that are in memory already: the same work as for files, and the same release.

use std::fs;
use std::slice;
use std::sync::Arc;

use amidst::internals::measure::Selection;
use amidst::internals::publish;
use amidst::internals::read::{self, Options, Source, Table};
use amidst::internals::registry::{Spec, specs};
use amidst::internals::write::Sink;
use amidst::pipeline::{
    AttackJob, AuditJob, BoundJob, ExtendJob, Job, MeasureJob, ProofTime, Purpose, Unmatched, anonymize, attack, audit,
    bound, extend, measure,
};
use amidst::plan::Plan;
use amidst::progress::Progress;
use amidst::report::Outcome;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringViewArray,
    TimestampNanosecondArray,
};
use arrow_schema::{DataType, Schema};

use crate::forms::{make, people, plan};
use crate::hard;
use crate::tables::seeded;

fn table(batches: &[RecordBatch]) -> Table {
    let schema = batches[0].schema();
    Table::from_batches("frame", &schema, batches.iter().cloned().map(Ok), Progress::silent()).unwrap()
}

fn in_memory(input: Source, plan: &Plan, like: &Schema) -> amidst::Result<Outcome> {
    let output = Sink::Memory(Arc::new(like.clone()));
    anonymize(&Job::new(input, output, seeded(plan)), Progress::silent())
}

/// All cells of a table, column by column.
fn cells(table: &Table) -> Vec<(String, Vec<String>)> {
    let rows: Vec<usize> = (0..table.rows()).collect();
    table.names().map(|name| (name.to_owned(), table.cells(name, &rows).unwrap())).collect()
}

/// The release of an outcome, to be given to somebody else.
fn handed(outcome: &Outcome) -> Source {
    let tables = |main: bool| outcome.tables.iter().filter(move |part| part.name.is_none() == main);
    let main = table(&[tables(true).next().unwrap().table.clone()]);
    let name = |part: Option<&str>| part.unwrap().to_owned();
    let part = |part: &publish::Part| (name(part.name.as_deref()), (&table(slice::from_ref(&part.table))).into());
    Source::Memory((&main).into(), tables(false).map(part).collect())
}

fn same_cells(form: &str) {
    for (name, sketch) in hard::tables(3) {
        println!("{name}");
        let mut plan: Plan = sketch.plan(3).parse().unwrap();
        plan.method.publish = Spec::new(form);
        plan.privacy.require = vec![Spec::new("distinct-l(l=2)")];
        let made = make(&sketch.csv(), &plan).unwrap();
        let original = read::read(&made.path("table.csv"), &Options::default(), Progress::silent()).unwrap();
        let outcome = in_memory((&original).into(), &plan, &original.schema()).unwrap();
        assert!(outcome.output.is_none() && outcome.plan.is_none() && outcome.parts.is_empty());
        let stored = fs::read_to_string(made.path("release.plan.toml")).unwrap();
        assert_eq!(outcome.asked, stored.parse().unwrap());
        for part in &outcome.tables {
            let path = made.path("release.csv");
            let path = part.name.as_ref().map_or_else(|| path.clone(), |part| publish::path(&path, part));
            let file = read::read(&path, &Options::default(), Progress::silent()).unwrap();
            assert_eq!(cells(&table(slice::from_ref(&part.table))), cells(&file));
        }
        let (release, plan, original) = (handed(&outcome), outcome.asked.clone(), Source::from(&original));
        let job = AuditJob { release, plan, demand: true, original: Some(original), tables: Vec::new() };
        assert!(audit(&job, Progress::silent()).unwrap().failures.is_empty());
    }
}

tests!(of forms: every_form_has_the_same_cells_as_the_files: same_cells);

#[test]
fn a_release_lacks_a_part() {
    let made = make(&people(), &plan("anatomy", "require = [\"distinct-l(l=2)\"]")).unwrap();
    let release = read::read(&made.path("release.csv"), &Options::default(), Progress::silent()).unwrap();
    let plan = Plan::load(&made.path("release.plan.toml")).unwrap();
    let job = AuditJob { release: (&release).into(), plan, demand: true, original: None, tables: Vec::new() };
    let refused = audit(&job, Progress::silent()).unwrap_err().to_string();
    assert!(refused.contains("needs its part `sensitive`"), "{refused}");
}

#[test]
fn the_other_commands_take_tables_too() {
    let plan = plan("generalization", "require = [\"distinct-l(l=2)\"]");
    let made = make(&people(), &plan).unwrap();
    let original = read::read(&made.path("table.csv"), &Options::default(), Progress::silent()).unwrap();
    let outcome = in_memory((&original).into(), &plan, &original.schema()).unwrap();
    let plan = outcome.asked.clone();
    let source = || Source::from(&original);
    let job =
        MeasureJob { original: source(), release: handed(&outcome), plan: plan.clone(), measures: Selection::Quick };
    let found = measure(&job, Progress::silent()).unwrap();
    assert_eq!((found.rows, found.classes), (40, outcome.audit.classes));
    let attacks = specs("linking,homogeneity");
    let job = AttackJob { original: source(), release: handed(&outcome), plan: plan.clone(), attacks };
    assert!(!attack(&job, Progress::silent()).unwrap().is_broken());
    let found = bound(&BoundJob { input: source(), plan, time: ProofTime::Full }, Progress::silent()).unwrap();
    assert_eq!(found.rows, 40);
}

#[test]
fn new_rows_join_classes_that_cover_them_where_that_is_safe() {
    let plan = plan("generalization", "");
    let made = make(&people(), &plan).unwrap();
    let original = read::read(&made.path("table.csv"), &Options::default(), Progress::silent()).unwrap();
    let outcome = in_memory((&original).into(), &plan, &original.schema()).unwrap();
    let join = |rows: Table, purpose: Purpose, unmatched: Unmatched| {
        let (release, plan, like) = (handed(&outcome), outcome.asked.clone(), rows.schema());
        let (rows, own) = ((&rows).into(), Vec::new());
        extend(&ExtendJob { release, plan, rows, purpose, unmatched, own, like }, Progress::silent())
    };
    // Everybody fits the class they are in, or one that leaves open less; nobody is lost and nothing else changes.
    let joined = table(&[join(original.clone(), Purpose::Joined, Unmatched::Nearest).unwrap()]);
    let released = table(slice::from_ref(&outcome.tables[0].table));
    let pairs = |table: &Table| {
        let rows: Vec<usize> = (0..table.rows()).collect();
        let (ages, towns) = (table.cells("age", &rows).unwrap(), table.cells("town", &rows).unwrap());
        ages.into_iter().zip(towns).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(pairs(&joined).is_subset(&pairs(&released)));
    assert_eq!(cells(&joined).last(), cells(&original).last());
    // A few of them on their own would be easy to find.
    let few = original.filter(&(0..40).map(|row| Some(row < 3)).collect()).unwrap();
    let refused = join(few, Purpose::Alone, Unmatched::Error).unwrap_err();
    assert!(refused.is_infeasible() && refused.to_string().contains("on their own"), "{refused}");
    let stranger = make("age,town,disease\n99,Ulm,flu\n98,Ulm,flu\n97,Ulm,flu\n96,Ulm,flu\n", &plan).unwrap();
    let stranger = read::read(&stranger.path("table.csv"), &Options::default(), Progress::silent()).unwrap();
    for unmatched in [Unmatched::Error, Unmatched::Nearest] {
        let refused = join(stranger.clone(), Purpose::Joined, unmatched).unwrap_err().to_string();
        assert!(refused.contains("4 of 4 new rows fit no class"), "{refused}");
    }
    // Stars are true, and four of them hide among each other.
    let starred = table(&[join(stranger.clone(), Purpose::Alone, Unmatched::Star).unwrap()]);
    assert_eq!(pairs(&starred), [("*".to_owned(), "*".to_owned())].into());
    // A model may look at cells that are not true.
    let near = table(&[join(stranger, Purpose::Modelling, Unmatched::Nearest).unwrap()]);
    assert!(pairs(&near).is_subset(&pairs(&released)));
}

/// Two batches of columns as data frames have them.
fn frame() -> Vec<RecordBatch> {
    let half = |from: i64| {
        let each = || from..from + 6;
        let day = 86_400_000_000_000;
        let keys = |n: i8| [0, 1, n, 0, 1, n].map(|key| (key < 2).then_some(key)).to_vec();
        let words = |first: &'static str| StringViewArray::from(vec![first, "b"]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("name", Arc::new(StringViewArray::from_iter_values(each().map(|i| format!("somebody {i}"))))),
            ("age", Arc::new(Float64Array::from_iter_values(each().map(|i| if i == 3 { f64::NAN } else { i as f64 })))),
            ("town", Arc::new(DictionaryArray::<Int8Type>::new(keys(2).into(), Arc::new(words("a"))))),
            ("born", Arc::new(TimestampNanosecondArray::from_iter_values(each().map(|i| i * day)))),
            (
                "paid",
                Arc::new(
                    Decimal128Array::from_iter_values(each().map(i128::from)).with_precision_and_scale(38, 0).unwrap(),
                ),
            ),
            ("sick", Arc::new(each().map(|i| Some(i % 2 == 0)).collect::<BooleanArray>())),
            ("when", Arc::new(TimestampNanosecondArray::from_iter_values(each().map(|i| i * day + 1)))),
            (
                "code",
                Arc::new(DictionaryArray::<Int8Type>::new(keys(0).into(), Arc::new(Int64Array::from(vec![7, 9])))),
            ),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
    };
    vec![half(0), half(6)]
}

#[test]
fn types_come_back_where_they_can() {
    let plan: Plan = r#"
        [privacy]
        k = 3
        [method]
        order = "keep"
        partitioner = "mondrian"
        [columns]
        name = { role = "identifier" }
        age = { role = "quasi", kind = "range" }
        town = { role = "quasi", kind = "set" }
        born = { role = "quasi", kind = "range", type = "date" }
        paid = { role = "quasi", kind = "range", type = "integer" }
        sick = { role = "sensitive" }
        when = { role = "other" }
        code = { role = "other" }
    "#
    .parse()
    .unwrap();
    let frame = frame();
    let outcome = in_memory((&table(&frame)).into(), &plan, &frame[0].schema()).unwrap();
    let release = &outcome.tables[0].table;
    let of = |name: &str| release.column_by_name(name).unwrap();
    assert!(release.column_by_name("name").is_none());
    assert_eq!((release.num_rows(), outcome.audit.achieved.k >= 3), (12, true));
    // A range is a text, in the form that texts have in the frame.
    assert_eq!(*of("age").data_type(), DataType::Utf8View);
    assert_eq!(*of("town").data_type(), DataType::Dictionary(DataType::Int32.into(), DataType::Utf8View.into()));
    for (name, batch) in ["sick", "when", "code"].iter().zip(std::iter::repeat(&frame[0])) {
        assert_eq!(of(name).data_type(), batch.column_by_name(name).unwrap().data_type(), "{name}");
        assert_eq!(of(name).slice(0, 6).to_data(), batch.column_by_name(name).unwrap().to_data(), "{name}");
    }
    let born = of("born").as_string_view();
    assert!(born.iter().flatten().all(|cell| cell.contains("1970-01-") && !cell.contains('T')));
    let town = of("town").as_dictionary::<Int32Type>();
    assert!(town.values().as_string_view().iter().flatten().any(|cell| cell.contains('a')));
}
