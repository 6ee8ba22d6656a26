//! What Slack's errors mean, and what a person can do about them. Each method's page lists its own, such as
//! <https://docs.slack.dev/reference/methods/chat.postMessage#errors>.

use crate::Refusal;
use foldback_wire::RefusalCode;

/// Errors of one kind, with the words that Slack leaves out.
struct Meaning(RefusalCode, &'static [&'static str], &'static str);

const NEW_TOKEN: &str =
    "copy the token again from the app's page, OAuth & Permissions (or, xapp-…, Basic Information)";

const NOT_PERMITTED: &str = "the workspace does not permit it; ask its administrators";

const MEANINGS: &[Meaning] = &[
    Meaning(
        RefusalCode::RateLimited,
        &["ratelimited", "rate_limited", "message_limit_exceeded"],
        "Slack asks to wait",
    ),
    Meaning(
        RefusalCode::ChatGone,
        &["channel_not_found"],
        "there is no such channel, or it is private and the bot is not in it; /invite the bot there",
    ),
    Meaning(
        RefusalCode::Gone,
        &["message_not_found", "bad_timestamp", "no_item_specified"],
        "there is no such message in this channel",
    ),
    Meaning(
        RefusalCode::Gone,
        &["file_not_found", "file_deleted"],
        "there is no such file any more",
    ),
    Meaning(
        RefusalCode::ChatGone,
        &["is_archived"],
        "the channel is archived; somebody must unarchive it",
    ),
    Meaning(
        RefusalCode::Gone,
        &["thread_not_found", "cannot_reply_to_message", "invalid_thread_ts"],
        "that message cannot be answered",
    ),
    Meaning(
        RefusalCode::Forbidden,
        &["not_in_channel"],
        "the bot is not in this channel; write /invite @bot there",
    ),
    Meaning(
        RefusalCode::Forbidden,
        &["user_not_in_channel"],
        "the only person who may see it is not in this channel",
    ),
    Meaning(
        RefusalCode::Unauthorized,
        &["invalid_auth", "not_authed", "token_revoked", "token_expired"],
        NEW_TOKEN,
    ),
    Meaning(
        RefusalCode::Unauthorized,
        &["not_allowed_token_type"],
        "the wrong kind of token: token is the bot's, xoxb-…, and app_token the app's, xapp-…",
    ),
    Meaning(
        RefusalCode::Unauthorized,
        &["account_inactive"],
        "the app was removed from the workspace; install it again",
    ),
    Meaning(
        RefusalCode::Forbidden,
        &["cant_update_message", "cant_delete_message", "edit_window_closed"],
        "only the bot's own messages can be changed, and only as long as the workspace allows",
    ),
    Meaning(
        RefusalCode::Forbidden,
        &["messages_tab_disabled"],
        "direct messages to the app are switched off; switch them on under App Home, Messages Tab",
    ),
    Meaning(
        RefusalCode::Forbidden,
        &[
            "restricted_action",
            "restricted_action_read_only_channel",
            "restricted_action_thread_only_channel",
            "restricted_action_non_threadable_channel",
            "restricted_action_thread_locked",
            "channel_is_frozen",
        ],
        "the workspace does not let the bot write here",
    ),
    Meaning(
        RefusalCode::Forbidden,
        &[
            "access_denied",
            "file_type_not_allowed",
            "file_uploads_disabled",
            "file_uploads_except_images_disabled",
            "no_permission",
        ],
        NOT_PERMITTED,
    ),
    Meaning(
        RefusalCode::Unauthorized,
        &[
            "accesslimited",
            "ekm_access_denied",
            "enterprise_is_restricted",
            "org_login_required",
            "team_access_not_granted",
        ],
        NOT_PERMITTED,
    ),
    Meaning(
        RefusalCode::TooLong,
        &[
            "msg_too_long",
            "msg_blocks_too_long",
            "file_upload_size_restricted",
        ],
        "longer than Slack takes",
    ),
    Meaning(
        RefusalCode::Unsupported,
        &["invalid_name"],
        "the workspace has no such emoji",
    ),
    Meaning(
        RefusalCode::Unsupported,
        &["too_many_emoji", "too_many_reactions"],
        "the message has as many reactions as Slack allows",
    ),
    Meaning(
        RefusalCode::Transient,
        &["service_unavailable", "request_timeout", "team_added_to_org"],
        "Slack cannot do it now",
    ),
    Meaning(
        RefusalCode::Rejected,
        &["no_text"],
        "Slack takes no empty message",
    ),
];

/// What Slack may have begun before it failed.
const HALF_DONE: &[&str] = &["fatal_error", "internal_error"];

/// The refusal that an error means; `needed` is the scope that is missing, where Slack names one.
pub(super) fn of(error: &str, needed: Option<&str>) -> Refusal {
    if HALF_DONE.contains(&error) {
        let what = format!("{error}: Slack failed, perhaps half way");
        return Refusal::new(RefusalCode::Transient, what).or_done();
    }
    if error == "missing_scope" {
        let scope = needed.unwrap_or("a scope");
        let what = format!(
            "missing_scope: the app lacks {scope}; add it to the app, under OAuth & Permissions (connections:write: \
             to the app-level token), and install the app again"
        );
        return Refusal::new(RefusalCode::Unauthorized, what);
    }
    let known = MEANINGS
        .iter()
        .find(|Meaning(_, errors, _)| errors.contains(&error));
    match known {
        Some(Meaning(code, _, what)) => Refusal::new(*code, format!("{error}: {what}")),
        None => Refusal::new(RefusalCode::Rejected, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_error_has_one_meaning_and_says_it() {
        let mut known = BTreeSet::new();
        for Meaning(code, errors, what) in MEANINGS {
            for error in *errors {
                assert!(known.insert(*error), "{error} has two meanings");
                let refusal = of(error, None);
                assert_eq!((refusal.code, refusal.maybe_done), (*code, false));
                assert_eq!(refusal.detail, format!("{error}: {what}"));
            }
        }
    }

    #[test]
    fn what_a_token_may_not_do_is_told_from_what_a_channel_does_not_take() {
        for error in [
            "invalid_auth",
            "not_authed",
            "token_revoked",
            "token_expired",
            "not_allowed_token_type",
            "account_inactive",
            "team_access_not_granted",
        ] {
            assert_eq!(of(error, None).code, RefusalCode::Unauthorized, "{error}");
        }
        for error in ["not_in_channel", "restricted_action", "no_permission"] {
            assert_eq!(of(error, None).code, RefusalCode::Forbidden, "{error}");
        }
    }

    #[test]
    fn what_is_not_known_is_quoted_and_what_may_be_done_is_said() {
        let unknown = of("no_such_error", None);
        assert_eq!(
            (unknown.code, unknown.detail.as_str(), unknown.maybe_done),
            (RefusalCode::Rejected, "no_such_error", false)
        );
        for error in HALF_DONE {
            let refusal = of(error, None);
            assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Transient, true));
        }
        let missing = of("missing_scope", Some("files:write"));
        assert_eq!(missing.code, RefusalCode::Unauthorized);
        assert!(
            missing.detail.contains("the app lacks files:write; add it"),
            "{missing}"
        );
    }
}
