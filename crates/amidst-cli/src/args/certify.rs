//! `--certify` may have a time behind it, or nothing.
//!
//! clap would take whatever follows for the time, also the table in `amidst anonymize --certify table.csv`. So only what looks like a time is
//! joined to the flag, as if there were an equals sign between both.

use std::ffi::OsString;

const FLAG: &str = "--certify";

/// The arguments, with a time joined to the flag that it follows.
pub fn joined(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut literal = false; // behind `--` nothing is a flag
    for argument in arguments {
        let follows = joined.last().is_some_and(|last| last == FLAG) && !literal;
        match argument.to_str() {
            Some(text) if follows && looks_like_time(text) => {
                joined.pop();
                joined.push(format!("{FLAG}={text}").into());
            }
            _ => {
                literal |= argument == "--";
                joined.push(argument);
            }
        }
    }
    joined
}

/// Mistakes such as `60` or `60x`, too: they get a message about times, and not one about a file of that name. Names of tables have a dot.
fn looks_like_time(text: &str) -> bool {
    let letters = text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ');
    text == "full" || letters && text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> String {
        let arguments = joined(line.split(',').map(OsString::from));
        arguments.iter().map(|argument| argument.to_str().unwrap()).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn only_times_are_joined() {
        assert_eq!(of("amidst,anonymize,--certify,60s,in.csv"), "amidst,anonymize,--certify=60s,in.csv");
        assert_eq!(of("in.csv,--certify,full,-o,out.csv"), "in.csv,--certify=full,-o,out.csv");
        assert_eq!(of("in.csv,--certify,1m 30s"), "in.csv,--certify=1m 30s");
        assert_eq!(of("in.csv,--certify,60"), "in.csv,--certify=60");
        for unchanged in [
            "--certify,in.csv",
            "--certify,2024.csv,-o,out.csv",
            "--certify,-o,out.csv",
            "--certify=60s,in.csv",
            "in.csv,--certify",
            "--,--certify,60s",
        ] {
            assert_eq!(of(unchanged), unchanged);
        }
    }
}
