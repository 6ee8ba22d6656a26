//! All actions of a bot, by name: what an agent asked for is looked up, checked, and handed to its interface.

use crate::{
    ActionAsker, ActionCircumstances, ActionDecision, ActionInterface, ActionOrder, ActionResult, ActionRow,
    MOST_PAYLOAD_BYTES, NamedRefusal, ResultSink, schema::PayloadSchema,
};
use foldback_wire::{
    ActionAccess, ActionConfirmation, ActionRefusal, ActionRefusalCode, Clock, JsonAction, PayloadFinding,
    PerformedAction, SessionId, TurnId, UserId, duration_in_words,
};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

/// Most actions that one answer has carried out. Those behind them are refused.
pub const MOST_ACTIONS: u32 = 8;
/// Most bytes of an action's name that are told.
const MOST_NAME: usize = 256;
/// The likeness, from 0 to 1, from which on a name is suggested for one that is unknown.
const ALIKE: f64 = 0.75;
/// The time beyond its limit that an interface may take to end an action.
const ENDING: Duration = Duration::from_secs(10);

/// A table of actions. It is empty where no interface is on.
#[derive(Clone, Default)]
pub struct ActionTable(BTreeMap<String, Entry>);

#[derive(Clone)]
struct Entry {
    row: ActionRow,
    schema: Arc<PayloadSchema>,
    interface: Arc<dyn ActionInterface>,
}

/// The reason for which interfaces make no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// Two rows have one name.
    #[error("two actions are called {0}")]
    Twice(String),
    /// A name is not of the form that agents can write.
    #[error("{0:?} is no name of an action: 1 to 64 of a to z, 0 to 9, _ and -")]
    Name(String),
    /// A row's schema is none.
    #[error("the schema of {action} cannot be read: {why}")]
    Schema {
        /// The action.
        action: String,
        /// The reason, in words.
        why: String,
    },
}

/// An action that may be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedAction {
    /// Its place among the actions of its answer, from 0.
    pub index: u32,
    /// Its name, and the command by which people know it.
    pub performed: PerformedAction,
    /// Its payload.
    pub payload: Map<String, Value>,
    /// The reason for which a person has to confirm it, in words; none where nobody has to.
    pub confirmation: Option<String>,
    /// The setting that allows it without a confirmation, where one does.
    pub allowed_by: Option<&'static str>,
}

impl ActionTable {
    /// The table of these interfaces.
    ///
    /// # Errors
    /// A row is not as it must be.
    pub fn of(interfaces: Vec<Arc<dyn ActionInterface>>) -> Result<Self, TableError> {
        Self::default().with(interfaces)
    }

    /// The table with these interfaces, too.
    ///
    /// # Errors
    /// A row is not as it must be.
    pub fn with(self, interfaces: Vec<Arc<dyn ActionInterface>>) -> Result<Self, TableError> {
        let Self(mut entries) = self;
        for interface in interfaces {
            for row in interface.rows() {
                let name = row.name.clone();
                if !is_name(&name) {
                    return Err(TableError::Name(name));
                }
                let schema = PayloadSchema::read(&row.payload).map_err(|why| TableError::Schema {
                    action: name.clone(),
                    why,
                })?;
                let interface = Arc::clone(&interface);
                let entry = Entry {
                    row,
                    schema: Arc::new(schema),
                    interface,
                };
                if entries.insert(name.clone(), entry).is_some() {
                    return Err(TableError::Twice(name));
                }
            }
        }
        Ok(Self(entries))
    }

    /// True where there is no action.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows, by name.
    pub fn rows(&self) -> impl Iterator<Item = &ActionRow> {
        self.0.values().map(|entry| &entry.row)
    }

    /// The row of a name.
    pub fn row(&self, name: &str) -> Option<&ActionRow> {
        self.0.get(name).map(|entry| &entry.row)
    }

    /// The rows of the actions that may be asked for at this word and in this turn, by name.
    pub fn offered(&self, asker: ActionAsker) -> impl Iterator<Item = &ActionRow> {
        self.rows().filter(move |row| permit(row, asker).is_ok())
    }

