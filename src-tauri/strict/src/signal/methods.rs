//! The methods.

use super::account::Posted;
use super::content::{attached, styled};
use super::request::Params;
use super::rules::{
    ACCOUNT, DELETE, EMOJI, EMPTY, FETCH, GROUP, LENGTH, MEMBER, METHOD, QUOTE, REACTION, RECEIPT, RECIPIENT,
    REGISTERED, SUBSCRIPTION, TARGET,
};
use super::server::{Refused, State, refuse};
use crate::Rule;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

pub(super) const USER: i64 = -1;
const WHERE: [&str; 3] = ["account", "recipient", "groupId"];

type Done = Result<Value, Refused>;

/// Where something goes: the chat, and whether it is a group.
struct Place {
    chat: String,
    group: bool,
}

impl State {
    /// Carries a call out. `connection` is the one it came on.
    pub(super) fn call(&mut self, connection: u64, method: &str, given: &mut Params) -> Done {
        match method {
            "version" => given.only(&[]).map(|()| json!({"version": "0.13.19"})),
            "listAccounts" if !self.start.single => {
                given.only(&[])?;
                Ok(self
                    .start
                    .accounts
                    .iter()
                    .map(|number| json!({"number": number}))
                    .collect())
            }
            // Breaks no rule: it is how one finds out that there is only one.
            "listAccounts" => Err(Refused::plain(-32_601, "Method not implemented")),
            "subscribeReceive" => {
                given.only(&["account"])?;
                let account = self.account_of(given, true)?;
                Ok(self.subscribe(connection, account))
            }
            "unsubscribeReceive" => {
                given.only(&["account", "subscription"])?;
                let subscription = given.moment("subscription")?;
                if self.unsubscribe(connection, subscription) {
                    Ok(json!({}))
                } else {
                    Err(refuse(SUBSCRIPTION, USER, "Unknown subscription id"))
                }
            }
            "send" => self.with_account(given, Self::send),
            "sendReaction" => self.with_account(given, Self::react),
            "remoteDelete" => self.with_account(given, Self::delete),
            "sendTyping" => self.with_account(given, Self::typing),
            "getAttachment" => self.with_account(given, |state, given| state.get_attachment(given)),
            "listGroups" => self.with_account(given, |state, given| {
                given.only(&["account"])?;
                Ok(state.account.listed_groups())
            }),
            "listContacts" => self.with_account(given, |state, given| {
                given.only(&["account", "allRecipients"])?;
                Ok(state.account.listed_people(given.flag("allRecipients")?))
            }),
            "sendReceipt" => self.with_account(given, Self::receipt),
            _ => Err(refuse(METHOD, -32_601, "Method not implemented")),
        }
    }

    fn with_account(&mut self, given: &Params, method: impl FnOnce(&mut Self, &Params) -> Done) -> Done {
        self.account_of(given, false)?;
        method(self, given)
    }

    /// The account a call is about. Of one, the daemon needs not be told which.
    fn account_of(&self, given: &Params, all: bool) -> Result<Option<String>, Refused> {
        match given.text("account")? {
            Some(account) if self.start.accounts.iter().any(|one| one == account) => {
                Ok(Some(account.to_owned()).filter(|_| !self.start.single))
            }
            Some(_) => Err(refuse(ACCOUNT, -32_602, "Specified account does not exist")),
            None if all || self.start.single => Ok(None),
            None => Err(refuse(
                ACCOUNT,
                -32_602,
                "Method requires valid account parameter",
            )),
        }
    }

    /// <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#getattachment>
    fn get_attachment(&self, given: &Params) -> Done {
        given.only(&["account", "id", "recipient", "groupId"])?;
        if given.text("recipient")?.is_some() == given.text("groupId")?.is_some() {
            return Err(refuse(
                FETCH,
                USER,
                "the sender or the group is needed, and not both",
            ));
        }
        let Some(id) = given.text("id")? else {
            return Err(refuse(FETCH, USER, "the id is needed"));
        };
        // Breaks no rule: the folder may have been emptied.
        let gone = || Refused::plain(USER, &format!("Could not find attachment with ID: {id}"));
        let file = self.sent.get(id).ok_or_else(gone)?;
        Ok(json!({"data": STANDARD.encode(&file.bytes)}))
    }

