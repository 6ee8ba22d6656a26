//! What the daemon received, as messages. The fields are those of
//! <https://github.com/AsamK/signal-cli/tree/master/src/main/java/org/asamk/signal/json>.

use super::ids::{Message, group_chat};
use crate::{told, unread::Reader};
use foldback_wire::{
    Attachment, ChannelId, ChatType, Inbound, InboundContext, MessageId, QuotedMessage, Receipt, Sender,
    SenderIds, Timestamp,
};
use serde::Deserialize;
use serde_json::Value;

/// Who the account is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Me {
    pub(super) number: Option<String>,
    pub(super) aci: Option<String>,
}

impl Me {
    /// What a configuration calls it.
    pub(super) fn of(account: Option<&str>) -> Self {
        let account = account.map(str::to_owned);
        match account {
            Some(name) if !name.starts_with('+') => Self {
                number: None,
                aci: Some(name),
            },
            number => Self { number, aci: None },
        }
    }

    /// What signal-cli calls it.
    pub(super) fn account(&self) -> Option<&str> {
        self.number.as_deref().or(self.aci.as_deref())
    }

    pub(super) fn is(&self, number: Option<&str>, aci: Option<&str>) -> bool {
        let same = |mine: Option<&str>, name: Option<&str>| mine.is_some() && mine == name;
        same(self.number.as_deref(), number) || same(self.aci.as_deref(), aci)
    }
}

/// What a notification is about: the message itself, or that wrapped with the subscription it answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Notification {
    #[serde(deserialize_with = "told::lenient")]
    pub(super) subscription: Option<i64>,
    result: Option<Received>,
    #[serde(flatten)]
    plain: Received,
}

impl Notification {
    /// `None` for one that cannot be read.
    pub(super) fn read(params: &Value, reader: &mut Reader) -> Option<(Option<i64>, Received)> {
        let read: Self = reader.read("notification", params)?;
        Some((read.subscription, read.result.unwrap_or(read.plain)))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Received {
    pub(super) account: Option<String>,
    pub(super) envelope: Option<Envelope>,
    #[serde(deserialize_with = "told::lenient")]
    pub(super) exception: Option<Exception>,
}

/// Why signal-cli could not read a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Exception {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Envelope {
    source: Option<String>,
    source_number: Option<String>,
    source_uuid: Option<String>,
    #[serde(deserialize_with = "told::lenient")]
    source_name: Option<String>,
    /// Milliseconds by the clock of Signal's server, where signal-cli tells them; `timestamp` is the device's.
    #[serde(deserialize_with = "told::lenient")]
    server_received_timestamp: Option<i64>,
    data_message: Option<DataMessage>,
    #[serde(deserialize_with = "told::lenient")]
    receipt_message: Option<ReceiptMessage>,
}

/// What somebody's device tells of messages of the account:
/// <https://github.com/AsamK/signal-cli/blob/master/src/main/java/org/asamk/signal/json/JsonReceiptMessage.java>.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ReceiptMessage {
    /// Milliseconds.
    #[serde(deserialize_with = "told::lenient")]
    when: Option<i64>,
    #[serde(deserialize_with = "told::lenient")]
    is_delivery: bool,
    #[serde(deserialize_with = "told::lenient")]
    is_read: bool,
    #[serde(deserialize_with = "told::lenient")]
    is_viewed: bool,
    /// The messages, by when they were sent.
    timestamps: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DataMessage {
    timestamp: i64,
    message: Option<String>,
    quote: Value,
    mentions: Value,
    attachments: Value,
    sticker: Option<Value>,
    reaction: Option<Value>,
    remote_delete: Option<Value>,
    group_info: Option<GroupInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Quote {
    id: i64,
    author: Option<String>,
    author_number: Option<String>,
    author_uuid: Option<String>,
    text: Option<String>,
}

/// A mention stands in the text as one U+FFFC. Start and length are in UTF-16 units.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Mention {
    name: Option<String>,
    number: Option<String>,
    uuid: Option<String>,
    start: usize,
    length: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct File {
    id: Option<String>,
    content_type: Option<String>,
    filename: Option<String>,
    size: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct GroupInfo {
    group_id: String,
    #[serde(deserialize_with = "told::lenient")]
    group_name: Option<String>,
    /// Counts the changes of the group.
    #[serde(deserialize_with = "told::lenient")]
    revision: i64,
}

/// A person's number where it is known, else the ACI: what signal-cli calls its identifier.
fn person<'a>(
    number: Option<&'a String>,
    aci: Option<&'a String>,
    other: Option<&'a String>,
) -> Option<&'a str> {
    let names = [number, aci, other].into_iter().flatten();
    names.map(String::as_str).find(|name| !name.is_empty())
}

/// The ids of a sender beside the first one.
fn other_ids(first: &str, number: Option<&str>, aci: Option<&str>) -> SenderIds {
    let other = |id: Option<&str>| id.filter(|id| !id.is_empty() && *id != first).map(str::to_owned);
    SenderIds {
        ids: other(aci).into_iter().map(Into::into).collect(),
        phone: other(number),
        names: Vec::new(),
    }
}

impl Envelope {
    /// Whether the account wrote it itself.
    fn is_of(&self, me: &Me) -> bool {
        me.is(self.source_number.as_deref(), self.source_uuid.as_deref())
    }

