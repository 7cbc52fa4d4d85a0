//! Paths in JSON, written lossily. A file name that is not UTF-8 must not make a report fail after the release is published.

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
