//! What a browser holds against a server.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $says:literal, $source:literal;)+) => {$(
        pub(super) const $name: Rule = Rule { says: $says, source: $source };
    )+};
}

rules! {
    ONE_COOKIE: "a cookie has a name and a value, and its attributes follow it",
        "https://www.rfc-editor.org/rfc/rfc6265#section-4.1.1";
    SECURE_IN_THE_OPEN: "a cookie that is Secure is ignored where it came in the open",
        "https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-5.7";
    HOST_PREFIX: "a cookie with the prefix __Host- is Secure, for the path / and for no domain",
        "https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2";
    NONE_IS_SECURE: "a cookie with SameSite=None is Secure",
        "https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-5.7";
    HTTP_ONLY: "a session's cookie is not for scripts",
        "https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html#httponly-attribute";
    NOSNIFF: "no type is guessed",
        "https://fetch.spec.whatwg.org/#x-content-type-options-header";
    TYPE: "an answer with a body has a type",
        "https://www.rfc-editor.org/rfc/rfc9110#section-8.3";
    POLICY: "a page says what it runs, and no script in its text",
        "https://www.w3.org/TR/CSP3/#csp-header";
    ANCESTORS: "a page says who may show it",
        "https://www.w3.org/TR/CSP3/#directive-frame-ancestors";
    NOT_SHARED: "no other origin may read an answer",
        "https://fetch.spec.whatwg.org/#http-access-control-allow-origin";
    SAME_ORIGIN: "no other origin may show what a session has",
        "https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header";
    ALLOW: "405 names the methods that are allowed",
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6";
    RETRY_AFTER: "429 and 503 say when to come again",
        "https://www.rfc-editor.org/rfc/rfc6585#section-4";
    CHALLENGE: "401 says how to get in",
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2";
    EVENT_TYPE: "events have the type text/event-stream",
        "https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream";
    EVENT_FORM: "an event is lines of fields that the form knows, and ends with an empty line",
        "https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream";
    EVENT_ID: "an event that can be resumed behind has an id",
        "https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header";
    PART: "206 says which part it is",
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7";
}
