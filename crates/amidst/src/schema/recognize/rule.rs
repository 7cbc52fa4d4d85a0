//! The kinds of identifiers that the HIPAA Safe Harbor rule names, and the words that point to them.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Contents;

/// A kind of identifier that the rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // `title` has the words of the law
pub enum Rule {
    Names,
    Geography,
    Dates,
    DateParts,
    Ages,
    Phone,
    Fax,
    Email,
    SocialSecurity,
    MedicalRecord,
    HealthPlan,
    Account,
    Licence,
    Vehicle,
    Device,
    Url,
    IpAddress,
    Biometric,
    Photograph,
    UniqueCode,
}

impl Rule {
    /// The letter in the law, and a short form of its words.
    pub fn title(self) -> (char, &'static str) {
        match self {
            Rule::Names => ('A', "names"),
            Rule::Geography => ('B', "places smaller than a state"),
            Rule::Dates => ('C', "dates finer than a year"),
            Rule::DateParts => ('C', "parts of a date finer than a year"),
            Rule::Ages => ('C', "ages over 89"),
            Rule::Phone => ('D', "telephone numbers"),
            Rule::Fax => ('E', "fax numbers"),
            Rule::Email => ('F', "e-mail addresses"),
            Rule::SocialSecurity => ('G', "social security numbers"),
            Rule::MedicalRecord => ('H', "medical record numbers"),
            Rule::HealthPlan => ('I', "health plan beneficiary numbers"),
            Rule::Account => ('J', "account numbers"),
            Rule::Licence => ('K', "certificate and licence numbers"),
            Rule::Vehicle => ('L', "vehicle identifiers"),
            Rule::Device => ('M', "device identifiers and serial numbers"),
            Rule::Url => ('N', "URLs"),
            Rule::IpAddress => ('O', "IP addresses"),
            Rule::Biometric => ('P', "biometric identifiers"),
            Rule::Photograph => ('Q', "photographs"),
            Rule::UniqueCode => ('R', "unique numbers, characteristics and codes"),
        }
    }

    /// Whether a value identifies a person by itself, so that generalization does not help.
    pub fn is_direct(self) -> bool {
        !matches!(self, Rule::Geography | Rule::Dates | Rule::DateParts | Rule::Ages)
    }

    /// What to do about such a column.
    pub fn remedy(self) -> &'static str {
        match self {
            Rule::Geography => {
                "drop it, or generalize to the state; ZIP codes may keep the first three digits if more than 20,000 people share \
                 them (else 000): hierarchy = { mask = [2] }"
            }
            Rule::Dates => "generalize to the year: hierarchy = { dates = [\"year\"] }, or drop it",
            Rule::DateParts => "drop it; the year may stay",
            Rule::Ages => "put all ages from 90 on into one value, 90+",
            _ => "drop it: role = \"identifier\"",
        }
    }
}

/// A rule, the words at the end of a name that point to it, and a test that the values must also pass.
type Named = (Rule, &'static [&'static str], fn(&Contents) -> bool);

/// The rules that names of columns point to. Words are the last ones of a name, beside mere numbers: a `policy number` is a number of a
/// policy, a `policy premium` is a premium.
pub(super) const NAMED: &[Named] = &[
    (Rule::Fax, &["fax", "telefax"], Contents::is_many),
    (
        Rule::Phone,
        &["phone", "telephone", "tel", "mobile", "cellphone", "cell", "telefon", "handy", "telefono"],
        Contents::is_many,
    ),
    (
        Rule::SocialSecurity,
        &[
            "ssn",
            "socialsecurity",
            "nationalid",
            "nhs",
            "nino",
            "sin",
            "aadhaar",
            "aadhar",
            "cpf",
            "curp",
            "pesel",
            "bsn",
            "dni",
            "nif",
            "taxid",
            "tin",
            "ahv",
            "personnummer",
            "codicefiscale",
            "cedula",
        ],
        Contents::is_many,
    ),
    (Rule::MedicalRecord, &["mrn", "medicalrecord", "chart", "hospitalnumber"], Contents::is_many),
    (
        Rule::HealthPlan,
        &["beneficiary", "member", "policy", "subscriber", "mbi", "hicn", "medicaid", "medicare", "insurance"],
        is_many_codes,
    ),
    (Rule::Account, &["account", "acct", "iban", "creditcard", "card", "cardnumber", "konto"], is_many_codes),
    (Rule::Licence, &["license", "licence", "certificate", "passport", "dea", "npi", "ausweis"], Contents::is_many),
    (Rule::Licence, &["driver", "drivers", "dl"], is_many_licences),
    (Rule::Vehicle, &["vin", "plate", "licenseplate"], Contents::is_many),
    (Rule::Device, &["device", "serial", "imei", "imsi", "mac"], is_many_codes),
    (Rule::Email, &["email", "mail", "correo"], Contents::is_many),
    (Rule::Url, &["url", "website", "homepage"], Contents::is_many),
    (Rule::IpAddress, &["ip", "ipaddress"], Contents::is_many),
    (Rule::Biometric, &["fingerprint", "biometric", "voiceprint", "iris", "retina", "genome"], |_| true),
    (Rule::Photograph, &["photo", "photograph", "portrait", "picture"], |_| true),
    (Rule::Geography, &["zip", "zipcode", "postcode", "postal", "postalcode", "plz", "areacode", "fips"], |_| true),
    (
        Rule::Geography,
        &[
            "street",
            "address",
            "addr",
            "adresse",
            "strasse",
            "direccion",
            "city",
            "town",
            "village",
            "county",
            "precinct",
            "tract",
            "birthplace",
            "municipality",
            "suburb",
            "neighborhood",
            "neighbourhood",
            "ort",
            "wohnort",
            "ciudad",
            "ville",
        ],
        |_| true,
    ),
    (Rule::Geography, &["latitude", "longitude", "lat", "lon", "lng", "geocode", "puma"], |_| true),
];

/// Numbers of licences have letters or many digits; numbers of drivers do not.
fn is_many_licences(contents: &Contents) -> bool {
    contents.is_many() && contents.share(|text| text.len() >= 7 || text.contains(char::is_alphabetic)) > 0.5
}

/// Rules whose words are also those of quantities: a `card` may be one of many, or a price.
fn is_many_codes(contents: &Contents) -> bool {
    contents.is_many() && contents.share(|text| text.contains('.') && text.parse::<f64>().is_ok()) < 0.5
}

/// Words of street addresses, which lead to a single house.
pub(super) const ADDRESSES: &[&str] = &["street", "address", "addr", "adresse", "strasse", "direccion"];
