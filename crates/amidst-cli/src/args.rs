//! What can be typed. Help, completions and the man page all come from here.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use amidst::pipeline::{self, List, Selection};
use amidst::plan::{Kind, Requirement, Seed, Show, Spec, Tree};
use amidst::report::SCHEMAS;
use bytesize::ByteSize;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Publishes personal data so that every record hides amidst at least k - 1 others
///
/// amidst turns a table about people into one that may be published: the columns that could single a person out
/// (quasi-identifiers) are generalized just enough that at least k records always look the same. Nothing is published
/// that has not been read back and verified.
#[derive(Parser)]
#[command(name = "amidst", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    it worked
  1    the data cannot satisfy the request, the audit fails, or an attack breaks a promise
  2    an argument, the plan, or a file is wrong, or amidst itself has a bug
  130  interrupted";

#[derive(Subcommand)]
pub enum Command {
    /// Look at a table and write a plan to start from
    Init(InitArgs),
    /// Publish a table
    Anonymize(AnonymizeArgs),
    /// Find out what a published table reaches, ours or another tool's
    Audit(AuditArgs),
    /// Measure how useful a published table still is, against its original
    Measure(MeasureArgs),
    /// Play the adversaries of the papers against a published table, and see what they learn
    Attack(AttackArgs),
    /// Find out how likely the people of a table are found, and by which columns; original or release
    Risk(RiskArgs),
    /// Try many algorithms and values of k on a table, side by side; publishes nothing
    Compare(CompareArgs),
    /// Prove how little any release of a table can lose; publishes nothing
    Bound(BoundArgs),
    /// Show what there is to choose from
    List(ListArgs),
    /// Anonymize the bundled Adult table and show the result
    Demo(DemoArgs),
    /// Print the JSON Schema of a command's --json and .json reports
    Schema {
        /// Which command, or the report for recipients
        #[arg(value_parser = PossibleValuesParser::new(SCHEMAS.iter().map(|(name, _)| *name)))]
        command: String,
    },
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// How to read a table
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct InputArgs {
    /// What separates the fields of a CSV file: one character, or \t [default: a comma; a tab for .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Drop blanks around the fields of a CSV file
    #[arg(long)]
    pub trim: bool,
    /// A text that stands for a missing value; may be repeated
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    pub missing: Vec<String>,
    /// Leave out rows that miss a quasi-identifier or a sensitive value, instead of treating missing as a value
    #[arg(long)]
    pub drop_missing: bool,
    /// Make one of the spellings of each sensitive value that differ only in case, blanks at the ends, the form of characters or the way
    /// a number is written (HIV, hiv; 1, 1.0): the most frequent
    #[arg(long)]
    pub fold: bool,
    /// How much memory the work may take, such as 8GB or 512MiB; a table that needs more is refused [default: three quarters of
    /// what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<ByteSize>,
}

/// What the columns are: a plan, or flags
#[derive(Args, Default)]
#[command(next_help_heading = "Columns")]
pub struct ColumnArgs {
    /// A plan (TOML) that says it all; `amidst init` writes one to start from
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quasi", "sensitive", "identifier", "personal_k", "personal_l", "kind", "hierarchy", "order", "groups", "show"])]
    pub plan: Option<PathBuf>,
    /// The quasi-identifiers, separated by commas; columns that no flag names are published as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required_unless_present = "plan")]
    pub quasi: Vec<String>,
    /// The sensitive columns, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub sensitive: Vec<String>,
    /// The columns that are not published, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub identifier: Vec<String>,
    /// The column with the k that each person wants, which may be more than --k; it is not published
    #[arg(long, value_name = "COLUMN")]
    pub personal_k: Option<String>,
    /// The column with the l that each person wants, as for --l; it is not published
    #[arg(long, value_name = "COLUMN")]
    pub personal_l: Option<String>,
    /// How a quasi-identifier is generalized: COLUMN=range|ordered|taxonomy|set|suppress; may be repeated
    ///
    /// range for numbers and dates ([25-30]), ordered for categories with an order ([HS-grad - Masters]), taxonomy for
    /// the nodes of a hierarchy, set for sets of at most 64 values ({Private, State-gov}), suppress for all or
    /// nothing (*). Without it: range for numbers and dates, taxonomy where there is a --hierarchy, ordered where
    /// there is an --order, set for up to 63 values, suppress for more.
    #[arg(long, value_name = "COLUMN=KIND", value_parser = pair::<Kind>)]
    pub kind: Vec<(String, Kind)>,
    /// The tree of a taxonomy, or of a sensitive column for t-closeness by hierarchy: COLUMN=FILE, or a builder; may be
    /// repeated
    ///
    /// The file has a line `leaf;level 1;...;root` for every value (the format of ARX), or is nested TOML. Builders:
    /// widths:5,10,20 (ranges of numbers), dates:month,quarter,year,decade, mask:1,2,3 (characters masked from the
    /// right), flat.
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair::<Tree>)]
    pub hierarchy: Vec<(String, Tree)>,
    /// The order of a column's categories: COLUMN=low,...,high; may be repeated. t-closeness by order needs one of a
    /// sensitive column, unless its values are numbers
    #[arg(long, value_name = "COLUMN=VALUES", value_parser = pair::<String>)]
    pub order: Vec<(String, String)>,
    /// Which values of a sensitive column are so alike that they count as one: COLUMN=TREE, those right below the same
    /// node; may be repeated
    ///
    /// The tree is given as for --hierarchy: widths:5000 makes one value of all salaries from 5000 to 9999, mask:2 one of
    /// all codes that differ in nothing but their last two characters.
    #[arg(long, value_name = "COLUMN=TREE", value_parser = pair::<Tree>)]
    pub groups: Vec<(String, Tree)>,
    /// How the classes of a quasi-identifier are shown: COLUMN=cell|bounds|middle|mean|median|mode; may be repeated
    ///
    /// cell is the closure, [25-30], bounds are two columns (age_min, age_max), middle is 27.5; mean, median and mode are
    /// those of the records of the class. middle and mean are for numbers and dates, bounds and median also for ordered
    /// categories.
    #[arg(long, value_name = "COLUMN=HOW", value_parser = pair::<Show>)]
    pub show: Vec<(String, Show)>,
}

