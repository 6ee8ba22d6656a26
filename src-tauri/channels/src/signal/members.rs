//! Names of the members of groups: <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#listgroups> tells who is
//! in a group, and <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#listcontacts> what people are called.
//!
//! They are asked for where a connection begins, and again where a group changes or is a new one: all groups together, by one
//! question at a time, on a connection of its own. The first connection waits for them at most [`PATIENCE`], so that what
//! was kept for the account comes in with them. No message waits, and where the daemon does not tell there are no names.

use super::envelope::Me;
use super::{SignalCli, daemon::Daemon, locked};
use crate::Refusal;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Longest wait of the first connection.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest wait for an answer of the daemon.
const ANSWER: Duration = Duration::from_secs(10);
/// Most groups that are remembered.
const GROUPS: usize = 1_000;
/// Most members of each.
const MEMBERS: usize = 50;

/// The groups of an account.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The names in each, by its id.
    members: HashMap<String, Vec<String>>,
    /// The revision in which a group was heard of last.
    revisions: HashMap<String, i64>,
    /// The daemon is being asked.
    asking: bool,
    /// It is to be asked again after that.
    again: bool,
    /// It has answered, or refused to.
    answered: bool,
}

impl Groups {
    /// The names of a group's members; empty where they are not known.
    pub(super) fn members(&self, group: &str) -> Vec<String> {
        self.members.get(group).cloned().unwrap_or_default()
    }

    /// Takes note of a group that is heard of. True where its members are to be asked for: it changed, or nobody knows it.
    pub(super) fn hear_of(&mut self, group: &str, revision: i64) -> bool {
        if let Some(known) = self.revisions.get_mut(group) {
            return std::mem::replace(known, revision) != revision;
        }
        if self.revisions.len() == GROUPS {
            return false;
        }
        self.revisions.insert(group.to_owned(), revision);
        !self.members.contains_key(group)
    }

    /// True where the daemon is to be asked now. Where it is being asked already, that is done again.
    fn begin(&mut self) -> bool {
        self.again = self.asking;
        !std::mem::replace(&mut self.asking, true)
    }

    /// The daemon has answered. True where it is to be asked again.
    fn end(&mut self, listed: Result<HashMap<String, Vec<String>>, Refusal>) -> bool {
        match listed {
            Ok(members) => self.members = members,
            Err(refusal) => tracing::info!(%refusal, "the members of Signal's groups are not known"),
        }
        self.answered = true;
        self.asking = std::mem::take(&mut self.again);
        self.asking
    }
}

/// A group as `listGroups` has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Group {
    id: String,
    members: Vec<Account>,
}

/// A member as `listGroups` has them, and somebody as `listContacts` has them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Account {
    number: Option<String>,
    uuid: Option<String>,
    username: Option<String>,
    name: Option<String>,
    nick_name: Option<String>,
    profile: Option<Profile>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Profile {
    given_name: Option<String>,
    family_name: Option<String>,
}

impl Account {
    fn ids(&self) -> impl Iterator<Item = &str> {
        self.uuid.iter().chain(&self.number).map(String::as_str)
    }

    /// The name that the account's owner gave them, else their own.
    fn called(&self) -> Option<String> {
        let profile = self.profile.as_ref().map(
            |Profile {
                 given_name,
                 family_name,
             }| {
                let parts: Vec<_> = given_name
                    .iter()
                    .chain(family_name)
                    .map(|part| part.trim())
                    .collect();
                parts.join(" ").trim().to_owned()
            },
        );
        let names = [
            self.nick_name.clone(),
            self.name.clone(),
            profile,
            self.username.clone(),
        ];
        names.into_iter().flatten().find(|name| !name.trim().is_empty())
    }
}

/// The answer as a list; what is none of its form is passed over.
fn read_all<T: for<'de> Deserialize<'de>>(answer: Value) -> impl Iterator<Item = T> {
    let all = match answer {
        Value::Array(all) => all,
        _ => Vec::new(),
    };
    all.into_iter().filter_map(|one| serde_json::from_value(one).ok())
}

