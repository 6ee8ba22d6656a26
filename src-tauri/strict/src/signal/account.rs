//! What an account has: people, groups, messages.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A message of the account, or to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posted {
    /// When it was sent, in milliseconds: its name.
    pub sent: i64,
    /// Who wrote it; `None` for the account itself.
    pub author: Option<String>,
    /// Its text.
    pub text: String,
    /// Its emphasis, each as start:length:STYLE.
    pub styles: Vec<String>,
    /// What it quotes: when that was sent, by whom, and what it says.
    pub quote: Option<(i64, String, String)>,
    /// Its file.
    pub file: Option<Attached>,
    /// The account's reaction to it.
    pub reaction: Option<String>,
    /// It was removed for everybody.
    pub removed: bool,
    /// Its author was shown that it was read.
    pub read: bool,
}

/// A person on Signal.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) aci: String,
    pub(super) name: String,
    pub(super) distrusted: bool,
}

#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) people: BTreeMap<String, Person>,
    /// Members by the group's id.
    pub(super) groups: BTreeMap<String, BTreeSet<String>>,
    /// By the id of the group, or the number of the person.
    pub(super) chats: BTreeMap<String, Vec<Posted>>,
    pub(super) typing: BTreeMap<String, u32>,
    /// Changes of each group.
    pub(super) revisions: BTreeMap<String, i64>,
    last: i64,
}

impl Account {
    /// The next moment something is sent at. Each is another, as between people who are not machines.
    pub(super) fn moment(&mut self) -> i64 {
        self.last = self.last.max(1_763_700_000_000) + 7;
        self.last
    }

    /// The number of changes that a group had.
    pub(super) fn revision(&self, group: &str) -> i64 {
        self.revisions.get(group).copied().unwrap_or(1)
    }

    /// <https://github.com/AsamK/signal-cli/blob/master/src/main/java/org/asamk/signal/commands/ListGroupsCommand.java>
    pub(super) fn listed_groups(&self) -> Value {
        let member = |number: &String| {
            let aci = self.people.get(number).map(|person| &person.aci);
            json!({"number": number, "uuid": aci})
        };
        let group = |(id, members): (&String, &BTreeSet<String>)| {
            json!({
                "id": id, "name": "G", "description": "", "isMember": true, "isBlocked": false,
                "messageExpirationTime": 0, "members": members.iter().map(member).collect::<Value>(),
                "pendingMembers": [], "requestingMembers": [], "admins": [], "banned": [],
                "permissionAddMember": "EVERY_MEMBER", "permissionEditDetails": "EVERY_MEMBER",
                "permissionSendMessage": "EVERY_MEMBER", "groupInviteLink": null,
            })
        };
        self.groups.iter().map(group).collect()
    }

    /// People of whom nobody made a contact are told only where all are asked for:
    /// <https://github.com/AsamK/signal-cli/blob/master/src/main/java/org/asamk/signal/commands/ListContactsCommand.java>
    pub(super) fn listed_people(&self, all: bool) -> Value {
        let people = self.people.iter().filter(|_| all);
        let told = people.map(|(number, person)| {
            json!({
                "number": number, "uuid": person.aci, "username": null, "name": "", "givenName": null,
                "familyName": null, "nickName": null, "color": null, "isBlocked": false, "isHidden": false,
                "messageExpirationTime": 0, "profileSharing": true, "unregistered": false,
                "profile": {"lastUpdateTimestamp": 0, "givenName": person.name, "familyName": null, "about": null},
            })
        });
        told.collect()
    }

    /// The number of whom a recipient means.
    pub(super) fn number(&self, recipient: &str) -> Option<String> {
        let known = |(number, person): &(&String, &Person)| *number == recipient || person.aci == recipient;
        self.people.iter().find(known).map(|(number, _)| number.clone())
    }

    /// A message of a chat by its time and its author's number.
    pub(super) fn find(&mut self, chat: &str, sent: i64, author: Option<&str>) -> Option<&mut Posted> {
        let messages = self.chats.get_mut(chat)?;
        messages
            .iter_mut()
            .find(|posted| posted.sent == sent && posted.author.as_deref() == author)
    }

    /// The envelope of a person's message, as signal-cli has it. Its data are completed with what they lack.
    pub(super) fn envelope(&mut self, from: &str, group: Option<&str>, mut data: Value) -> Value {
        let sent = data["timestamp"].as_i64().unwrap_or_else(|| self.moment());
        data["timestamp"] = sent.into();
        if let Some(group) = group {
            data["groupInfo"] = json!({"groupId": group, "groupName": "G", "revision": self.revision(group), "type": "DELIVER"});
        }
        let posted = Posted {
            sent,
            author: Some(from.to_owned()),
            text: data["message"].as_str().unwrap_or_default().to_owned(),
            ..Posted::default()
        };
        let chat = group.unwrap_or(from).to_owned();
        self.chats.entry(chat).or_default().push(posted);
        let person = self.people.get(from);
        json!({
            "source": from, "sourceNumber": from,
            "sourceUuid": person.map(|person| &person.aci),
            "sourceName": person.map(|person| &person.name),
            "sourceDevice": 1, "timestamp": sent,
            "serverReceivedTimestamp": sent.saturating_add(1), "serverDeliveredTimestamp": sent.saturating_add(2),
            "dataMessage": data,
        })
    }
}
