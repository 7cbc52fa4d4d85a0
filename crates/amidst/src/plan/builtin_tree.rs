//! The trees of public classifications that come with amidst.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A tree of a public classification. A plan names it, so it never changes: a new edition gets a new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuiltinTree {
    /// ICD-10 of the World Health Organization: code, category, block, chapter.
    Icd10,
    /// ICD-10-CM of the United States: code, category, block, chapter.
    Icd10cm,
    /// Codes and English names of countries: country, region of UN M49.
    Countries,
    /// ZIP codes of the United States: code, first three digits, state, census region.
    UsZip,
    /// ISCO-08: occupations by digits.
    Isco,
    /// NAICS: industries by digits, with the titles of the sectors.
    Naics,
    /// SOC 2018: occupations by digits, with the titles of the major groups.
    Soc,
    /// Ages in years: bands of 5, 10 and 20 years. Ages from 90 on are never published.
    AgeBands,
}

impl BuiltinTree {
    /// All of them.
    pub const ALL: [BuiltinTree; 8] = {
        use BuiltinTree::{AgeBands, Countries, Icd10, Icd10cm, Isco, Naics, Soc, UsZip};
        [Icd10, Icd10cm, Countries, UsZip, Isco, Naics, Soc, AgeBands]
    };

    /// Its name in plans.
    pub fn name(self) -> &'static str {
        match self {
            BuiltinTree::Icd10 => "icd10",
            BuiltinTree::Icd10cm => "icd10cm",
            BuiltinTree::Countries => "countries",
            BuiltinTree::UsZip => "us-zip",
            BuiltinTree::Isco => "isco",
            BuiltinTree::Naics => "naics",
            BuiltinTree::Soc => "soc",
            BuiltinTree::AgeBands => "age-bands",
        }
    }
}

impl fmt::Display for BuiltinTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BuiltinTree {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || BuiltinTree::ALL.map(BuiltinTree::name).join(", ");
        let found = BuiltinTree::ALL.into_iter().find(|tree| tree.name() == text);
        found.ok_or_else(|| format!("`{text}` is no built-in tree; there are: {}", names()))
    }
}
