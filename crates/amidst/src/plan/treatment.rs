//! What columns that say whose a row is, and dates, are replaced by in the release: pseudonyms, shifted dates, study days.
//!
//! A column asks for one with `publish`, such as `publish = "pseudonym"`. [`publish`](crate::publish) makes them, and the verification
//! computes them a second time.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Column, MissingPerson, Plan, Role};
use crate::error::{Error, Remedy, Result, Setting};
use crate::registry::{self, Entry, Param, Params, Range, Spec, Value};

/// What a column is replaced by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// A keyed pseudonym of each value. On a person column, the rows of a person can be linked by it, so all of them have the same cells.
    Pseudonym,
    /// The date, moved by an offset that is the same for all dates of a person.
    Shift {
        /// The largest offset, in days, to either side.
        days: u32,
        /// Whether dates keep their day of the week.
        weekday: bool,
    },
    /// The number of days since the first date of the person.
    StudyDay,
}

/// How treatments are built.
type BuildTreatment = fn(&Params) -> Treatment;

/// All treatments.
const TREATMENTS: &[Entry<BuildTreatment>] = &[
    Entry {
        name: "pseudonym",
        about: "a keyed pseudonym of each value (HMAC-SHA-256); on a person column it links the rows of a person, which then all have the same cells",
        paper: "",
        params: &[],
        build: |_| Treatment::Pseudonym,
    },
    Entry {
        name: "shift",
        about: "the date, moved by a secret number of days that is the same for all dates of a person",
        paper: "",
        params: &[
            Param {
                name: "days",
                about: "the largest number of days that a date is moved by, to either side",
                range: Range::Integer(1, 36_525),
                default: None,
            },
            Param {
                name: "weekday",
                about: "whether dates keep their day of the week",
                range: Range::Choice(&["changed", "kept"]),
                default: Some(Value::Word("changed")),
            },
        ],
        build: |params| Treatment::Shift {
            days: params.integer("days") as u32,
            weekday: params.word("weekday") == "kept",
        },
    },
    Entry {
        name: "study-day",
        about: "the number of days since the first date of the person",
        paper: "",
        params: &[],
        build: |_| Treatment::StudyDay,
    },
];

impl Treatment {
    /// The treatment that a text names.
    pub fn parse(spec: &Spec) -> Result<Self> {
        let (entry, params) = registry::find(TREATMENTS, "way to publish a column", spec)?;
        Ok((entry.build)(&params))
    }

    /// Whether the secret key decides what it makes of a value.
    pub fn needs_key(self) -> bool {
        match self {
            Treatment::Pseudonym | Treatment::Shift { .. } => true,
            Treatment::StudyDay => false,
        }
    }

    /// Whether it is for columns of this role.
    fn is_for(self, role: Role) -> bool {
        match self {
            Treatment::Pseudonym => matches!(role, Role::Person | Role::Identifier),
            Treatment::Shift { .. } | Treatment::StudyDay => role == Role::Other,
        }
    }
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Treatment::Pseudonym => f.write_str("pseudonym"),
            Treatment::Shift { days, weekday: false } => write!(f, "shift(days={days})"),
            Treatment::Shift { days, weekday: true } => write!(f, "shift(days={days}, weekday=kept)"),
            Treatment::StudyDay => f.write_str("study-day"),
        }
    }
}

impl FromStr for Treatment {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Treatment::parse(&Spec::new(text)).map_err(|e| e.to_string())
    }
}

impl Serialize for Treatment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Treatment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Plan {
    /// The columns that are replaced, and what by.
    pub fn treated(&self) -> impl Iterator<Item = (&str, &Column, Treatment)> {
        self.columns.iter().filter_map(|(name, column)| Some((name.as_str(), column, column.publish?)))
    }

    /// The person column that a pseudonym is published for. By it the rows of a person can be linked.
    pub fn linked(&self) -> Option<&str> {
        let is_person = |(_, column, treatment): &(&str, &Column, Treatment)| {
            column.role == Role::Person && *treatment == Treatment::Pseudonym
        };
        self.treated().find(is_person).map(|(name, _, _)| name)
    }

