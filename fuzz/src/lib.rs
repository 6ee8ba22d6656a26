//! The checks of the fuzz targets, which are those of the tests: `make test` replays the corpora with them.

#[path = "../../src-tauri/directives/tests/grammar/checks.rs"]
mod checks;
#[path = "../../src-tauri/directives/tests/naive/compare.rs"]
mod compare;
#[path = "../../src-tauri/directives/tests/naive/masking.rs"]
mod masking;
#[path = "../../src-tauri/directives/tests/naive/page/mod.rs"]
mod page;
#[path = "../../src-tauri/directives/tests/naive/secrets.rs"]
mod secrets;
#[path = "../../src-tauri/directives/tests/naive/targets.rs"]
mod targets;
#[path = "../../src-tauri/directives/tests/naive/user/mod.rs"]
mod user;

/// The whole text at once.
pub fn batch(bytes: &[u8]) {
    targets::batch(bytes);
}

/// The text in the fuzzer's chunks.
pub fn stream(bytes: &[u8]) {
    targets::stream(bytes);
}

/// What a user writes.
pub fn inbound(bytes: &[u8]) {
    targets::inbound(bytes);
}

/// Both readings of the grammar page.
pub fn differential(bytes: &[u8]) {
    targets::differential(bytes);
}

/// What is masked, by the patterns and in every cut.
pub fn redact(bytes: &[u8]) {
    masking::redact(bytes);
}
