//! The facts of a report that are only looked for when somebody wants to read them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::beside::plan_path;
use super::dataset::Dataset;
use super::draft::Verified;
use super::risk::crowds;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::measure::{self, Correlations, Distribution, Figure, Selection, View};
use crate::plan::{Key, Role};
use crate::progress::Progress;
use crate::registry::Spec;
use crate::report::{ColumnDetails, Crowd, Details, Fingerprint, Hiding, QueryError, RiskChange};
use crate::risk::{Assumptions, Risk};
use crate::verify::{Published, Shape};
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
    let alike = alike(&view.encoded);
    let assumptions = Assumptions::default();
    let hidden = crowds(&release.classes, &release.shape);
    let risk = RiskChange { before: Risk::new(&alike, &assumptions), after: Risk::of_crowds(&hidden, &assumptions) };
    let before = alike.iter().map(|(size, classes)| (*size, size * classes));
    let several = view.encoded.domains().len() + view.encoded.sensitive().len() > 1;
    Ok(Details {
        promises: audit.promises(plan)?,
        hiding: match release.shape {
            Shape::Closures | Shape::Centres => Hiding::Classes,
            Shape::Ring(_) => Hiding::Windows,
            Shape::Values | Shape::Slices(_) => Hiding::Groups,
        },
        columns: columns(data, release, view)?,
        crowds: Crowd::all(before, hidden.iter().map(|crowd| (crowd.size, crowd.records))),
        risk,
        correlations: several.then(|| Correlations::new(view, progress)).transpose()?,
        queries: queries(view, progress)?,
        files: fingerprints(verified, input)?,
        again: again(input, verified.output()),
        made: today(),
    })
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
        let distribution = match place {
            Some(place) => Distribution::of_quasi(view, place),
            None => Distribution::of_texts(original, &release.table, name, &plan.input.missing, plan.privacy.k)?,
        };
        let loss = place.and_then(|place| Some(losses.as_ref()?[place]));
        let kind = column.kind.filter(|_| column.role == Role::Quasi);
        columns.push(ColumnDetails { name: name.clone(), role: column.role, kind, loss, distribution });
    }
    Ok(columns)
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
