//! What SQLite says, as what a person can do something about.

use crate::StoreError;
use std::path::Path;

// Primary result codes, https://www.sqlite.org/rescode.html
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const NOTADB: i32 = 26;

/// The meaning of an error on this file.
pub(super) fn of(path: &Path, error: &sqlx::Error) -> StoreError {
    let path = path.to_owned();
    if matches!(error, sqlx::Error::PoolClosed) {
        return StoreError::Closed;
    }
    match code(error) {
        Some(BUSY | LOCKED) => StoreError::Locked(path),
        Some(READONLY) => StoreError::ReadOnly(path),
        Some(CORRUPT | NOTADB) => StoreError::DamagedFile {
            path,
            detail: error.to_string(),
        },
        Some(FULL) => StoreError::Full(path),
        _ => StoreError::Database(format!("{}: {error}", path.display())),
    }
}

/// Whether waiting may help.
pub(super) fn passes(error: &sqlx::Error) -> bool {
    matches!(code(error), Some(BUSY | LOCKED | FULL))
}

/// The primary code is the low byte of the extended one.
fn code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xFF)
}
