//! Failures of a start: the window shows them instead of the bot.

use super::failure;
use crate::{OpenError, SetupError};
use foldback_wire::rpc::Failure;
use std::fmt::Display;

/// The configuration or its surroundings do not make a bot.
pub(crate) fn no_setup(error: &SetupError) -> Failure {
    match error {
        SetupError::NoDataFolder => failure(
            "no_data_folder",
            "The system does not say where your data is kept.".to_owned(),
            Some("Set FOLDBACK_DATA_DIR to a folder for Foldback's data."),
        ),
        SetupError::Config(error) => failure(
            "bad_configuration",
            sentence(error),
            Some("Mend the file and start Foldback again; `foldback doctor` checks it."),
        ),
    }
}

/// The bot does not start.
pub(crate) fn cannot_start(error: &OpenError) -> Failure {
    failure(
        "cannot_start",
        sentence(error),
        Some("Nothing was changed. `foldback doctor` checks folders, journal and endpoints."),
    )
}

/// An error as a sentence: errors are written to stand after a colon. One that begins with the name of a file or of a
/// setting keeps its first letter.
fn sentence(error: &impl Display) -> String {
    let text = error.to_string();
    let text = match text.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => text,
    };
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{text}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_becomes_a_sentence_and_a_name_keeps_its_letters() {
        let said = |error: &str| sentence(&error);
        assert_eq!(said("the journal is locked"), "The journal is locked.");
        assert_eq!(
            said("files.send_dir: is it right?"),
            "files.send_dir: is it right?"
        );
        assert_eq!(said("foldback.toml: line 3."), "foldback.toml: line 3.");
    }
}
