//! What a platform is made to do wrong.

use crate::place::Place;
use foldback_strict::{Mishap, discord::Order};
use foldback_wire::OpKind;

impl Place {
    /// The next call of an operation goes wrong: of a message, of an edit of one, or of a reaction.
    pub(crate) fn plan(&self, op: OpKind, mishap: Mishap) {
        let (send, edit, react) = match self {
            Self::Telegram(_) => ("sendMessage", "editMessageText", "setMessageReaction"),
            Self::Discord(_) => ("create_message", "edit_message", "create_reaction"),
            Self::Slack(_) => ("chat.postMessage", "chat.update", "reactions.add"),
            Self::Whatsapp(..) => ("messages", "messages", "messages"),
            Self::Signal(_) => ("send", "send", "sendReaction"),
        };
        let method = match op {
            OpKind::EditText => edit,
            OpKind::React => react,
            _ => send,
        };
        match self {
            Self::Telegram(server) => server.plan(method, mishap),
            Self::Discord(server) => server.plan(method, mishap),
            Self::Slack(server) => server.plan(method, mishap),
            Self::Whatsapp(server, _) => server.plan(method, mishap),
            Self::Signal(server) => server.plan(method, mishap),
        }
    }

    /// The connection that messages come in on breaks, or what came on it comes again; one of three ways.
    pub(crate) fn disturb(&self, way: usize) {
        match self {
            Self::Telegram(server) => {
                let ways = [Mishap::Lost, Mishap::Broken, Mishap::Failed];
                server.plan("getUpdates", ways[way]);
            }
            Self::Discord(server) => server.order([Order::Cut, Order::Reconnect, Order::Repeat][way]),
            Self::Slack(server) if way == 0 => server.close(),
            Self::Slack(server) => server.close_oldest(),
            // From now on everything comes twice, or no longer.
            Self::Whatsapp(server, _) => server.repeat(u32::from(way > 0)),
            Self::Signal(server) => server.disconnect(),
        }
    }
}
