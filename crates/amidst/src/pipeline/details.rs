//! The facts of a report that are only looked for when somebody wants to read them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::DictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use chrono::DateTime;
use hmac::{Hmac, KeyInit, Mac};
use rustc_hash::FxHashSet;
use sha2::{Digest as _, Sha256};

use super::beside::plan_path;
use super::dataset::Dataset;
use super::draft::Verified;
use super::risk::crowds;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::measure::{self, Correlations, Distribution, Figure, Selection, View};
use crate::plan::{Key, Profile, Role};
use crate::progress::Progress;
use crate::read::{Table, texts};
use crate::registry::Spec;
use crate::report::{ColumnDetails, Crowd, Details, Fingerprint, Hiding, Promise, QueryError, RiskChange, Sample};
use crate::risk::persons::{Crowded, Crowds};
use crate::risk::{Assumptions, Hint, Risk};
use crate::verify::{Classes, Published, Shape};
use crate::write::{Digest, Output};

/// Looks for all of them.
pub(super) fn details(
    data: &Dataset,
    view: &View,
    verified: &Verified,
    input: Option<&Path>,
    progress: Progress,
) -> Result<Details> {
    let Verified { release, audit, .. } = verified;
    let plan = &data.plan;
    progress.begin("looking at the columns", 0)?;
    let (risk, crowds) = change(verified, &view.encoded);
    let several = view.encoded.domains().len() + view.encoded.sensitive().len() > 1;
    Ok(Details {
        promises: Promise::all(audit, plan)?,
        hiding: match release.shape {
            Shape::Closures | Shape::Centres => Hiding::Classes,
            Shape::Ring(_) => Hiding::Windows,
            Shape::Values | Shape::Slices(_) => Hiding::Groups,
        },
        columns: columns(data, release, view)?,
        crowds,
        risk,
        correlations: several.then(|| Correlations::new(view, progress)).transpose()?,
        queries: queries(view, progress)?,
        files: fingerprints(verified, input)?,
        again: again(input, verified.output()),
        made: today(),
        sample: sample(verified.main(), &release.classes)?,
        safe_harbor: safe_harbor(data, verified.main())?,
        checklists: Vec::new(), // they need the whole outcome
    })
}

/// The risk before and after, and how many records hide among how many; or persons, if the plan says whose the rows are.
fn change(verified: &Verified, encoded: &Encoded) -> (RiskChange, Vec<Crowd>) {
    let (Verified { release, audit, .. }, assumptions) = (verified, Assumptions::default());
    if let (Some(people), Some(persons)) = (&audit.people, encoded.persons()) {
        let rows = 0..encoded.rows() as u32;
        let (tuples, whose): (Vec<u32>, Vec<u32>) =
            rows.map(|row| (encoded.tuple_of(row), persons.person(row))).unzip();
        let before = Crowds::new(&tuples, &whose, encoded.tuples()).crowded();
        let after = Crowded {
            hidden: people.hidden.clone(),
            classes: audit.classes,
            spread: false, // which matters for populations alone
            largest_share: people.largest_share,
        };
        let crowds = Crowd::all(sized(&before.hidden), sized(&after.hidden));
        let before = Risk::of_persons(encoded.rows(), &before, &assumptions);
        return (RiskChange { before, after: Risk::of_persons(audit.rows, &after, &assumptions) }, crowds);
    }
    let alike = alike(encoded);
    let hidden = crowds(&release.classes, &release.shape);
    let before = alike.iter().map(|(size, classes)| (*size, size * classes));
    let sizes = Crowd::all(before, hidden.iter().map(|crowd| (crowd.size, crowd.records)));
    (RiskChange { before: Risk::new(&alike, &assumptions), after: Risk::of_crowds(&hidden, &assumptions) }, sizes)
}

fn sized(hidden: &BTreeMap<usize, usize>) -> impl Iterator<Item = (usize, usize)> {
    hidden.iter().map(|(size, persons)| (*size, *persons))
}

/// How many classes of equal records the original has of each size.
fn alike(encoded: &Encoded) -> BTreeMap<usize, usize> {
    let mut sizes = BTreeMap::new();
    (0..encoded.tuples() as u32).for_each(|tuple| *sizes.entry(encoded.rows_of(tuple).len()).or_default() += 1);
    sizes
}

