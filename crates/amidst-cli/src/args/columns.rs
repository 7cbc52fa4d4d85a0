//! What the columns of a table are: a plan, or flags.

use std::path::PathBuf;

use amidst::Result;
use amidst::plan::{Changes, Flags, Kind, Others, Plan, Show, Threshold, Tree};
use clap::{Args, ValueEnum};

use super::values::pair;

/// What the columns are: a plan, or flags
#[derive(Args, Default)]
#[command(next_help_heading = "Columns")]
pub struct ColumnArgs {
    /// A plan (TOML) with the roles of all columns and everything else; `amidst init` writes a first one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quasi", "sensitive", "identifier", "publish_as_is", "person", "household", "pseudonym", "shift", "keep_weekday", "study_day", "format", "personal_k", "personal_l", "kind", "hierarchy", "top", "bottom", "bins", "round", "order", "groups", "show"])]
    pub plan: Option<PathBuf>,
    /// The quasi-identifiers, separated by commas
    ///
    /// Quasi-identifiers are columns that could together single a person out. Columns that no flag names are published
    /// as they are, unless they look as if each could single a person out: then nothing is published, and the message
    /// says what to do.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required_unless_present = "plan")]
    quasi: Vec<String>,
    /// The sensitive columns, separated by commas
    ///
    /// Sensitive columns hold what nobody may learn about a person. The privacy models are about them.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// The columns to leave out of the release, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    identifier: Vec<String>,
    /// The columns to publish as they are, separated by commas
    ///
    /// Name columns here that look like identifiers and are none, or that recipients may have all the same.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    publish_as_is: Vec<String>,
    /// What to do with all columns that nobody names [default: publish them, but not those that look like identifiers]
    ///
    /// publish: publish them as they are. Columns that look like identifiers are refused all the same.
    /// drop: leave them out of the release.
    #[arg(long, value_name = "HOW", verbatim_doc_comment)]
    others: Option<OthersArg>,
    /// The columns that together say whose row it is, separated by commas
    ///
    /// Name them if a person can have several rows, such as visits or purchases. Then k and the privacy models count
    /// persons and not rows. The columns are not published.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    person: Vec<String>,
    /// The columns that together say whose household a row belongs to, separated by commas
    ///
    /// With them, --require 'household-k(k=3)' asks that every class has rows of at least three households. The columns
    /// are not published.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    household: Vec<String>,
    /// The columns to replace by keyed pseudonyms, separated by commas
    ///
    /// A pseudonym of a person links the rows of the person. So all of them get the same cells, at least k persons share
    /// them, and the number of rows of a person stays visible. This needs --key. An identifier becomes the person column
    /// if there is no other.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pseudonym: Vec<String>,
    /// The dates to move by a secret number of days for each person: COLUMN=DAYS (repeatable)
    ///
    /// All dates of a person move by the same number of days, at most DAYS to either side. So the intervals within a
    /// person stay exact. This needs --key.
    #[arg(long, value_name = "COLUMN=DAYS", value_parser = pair::<u32>)]
    shift: Vec<(String, u32)>,
    /// Let the dates of --shift keep their day of the week
    #[arg(long, requires = "shift")]
    keep_weekday: bool,
    /// The dates to replace by the number of days since the first date of the person, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    study_day: Vec<String>,
    /// How the dates or times of a column are written: COLUMN=FORMAT, such as day=%d.%m.%Y (repeatable) [default: what the
    /// values show]
    ///
    /// The parts of a format are those of strftime: %Y, %m, %d, %H, %M, %S, %b for Sep, %y for 01, %z for +0200. Say it if
    /// the values do not: 9/10/2001 is in September (%m/%d/%Y) or in October (%d/%m/%Y).
    #[arg(long, value_name = "COLUMN=FORMAT", value_parser = pair::<String>)]
    format: Vec<(String, String)>,
    /// The column that holds the k that each person wants
    ///
    /// A person can want more than --k. The column is not published.
    #[arg(long, value_name = "COLUMN")]
    personal_k: Option<String>,
    /// The column that holds the l that each person wants
    ///
    /// A person can want more than --l. The column is not published.
    #[arg(long, value_name = "COLUMN")]
    personal_l: Option<String>,
    /// How to generalize a quasi-identifier: COLUMN=range|ordered|taxonomy|set|suppress (repeatable)
    ///
    /// range: ranges of numbers, dates or times, [25-30].
    /// ordered: ranges of ordered categories, [HS-grad - Masters].
    /// taxonomy: nodes of a hierarchy.
    /// set: sets of at most 64 values, {Private, State-gov}.
    /// suppress: the value, or *.
    ///
    /// The default is range for numbers, dates and times, taxonomy if the column has a --hierarchy,
    /// and ordered if it has an --order. For other columns it is set for up to 63 values,
    /// and suppress for more.
    #[arg(long, value_name = "COLUMN=KIND", verbatim_doc_comment, value_parser = pair::<Kind>)]
    kind: Vec<(String, Kind)>,
    /// The hierarchy of a column: COLUMN=FILE, COLUMN=BUILDER or COLUMN=NAME (repeatable)
    ///
    /// A quasi-identifier with a hierarchy is generalized to its nodes. A sensitive column
    /// needs one for t-closeness by hierarchy.
    ///
    /// The file has one line `leaf;level 1;...;root` for each value, which is the format of
    /// ARX, or it is nested TOML.
    ///
    /// Builders:
    /// widths:5,10,20 makes ranges of numbers.
    /// dates:day,month,quarter,year,decade makes calendar units.
    /// mask:1,2,3 masks characters from the right.
    /// flat has all values right below the root.
    ///
    /// Names of trees that come with amidst: icd10, icd10cm, countries, us-zip, isco, naics,
    /// soc, age-bands. `amidst list hierarchies` explains them.
    #[arg(long, value_name = "COLUMN=FILE", verbatim_doc_comment, value_parser = pair::<Tree>)]
    hierarchy: Vec<(String, Tree)>,
    /// Publish all numbers or dates from this one on as one: COLUMN=VALUE, such as age=90 (repeatable)
    ///
    /// The cells are >=90, and >=80 for a class that reaches from 80 to them. The largest value of the table is not shown.
    /// --top, --bottom, --bins and --round are also for numbers of sensitive columns and of those in --publish-as-is.
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = pair::<Threshold>)]
    top: Vec<(String, Threshold)>,
    /// Publish all numbers or dates up to this one as one: COLUMN=VALUE, such as age=18 or birth=1930-12-31 (repeatable)
    ///
    /// The cells are <=18, and <=25 for a class that reaches from them to 25.
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = pair::<Threshold>)]
    bottom: Vec<(String, Threshold)>,
    /// Publish numbers or dates by bins: COLUMN=EDGE,EDGE,..., such as income=0,10000,20000 (repeatable)
    ///
    /// A bin begins with its edge and ends before the next one. Numbers below the first edge are a bin, and so are those
    /// from the last edge on. A class is published as the bins from its lowest to its highest: [0-9999] for whole numbers,
    /// [0, 10000) for numbers with fractions, and <0 and >=20000 beyond the edges.
    #[arg(long, value_name = "COLUMN=EDGES", value_parser = pair::<String>)]
    bins: Vec<(String, String)>,
    /// Round numbers to multiples of a number, before they are generalized: COLUMN=NUMBER, such as income=1000 (repeatable)
    ///
    /// Halves are rounded away from zero. Ranges have rounded ends, and --top and --bottom look at rounded numbers.
    #[arg(long, value_name = "COLUMN=NUMBER", value_parser = pair::<Threshold>)]
    round: Vec<(String, Threshold)>,
    /// The order of the categories of a column: COLUMN=low,...,high (repeatable)
    ///
    /// A sensitive column needs an order for t-closeness by order, unless its values are numbers.
    #[arg(long, value_name = "COLUMN=VALUES", value_parser = pair::<String>)]
    order: Vec<(String, String)>,
    /// Groups of similar sensitive values that count as one value: COLUMN=TREE (repeatable)
    ///
    /// Values right below the same node of the tree count as one. The tree is a file or a builder, as for --hierarchy.
    /// With widths:5000, all salaries from 5000 to 9999 count as one value. With mask:2, all codes count as one that
    /// differ only in their last two characters.
    #[arg(long, value_name = "COLUMN=TREE", value_parser = pair::<Tree>)]
    groups: Vec<(String, Tree)>,
    /// What to publish for each class: COLUMN=cell|bounds|middle|mean|median|mode (repeatable)
    ///
    /// cell: the generalized value, [25-30]. This is the default.
    /// bounds: two columns, age_min and age_max.
    /// middle: the middle of the range, 27.5.
    /// mean, median, mode: that of the records of the class.
    ///
    /// middle and mean are for numbers and dates. bounds and median are also for ordered
    /// categories.
    #[arg(long, value_name = "COLUMN=HOW", verbatim_doc_comment, value_parser = pair::<Show>)]
    show: Vec<(String, Show)>,
}