    /// Makes an identifier that a pseudonym is published for the person column, if the plan names no other. Its rows can be linked, so it
    /// says whose they are.
    pub fn take_persons(&mut self) {
        if self.columns_with(Role::Person).next().is_some() {
            return;
        }
        let mut pseudonyms = self.columns.values_mut().filter(|column| column.publish == Some(Treatment::Pseudonym));
        if let (Some(column), None) = (pseudonyms.next(), pseudonyms.next())
            && column.role == Role::Identifier
        {
            column.role = Role::Person;
        }
    }

    /// Refuses treatments that cannot be made.
    pub fn check_treatments(&self) -> Result<()> {
        let mut shifts: Option<(&str, Treatment)> = None;
        for (name, column, treatment) in self.treated() {
            if !treatment.is_for(column.role) {
                let message = match treatment {
                    Treatment::Pseudonym => "only a person column or an identifier can be replaced by pseudonyms",
                    _ => "only a date of the role other can be replaced by shifted dates or study days",
                };
                return Err(Error::column(name, &message));
            }
            match (treatment, shifts) {
                (Treatment::Shift { days, weekday: true }, _) if days < 7 => {
                    return Err(Error::column(name, "dates that keep their weekday move by 7 days or more"));
                }
                (Treatment::Shift { .. }, Some((other, shift))) if shift != treatment => {
                    let message = format!(
                        "it is moved by {treatment} and column `{other}` by {shift}; the intervals between both stay exact only if \
                         they are moved alike"
                    );
                    return Err(Error::column(name, &message));
                }
                (Treatment::Shift { .. }, None) => shifts = Some((name, treatment)),
                _ => {}
            }
        }
        self.check_pseudonyms()
    }

    fn check_pseudonyms(&self) -> Result<()> {
        let persons: Vec<&str> = self.columns_with(Role::Person).collect();
        let pseudonyms: Vec<&str> =
            persons.iter().copied().filter(|name| self.columns[*name].publish == Some(Treatment::Pseudonym)).collect();
        if let [_, second, ..] = pseudonyms[..] {
            let message = "one pseudonym stands for all person columns together; ask for it on one of them";
            return Err(Error::column(second, &message));
        }
        let needs_person = self.treated().find(|(_, column, _)| column.role != Role::Person).map(|(name, ..)| name);
        let limited = self.input.rows_per_person.is_some();
        match (persons.is_empty(), needs_person) {
            (true, Some(name)) => {
                let message = "what it is replaced by depends on the person, and no column says whose a row is";
                Err(Error::column(name, &message).or([Remedy::by("name it", Setting::Person)]))
            }
            (true, None) if limited => {
                let message = "rows are limited for each person, and no column says whose a row is";
                Err(Error::parameter("rows_per_person", message).or([Remedy::by("name it", Setting::Person)]))
            }
            _ => self.check_missing_persons(),
        }
    }

    /// Whether rows without a person can be kept. A pseudonym or an offset of a person who is not known would be that of all such rows.
    fn check_missing_persons(&self) -> Result<()> {
        let keyed = self.treated().find(|(_, _, treatment)| treatment.needs_key());
        match keyed {
            Some((name, _, treatment)) if self.input.missing_person == MissingPerson::Own => {
                let name_of = treatment.to_string();
                let message =
                    format!("rows that do not say whose they are cannot have what it is replaced by ({name_of})");
                let drop = Setting::MissingPerson(MissingPerson::Drop);
                Err(Error::column(name, &message).or([Remedy::by("leave them out", drop)]))
            }
            _ if self.input.rows_per_person == Some(0) => {
                Err(Error::parameter("rows_per_person", "at least one row of each person must be kept"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the release depends on the secret key.
    pub(super) fn needs_key(&self) -> bool {
        self.input.rows_per_person.is_some() || self.treated().any(|(_, _, treatment)| treatment.needs_key())
    }

    /// Refuses to make a release without the key that it depends on.
    pub fn check_key(&self) -> Result<()> {
        if self.key.is_some() || !self.needs_key() {
            return Ok(());
        }
        let column = self.treated().find(|(_, _, treatment)| treatment.needs_key()).map(|(name, ..)| name.to_owned());
        Err(Error::NoKey { column })
    }
}
