//! Numbers and dates by which the values of a column are coded before they are generalized: `top = 90`, `bins = [0, 10000]`.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number, or a date or time as the column writes it.
///
/// Numbers have a decimal point, whatever the column has. They are kept as texts, so that whole numbers stay exact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Threshold(String);

impl Threshold {
    /// The number or date as a text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The number, unless it is a date.
    pub fn number(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl From<&str> for Threshold {
    /// One text for each number, so that a plan is the same after it was written and read.
    fn from(text: &str) -> Self {
        let text = text.trim();
        let whole = text.parse::<i64>().map(|number| number.to_string());
        let number = || text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.to_string());
        Threshold(whole.ok().or_else(number).unwrap_or_else(|| text.to_owned()))
    }
}

impl FromStr for Threshold {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let threshold = Threshold::from(text);
        if threshold.0.is_empty() { Err("a number or a date is missing".to_owned()) } else { Ok(threshold) }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Threshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0.parse::<i64>(), self.number()) {
            (Ok(whole), _) => serializer.serialize_i64(whole),
            (_, Some(number)) => serializer.serialize_f64(number),
            _ => serializer.serialize_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Threshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => text,
            value @ (toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Datetime(_)) => value.to_string(),
            other => return Err(serde::de::Error::custom(format!("`{other}` is neither a number nor a date"))),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_survive_their_plan() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct One {
            top: Threshold,
        }
        for (written, text) in
            [("90", "90"), ("9e1", "90"), ("0.50", "0.5"), ("1930-01-31", "1930-01-31"), ("\"007\"", "7")]
        {
            let one: One = toml::from_str(&format!("top = {written}")).unwrap();
            assert_eq!(one.top.text(), text);
            assert_eq!(toml::from_str::<One>(&toml::to_string(&one).unwrap()).unwrap(), one);
        }
        assert!(toml::from_str::<One>("top = [1]").is_err());
        assert!("".parse::<Threshold>().is_err());
    }
}
