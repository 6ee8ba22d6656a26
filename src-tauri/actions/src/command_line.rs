//! The command line by which people know an action.

use serde_json::{Map, Value};

/// The command line in the payload of an action that has one, such as `bash`.
pub(crate) fn command_in(payload: &Map<String, Value>) -> Option<String> {
    Some(payload.get("command")?.as_str()?.to_owned())
}

/// The command line in a payload as an agent wrote it, of an action that was not carried out, too; `None` where it has none or
/// is no JSON object.
pub fn written_command(payload: &str) -> Option<String> {
    command_in(&serde_json::from_str(payload).ok()?)
}

#[cfg(test)]
mod tests {
    use super::written_command;

    #[test]
    fn a_payload_with_a_command_is_known_by_it_and_no_other_is() {
        let command = written_command(r#"{"timeout":3,"command":"rm -r /"}"#);
        assert_eq!(command.as_deref(), Some("rm -r /"));
        for other in [
            r#"{"id":3}"#,
            r#"{"command":["ls"]}"#,
            r#"["command"]"#,
            "rm -r /",
        ] {
            assert_eq!(written_command(other), None, "{other}");
        }
    }
}
