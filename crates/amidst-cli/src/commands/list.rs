//! `amidst list`

use std::fmt::Write as _;

use amidst::pipeline::{self, List};
use clap::{Args, ValueEnum};

use crate::{Stop, print, print_json};

#[derive(Args)]
pub struct ListArgs {
    /// The list to print
    list: ListName,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ListName {
    Partitioners,
    Measures,
    Constraints,
    Publishers,
    Refiners,
    Attacks,
    Hierarchies,
}

pub fn run(args: &ListArgs) -> Result<(), Stop> {
    let members = pipeline::list(match args.list {
        ListName::Partitioners => List::Partitioners,
        ListName::Measures => List::Measures,
        ListName::Constraints => List::Constraints,
        ListName::Publishers => List::Publishers,
        ListName::Refiners => List::Refiners,
        ListName::Attacks => List::Attacks,
        ListName::Hierarchies => List::Hierarchies,
    });
    let rows: Vec<serde_json::Value> = members.iter().map(|member| serde_json::json!(member)).collect();
    if args.json {
        return print_json(&rows);
    }
    let mut text = String::new();
    for row in &rows {
        let field = |name: &str| row[name].as_str().unwrap_or_default();
        let score = if row["objective"] == false { "  (score only)" } else { "" };
        let _ = writeln!(text, "{}{score}\n    {}\n    {}", field("name"), field("about"), field("paper"));
        for param in row["params"].as_array().into_iter().flatten() {
            let default = match &param["default"] {
                serde_json::Value::Null => "must be given".to_owned(),
                serde_json::Value::String(word) => format!("default {word}"),
                other => format!("default {other}"),
            };
            let (name, about) =
                (param["name"].as_str().unwrap_or_default(), param["about"].as_str().unwrap_or_default());
            let _ = writeln!(text, "      {name}: {about} ({default})");
        }
    }
    if rows.is_empty() {
        text = "there are none yet\n".to_owned();
    }
    print(&text)
}