    fn send(&mut self, given: &Params) -> Done {
        given.only(
            &[
                &WHERE[..],
                &[
                    "message",
                    "textStyle",
                    "attachments",
                    "quoteTimestamp",
                    "quoteAuthor",
                    "quoteMessage",
                ],
            ]
            .concat(),
        )?;
        let place = self.place(given)?;
        let text = given.text("message")?.unwrap_or_default().to_owned();
        let mut files = Vec::new();
        for uri in given.list("attachments")? {
            files.push(attached(uri)?);
        }
        if text.is_empty() && files.is_empty() {
            let said = "Sending empty message is not allowed, either a message, attachment or sticker must be given.";
            return Err(refuse(EMPTY, USER, said));
        }
        if text.len() > 2_000 {
            self.broken.note(LENGTH);
        }
        let mut styles = Vec::new();
        for style in given.list("textStyle")? {
            styled(style, &text)?;
            styles.push(style.to_owned());
        }
        let quote = match (given.moment("quoteTimestamp")?, given.text("quoteAuthor")?) {
            (None, None) => None,
            (Some(sent), Some(author)) => {
                let by = self.author(author, QUOTE)?;
                if self.account.find(&place.chat, sent, by.as_deref()).is_none() {
                    self.broken.note(QUOTE);
                }
                let words = given.text("quoteMessage")?.unwrap_or_default();
                Some((sent, author.to_owned(), words.to_owned()))
            }
            _ => {
                return Err(refuse(
                    QUOTE,
                    -32_603,
                    "a quotation has a timestamp and an author",
                ));
            }
        };
        self.deliver(&place, |state, sent| {
            let posted = Posted {
                sent,
                text,
                styles,
                quote,
                file: files.pop(),
                ..Posted::default()
            };
            state
                .account
                .chats
                .entry(place.chat.clone())
                .or_default()
                .push(posted);
        })
    }

    fn react(&mut self, given: &Params) -> Done {
        given.only(
            &[
                &WHERE[..],
                &["emoji", "targetAuthor", "targetTimestamp", "remove"],
            ]
            .concat(),
        )?;
        let place = self.place(given)?;
        let emoji = given.text("emoji")?.unwrap_or_default().to_owned();
        if emoji.graphemes(true).count() != 1 || emoji.is_ascii() {
            return Err(refuse(EMOJI, USER, "the emoji is not a single grapheme cluster"));
        }
        let (Some(author), Some(sent)) = (given.text("targetAuthor")?, given.moment("targetTimestamp")?)
        else {
            return Err(refuse(
                REACTION,
                -32_603,
                "a reaction has a target author and timestamp",
            ));
        };
        let by = self.author(author, REACTION)?;
        self.deliver(&place, |state, _| {
            match state.account.find(&place.chat, sent, by.as_deref()) {
                Some(posted) => posted.reaction = Some(emoji),
                None => state.broken.note(REACTION),
            }
        })
    }

    fn delete(&mut self, given: &Params) -> Done {
        given.only(&[&WHERE[..], &["targetTimestamp"]].concat())?;
        let place = self.place(given)?;
        let sent = given.moment("targetTimestamp")?;
        let sent = sent.ok_or_else(|| refuse(DELETE, -32_603, "targetTimestamp is missing"))?;
        self.deliver(&place, |state, _| {
            match state.account.find(&place.chat, sent, None) {
                Some(posted) if !posted.removed => posted.removed = true,
                _ => state.broken.note(DELETE),
            }
        })
    }

    fn typing(&mut self, given: &Params) -> Done {
        given.only(&[&WHERE[..], &["stop"]].concat())?;
        let place = self.place(given)?;
        self.deliver(&place, |state, _| {
            *state.account.typing.entry(place.chat.clone()).or_default() += 1;
        })
    }

    fn receipt(&mut self, given: &Params) -> Done {
        given.only(&["account", "recipient", "targetTimestamp", "type"])?;
        let recipient = given.text("recipient")?.unwrap_or_default().to_owned();
        let author = self.author(&recipient, RECEIPT)?;
        let moments = given.moments("targetTimestamp")?;
        if moments.is_empty() {
            return Err(refuse(RECEIPT, -32_603, "targetTimestamp is missing"));
        }
        match given.text("type")? {
            None | Some("read" | "viewed") => {}
            Some(other) => return Err(refuse(RECEIPT, USER, &format!("Unknown receipt type: {other}"))),
        }
        for sent in moments {
            let mut all = self.account.chats.values_mut().flatten();
            match all.find(|posted| posted.sent == sent && posted.author == author && author.is_some()) {
                Some(posted) => posted.read = true,
                None => self.broken.note(RECEIPT),
            }
        }
        let sent = self.account.moment();
        Ok(json!({"timestamp": sent, "results": [success(&recipient)]}))
    }