    /// Reads the action at a place of its answer: is it known, may it be carried out at this word and in this turn, does
    /// its payload fit, and has a person to confirm it?
    ///
    /// # Errors
    /// The first of these that does not hold, with all places of a payload that do not fit.
    pub fn read(
        &self,
        index: u32,
        action: &JsonAction,
        asker: ActionAsker,
    ) -> Result<CheckedAction, ActionRefusal> {
        let refuse = |code, detail: String| refusal(index, &action.kind, code, detail);
        let Some(entry) = self.0.get(&action.kind) else {
            return Err(refuse(
                ActionRefusalCode::UnknownAction,
                self.unknown(&action.kind),
            ));
        };
        let row = &entry.row;
        permit(row, asker).map_err(|(code, detail, setting)| ActionRefusal {
            setting: setting.map(str::to_owned),
            ..refuse(code, detail)
        })?;
        if index >= MOST_ACTIONS {
            let detail =
                format!("an answer has at most {MOST_ACTIONS} actions carried out; ask for the rest later");
            return Err(refuse(ActionRefusalCode::TooMany, detail));
        }
        let payload = payload(row, entry, action, refuse)?;
        let name = row.name.as_str();
        let mut allowed_by = None;
        let confirmation = match (entry.interface.decide(name, &payload), row.confirmation) {
            (ActionDecision::Denied { why, setting }, _) => {
                return Err(ActionRefusal {
                    setting: Some(setting.to_owned()),
                    ..refuse(ActionRefusalCode::Denied, why)
                });
            }
            (ActionDecision::Unfit(findings), _) => return Err(unfit(findings, refuse)),
            // The stricter of the row and the interface counts.
            (_, ActionConfirmation::Always) => Some(format!("{name} is confirmed each time")),
            (ActionDecision::Confirmed(why), _) => Some(why),
            (ActionDecision::AsDeclared, ActionConfirmation::Listed) => {
                Some(format!("no list of {name} allows it"))
            }
            (ActionDecision::AsDeclared, ActionConfirmation::Never) => None,
            (ActionDecision::Allowed(setting), _) => {
                allowed_by = Some(setting);
                None
            }
        };
        Ok(CheckedAction {
            index,
            performed: PerformedAction {
                name: name.to_owned(),
                command: entry.interface.command(name, &payload),
            },
            payload,
            confirmation,
            allowed_by,
        })
    }

    /// Looks up what the payload of an action that was read names. Costs a question to its interface.
    ///
    /// # Errors
    /// The reason for which it is not carried out, with the places of the payload that can be mended.
    pub async fn look_up(
        &self,
        action: &CheckedAction,
        asked: ActionCircumstances,
    ) -> Result<(), ActionRefusal> {
        let name = action.performed.name.as_str();
        let Some(entry) = self.0.get(name) else {
            return Ok(());
        };
        let refuse = |code, detail: String| refusal(action.index, name, code, detail);
        match entry.interface.look_up(name, &action.payload, asked).await {
            Ok(()) => Ok(()),
            Err(NamedRefusal::Unfit(findings)) => Err(unfit(findings, refuse)),
            Err(NamedRefusal::NotPermitted { code, why, setting }) => Err(ActionRefusal {
                setting: setting.map(str::to_owned),
                ..refuse(code, why)
            }),
        }
    }

    /// Carries out an action that was read, and gives what came of it. Takes as long as its interface does, at most ten
    /// seconds beyond the limit of its row; dropped, it leaves nothing running.
    pub async fn perform(
        &self,
        action: &CheckedAction,
        requester: UserId,
        session: SessionId,
        turn: TurnId,
        clock: &dyn Clock,
    ) -> ActionResult {
        let Some(entry) = self.0.get(&action.performed.name) else {
            return ActionResult::failed(self.unknown(&action.performed.name));
        };
        let order = ActionOrder {
            action: action.performed.name.clone(),
            payload: action.payload.clone(),
            requester,
            session,
            turn,
        };
        let (sink, receiver) = ResultSink::pair();
        let most = entry.row.limits.time + ENDING;
        tokio::select! {
            biased;
            () = entry.interface.perform(order, sink) => receiver.result().await,
            () = clock.sleep_until_steady(clock.steady().plus(most)) => {
                ActionResult::failed(format!("stopped: it took longer than {}", duration_in_words(most)))
            }
        }
    }

    /// The name that is most like one that is unknown; none where no name is like it.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest_name(name, self.0.keys().map(String::as_str))
    }

    /// The words about a name that is none of an action.
    fn unknown(&self, name: &str) -> String {
        let nearest = self.nearest(name);
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        match nearest {
            Some(known) => format!("there is no such action; did you mean `{known}`?"),
            None if names.is_empty() => "there is no such action: none is on".to_owned(),
            None => format!("there is no such action; there are: {}", names.join(", ")),
        }
    }
}

