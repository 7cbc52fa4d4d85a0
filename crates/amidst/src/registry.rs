//! Lists of named things: partitioners, refiners, measures, attacks, privacy models, forms of release.
//!
//! Each kind has one `const` list: privacy models and forms of release in `plan/`, the others in the `mod.rs` of their folder. The command line,
//! its help, the documentation, the conformance tests and the benchmark iterate these lists. So a new member needs no other registration.
//!
//! A [`Spec`] names a member, with parameters in parentheses if the defaults do not fit: `mondrian(cut=relaxed)` or `lm(numeric=values)`. A single
//! word is short for the parameter that has it as a choice: `lm(values)`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};

/// A member of a list. `B` is the type that builds it, usually a function.
#[derive(Debug)]
pub struct Entry<B> {
    /// The name of the member.
    pub name: &'static str,
    /// One line about what it does.
    pub about: &'static str,
    /// The paper that it comes from.
    pub paper: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Builds the member. Parameters are checked against `params` first, and missing ones get their defaults.
    pub build: B,
}

/// A parameter of a member of a list.
#[derive(Debug, Serialize)]
pub struct Param {
    /// The name of the parameter.
    pub name: &'static str,
    /// One line about what it changes.
    pub about: &'static str,
    /// The allowed values.
    pub range: Range,
    /// The default; `None` if the parameter is required.
    pub default: Option<Value>,
}

/// The values a [`Param`] may take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// A whole number between two bounds, both included.
    Integer(u64, u64),
    /// A number between two bounds, both included.
    Number(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A value of a [`Param`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(v) => v.fmt(f),
            Value::Number(v) => v.fmt(f),
            Value::Word(v) => v.fmt(f),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Integer(lo, u64::MAX) => write!(f, "a whole number from {lo}"),
            Range::Integer(lo, hi) => write!(f, "a whole number from {lo} to {hi}"),
            Range::Number(lo, hi) => write!(f, "a number from {lo} to {hi}"),
            Range::Choice(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl Range {
    fn parse(self, text: &str) -> Option<Value> {
        match self {
            Range::Integer(lo, hi) => text.parse().ok().filter(|v| (lo..=hi).contains(v)).map(Value::Integer),
            Range::Number(lo, hi) => text.parse().ok().filter(|v| (lo..=hi).contains(v)).map(Value::Number),
            Range::Choice(words) => words.iter().find(|w| **w == text).map(|w| Value::Word(w)),
        }
    }
}

/// The parameters of one member, each within its range.
#[derive(Debug, Clone)]
pub struct Params(Vec<(&'static str, Value)>);

impl Params {
    fn get(&self, name: &str) -> Value {
        let found = self.0.iter().find(|(n, _)| *n == name);
        found.unwrap_or_else(|| unreachable!("the entry declares no parameter `{name}`")).1
    }

    /// The value of a whole number.
    pub fn integer(&self, name: &str) -> u64 {
        match self.get(name) {
            Value::Integer(v) => v,
            other => unreachable!("parameter `{name}` is declared as {other:?}"),
        }
    }

    /// The value of a number.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(v) => v,
            other => unreachable!("parameter `{name}` is declared as {other:?}"),
        }
    }

    /// The value of a choice.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Word(v) => v,
            other => unreachable!("parameter `{name}` is declared as {other:?}"),
        }
    }
}

/// The name of a member with parameters: `name` or `name(parameter=value, …)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Spec(String);

impl From<&str> for Spec {
    fn from(text: &str) -> Self {
        Spec::new(text)
    }
}

impl Spec {
    /// The spec that is written as `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Spec(text.into())
    }

    /// The spec as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without the parameters.
    pub fn name(&self) -> &str {
        self.0.split('(').next().unwrap_or_default().trim()
    }

    /// The same spec with a parameter set to a new value.
    pub fn with(&self, name: &str, value: impl fmt::Display) -> Result<Self> {
        let is_other = |argument: &&str| argument.split('=').next().is_none_or(|n| n.trim() != name);
        let mut arguments: Vec<String> = self.arguments()?.into_iter().filter(is_other).map(str::to_owned).collect();
        arguments.push(format!("{name}={value}"));
        Ok(Spec(format!("{}({})", self.name(), arguments.join(", "))))
    }

    fn arguments(&self) -> Result<Vec<&str>> {
        let Some((_, rest)) = self.0.split_once('(') else { return Ok(Vec::new()) };
        let Some(inner) = rest.trim_end().strip_suffix(')') else {
            return Err(Error::parameter(self.name(), format!("`{}` lacks its closing parenthesis", self.0)));
        };
        Ok(inner.split(',').map(str::trim).filter(|a| !a.is_empty()).collect())
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for Spec {
    type Err = std::convert::Infallible;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(Spec(s.to_owned()))
    }
}

/// Splits a list of specs at its commas, except within parentheses.
pub fn specs(text: &str) -> Vec<Spec> {
    let mut depth = 0;
    text.split(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        c == ',' && depth <= 0
    })
    .map(str::trim)
    .filter(|spec| !spec.is_empty())
    .map(Spec::new)
    .collect()
}

