//! Decides who may talk to the bot. Nobody, unless the channel's list says so.

use crate::{
    flow::{Flow, Stop},
    rules::{Rule, Rules},
};
use foldback_wire::{Gate, Inbound, Platform, Stage};

/// Passes a sender whom `allow_from` names: `*`, an id, or `provider:id`, where the provider is the
/// channel's name or platform. Entries for other providers name nobody here. Names never count: people
/// choose them. Answers the entry that let the sender in.
pub(crate) fn authorize(
    rules: Rules,
    platform: Platform,
    allow_from: &[String],
    message: &Inbound,
) -> Flow<String> {
    let setting = format!("channels.{}.allow_from", message.channel);
    let stop = |gate, detail: String| {
        Stop::new(Stage::Authorize, gate, detail)
            .given("sender", message.sender.id.as_str())
            .given("allow_from", format!("[{}]", allow_from.join(", ")))
            .changed_by(setting.clone())
            .flow()
    };
    if allow_from.is_empty() && rules.holds(Rule::AuthorizeClosed) {
        return stop(
            Gate::ChannelClosed,
            format!("{setting} is empty, so nobody may write here"),
        );
    }
    let sender = message.sender.id.as_str();
    let own = |provider: &str| {
        provider.eq_ignore_ascii_case(message.channel.as_str())
            || provider.eq_ignore_ascii_case(platform.code())
    };
    let names_sender = |entry: &&String| {
        let entry = entry.trim();
        entry == "*"
            || entry == sender
            || entry.split_once(':').is_some_and(|(provider, id)| {
                rules.holds(Rule::AuthorizeProvider) && own(provider) && (id == sender || id == "*")
            })
    };
    match allow_from.iter().find(names_sender) {
        Some(entry) => Flow::Continue(entry.clone()),
        None if !rules.holds(Rule::AuthorizeDeny) => Flow::Continue("(nobody asked)".to_owned()),
        None => stop(Gate::SenderNotAllowed, format!("{sender} is not in {setting}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;

    fn gate(allow: &[&str]) -> Result<String, Gate> {
        let allow: Vec<String> = allow.iter().map(ToString::to_string).collect();
        match authorize(Rules::all(), Platform::Telegram, &allow, &inbound("hi")) {
            Flow::Continue(entry) => Ok(entry),
            Flow::Stop(stop) => {
                assert_eq!(stop.setting.as_deref(), Some("channels.telegram.allow_from"));
                Err(stop.gate)
            }
        }
    }

    #[test]
    fn an_empty_list_is_closed() {
        assert_eq!(gate(&[]), Err(Gate::ChannelClosed));
    }

    #[test]
    fn a_sender_is_named_by_id_star_or_provider_and_id() {
        assert_eq!(gate(&["bob", "alice"]), Ok("alice".into()));
        assert_eq!(gate(&["*"]), Ok("*".into()));
        assert_eq!(gate(&["telegram:alice"]), Ok("telegram:alice".into()));
        assert_eq!(gate(&["Telegram:*"]), Ok("Telegram:*".into()));
    }

    #[test]
    fn another_provider_another_case_or_a_name_is_not_enough() {
        assert_eq!(gate(&["discord:alice"]), Err(Gate::SenderNotAllowed));
        assert_eq!(gate(&["ALICE"]), Err(Gate::SenderNotAllowed));
        assert_eq!(gate(&["Alice Example"]), Err(Gate::SenderNotAllowed));
    }
}
