//! What the columns of a table are: a plan, or flags.

use std::path::PathBuf;

use amidst::Result;
use amidst::plan::{Changes, Flags, Kind, Plan, Show, Tree};
use clap::Args;

use super::values::pair;

/// What the columns are: a plan, or flags
#[derive(Args, Default)]
#[command(next_help_heading = "Columns")]
pub struct ColumnArgs {
    /// A plan (TOML) that says it all; `amidst init` writes one to start from
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quasi", "sensitive", "identifier", "personal_k", "personal_l", "kind", "hierarchy", "order", "groups", "show"])]
    pub plan: Option<PathBuf>,
    /// The quasi-identifiers, separated by commas; columns that no flag names are published as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required_unless_present = "plan")]
    quasi: Vec<String>,
    /// The sensitive columns, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// The columns that are not published, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    identifier: Vec<String>,
    /// The column with the k that each person wants, which may be more than --k; it is not published
    #[arg(long, value_name = "COLUMN")]
    personal_k: Option<String>,
    /// The column with the l that each person wants, as for --l; it is not published
    #[arg(long, value_name = "COLUMN")]
    personal_l: Option<String>,
    /// How a quasi-identifier is generalized: COLUMN=range|ordered|taxonomy|set|suppress; may be repeated
    ///
    /// range for numbers and dates ([25-30]), ordered for categories with an order ([HS-grad - Masters]), taxonomy for
    /// the nodes of a hierarchy, set for sets of at most 64 values ({Private, State-gov}), suppress for all or
    /// nothing (*). Without it: range for numbers and dates, taxonomy where there is a --hierarchy, ordered where
    /// there is an --order, set for up to 63 values, suppress for more.
    #[arg(long, value_name = "COLUMN=KIND", value_parser = pair::<Kind>)]
    kind: Vec<(String, Kind)>,
    /// The tree of a taxonomy, or of a sensitive column for t-closeness by hierarchy: COLUMN=FILE, or a builder; may be
    /// repeated
    ///
    /// The file has a line `leaf;level 1;...;root` for every value (the format of ARX), or is nested TOML. Builders:
    /// widths:5,10,20 (ranges of numbers), dates:month,quarter,year,decade, mask:1,2,3 (characters masked from the
    /// right), flat.
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair::<Tree>)]
    hierarchy: Vec<(String, Tree)>,
    /// The order of a column's categories: COLUMN=low,...,high; may be repeated. t-closeness by order needs one of a
    /// sensitive column, unless its values are numbers
    #[arg(long, value_name = "COLUMN=VALUES", value_parser = pair::<String>)]
    order: Vec<(String, String)>,
    /// Which values of a sensitive column are so alike that they count as one: COLUMN=TREE, those right below the same
    /// node; may be repeated
    ///
    /// The tree is given as for --hierarchy: widths:5000 makes one value of all salaries from 5000 to 9999, mask:2 one of
    /// all codes that differ in nothing but their last two characters.
    #[arg(long, value_name = "COLUMN=TREE", value_parser = pair::<Tree>)]
    groups: Vec<(String, Tree)>,
    /// How the classes of a quasi-identifier are shown: COLUMN=cell|bounds|middle|mean|median|mode; may be repeated
    ///
    /// cell is the closure, [25-30], bounds are two columns (age_min, age_max), middle is 27.5; mean, median and mode are
    /// those of the records of the class. middle and mean are for numbers and dates, bounds and median also for ordered
    /// categories.
    #[arg(long, value_name = "COLUMN=HOW", value_parser = pair::<Show>)]
    show: Vec<(String, Show)>,
}

impl ColumnArgs {
    /// A plan, or quasi-identifiers and nothing else.
    pub fn of(plan: Option<PathBuf>, quasi: Vec<String>) -> Self {
        ColumnArgs { plan, quasi, ..ColumnArgs::default() }
    }

    /// The plan in a file, or the one that the flags describe; with these changes.
    pub fn plan(&self, changes: &Changes) -> Result<Plan> {
        let mut plan = match &self.plan {
            Some(path) => Plan::load(path)?,
            None => self.flags().plan()?,
        };
        changes.apply(&mut plan)?;
        Ok(plan)
    }

    fn flags(&self) -> Flags {
        let values = |order: &String| order.split(',').map(str::to_owned).collect();
        Flags {
            quasi: self.quasi.clone(),
            sensitive: self.sensitive.clone(),
            identifier: self.identifier.clone(),
            personal_k: self.personal_k.clone(),
            personal_l: self.personal_l.clone(),
            kind: self.kind.iter().cloned().collect(),
            hierarchy: self.hierarchy.iter().cloned().collect(),
            order: self.order.iter().map(|(name, order)| (name.clone(), values(order))).collect(),
            groups: self.groups.iter().cloned().collect(),
            show: self.show.iter().cloned().collect(),
        }
    }
}