    /// The account's other name, where this comes from the account itself.
    pub(super) fn aci_of(&self, me: &Me) -> Option<&str> {
        self.source_uuid.as_deref().filter(|_| self.is_of(me))
    }

    /// The messages of the account that have come further; how far, and when.
    pub(super) fn receipts(&self, me: &Me) -> Vec<(MessageId, Receipt, Timestamp)> {
        let told = self.receipt_message.as_ref().filter(|_| !self.is_of(me));
        let Some((told, receipt)) = told.and_then(|told| Some((told, told.receipt()?))) else {
            return Vec::new();
        };
        let sent = told.timestamps.as_array().into_iter().flatten();
        let sent = sent.filter_map(Value::as_i64).filter(|sent| *sent > 0);
        // No receipt is older than its message.
        let when = |sent| told.when.or(self.server_received_timestamp).unwrap_or(sent);
        sent.map(|sent| {
            (
                Message { sent, author: None }.id(),
                receipt,
                Timestamp(when(sent)),
            )
        })
        .collect()
    }

    /// The group that it is about, and the number of changes that the group had: its members among others.
    pub(super) fn group(&self) -> Option<(&str, i64)> {
        let group = self.data_message.as_ref()?.group_info.as_ref()?;
        Some((&group.group_id, group.revision))
    }

