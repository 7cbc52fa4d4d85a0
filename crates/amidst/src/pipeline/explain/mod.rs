//! Why a row or a column of a release is as general as it is.
//!
//! The release and its plan tell how wide each cell is, and what each class reaches. With the original, it is also known which value makes a cell
//! so wide, and quick runs find what other choices would bring. That is not for recipients.

mod column;
mod row;

use super::beside::{check_unmixed, plan_path};
use super::published::{Matched, release};
use super::trial::mean;
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::progress::Progress;
use crate::read::Source;
use crate::report::{Explanation, INTERNAL};
use crate::verify::{Failure, Published, Shape, Widths};

/// A release, and what to explain about it.
#[derive(Debug)]
pub struct ExplainJob {
    /// The published file.
    pub release: Source,
    /// The plan it was made by; `None` for the one that is stored beside it.
    pub plan: Option<Plan>,
    /// The table it was made from.
    pub original: Option<Source>,
    /// A row of the release, counted from 1.
    pub row: Option<usize>,
    /// A quasi-identifier.
    pub column: Option<String>,
}

/// Explains a row or a column of a release.
pub fn explain(job: &ExplainJob, progress: Progress) -> Result<Explanation> {
    if job.row.is_none() && job.column.is_none() {
        return Err(Error::parameter("explain", "name a row or a column"));
    }
    let mut plan = plan(job)?;
    check_unmixed(&job.release, &plan)?;
    let strange = |Failure(message)| Error::Format { file: job.release.name(), message };
    let release = release(&job.release, &mut plan, progress)?.map_err(strange)?;
    let matched = match &job.original {
        Some(original) => Some(Matched::load(original, plan.clone(), &release, progress)?),
        None => None,
    };
    if let Some(Failure(failure)) = matched.as_ref().and_then(|matched| matched.compared.as_ref().err()) {
        let message = format!("it is no release of the original: {failure}");
        return Err(Error::Format { file: job.release.name(), message });
    }
    let plan = matched.as_ref().map_or(&plan, |matched| &matched.data.plan);
    let shown = Shown::new(&release, plan)?;
    let about = About { plan, release: &release, shown: &shown, matched: matched.as_ref() };
    let row = job.row.map(|row| about.row(row, progress)).transpose()?;
    let column = job.column.as_deref().map(|name| about.column(name, progress)).transpose()?;
    Ok(Explanation {
        audience: matched.as_ref().map(|_| INTERNAL),
        rows: release.table.rows(),
        classes: release.classes.sizes.len(),
        loss: shown.has_widths().then(|| mean(shown.columns.iter().map(|column| (column.weight, column.loss)))),
        row,
        column,
        remarks: remarks(&about),
    })
}

/// The plan of the release.
fn plan(job: &ExplainJob) -> Result<Plan> {
    let beside = || {
        let path = job.release.path().map(plan_path).filter(|path| path.is_file());
        path.ok_or_else(|| Error::NoPlanBeside { file: job.release.name() })
    };
    job.plan.clone().map_or_else(|| Plan::load(&beside()?), Ok)
}

/// A release, and what is known of it.
struct About<'a> {
    plan: &'a Plan,
    release: &'a Published,
    shown: &'a Shown,
    matched: Option<&'a Matched>,
}

/// The quasi-identifiers of a release.
struct Shown {
    columns: Vec<Column>,
}

/// A quasi-identifier of a release.
struct Column {
    name: String,
    weight: f64,
    /// How wide each cell is; only in forms that publish closures.
    widths: Option<Widths>,
    /// The mean width.
    loss: f64,
}

impl Shown {
    fn new(release: &Published, plan: &Plan) -> Result<Self> {
        let closures = matches!(release.shape, Shape::Closures | Shape::Ring(_));
        let rows = release.table.rows();
        let column = |name: &str| {
            let widths = closures.then(|| Widths::new(&release.table, plan, name)).transpose()?;
            let sum = |widths: &Widths| (0..rows).map(|row| widths.of(row)).sum::<f64>();
            let loss = widths.as_ref().map_or(0.0, sum) / rows.max(1) as f64;
            Ok(Column { name: name.to_owned(), weight: plan.columns[name].weight.unwrap_or(1.0), widths, loss })
        };
        Ok(Shown { columns: plan.columns_with(Role::Quasi).map(column).collect::<Result<_>>()? })
    }

    fn has_widths(&self) -> bool {
        self.columns.iter().all(|column| column.widths.is_some())
    }
}

/// What the figures do not say.
fn remarks(about: &About) -> Vec<String> {
    let mut remarks = Vec::new();
    if !about.shown.has_widths() {
        remarks.push(
            "in this form of release cells are no ranges or sets, so they have no widths and nothing is lost by lm"
                .to_owned(),
        );
    } else if about.matched.is_none() {
        remarks.push(
            "widths are shares of what the release shows of each column; with the original it is also told which values make a cell wide"
                .to_owned(),
        );
    }
    let counts_persons = about.plan.columns_with(Role::Person).next().is_some();
    if counts_persons && about.plan.linked().is_none() && about.matched.is_none() {
        remarks.push(
            "the plan counts persons, and only the original tells whose a row is; here rows are counted".to_owned(),
        );
    }
    remarks
}