/// What is asked of sensitive values
#[derive(Args, Default)]
#[command(next_help_heading = "Privacy")]
pub struct PrivacyArgs {
    /// No value of a sensitive column may have more than 1/L of a class; L may be a fraction
    ///
    /// Short for --require 'frequency-l(l=L)', the l-diversity of the papers behind amidst. A class then has at least L
    /// different values.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub l: Option<f64>,
    #[command(flatten)]
    pub models: ModelArgs,
}

/// What else is asked of classes
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Privacy")]
pub struct ModelArgs {
    #[arg(long, value_name = "[COLUMN=]MODEL", help = requirements())]
    pub require: Vec<Requirement>,
    /// Leave out up to this share of the records, 0.02 or 2%, where that loses less than generalizing them
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub suppress: Option<f64>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst anonymize patients.csv -o release.csv --quasi age,zip,sex --sensitive disease --k 10 --l 3
  amidst anonymize patients.csv -o release.parquet --plan patients.plan.toml --report report.html
  zcat big.csv.gz | amidst anonymize - -o - --quasi age,zip --k 5 > release.csv")]
pub struct AnonymizeArgs {
    /// The table: CSV or Parquet, CSV also compressed by gzip or zstd; - is standard input
    pub input: PathBuf,
    /// Where the release goes; its extension says how: .csv, .csv.gz, .csv.zst, .parquet; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// How many records at least share each combination of published quasi-identifiers
    #[arg(long, value_name = "K", required_unless_present = "plan", help_heading = "Privacy")]
    pub k: Option<usize>,
    #[command(flatten)]
    pub privacy: PrivacyArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub reading: InputArgs,
    /// What to measure: quick, all, or a list such as lm,query(predicates=3)
    #[arg(long, value_name = "NAMES", default_value = "quick", help_heading = "Output")]
    pub measures: Selection,
    /// Prove how far from the best possible the release is at most; takes seconds to minutes
    #[arg(long, help_heading = "Output")]
    pub certify: bool,
    /// Write an internal report, for those who must answer for the release: a page (.html), or the same facts as .json or
    /// .txt; may be repeated. It has the seed and figures of the original: not for recipients
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
    /// Write a report for recipients, .html, .json or .txt; may be repeated. It has nothing that helps to find people
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub public_report: Vec<PathBuf>,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

/// How the release is made
#[derive(Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    #[arg(long, value_name = "NAME", help = choices("The algorithm that forms the clusters", List::Partitioners))]
    pub partitioner: Option<Spec>,
    /// How hard the engine tries: fast is a good start, balanced improves it while that pays well, best while it pays at
    /// all, which can take minutes [default: balanced]
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<Effort>,
    /// Let the engine improve for so long, say 30s or 5m; the plan beside the release then says how to make it again
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub time: Option<Duration>,
    #[arg(long, value_name = "NAME", help = choices("What improves them afterwards; may be repeated", List::Refiners))]
    pub refine: Vec<Spec>,
    #[arg(long, value_name = "NAME", help = choices("The loss that is kept low", List::Measures))]
    pub measure: Option<Spec>,
    #[arg(long, value_name = "NAME", help = choices("The form of the release", List::Publishers))]
    pub publish: Option<Spec>,
    /// The seed of all random choices, a number or hexadecimal digits behind 0x [default: random, and kept in the plan beside
    /// the release]
    ///
    /// Somebody who has the seed and knows nearly all records can find out the rest by making the release again. A seed that
    /// you choose must be as hard to guess as a random one.
    #[arg(long, value_name = "N")]
    pub seed: Option<Seed>,
    /// Publish the rows in the order of the input; that order can identify people, so they are shuffled by default
    #[arg(long)]
    pub keep_order: bool,
    /// How many threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// How hard the engine tries
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Effort {
    Fast,
    Balanced,
    Best,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst audit release.csv --quasi age,zip,sex --k 10
  amidst audit release.csv --plan release.plan.toml --original patients.csv")]
pub struct AuditArgs {
    /// The published file
    pub file: PathBuf,
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The k that the file must reach to pass [default: that of the plan]
    #[arg(long, value_name = "K", help_heading = "Privacy")]
    pub k: Option<usize>,
    #[command(flatten)]
    pub privacy: PrivacyArgs,
    #[arg(long, value_name = "NAME", help = choices("The form of the release, unless the plan says it", List::Publishers))]
    pub publish: Option<Spec>,
    /// The table it was made from: check that every cell covers its value, and measure the loss
    ///
    /// Rows are compared in the order of the files; a release of ours that was shuffled needs the plan stored beside
    /// it.
    #[arg(long, value_name = "FILE", help_heading = "Comparing")]
    pub original: Option<PathBuf>,
    #[command(flatten)]
    pub reading: InputArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst measure patients.csv release.csv --plan release.plan.toml
  amidst measure patients.csv release.csv --quasi age,zip,sex --sensitive disease --measures 'lm,query(predicates=3)'")]
pub struct MeasureArgs {
    /// The table the release was made from
    pub original: PathBuf,
    /// The published file
    ///
    /// Rows are compared in the order of the files; a release of ours that was shuffled needs the plan stored beside
    /// it. Figures that need to know which record went where are left out where the rows do not match.
    pub release: PathBuf,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub reading: InputArgs,
    #[arg(long, value_name = "NAME", help = choices("The form of the release, unless the plan says it", List::Publishers))]
    pub publish: Option<Spec>,
    /// What to measure: quick, all, or a list such as lm,query(predicates=3); `amidst list measures` shows them
    #[arg(long, value_name = "NAMES", default_value = "all", help_heading = "Output")]
    pub measures: Selection,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst attack patients.csv release.csv --plan release.plan.toml
  amidst attack patients.csv release.csv --quasi age,zip,sex --sensitive disease --k 10 --l 3 --attacks linking,homogeneity")]
pub struct AttackArgs {
    /// The table the release was made from, which the adversaries know parts of
    pub original: PathBuf,
    /// The published file
    pub release: PathBuf,
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The k that was promised [default: that of the plan]
    #[arg(long, value_name = "K", help_heading = "Privacy")]
    pub k: Option<usize>,
    #[command(flatten)]
    pub privacy: PrivacyArgs,
    #[arg(long, value_name = "NAME", help = choices("The form of the release, unless the plan says it", List::Publishers))]
    pub publish: Option<Spec>,
    #[arg(long, value_name = "NAMES", default_value = "all", help = adversaries())]
    pub attacks: String,
    #[command(flatten)]
    pub reading: InputArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst risk patients.csv                                        # which columns single people out?
  amidst risk patients.csv --quasi age,zip,sex --sample 5%        # of an original
  amidst risk release.csv --plan release.plan.toml --population register.csv --threshold 0.09")]
pub struct RiskArgs {
    /// The table, an original or a release; - is standard input
    pub file: PathBuf,
    /// The quasi-identifiers, separated by commas [default: all columns but those that look like identifiers]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "plan", help_heading = "Columns")]
    pub quasi: Vec<String>,
    /// The plan that a release was made by, or is to be made by
    #[arg(long, value_name = "FILE", help_heading = "Columns")]
    pub plan: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = choices("The form of the release, unless the plan says it", List::Publishers), help_heading = "Columns")]
    pub publish: Option<Spec>,
    /// The share of the population that the table holds, 0.05 or 5%: who is alone in the table need not be alone in the population
    #[arg(long, value_name = "SHARE", value_parser = part, help_heading = "Assumptions")]
    pub sample: Option<f64>,
    /// A table of the population with the quasi-identifiers as they are: count who fits each class instead of estimating it
    #[arg(long, value_name = "FILE", conflicts_with = "sample", help_heading = "Assumptions")]
    pub population: Option<PathBuf>,
    /// The risk of a single record that is still acceptable; usual are 0.33, 0.2 and, for everybody to see, 0.09
    #[arg(long, value_name = "RISK", value_parser = part, default_value = "0.2", help_heading = "Assumptions")]
    pub threshold: f64,
    #[command(flatten)]
    pub reading: InputArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst compare patients.csv --quasi age,zip,sex --k 5,10,25
  amidst compare patients.csv --quasi age,zip --sensitive disease --k 5,10 --l 2,3,5 --algorithms engine,mondrian --report trade.html
  amidst compare patients.csv --plan patients.plan.toml --k 10 --algorithms engine,k-member -o runs.csv -o runs.json")]
pub struct CompareArgs {
    /// The table
    pub input: PathBuf,
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The values of k, separated by commas
    #[arg(long, value_name = "KS", value_delimiter = ',', default_value = "5,10,25,50,100")]
    pub k: Vec<usize>,
    /// The values of l, separated by commas: no value of a sensitive column may have more than 1/l of a class
    #[arg(long, value_name = "LS", value_delimiter = ',', allow_negative_numbers = true)]
    pub l: Vec<f64>,
    /// How many records to take, separated by commas, drawn at random: how time grows with them [default: all]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub rows: Vec<usize>,
    #[command(flatten)]
    pub models: ModelArgs,
    /// The algorithms: all, or a list such as engine,mondrian(relaxed)
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub algorithms: String,
    /// What to measure: quick, all, or a list
    #[arg(long, value_name = "NAMES", default_value = "lm,ncp")]
    pub measures: Selection,
    /// The objective: the loss that every algorithm keeps low
    #[arg(long, value_name = "NAME")]
    pub measure: Option<Spec>,
    /// The seed of all random choices; fixed, because nothing is published [default: that of the plan, or 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<Seed>,
    /// How many seconds a run may take; it is stopped then, and the table says so
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    pub limit: f64,
    /// Write the runs to a file, .csv or .json; may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Write a page with pictures: loss against k and l, time against the number of records, loss against risk (.html)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: InputArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst bound patients.csv --quasi age,zip,sex --k 10
  amidst bound patients.csv --plan patients.plan.toml --json")]
pub struct BoundArgs {
    /// The table
    pub input: PathBuf,
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// How many records at least share each combination of published quasi-identifiers
    #[arg(long, value_name = "K", required_unless_present = "plan", help_heading = "Privacy")]
    pub k: Option<usize>,
    #[command(flatten)]
    pub privacy: PrivacyArgs,
    /// The loss that is bounded [default: that of the plan, or lm]
    #[arg(long, value_name = "NAME")]
    pub measure: Option<Spec>,
    /// How many threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub reading: InputArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print one JSON object on standard output instead of the report; like the report it is for the publisher
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct InitArgs {
    /// The table
    pub input: PathBuf,
    /// Where the plan goes; - is standard output [default: <table>.plan.toml beside the table, - for -]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The k to put into the plan
    #[arg(long, value_name = "K", default_value_t = 10)]
    pub k: usize,
    /// Overwrite a plan that is there already
    #[arg(long)]
    pub force: bool,
    /// What separates the fields of a CSV file [default: what splits the header best]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// A text that stands for a missing value, beside the usual ones; may be repeated
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    pub missing: Vec<String>,
    /// How much memory the work may take, such as 8GB or 512MiB; a table that needs more is refused [default: three quarters of
    /// what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<ByteSize>,
}

#[derive(Args)]
pub struct ListArgs {
    /// Which list
    pub list: ListName,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ListName {
    Partitioners,
    Measures,
    Constraints,
    Publishers,
    Refiners,
    Attacks,
}

#[derive(Args)]
pub struct DemoArgs {
    /// The folder that gets the table, its hierarchies, the plan and the release
    #[arg(long, value_name = "FOLDER", default_value = "amidst-demo")]
    pub dir: PathBuf,
    /// Another k than that of the plan
    #[arg(long, value_name = "K")]
    pub k: Option<usize>,
}

fn requirements() -> String {
    let names: Vec<_> =
        pipeline::list(List::Constraints).iter().map(|e| e.name).filter(|name| *name != "k-anonymity").collect();
    format!(
        "What every sensitive column, or the one that is named, must satisfy in each class, such as \
         't-closeness(t=0.2)' or 'salary=entropy-l(l=3)'; may be repeated. There are: {}; `amidst list constraints` \
         explains them",
        names.join(", ")
    )
}

fn adversaries() -> String {
    let names: Vec<_> = pipeline::list(List::Attacks).iter().map(|e| e.name).collect();
    format!(
        "The adversaries: all, or a list such as 'linking,rerun(targets=20)'. There are: {}; `amidst list attacks` \
         explains them",
        names.join(", ")
    )
}

/// `0.02` or `2%`.
fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim().parse::<f64>().map(|number| number / unit);
    share
        .ok()
        .filter(|share| (0.0..1.0).contains(share))
        .ok_or_else(|| format!("`{text}` is no share of the records: a number from 0 to below 1, or a percentage"))
}

/// `0.05` or `5%`, of something that is there.
fn part(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let part = number.trim().parse::<f64>().map(|number| number / unit);
    part.ok()
        .filter(|part| *part > 0.0 && *part <= 1.0)
        .ok_or_else(|| format!("`{text}` is not a number above 0 and up to 1, or a percentage"))
}

/// `COLUMN=VALUE`.
fn pair<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<(String, T), String> {
    let (column, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form COLUMN=VALUE"))?;
    Ok((column.to_owned(), value.parse().map_err(|e: T::Err| e.to_string())?))
}

/// `8GB`, `512MiB`.
fn memory(text: &str) -> Result<ByteSize, String> {
    let size = text.parse().ok().filter(|size: &ByteSize| size.as_u64() > 0);
    size.ok_or_else(|| format!("`{text}` is no size; write a number and a unit, such as 8GB or 512MiB"))
}

fn delimiter(text: &str) -> Result<char, String> {
    match text {
        "\\t" | "tab" => Ok('\t'),
        _ => {
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if c.is_ascii() && !"\"\r\n".contains(c) => Ok(c),
                _ => Err("a delimiter is one ASCII character, or \\t, but no quote and no line break".to_owned()),
            }
        }
    }
}

/// A help text that ends with the names to choose from.
fn choices(about: &str, list: List) -> String {
    let members = pipeline::list(list);
    // Measures that only score a release cannot be kept low.
    let names = members.iter().filter(|member| member.objective != Some(false)).map(|member| member.name);
    format!("{about}: {}", names.collect::<Vec<_>>().join(", "))
}
