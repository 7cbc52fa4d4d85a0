//! How single values are read, and help texts that list what there is to choose from.

use std::str::FromStr;

use amidst::pipeline::{self, List};
use bytesize::ByteSize;

pub fn requirements() -> String {
    let names: Vec<_> =
        pipeline::list(List::Constraints).iter().map(|e| e.name).filter(|name| *name != "k-anonymity").collect();
    format!(
        "A privacy model for all sensitive columns, or for one of them, such as 't-closeness(t=0.2)' or \
         'salary=entropy-l(l=3)' (repeatable). The models are {}; `amidst list constraints` explains them",
        names.join(", ")
    )
}

pub fn adversaries() -> String {
    let names: Vec<_> = pipeline::list(List::Attacks).iter().map(|e| e.name).collect();
    format!(
        "The adversaries: all, or a list such as 'linking,rerun(targets=20)'. They are {}; `amidst list attacks` \
         explains them",
        names.join(", ")
    )
}

/// `0.02` or `2%`.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim().parse::<f64>().map(|number| number / unit);
    share.ok().filter(|share| (0.0..1.0).contains(share)).ok_or_else(|| {
        format!("`{text}` is not a share of the records; write a number from 0 to below 1, or a percentage")
    })
}

/// `0.05` or `5%`, of something that is there.
pub fn part(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let part = number.trim().parse::<f64>().map(|number| number / unit);
    part.ok()
        .filter(|part| *part > 0.0 && *part <= 1.0)
        .ok_or_else(|| format!("`{text}` is not a number above 0 and up to 1, or a percentage"))
}

/// `COLUMN=VALUE`.
pub fn pair<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<(String, T), String> {
    let (column, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form COLUMN=VALUE"))?;
    Ok((column.to_owned(), value.parse().map_err(|e: T::Err| e.to_string())?))
}

/// `FIELD=TEXT`.
pub fn field(text: &str) -> Result<(String, String), String> {
    let (field, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form FIELD=TEXT"))?;
    Ok((field.to_owned(), value.to_owned()))
}

/// `8GB`, `512MiB`.
pub fn memory(text: &str) -> Result<ByteSize, String> {
    let size = text.parse().ok().filter(|size: &ByteSize| size.as_u64() > 0);
    size.ok_or_else(|| format!("`{text}` is not a size; write a number and a unit, such as 8GB or 512MiB"))
}

pub fn delimiter(text: &str) -> Result<char, String> {
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
pub fn choices(about: &str, list: List) -> String {
    let members = pipeline::list(list);
    // Measures that only score a release cannot be kept low.
    let names = members.iter().filter(|member| member.objective != Some(false)).map(|member| member.name);
    format!("{about}: {}", names.collect::<Vec<_>>().join(", "))
}
