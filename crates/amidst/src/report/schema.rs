//! The JSON Schema of each JSON form.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};

use super::{
    AttackOutcome, AuditOutcome, BoundOutcome, Comparison, DryRun, Explanation, MeasureOutcome, Outcome, PublicReport,
    RiskOutcome,
};

/// A function that makes a schema.
pub type MakeSchema = fn() -> Schema;

/// The schema of each command with a JSON form, and of the report for recipients.
pub const SCHEMAS: &[(&str, MakeSchema)] = &[
    ("anonymize", schema::<Outcome>),
    ("dry-run", schema::<DryRun>),
    ("public-report", schema::<PublicReport>),
    ("audit", schema::<AuditOutcome>),
    ("explain", schema::<Explanation>),
    ("measure", schema::<MeasureOutcome>),
    ("attack", schema::<AttackOutcome>),
    ("compare", schema::<Comparison>),
    ("bound", schema::<BoundOutcome>),
    ("risk", schema::<RiskOutcome>),
];

fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}