fn columns(data: &Dataset, release: &Published, view: &View) -> Result<Vec<ColumnDetails>> {
    let Dataset { plan, table: original, .. } = data;
    let losses = measure::loss_by_column(view)?;
    let domains = view.encoded.domains();
    let mut columns = Vec::new();
    for (name, column) in plan.columns.iter().filter(|(_, column)| column.is_published() && column.publish.is_none()) {
        let place = domains.iter().position(|domain| domain.name() == name);
        let (tables, format) = ((original, &release.table), column.format.as_deref());
        let distribution = match place {
            Some(place) => Distribution::of_quasi(view, place, format),
            None => Distribution::of_texts(tables, name, format, &plan.input.missing, plan.privacy.k)?,
        };
        let loss = place.and_then(|place| Some(losses.as_ref()?[place]));
        let kind = column.kind.filter(|_| column.role == Role::Quasi);
        columns.push(ColumnDetails { name: name.clone(), role: column.role, kind, loss, distribution });
    }
    Ok(columns)
}

/// The rows of a sample.
const SAMPLE_ROWS: usize = 6;
/// The most letters of a cell in a sample.
const MAX_LETTERS: usize = 40;

/// Some rows of a published table, of different classes where there are enough. They are chosen by a hash of their cells, so the choice says
/// nothing about the order of the rows or about the original.
fn sample(table: &Table, classes: &Classes) -> Result<Sample> {
    let columns: Vec<&str> = table.names().filter(|name| texts_of(table, name).is_some()).collect();
    let mut hashes = vec![0_u64; table.rows()];
    for name in &columns {
        let Some(texts) = texts_of(table, name) else { continue };
        let values = texts.values().as_string::<i32>();
        let of_value: Vec<u64> = values.iter().map(|text| hash(name, text.unwrap_or_default())).collect();
        let missing = hash(name, "");
        for (row, key) in texts.keys().iter().enumerate() {
            let cell = key.map_or(missing, |key| of_value[key as usize]);
            hashes[row] = (hashes[row].rotate_left(5) ^ cell).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
    // The first row of each class by its hash, then the rest. Rows with equal cells are not told apart, and need not be.
    let mut rows: Vec<usize> = (0..table.rows()).collect();
    rows.sort_by_key(|row| hashes[*row]);
    let mut seen = FxHashSet::default();
    let class = |row: usize| classes.of_row.get(row).copied().unwrap_or(0);
    let (mut chosen, others): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|row| seen.insert(class(*row)));
    chosen.extend(others);
    chosen.truncate(SAMPLE_ROWS);
    let mut rows = vec![Vec::new(); chosen.len()];
    for name in &columns {
        for (row, cell) in rows.iter_mut().zip(table.cells(name, &chosen)?) {
            let is_long = cell.chars().count() > MAX_LETTERS;
            row.push(if is_long { cell.chars().take(MAX_LETTERS - 1).chain(['…']).collect() } else { cell });
        }
    }
    Ok(Sample { columns: columns.into_iter().map(str::to_owned).collect(), rows })
}

/// The texts of a column that has such a form; structs and lists have none.
fn texts_of(table: &Table, name: &str) -> Option<DictionaryArray<Int32Type>> {
    table.column(name).ok().filter(|column| !column.data_type().is_nested()).and_then(|column| texts(column).ok())
}

/// A number that is the same on every machine.
fn hash(column: &str, cell: &str) -> u64 {
    let digest = Sha256::new().chain_update(column).chain_update([0]).chain_update(cell).finalize();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The published columns that look like identifiers of the Safe Harbor rule, in the release or, before they were changed, in the original.
fn safe_harbor(data: &Dataset, release: &Table) -> Result<Vec<Hint>> {
    let Dataset { plan, table: original, .. } = data;
    if !plan.report.profiles.contains(&Profile::Hipaa) {
        return Ok(Vec::new());
    }
    let mut hints = Vec::new();
    for (name, column) in plan.columns.iter().filter(|(_, column)| column.is_published()) {
        // What is replaced is recognized by what it was.
        let tables = if column.publish.is_some() { vec![original] } else { vec![release, original] };
        let found = tables.into_iter().filter(|table| texts_of(table, name).is_some());
        let found = found.map(|table| Hint::of(table, name, &plan.input.missing)).find_map(Result::transpose);
        hints.extend(found.transpose()?);
    }
    hints.sort_by_key(|hint| hint.rule);
    Ok(hints)
}

/// As many queries as a few seconds allow.
fn queries(view: &View, progress: Progress) -> Result<Vec<QueryError>> {
    const WORK: usize = 200_000_000;
    let number = (WORK / view.encoded.rows().max(1)).clamp(100, 1000);
    let mut errors = Vec::new();
    for predicates in 1..=view.encoded.domains().len().min(3) {
        let spec = Spec::new(format!("query(queries={number},predicates={predicates})"));
        let scores = match measure::scores(view, &Selection::Named(vec![spec]), progress) {
            Err(Error::NotApplicable { .. }) => continue,
            scores => scores?,
        };
        let figure = |name: &str| match scores.utility.values().next() {
            Some(Figure::Many(many)) => many.get(name).and_then(Figure::one),
            _ => None,
        };
        if let (Some(median), Some(mean), Some(p95)) = (figure("median"), figure("mean"), figure("p95")) {
            errors.push(QueryError { predicates, median, mean, p95 });
        }
    }
    Ok(errors)
}

/// Of the input, where it is a file, and of everything that is about to be published. What recipients do not get is hashed with the key, too.
fn fingerprints(verified: &Verified, input: Option<&Path>) -> Result<Vec<Fingerprint>> {
    let staging = verified.staging();
    let key = verified.plan.method.fingerprint_key.as_ref();
    let mut files = Vec::new();
    if let Some(input) = input.filter(|input| input.is_file()) {
        let digest = Digest::of(input).map_err(|e| Error::read(&input.display(), e))?;
        files.push(fingerprint("input", input, digest, keyed(input, key)?));
    }
    for staged in staging.files() {
        let what = match staged.output {
            Output::Release => "release",
            Output::Plan => "plan",
            Output::Dictionary => "data dictionary",
            Output::Manifest => "manifest",
            _ => "part of the release",
        };
        let key = key.filter(|_| what == "plan");
        files.push(fingerprint(what, &staged.asked, staged.digest.clone(), keyed(&staged.written, key)?));
    }
    // A plan that makes its own release again stays as it is.
    if let Some(plan) =
        verified.plan_file.as_deref().filter(|plan| staging.files().iter().all(|staged| staged.asked != *plan))
    {
        let digest = Digest::of(plan).map_err(|e| Error::read(&plan.display(), e))?;
        files.push(fingerprint("plan", plan, digest, keyed(plan, key)?));
    }
    Ok(files)
}

/// A file that is or will be at `path`.
fn fingerprint(what: &str, path: &Path, digest: Digest, hmac_sha256: Option<String>) -> Fingerprint {
    let Digest { bytes, sha256 } = digest;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Fingerprint { what: what.to_owned(), name, bytes, sha256, hmac_sha256 }
}

/// The digest of a file with a key, where there is one.
fn keyed(path: &Path, key: Option<&Key>) -> Result<Option<String>> {
    let Some(key) = key else { return Ok(None) };
    let mut keyed = Hmac::<Sha256>::new_from_slice(key.bytes()).map_err(failed_key)?;
    let failed = |e: io::Error| Error::read(&path.display(), e);
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    loop {
        let part = file.fill_buf().map_err(failed)?;
        let length = part.len();
        if length == 0 {
            break;
        }
        keyed.update(part);
        file.consume(length);
    }
    Ok(Some(keyed.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()))
}

fn failed_key(error: hmac::digest::InvalidLength) -> Error {
    Error::Internal(format!("a key of 128 bits was refused: {error}"))
}

/// The command that makes the release again.
fn again(input: Option<&Path>, output: Option<&Path>) -> Option<String> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let (input, output) = (input.and_then(name)?, output.filter(|output| output.as_os_str() != "-")?);
    Some(format!("amidst anonymize {input} -o {} --plan {}", name(output)?, name(&plan_path(output))?))
}

/// The day in universal time.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    DateTime::from_timestamp(seconds as i64, 0).map(|now| now.format("%Y-%m-%d").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyed_fingerprints_are_those_of_rfc_4231() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "what do ya want for nothing?").unwrap();
        // Its test case 2. The key is `Jefe`; HMAC fills keys up with zeros.
        let key: Key = "4a656665000000000000000000000000".parse().unwrap();
        let digest = Digest::of(file.path()).unwrap();
        let keyed_digest = keyed(file.path(), Some(&key)).unwrap();
        let found = fingerprint("input", Path::new("folder/name"), digest, keyed_digest);
        assert_eq!(
            found.hmac_sha256.as_deref(),
            Some("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        );
        assert_eq!((found.name.as_str(), found.bytes), ("name", 28));
        assert_eq!(keyed(file.path(), None).unwrap(), None);
    }
}
