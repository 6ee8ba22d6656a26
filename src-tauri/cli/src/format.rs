//! Form of what a command prints: lines for people, or JSON for programs.

/// Form in which a command prints what it found. Commands with a form of their own besides, such as SARIF, list theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}
