//! Paths in JSON, as they are shown: names that are no text must not spoil a report about a release that is published already.

use std::path::{Path, PathBuf};

use serde::Serializer;

#[allow(clippy::ref_option)] // what serde passes
pub(super) fn one<S: Serializer>(path: &Option<PathBuf>, out: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => out.serialize_some(&path.to_string_lossy()),
        None => out.serialize_none(),
    }
}

pub(super) fn many<S: Serializer>(paths: &[PathBuf], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(paths.iter().map(|path| Path::to_string_lossy(path)))
}
