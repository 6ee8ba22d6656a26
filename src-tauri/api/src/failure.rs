//! How commands fail: a stable code, what happened, and what to do about it.

use foldback_wire::rpc::Failure;

/// No command has this name.
pub(crate) fn unknown_command(name: &str) -> Failure {
    Failure {
        code: "unknown_command".to_owned(),
        message: format!("there is no command `{name}`"),
        hint: Some("the list of commands stands in ui/src/generated/commands.ts".to_owned()),
    }
}

/// The arguments of a command do not have its shape.
pub(crate) fn bad_arguments(name: &str, error: &serde_json::Error) -> Failure {
    Failure {
        code: "bad_arguments".to_owned(),
        message: format!("`{name}` cannot read its arguments: {error}"),
        hint: None,
    }
}

/// An answer that JSON cannot carry; only a defect of Foldback itself.
pub(crate) fn bad_answer(name: &str, error: &serde_json::Error) -> Failure {
    Failure {
        code: "internal".to_owned(),
        message: format!("the answer of `{name}` cannot be written as JSON: {error}"),
        hint: None,
    }
}
