//! Other tables of the same persons, such as their visits, beside the table of the persons themselves.
//!
//! The main table must publish a pseudonym of its persons. The others carry the same pseudonyms, so recipients can join all tables. A
//! quasi-identifier that the main table has, too, gets the cells that the person has there. Quasi-identifiers of its own get one cell for all
//! rows of a class of persons.

use std::path::PathBuf;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Column, Encoding, Input, Method, Plan, PlanOrigin, Privacy, Report, Role, Treatment};
use crate::error::{Error, Remedy, Result, Setting};
use crate::registry::Spec;

/// Names that files beside a release have, so no table can.
const TAKEN: &[&str] = &["plan", "dictionary", "manifest", "sensitive", "slices"];

/// Another table of the same persons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherTable {
    /// The file. Tables in memory have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// What separates its fields, if not what separates those of the main table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Its encoding, if not that of the main table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Whether its first row has the names of the columns, if that is not as in the main table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The columns that together say whose a row is, in the order of the person columns of the main table.
    #[serde(deserialize_with = "one_or_several")]
    pub person: Vec<String>,
    /// Its other columns. Those that are quasi-identifiers of the main table need not be named.
    #[serde(default)]
    pub columns: IndexMap<String, Column>,
}

fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Names::deserialize(deserializer)? {
        Names::One(name) => vec![name],
        Names::Several(names) => names,
    })
}

impl Plan {
    /// Refuses other tables that cannot be published beside this one.
    pub fn check_tables(&self) -> Result<()> {
        let Some(first) = self.tables.keys().next() else { return Ok(()) };
        let fail = |name: &str, message: String| Err(Error::parameter(&format!("table {name}"), message));
        if self.linked().is_none() {
            let message = "tables of the same persons are joined by a pseudonym, and the main table publishes none";
            let pseudonym = Remedy::by("publish one", Setting::Pseudonym);
            return Err(Error::parameter(&format!("table {first}"), message).or([pseudonym]));
        }
        let is_plain =
            self.method.publish.as_str() == "generalization" && self.columns.values().all(|c| c.show.is_none());
        if !is_plain {
            return fail(
                first,
                "tables beside the main one are published by generalization with plain cells only".to_owned(),
            );
        }
        let persons: Vec<&str> = self.columns_with(Role::Person).collect();
        for (name, table) in &self.tables {
            let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') && !name.is_empty();
            if !is_word || TAKEN.contains(&name.as_str()) {
                return fail(
                    name,
                    "its name becomes part of a file name: use other letters, digits, - and _".to_owned(),
                );
            }
            if table.person.len() != persons.len() {
                let (own, all) = (table.person.join(", "), persons.join(", "));
                return fail(name, format!("its rows name persons by `{own}`, and those of the main table by `{all}`"));
            }
            for (column, asked) in &table.columns {
                let allowed = matches!(asked.role, Role::Identifier | Role::Quasi | Role::Sensitive | Role::Other);
                if !allowed || table.person.contains(column) {
                    return fail(name, format!("column `{column}` must be an identifier, quasi, sensitive or other"));
                }
                if asked.is_recoded() {
                    let message =
                        "numbers can only be coded here in a quasi-identifier; drop its top, bottom, bins or round";
                    return fail(name, format!("column `{column}`: {message}"));
                }
                if asked.show.is_some() || asked.publish == Some(Treatment::Pseudonym) {
                    return fail(name, format!("column `{column}` can have no `show` and no pseudonym of its own"));
                }
            }
            self.of_table(table, std::iter::empty()).check_treatments()?;
        }
        Ok(())
    }

    /// Says of another table how its file is written, where that is not as in the main table.
    pub(crate) fn reads_apart(&mut self, name: &str, own: &Input) {
        let main = &self.input;
        let Some(table) = self.tables.get_mut(name) else { return };
        let encoding = |input: &Input| input.encoding.unwrap_or(Encoding::UTF_8);
        table.delimiter = own.delimiter.filter(|delimiter| *delimiter != main.separator());
        table.encoding = Some(encoding(own)).filter(|own| *own != encoding(main));
        let header = |input: &Input| input.header.unwrap_or(true);
        table.header = Some(header(own)).filter(|own| *own != header(main));
    }

    /// The plan of another table that has these columns.
    #[must_use]
    pub fn of_table<'a>(&self, table: &OtherTable, names: impl Iterator<Item = &'a str>) -> Plan {
        let persons = self.columns_with(Role::Person).zip(&table.person);
        let mut columns: IndexMap<String, Column> = persons
            .map(|(main, own)| {
                let column = Column { publish: self.columns[main].publish, ..Column::with_role(Role::Person) };
                (own.clone(), column)
            })
            .collect();
        columns.extend(table.columns.iter().map(|(name, column)| (name.clone(), column.clone())));
        for name in names {
            if let (false, Some(column)) = (columns.contains_key(name), self.columns.get(name))
                && column.role == Role::Quasi
            {
                columns.insert(name.to_owned(), column.clone());
            }
        }
        Plan {
            amidst: self.amidst.clone(),
            input: Input {
                rows_per_person: None,
                delimiter: table.delimiter.or(self.input.delimiter),
                encoding: table.encoding.or(self.input.encoding),
                header: table.header.or(self.input.header),
                ..self.input.clone()
            },
            privacy: Privacy { suppress: 0.0, ..self.privacy.clone() },
            // What it loses is not kept low, because the persons are clustered already.
            method: Method { measure: Spec::new("lm"), ..self.method.clone() },
            others: None,
            report: Report::default(),
            columns,
            tables: IndexMap::new(),
            origin: PlanOrigin::Complete,
            key: self.key.clone(),
        }
    }
}
