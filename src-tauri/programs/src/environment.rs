//! The environment of programs that are none of ours.

/// The variables that a guarded program gets of our own environment; everything else is cleared. Keys and tokens that
/// Foldback was started with are none of its business: what it needs stands in its own settings.
pub const PASSED_ON: [&str; 10] = [
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
];
