//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $page:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule {
            says: $says,
            source: concat!("https://docs.x.com/", $page),
        };)*
    };
}

rules! {
    TOKEN_FORM: "fundamentals/authentication/oauth-2-0/authorization-code#refresh-tokens",
        "A token is asked for as a form with refresh_token, grant_type=refresh_token and client_id.";
    CLIENT: "fundamentals/authentication/oauth-2-0/user-access-token#working-with-confidential-clients",
        "A confidential client has a header of basic authentication.";
    REUSED: "fundamentals/authentication/oauth-2-0/user-access-token#step-5-refresh-token",
        "A refresh token gives a new access token and a new refresh token, which is used next.";
    BEARER: "fundamentals/authentication/oauth-2-0/overview", "Every call has the access token as a bearer token.";
    METHOD: "x-api/introduction", "The call exists, and has its method.";
    LIMIT: "x-api/fundamentals/rate-limits", "A question of which none is left is not asked before its limit is whole again.";
    BODY: "x-api/posts/create-post", "The body is JSON, with the fields of the call alone.";
    TEXT: "fundamentals/counting-characters", "A post has 1 to 280 weighted characters.";
    REPLY: "x-api/posts/create-post#body-reply", "reply has in_reply_to_tweet_id, the id of a post as a text of 1 to 19 digits.";
    PARAMETER: "x-api/users/get-mentions", "Only the call's own parameters are passed.";
    RESULTS: "x-api/users/get-mentions#parameter-max-results", "max_results is 5 to 100.";
    SINCE: "x-api/users/get-mentions#parameter-since-id", "since_id is the id of a post.";
    PAGE: "x-api/users/get-mentions#parameter-pagination-token", "pagination_token is one that an answer gave.";
    FIELDS: "x-api/users/get-mentions#parameter-tweet-fields", "Fields and expansions are those that there are.";
    USER: "x-api/users/get-mentions#parameter-id", "id is that of the user whose token it is.";
}