/// The name among `known` that is most like one that is unknown, in any case of letters; none where no name is like it.
pub fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = known.map(|known| (strsim::jaro_winkler(known, &name), known));
    let nearest = alike.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest
        .filter(|(alike, _)| *alike >= ALIKE)
        .map(|(_, known)| known)
}

impl fmt::Debug for ActionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn is_name(name: &str) -> bool {
    let of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(of_name)
}

fn refusal(index: u32, name: &str, code: ActionRefusalCode, detail: String) -> ActionRefusal {
    ActionRefusal {
        index,
        name: name[..name.floor_char_boundary(MOST_NAME)].to_owned(),
        code,
        detail,
        findings: Vec::new(),
        setting: None,
        decided_by: None,
    }
}

type Refused = (ActionRefusalCode, String, Option<&'static str>);

/// May a row's action be carried out at this word and in this turn?
fn permit(row: &ActionRow, asker: ActionAsker) -> Result<(), Refused> {
    let (permitted, setting) = match row.access {
        ActionAccess::Anyone => (true, None),
        ActionAccess::Listed => (asker.is_owner || asker.is_listed, Some("actions.senders")),
        ActionAccess::Owner => (asker.is_owner, Some("commands.owner_allow_from")),
    };
    if !permitted {
        let detail = match row.access {
            ActionAccess::Listed => {
                "only owners of the bot and listed senders may have this action carried out"
            }
            ActionAccess::Owner | ActionAccess::Anyone => {
                "only owners of the bot may have this action carried out"
            }
        };
        return Err((ActionRefusalCode::NotPermitted, detail.to_owned(), setting));
    }
    // A turn cannot have done in the next one what it may not do itself.
    let kinds = [asker.turn, asker.root];
    if let Some(kind) = kinds.into_iter().find(|kind| !row.turns.contains(kind)) {
        let detail = if kind == asker.turn {
            format!("this action is not carried out in a turn of the kind {kind}")
        } else {
            format!("this action is not carried out in what a turn of the kind {kind} led to")
        };
        return Err((ActionRefusalCode::TurnNotPermitted, detail, None));
    }
    if asker.depth >= asker.most_depth {
        let most = asker.most_depth;
        let detail = format!(
            "one message leads to at most {most} delivery turns, and they have been; answer with what is known"
        );
        return Err((ActionRefusalCode::DepthLimit, detail, None));
    }
    Ok(())
}

/// The payload, where it fits.
fn payload(
    row: &ActionRow,
    entry: &Entry,
    action: &JsonAction,
    refuse: impl Fn(ActionRefusalCode, String) -> ActionRefusal,
) -> Result<Map<String, Value>, ActionRefusal> {
    let most = row.limits.payload_bytes.min(MOST_PAYLOAD_BYTES);
    let bytes = action.payload.len();
    if bytes > most {
        let detail = format!("the payload has {bytes} bytes; make it at most {most}");
        return Err(refuse(ActionRefusalCode::PayloadTooLarge, detail));
    }
    let payload = match serde_json::from_str(&action.payload) {
        Ok(payload @ Value::Object(_)) => payload,
        Ok(_) => {
            let detail = "the payload is no JSON object; write {…}".to_owned();
            return Err(refuse(ActionRefusalCode::PayloadMalformed, detail));
        }
        Err(error) => {
            let detail = format!("the payload is no JSON: {error}");
            return Err(refuse(ActionRefusalCode::PayloadMalformed, detail));
        }
    };
    let findings = entry.schema.findings(&payload);
    match payload {
        Value::Object(payload) if findings.is_empty() => Ok(payload),
        _ => Err(unfit(findings, refuse)),
    }
}

/// The refusal of a payload for the places that do not fit.
fn unfit(
    findings: Vec<PayloadFinding>,
    refuse: impl Fn(ActionRefusalCode, String) -> ActionRefusal,
) -> ActionRefusal {
    let first = findings.first();
    let change = first.map_or("write it as the schema has it", |first| &first.change);
    let detail = format!("the payload does not fit: {change}");
    ActionRefusal {
        findings,
        ..refuse(ActionRefusalCode::PayloadInvalid, detail)
    }
}

#[cfg(test)]
mod tests;
