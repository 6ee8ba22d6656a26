//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $source:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule { says: $says, source: $source };)*
    };
}

rules! {
    AGENT: "https://github.com/reddit-archive/reddit/wiki/API#rules",
        "The User-Agent is <platform>:<app ID>:<version string> (by /u/<reddit username>).";
    BASIC: "https://github.com/reddit-archive/reddit/wiki/OAuth2#retrieving-the-access-token",
        "A token is asked for with the app's id and secret as HTTP Basic Auth.";
    GRANT: "https://github.com/reddit-archive/reddit/wiki/OAuth2#refreshing-the-token",
        "A token is asked for with grant_type and what belongs to it, as a form.";
    BEARER: "https://github.com/reddit-archive/reddit/wiki/OAuth2#using-the-token",
        "Every call has the header Authorization: bearer and a token that is valid.";
    METHOD: "https://www.reddit.com/dev/api#section_account", "The call exists, and has its method.";
    FORM: "https://www.reddit.com/dev/api#overview", "What is to be done comes as a form.";
    PARAMETER: "https://www.reddit.com/dev/api#overview", "Only the call's own parameters are passed.";
    JSON: "https://www.reddit.com/dev/api#POST_api_comment", "api_type is the string json.";
    FULLNAME: "https://www.reddit.com/dev/api#fullnames",
        "A fullname is the type's prefix, an underscore and the id in base 36.";
    PARENT: "https://www.reddit.com/dev/api#POST_api_comment", "thing_id is the fullname of the parent.";
    TEXT: "https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py#POST_comment",
        "The text has 1 to 10,000 characters.";
    LIMIT: "https://www.reddit.com/dev/api#listings", "limit is the maximum number of items, at most 100.";
    MARK: "https://www.reddit.com/dev/api#GET_message_{where}", "mark is true or false.";
    MARKED: "https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py#POST_read_message",
        "id is a comma-separated list of at most 25 fullnames of the inbox.";
    EDIT: "https://www.reddit.com/dev/api#POST_api_editusertext", "thing_id is the fullname of something by the user.";
    TO: "https://www.reddit.com/dev/api#POST_api_compose", "to is the name of an existing user.";
    SUBJECT: "https://www.reddit.com/dev/api#POST_api_compose", "subject is a string no longer than 100 characters.";
    CONTEXT: "https://www.reddit.com/dev/api#GET_comments_{article}", "context is an integer between 0 and 8.";
}
