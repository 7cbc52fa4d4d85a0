//! `amidst list`

use std::fmt::Write as _;

use amidst::pipeline::{self, List};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::{Stop, print, print_json};

#[derive(Args)]
pub struct ListArgs {
    /// The list to print
    #[arg(value_parser = list_parser())]
    list: List,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// A list by its name.
fn list_parser() -> impl TypedValueParser<Value = List> {
    let names = PossibleValuesParser::new(List::ALL.map(List::name));
    names.try_map(|name| List::named(&name).ok_or("there is no such list"))
}

pub fn run(args: &ListArgs) -> Result<(), Stop> {
    let members = pipeline::list(args.list);
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