impl ColumnArgs {
    /// A plan, or quasi-identifiers and columns that say whose a row is, and nothing else.
    pub fn of(plan: Option<PathBuf>, quasi: Vec<String>, person: Vec<String>, household: Vec<String>) -> Self {
        ColumnArgs { plan, quasi, person, household, ..ColumnArgs::default() }
    }

    /// The plan in a file, or the one that the flags describe; with these changes.
    pub fn plan(&self, changes: &Changes) -> Result<Plan> {
        let mut plan = match &self.plan {
            Some(path) => Plan::load(path)?,
            None => self.flags().plan()?,
        };
        changes.apply(&mut plan)?;
        plan.others = self.others.map(OthersArg::choice).or(plan.others);
        Ok(plan)
    }

    fn flags(&self) -> Flags {
        let values = |order: &String| order.split(',').map(str::to_owned).collect();
        Flags {
            quasi: self.quasi.clone(),
            sensitive: self.sensitive.clone(),
            identifier: self.identifier.clone(),
            publish_as_is: self.publish_as_is.clone(),
            person: self.person.clone(),
            household: self.household.clone(),
            pseudonym: self.pseudonym.clone(),
            shift: self.shift.iter().cloned().collect(),
            keep_weekday: self.keep_weekday,
            study_day: self.study_day.clone(),
            format: self.format.iter().cloned().collect(),
            personal_k: self.personal_k.clone(),
            personal_l: self.personal_l.clone(),
            kind: self.kind.iter().cloned().collect(),
            hierarchy: self.hierarchy.iter().cloned().collect(),
            top: self.top.iter().cloned().collect(),
            bottom: self.bottom.iter().cloned().collect(),
            bins: self
                .bins
                .iter()
                .map(|(name, edges)| (name.clone(), edges.split(',').map(Threshold::from).collect()))
                .collect(),
            round: self.round.iter().cloned().collect(),
            order: self.order.iter().map(|(name, order)| (name.clone(), values(order))).collect(),
            groups: self.groups.iter().cloned().collect(),
            show: self.show.iter().cloned().collect(),
        }
    }
}

/// What to do with the columns that nobody names
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OthersArg {
    Publish,
    Drop,
}

impl OthersArg {
    fn choice(self) -> Others {
        match self {
            OthersArg::Publish => Others::Publish,
            OthersArg::Drop => Others::Drop,
        }
    }
}