    /// The recipient or group that is named.
    fn place(&self, given: &Params) -> Result<Place, Refused> {
        let (recipients, groups) = (given.list("recipient")?, given.list("groupId")?);
        match (recipients.as_slice(), groups.as_slice()) {
            ([], []) => Err(refuse(TARGET, USER, "No recipients given")),
            ([recipient], []) => {
                self.form(recipient)?;
                let Some(chat) = self.account.number(recipient) else {
                    return Err(failed(
                        REGISTERED,
                        recipient,
                        "UNREGISTERED_FAILURE",
                        USER,
                        "Failed to send message",
                    ));
                };
                Ok(Place { chat, group: false })
            }
            ([], [group]) => {
                if !STANDARD
                    .decode(group)
                    .is_ok_and(|bytes| matches!(bytes.len(), 16 | 32))
                {
                    let said =
                        format!("Invalid group id: Failed to decode groupId (must be base64) \"{group}\"");
                    return Err(refuse(GROUP, USER, &said));
                }
                let members = self.account.groups.get(*group);
                let members =
                    members.ok_or_else(|| refuse(GROUP, USER, &format!("Group not found: {group}")))?;
                if !self
                    .start
                    .accounts
                    .iter()
                    .any(|account| members.contains(account))
                {
                    let said = format!("User is not a member in group: G ({group})");
                    return Err(refuse(MEMBER, USER, &said));
                }
                let chat = (*group).to_owned();
                Ok(Place { chat, group: true })
            }
            _ => Err(refuse(TARGET, USER, "one recipient or group at a time")),
        }
    }

    /// Refuses what is no recipient at all.
    fn form(&self, recipient: &str) -> Result<(), Refused> {
        let number = recipient.strip_prefix('+').unwrap_or("x");
        let is_number = (5..=15).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        let aci = recipient.strip_prefix("PNI:").unwrap_or(recipient);
        let is_aci = aci.len() == 36 && aci.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        if is_number || is_aci || recipient.starts_with("u:") || self.account.number(recipient).is_some() {
            return Ok(());
        }
        let said = format!("Invalid phone number '{recipient}': No valid characters found.");
        Err(refuse(RECIPIENT, USER, &said))
    }

    /// The number of an author, `None` for the account itself.
    fn author(&self, author: &str, missing: Rule) -> Result<Option<String>, Refused> {
        if author.is_empty() {
            return Err(refuse(missing, -32_603, "the author is missing"));
        }
        self.form(author)?;
        if self.start.accounts.iter().any(|account| account == author) {
            return Ok(None);
        }
        let number = self.account.number(author);
        let said = format!("The user {author} is not registered.");
        number.map(Some).ok_or_else(|| refuse(REGISTERED, USER, &said))
    }

    /// Does something at a place, and answers who got it.
    fn deliver(&mut self, place: &Place, act: impl FnOnce(&mut Self, i64)) -> Done {
        let to: Vec<_> = match self.account.groups.get(&place.chat).filter(|_| place.group) {
            Some(members) => members
                .iter()
                .filter(|one| !self.start.accounts.contains(*one))
                .cloned()
                .collect(),
            None => vec![place.chat.clone()],
        };
        let distrusts = |number: &String| {
            self.account
                .people
                .get(number)
                .is_some_and(|person| person.distrusted)
        };
        if let [only] = to.as_slice()
            && distrusts(only)
        {
            let said = "Failed to send message due to untrusted identities";
            return Err(Refused {
                rule: None,
                ..failed(TARGET, only, "IDENTITY_FAILURE", -4, said)
            });
        }
        let results: Vec<_> = to
            .iter()
            .map(|number| {
                if distrusts(number) {
                    result(number, "IDENTITY_FAILURE")
                } else {
                    success(number)
                }
            })
            .collect();
        let sent = self.account.moment();
        act(self, sent);
        Ok(json!({"timestamp": sent, "results": results}))
    }
}

fn success(number: &str) -> Value {
    result(number, "SUCCESS")
}

fn result(number: &str, kind: &str) -> Value {
    json!({"recipientAddress": {"uuid": null, "number": number, "username": null}, "type": kind})
}

/// A failure to send to the only recipient.
fn failed(rule: Rule, number: &str, kind: &str, code: i64, said: &str) -> Refused {
    let mut refused = refuse(rule, code, said);
    refused.fault["data"] = json!({"response": {"timestamp": 1, "results": [result(number, kind)]}});
    refused
}