    /// The message as Foldback knows it, in a group with these members; `None` for what no person wrote to the account: receipts, typing, calls,
    /// reactions, removals, edits, and what was sent from the account's other devices.
    pub(super) fn inbound(
        self,
        channel: &ChannelId,
        account: Option<String>,
        me: &Me,
        members: Vec<String>,
        reader: &mut Reader,
    ) -> Option<Inbound> {
        let own = self.is_of(me);
        let Self {
            source,
            source_number: number,
            source_uuid: aci,
            source_name: name,
            server_received_timestamp: received,
            data_message,
            receipt_message: _,
        } = self;
        let said =
            data_message.filter(|said| !own && said.reaction.is_none() && said.remote_delete.is_none())?;
        let sender = person(number.as_ref(), aci.as_ref(), source.as_ref())?;
        let mentions: Vec<Mention> = reader.read_all("mention", &said.mentions);
        let quote: Option<Quote> = reader.read("quote", &said.quote);
        let (text, files) = (said.text(&mentions), said.files(reader));
        if said.timestamp <= 0 || (text.trim().is_empty() && files.is_empty()) {
            return None;
        }
        let told = InboundContext {
            quote: quote.as_ref().map(Quote::told),
            group: said.group_info.as_ref().map(|group| foldback_wire::GroupInfo {
                name: group.group_name.clone(),
                members,
                ..foldback_wire::GroupInfo::default()
            }),
            sender: Some(other_ids(sender, number.as_deref(), aci.as_deref())),
            ..InboundContext::default()
        };
        let received = received.filter(|at| *at > 0);
        let group = said.group_info.as_ref();
        let mentions_me = mentions
            .iter()
            .any(|mention| me.is(mention.number.as_deref(), mention.uuid.as_deref()));
        let quotes_me = quote.as_ref().is_some_and(|quote| quote.is_of(me));
        let message = Message {
            sent: said.timestamp,
            author: Some(sender),
        };
        Some(Inbound {
            channel: channel.clone(),
            account,
            chat: group.map_or_else(|| sender.into(), |group| group_chat(&group.group_id)),
            chat_type: if group.is_some() {
                ChatType::Group
            } else {
                ChatType::Direct
            },
            thread: None,
            message: message.id(),
            reply_to: quote
                .as_ref()
                .and_then(|quote| quote.message(me))
                .map(Message::id),
            sender: Sender {
                id: sender.into(),
                name: sender.to_owned(),
                display_name: name
                    .filter(|name| !name.is_empty())
                    .unwrap_or_else(|| sender.to_owned()),
                is_bot: false,
            },
            mentioned: mentions_me || quotes_me,
            // signal-cli does not tell.
            forwarded: false,
            text,
            files,
            at: Timestamp(received.unwrap_or(said.timestamp)),
            at_by_device: received.is_none(),
            dry_run: false,
            omitted: None,
            context: told.bounded(),
        })
    }
}

impl ReceiptMessage {
    fn receipt(&self) -> Option<Receipt> {
        [
            (self.is_viewed, Receipt::Played),
            (self.is_read, Receipt::Read),
            (self.is_delivery, Receipt::Delivered),
        ]
        .into_iter()
        .find_map(|(is, receipt)| is.then_some(receipt))
    }
}

impl Quote {
    fn is_of(&self, me: &Me) -> bool {
        me.is(self.author_number.as_deref(), self.author_uuid.as_deref())
    }

    /// The message that is quoted. Its id is the bot's own where the bot wrote it, so that only words and author are told.
    fn told(&self) -> QuotedMessage {
        QuotedMessage {
            id: None,
            sender: person(
                self.author_number.as_ref(),
                self.author_uuid.as_ref(),
                self.author.as_ref(),
            )
            .map(str::to_owned),
            text: self.text.clone().unwrap_or_default(),
            own: false,
        }
    }

    fn message(&self, me: &Me) -> Option<Message<'_>> {
        let author = person(
            self.author_number.as_ref(),
            self.author_uuid.as_ref(),
            self.author.as_ref(),
        )?;
        let author = Some(author).filter(|_| !self.is_of(me));
        (self.id > 0).then_some(Message {
            sent: self.id,
            author,
        })
    }
}

impl DataMessage {
    /// The text, with mentions as `@` and who is meant.
    fn text(&self, mentions: &[Mention]) -> String {
        let text = self.message.as_deref().unwrap_or_default();
        let mut mentions: Vec<_> = mentions.iter().collect();
        mentions.sort_by_key(|mention| mention.start);
        let mut mentions = mentions.into_iter().peekable();
        let mut out = String::with_capacity(text.len());
        let (mut units, mut covered) = (0, 0);
        for c in text.chars() {
            // One that begins inside another, or inside a character, names nobody.
            while mentions.next_if(|mention| mention.start < units).is_some() {}
            if let Some(mention) = mentions.next_if(|mention| mention.start == units) {
                let who = person(
                    mention.number.as_ref(),
                    mention.uuid.as_ref(),
                    mention.name.as_ref(),
                );
                out.push('@');
                out.push_str(who.unwrap_or("somebody"));
                covered = units.saturating_add(mention.length);
            }
            if units >= covered {
                out.push(c);
            }
            units += c.len_utf16();
        }
        out
    }