/// The member of a list that a spec names. The parameters of the spec are not checked.
pub fn entry<'a, B>(list: &'a [Entry<B>], spec: &Spec) -> Option<&'a Entry<B>> {
    let name = spec.name();
    list.iter().find(|entry| entry.name == name)
}

/// Finds the member of a list that a spec names, and checks its parameters. `kind` names the members in messages, say `partitioner`.
pub fn find<'a, B>(list: &'a [Entry<B>], kind: &'static str, spec: &Spec) -> Result<(&'a Entry<B>, Params)> {
    let Some(entry) = entry(list, spec) else {
        return Err(Error::unknown_name(kind, spec.name(), &list.iter().map(|e| e.name).collect::<Vec<_>>()));
    };
    let params = resolve(entry.name, entry.params, &spec.arguments()?)?;
    Ok((entry, params))
}

fn resolve(owner: &str, declared: &'static [Param], arguments: &[&str]) -> Result<Params> {
    let fail = |message: String| Error::parameter(owner, message);
    let mut given: Vec<(&'static str, Value)> = Vec::new();
    for argument in arguments {
        let (param, value) = match argument.split_once('=') {
            Some((name, text)) => {
                let name = name.trim();
                let param = declared.iter().find(|p| p.name == name).ok_or_else(|| {
                    let names: Vec<_> = declared.iter().map(|p| p.name).collect();
                    fail(match nearest(name, names.iter().copied()) {
                        Some(s) => format!("there is no parameter `{name}`; did you mean `{s}`?"),
                        None if names.is_empty() => "takes no parameters".to_owned(),
                        None => {
                            format!("there is no parameter `{name}`; there are: {}", names.join(", "))
                        }
                    })
                })?;
                let value = param
                    .range
                    .parse(text.trim())
                    .ok_or_else(|| fail(format!("`{name}` must be {}, not `{}`", param.range, text.trim())))?;
                (param, value)
            }
            None => declared
                .iter()
                .filter(|p| matches!(p.range, Range::Choice(_)))
                .find_map(|p| p.range.parse(argument).map(|v| (p, v)))
                .ok_or_else(|| fail(format!("`{argument}` is not one of its choices; write name=value")))?,
        };
        if given.iter().any(|(n, _)| *n == param.name) {
            return Err(fail(format!("`{}` is given twice", param.name)));
        }
        given.push((param.name, value));
    }
    declared
        .iter()
        .map(|p| {
            let value = given.iter().find(|(n, _)| *n == p.name).map(|(_, v)| *v).or(p.default);
            value.map(|v| (p.name, v)).ok_or_else(|| fail(format!("`{}` must be given: {}", p.name, p.range)))
        })
        .collect::<Result<_>>()
        .map(Params)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[Entry<()>] = &[Entry {
        name: "sample",
        about: "",
        paper: "",
        params: &[
            Param { name: "size", about: "", range: Range::Integer(2, 9), default: Some(Value::Integer(3)) },
            Param {
                name: "cut",
                about: "",
                range: Range::Choice(&["strict", "relaxed"]),
                default: Some(Value::Word("strict")),
            },
        ],
        build: (),
    }];

    fn params(text: &str) -> Result<Params, String> {
        find(LIST, "sample", &Spec::new(text)).map(|(_, p)| p).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults_and_arguments() {
        let p = params("sample").unwrap();
        assert_eq!((p.integer("size"), p.word("cut")), (3, "strict"));
        let p = params("sample( size = 4, relaxed )").unwrap();
        assert_eq!((p.integer("size"), p.word("cut")), (4, "relaxed"));
    }

    #[test]
    fn a_parameter_takes_the_place_of_what_it_was() {
        let with = |text: &str| Spec::new(text).with("size", 5).unwrap().to_string();
        assert_eq!(with("sample"), "sample(size=5)");
        assert_eq!(with("sample(size = 4, cut=relaxed)"), "sample(cut=relaxed, size=5)");
        assert!(Spec::new("sample(").with("size", 5).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(params("sampel").unwrap_err(), "there is no sample named `sampel`; did you mean `sample`?");
        assert_eq!(params("sample(size=1)").unwrap_err(), "sample: `size` must be a whole number from 2 to 9, not `1`");
        assert_eq!(params("sample(sise=3)").unwrap_err(), "sample: there is no parameter `sise`; did you mean `size`?");
        assert_eq!(params("sample(size=3").unwrap_err(), "sample: `sample(size=3` lacks its closing parenthesis");
        assert_eq!(params("sample(size=3,size=4)").unwrap_err(), "sample: `size` is given twice");
        assert_eq!(params("sample(loose)").unwrap_err(), "sample: `loose` is not one of its choices; write name=value");
    }
}