/// The names of the members of each group but the account itself. Who has no name is called by number or ACI.
async fn list(
    daemon: &Daemon,
    me: &Me,
    mut params: Map<String, Value>,
) -> Result<HashMap<String, Vec<String>>, Refusal> {
    let groups: Vec<Group> = read_all(daemon.call("listGroups", &params, ANSWER).await?).collect();
    if groups.is_empty() {
        return Ok(HashMap::new());
    }
    params.insert("allRecipients".into(), true.into());
    let people = read_all::<Account>(daemon.call("listContacts", &params, ANSWER).await?);
    let mut names = HashMap::new();
    for person in people {
        if let Some(name) = person.called() {
            names.extend(person.ids().map(|id| (id.to_owned(), name.clone())));
        }
    }
    let of = |group: Group| {
        let others = group
            .members
            .iter()
            .filter(|member| !me.is(member.number.as_deref(), member.uuid.as_deref()));
        let called = others.filter_map(|member| {
            let name = member.ids().find_map(|id| names.get(id)).cloned();
            name.or_else(|| member.number.clone().or_else(|| member.uuid.clone()))
        });
        (group.id, called.take(MEMBERS).collect())
    };
    Ok(groups.into_iter().take(GROUPS).map(of).collect())
}

impl SignalCli {
    /// Asks for the members of all groups where a connection begins, and waits for the first answer a little.
    pub(super) async fn meet_groups(&self) {
        let answer = self.ask_for_members();
        if !self.state().groups.answered
            && let Some(answer) = answer
        {
            // One that comes later serves the messages after it.
            let _ = tokio::time::timeout(PATIENCE, answer).await;
        }
    }

    /// Asks for the members of all groups, beside everything else. The answer is told where it is the one to this question.
    pub(super) fn ask_for_members(&self) -> Option<oneshot::Receiver<()>> {
        if !self.state().groups.begin() {
            return None;
        }
        let (daemon, state) = (Arc::clone(&self.daemon), Arc::clone(&self.state));
        let params = self.parameters();
        let (tell, told) = oneshot::channel();
        let asking = async move {
            let mut tell = Some(tell);
            loop {
                let me = locked(&state).me.clone();
                let listed = list(&daemon, &me, params.clone()).await;
                let again = locked(&state).groups.end(listed);
                // Whoever waits may be gone.
                let _ = tell.take().map(|tell| tell.send(()));
                if !again {
                    break;
                }
            }
        };
        let mut under_way = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        while under_way.try_join_next().is_some() {}
        under_way.spawn(asking);
        Some(told)
    }

    /// Ends what is being asked.
    pub(super) fn leave_groups(&self) {
        self.asking
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .abort_all();
        let mut state = self.state();
        (state.groups.asking, state.groups.again) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_asked_for_where_it_is_new_and_where_it_changed() {
        let mut groups = Groups::default();
        groups.end(Ok(HashMap::from([("a".to_owned(), vec!["Ana".to_owned()])])));
        assert!(!groups.hear_of("a", 3), "its members were told just now");
        assert!(!groups.hear_of("a", 3));
        assert!(groups.hear_of("a", 4));
        assert!(groups.hear_of("b", 1) && !groups.hear_of("b", 1));
        for number in 0..GROUPS {
            groups.hear_of(&number.to_string(), 1);
        }
        assert!(!groups.hear_of("one too many", 1));
        assert_eq!(groups.revisions.len(), GROUPS);
    }

    #[test]
    fn one_question_is_under_way_and_one_more_waits() {
        let mut groups = Groups::default();
        assert!(groups.begin() && !groups.begin() && !groups.begin());
        assert!(groups.end(Ok(HashMap::new())), "something happened meanwhile");
        assert!(!groups.end(Ok(HashMap::new())));
        assert!(groups.begin());
    }

    #[test]
    fn people_are_called_as_the_account_calls_them() {
        let called = |json| serde_json::from_value::<Account>(json).unwrap().called();
        let profile = serde_json::json!({"givenName": "Ana", "familyName": null});
        for (name, nick, expected) in [
            ("Ana from work", "Anita", Some("Anita")),
            ("Ana from work", "", Some("Ana from work")),
            (" ", "", Some("Ana")),
        ] {
            let json = serde_json::json!({"name": name, "nickName": nick, "profile": profile});
            assert_eq!(called(json).as_deref(), expected);
        }
        let nobody = serde_json::json!({"number": "+1", "profile": {"givenName": "", "familyName": " "}});
        assert_eq!(called(nobody), None);
    }
}