    fn files(&self, reader: &mut Reader) -> Vec<Attachment> {
        let files: Vec<File> = reader.read_all("attachment", &self.attachments);
        let files = files.into_iter().map(|file| Attachment {
            name: file.filename.unwrap_or_else(|| "attachment".to_owned()),
            media_type: file
                .content_type
                .unwrap_or_else(|| "application/octet-stream".to_owned()),
            size: file.size,
            source: file.id,
        });
        let sticker = self.sticker.as_ref().map(|_| Attachment {
            name: "sticker.webp".to_owned(),
            media_type: "image/webp".to_owned(),
            size: None,
            source: None,
        });
        files.chain(sticker).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(message: &str, mentions: &[(usize, usize)]) -> String {
        let mentions = mentions.iter().map(|&(start, length)| Mention {
            number: Some("+1".into()),
            start,
            length,
            ..Mention::default()
        });
        let said = DataMessage {
            message: Some(message.into()),
            ..DataMessage::default()
        };
        said.text(&mentions.collect::<Vec<_>>())
    }

    #[test]
    fn mentions_stand_where_they_were() {
        for (message, mentions, expected) in [
            ("\u{fffc} and \u{fffc}", &[(6, 1), (0, 1)][..], "@+1 and @+1"),
            ("🎉\u{fffc}!", &[(2, 1)], "🎉@+1!"),
            ("\u{fffc}\u{fffc}x", &[(0, 1), (0, 1), (1, 1)], "@+1@+1x"),
            ("🎉\u{fffc}", &[(1, 1), (2, 1)], "🎉@+1"),
            ("abc", &[(1, 0)], "a@+1bc"),
            ("abc", &[(1, usize::MAX)], "a@+1"),
            ("abc", &[(3, 1), (usize::MAX, 1)], "abc"),
            ("", &[(0, 1)], ""),
        ] {
            assert_eq!(text(message, mentions), expected, "{message:?} {mentions:?}");
        }
    }

    #[test]
    fn only_ids_and_texts_are_asked_to_be_what_they_should_be() {
        let beside = [
            ("/subscription", json!("s")),
            ("/envelope/sourceName", json!({})),
            ("/envelope/serverReceivedTimestamp", json!("soon")),
            ("/envelope/receiptMessage", json!("?")),
            ("/envelope/dataMessage/groupInfo/revision", json!("3")),
            ("/envelope/dataMessage/groupInfo/groupName", json!(["Team"])),
            ("/exception", json!([])),
        ];
        for (field, value) in beside.iter().flat_map(|(field, value)| {
            [value.clone(), json!({"of": "a new kind"}), json!(null)].map(|value| (field, value))
        }) {
            let mut params = json!({"subscription": 0, "account": "+1", "exception": null, "envelope": {
                "source": "+2", "sourceNumber": "+2", "sourceUuid": "u", "sourceName": "Ana",
                "serverReceivedTimestamp": 7, "receiptMessage": null,
                "dataMessage": {"timestamp": 5, "message": "Hello",
                    "groupInfo": {"groupId": "g", "groupName": "Team", "revision": 3}}}});
            *params.pointer_mut(field).expect("a field") = value.clone();
            let mut reader = Reader::default();
            let (_, read) = Notification::read(&params, &mut reader).expect("a notification");
            let envelope = read.envelope.expect("an envelope");
            let message = envelope.inbound(&"signal".into(), None, &Me::default(), Vec::new(), &mut reader);
            assert_eq!(message.expect("a message").text, "Hello", "{field} {value}");
        }
    }

    #[test]
    fn a_receipt_counts_whatever_stands_beside_its_messages() {
        let envelope = json!({"sourceNumber": "+2", "receiptMessage": {
            "when": "x", "isDelivery": true, "isRead": "?", "isViewed": {}, "timestamps": [5, "six"]}});
        let envelope: Envelope = serde_json::from_value(envelope).expect("an envelope");
        let receipts = envelope.receipts(&Me::of(Some("+1")));
        let told: Vec<_> = receipts
            .iter()
            .map(|(_, receipt, when)| (*receipt, *when))
            .collect();
        assert_eq!(told, [(Receipt::Delivered, Timestamp(5))]);
    }
}
