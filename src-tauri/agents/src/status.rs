//! The fault behind an HTTP status and the words beside it. A backend over HTTP answers with one; an ACP agent passes
//! on that of the API behind it, as the code of its error or in its words.

use foldback_wire::AgentFault;

/// A refusal as its status tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatusFault {
    pub(crate) fault: AgentFault,
    /// True when a later attempt may succeed.
    pub(crate) passing: bool,
}

/// Words with which backends say that they do not have the model, in lower case. Statuses differ: `LiteLLM` and
/// `OpenRouter` answer 400, vLLM, Ollama and `OpenAI` 404.
const NO_MODEL: [&str; 5] = [
    "invalid model name",
    "not a valid model",
    "unknown model",
    "model not found",
    "no such model",
];

/// Words with which Google refuses a key, in lower case, under a status that does not say so: 400. Gateways and gemini-cli
/// pass them on.
const BAD_KEY: [&str; 3] = ["api key not valid", "api key not found", "api_key_invalid"];

/// True for words with which a server says, under a status that does not, that it refuses the key.
pub fn names_bad_key(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    BAD_KEY.into_iter().any(|part| words.contains(part))
}

/// The fault of a refusal; `None` for what is no refusal's status (300 to 599).
pub(crate) fn fault_of_status(status: u16, words: &str) -> Option<StatusFault> {
    use AgentFault::{Internal, NoModel, Overloaded, RateLimited, Rejected, Timeout, Unauthorized};
    let words = words.to_ascii_lowercase();
    let about = |part: &str| words.contains(part);
    let (fault, passing) = match status {
        404 if about("model") || about("agent") => (NoModel, false),
        400 | 422 if NO_MODEL.into_iter().any(about) => (NoModel, false),
        400 if names_bad_key(&words) => (Unauthorized, false),
        401 | 403 => (Unauthorized, false),
        408 => (Timeout, true),
        429 => (RateLimited, true),
        // 409: busy with another request; official clients try it again too.
        409 | 503 | 529 => (Overloaded, true),
        500..=599 => (Internal, true),
        300..=499 => (Rejected, false),
        _ => return None,
    };
    Some(StatusFault { fault, passing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_refused_with_400_is_known_by_its_words() {
        for words in [
            "API key not valid. Please pass a valid API key.",
            "API Key not found. Please pass a valid API key.",
            r#"{"reason": "API_KEY_INVALID", "domain": "googleapis.com"}"#,
        ] {
            let refused = fault_of_status(400, words).expect("a refusal");
            let known = (refused.fault, refused.passing);
            assert_eq!(known, (AgentFault::Unauthorized, false), "{words}");
        }
    }

    #[test]
    fn a_model_that_is_not_there_is_known_by_its_words() {
        for (status, words) in [
            (404, "model \"m\" not found, try pulling it first"),
            (
                400,
                "/chat/completions: Invalid model name passed in model=m. Call `/v1/models` to view available models",
            ),
            (400, "m is not a valid model ID"),
        ] {
            let refused = fault_of_status(status, words).expect("a refusal");
            assert_eq!(
                (refused.fault, refused.passing),
                (AgentFault::NoModel, false),
                "{words}"
            );
        }
        let refused = fault_of_status(400, "this model does not take images").expect("a refusal");
        assert_eq!(refused.fault, AgentFault::Rejected);
        assert_eq!(fault_of_status(200, ""), None);
    }
}
