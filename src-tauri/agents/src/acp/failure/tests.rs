use super::*;
use serde_json::json;

/// An internal error of the agent with this data.
fn internal(data: &Value) -> Value {
    json!({"code": -32603, "message": "Internal error", "data": data})
}

#[test]
fn the_status_of_the_api_behind_the_agent_is_told_apart() {
    use AgentFault::{Internal, NoModel, Overloaded, RateLimited, Rejected, Unauthorized};
    for (error, fault) in [
        (json!({"code": 401, "message": "API key not valid"}), Unauthorized),
        (
            json!({"code": 404, "message": "models/gemini-x is not found"}),
            NoModel,
        ),
        (json!({"code": 429, "message": "Resource exhausted"}), RateLimited),
        (json!({"code": 500, "message": "An internal error"}), Internal),
        (
            json!({"code": 503, "message": "The model is overloaded"}),
            Overloaded,
        ),
        (
            json!({"code": -32000, "message": "Authentication required"}),
            Unauthorized,
        ),
        (json!({"code": -32603, "message": "Internal error"}), Internal),
        (
            json!({"code": -32603, "message": "Internal error: API Error: 429 {\"type\":\"error\"}"}),
            RateLimited,
        ),
        (
            json!({"code": -32603, "message": "Internal error", "data": {"http_status_code": 401}}),
            Unauthorized,
        ),
        (
            json!({"code": 400, "message": "API key not valid. Please pass a valid API key."}),
            Unauthorized,
        ),
        (
            internal(
                &json!({"codex_error_info": {"http_connection_failed": {"http_status_code": 401}}, "message": "x"}),
            ),
            Unauthorized,
        ),
        (
            internal(
                &json!({"codex_error_info": {"response_too_many_failed_attempts": {"http_status_code": 429}}}),
            ),
            RateLimited,
        ),
        (
            internal(&json!({"codex_error_info": "usage_limit_exceeded"})),
            RateLimited,
        ),
        (
            internal(&json!({"codex_error_info": "unauthorized"})),
            Unauthorized,
        ),
        (
            internal(&json!({"codex_error_info": "server_overloaded"})),
            Overloaded,
        ),
        (internal(&json!({"errorKind": "rate_limit"})), RateLimited),
        (
            internal(&json!({"errorKind": "authentication_failed"})),
            Unauthorized,
        ),
        (internal(&json!({"errorKind": "overloaded"})), Overloaded),
        (internal(&json!({"errorKind": "billing_error"})), Rejected),
        (
            internal(&json!([{"errorKind": "a new kind", "code": 7}])),
            Internal,
        ),
        (
            json!({"code": -32603, "message": "Invalid API key · Please run /login"}),
            Unauthorized,
        ),
        (
            json!({"code": -32603, "message": "You've hit your limit · resets 3pm"}),
            RateLimited,
        ),
        (
            json!({"code": -32050, "message": "x", "data": {"errorKind": "rate_limit"}}),
            RateLimited,
        ),
        (json!({"code": -32602, "message": "Invalid params"}), Rejected),
        (json!({"code": -32050, "message": "something new"}), Rejected),
    ] {
        let read: Error = serde_json::from_value(error.clone()).expect("an error");
        assert_eq!(Failure::refused("session/prompt", &read).fault, fault, "{error}");
    }
}
