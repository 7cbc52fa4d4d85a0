//! What a report says that no program knows: who publishes the release, for whom, and by which rules people judge it.

use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};

/// Who answers for a release, who gets it, and which checklists its report has. What is not given is left blank in the report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Report {
    /// The organisation that publishes the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organisation: Option<String>,
    /// Who gets the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// What the recipients may use it for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Whom to ask about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Who signs the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    /// The day of the signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The checklists of the internal report.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
}

/// The fields of a report, in the order in which it has them.
pub const FIELDS: [&str; 6] = ["organisation", "recipient", "purpose", "contact", "signed_by", "date"];

impl Report {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        *self == Report::default()
    }

    /// The fields with their titles.
    pub fn fields(&self) -> [(&'static str, Option<&str>); 6] {
        let Report { organisation, recipient, purpose, contact, signed_by, date, profiles: _ } = self;
        [
            ("Organisation", organisation.as_deref()),
            ("Recipient", recipient.as_deref()),
            ("Purpose", purpose.as_deref()),
            ("Contact", contact.as_deref()),
            ("Signed by", signed_by.as_deref()),
            ("Date", date.as_deref()),
        ]
    }

    /// Fills in a field. Its name may have a hyphen, as flags have.
    pub(super) fn set(&mut self, field: &str, value: &str) -> Result<()> {
        let name = field.trim().replace('-', "_");
        let place = match name.as_str() {
            "organisation" => &mut self.organisation,
            "recipient" => &mut self.recipient,
            "purpose" => &mut self.purpose,
            "contact" => &mut self.contact,
            "signed_by" => &mut self.signed_by,
            "date" => &mut self.date,
            _ => {
                let meant = nearest(&name, FIELDS).map(|near| format!("; did you mean `{near}`?"));
                let message = format!("a report has no field `{field}`, only {}", FIELDS.join(", "));
                return Err(Error::parameter("about", message + &meant.unwrap_or_default()));
            }
        };
        *place = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        Ok(())
    }
}

/// A list of questions that the rules of a field ask about a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// HIPAA: Safe Harbor and Expert Determination.
    Hipaa,
    /// GDPR: Recital 26, by the criteria of the Article 29 Working Party.
    Gdpr,
    /// EMA Policy 0070 and Health Canada's public release of clinical information.
    Ema,
    /// ISO/IEC 27559.
    Iso27559,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 4] = [Profile::Hipaa, Profile::Gdpr, Profile::Ema, Profile::Iso27559];

    /// The word of a plan.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Hipaa => "hipaa",
            Profile::Gdpr => "gdpr",
            Profile::Ema => "ema",
            Profile::Iso27559 => "iso27559",
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Profile::ALL.into_iter().find(|profile| profile.name() == text.to_lowercase());
        let known = || Profile::ALL.map(Profile::name).join(", ");
        found.ok_or_else(|| format!("`{text}` is none of the profiles {}", known()))
    }
}
