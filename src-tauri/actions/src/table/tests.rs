//! Looking up, checking and carrying out.

use super::*;
use async_trait::async_trait;
use foldback_wire::{
    Clock, DELIVERY_DEPTH, DeliveryOutcome, ResultItem, Sleep, Span, SteadyTime, Timestamp, TurnId, TurnKind,
};
use schemars::JsonSchema;
use std::future::pending;

/// A note.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct NotePayload {
    /// The text.
    text: String,
}

struct Notes {
    rows: Vec<ActionRow>,
    decision: ActionDecision,
    named: Result<(), NamedRefusal>,
    hangs: bool,
}

#[async_trait]
impl ActionInterface for Notes {
    fn rows(&self) -> Vec<ActionRow> {
        self.rows.clone()
    }

    fn decide(&self, _: &str, _: &Map<String, Value>) -> ActionDecision {
        self.decision.clone()
    }

    async fn look_up(
        &self,
        _: &str,
        _: &Map<String, Value>,
        _: ActionCircumstances,
    ) -> Result<(), NamedRefusal> {
        self.named.clone()
    }

    fn command(&self, _: &str, payload: &Map<String, Value>) -> Option<String> {
        Some(payload.get("text")?.as_str()?.to_owned())
    }

    async fn perform(&self, order: ActionOrder, mut results: ResultSink) {
        if self.hangs {
            pending::<()>().await;
        }
        results.add(ResultItem::new("noted", order.payload["text"].as_str().unwrap()));
        results.complete();
    }
}

fn notes() -> Notes {
    Notes {
        rows: vec![ActionRow::of::<NotePayload>("note", "Notes a text.")],
        decision: ActionDecision::AsDeclared,
        named: Ok(()),
        hangs: false,
    }
}

fn table(notes: Notes) -> ActionTable {
    ActionTable::of(vec![Arc::new(notes)]).unwrap()
}

fn with(change: impl FnOnce(&mut Notes)) -> ActionTable {
    let mut notes = notes();
    change(&mut notes);
    table(notes)
}

fn asks(kind: &str, payload: &str) -> JsonAction {
    JsonAction {
        kind: kind.to_owned(),
        payload: payload.to_owned(),
        span: Span::default(),
    }
}

const OWNER: ActionAsker = ActionAsker {
    is_owner: true,
    is_listed: false,
    turn: TurnKind::Message,
    root: TurnKind::Message,
    depth: 0,
    most_depth: DELIVERY_DEPTH,
};

fn refused(table: &ActionTable, index: u32, action: &JsonAction, asker: ActionAsker) -> ActionRefusal {
    table.read(index, action, asker).expect_err("a refusal")
}

/// A clock whose waits are over at once.
struct Hurried;

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn steady(&self) -> SteadyTime {
        SteadyTime::default()
    }

    fn sleep_until(&self, _: Timestamp) -> Sleep {
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn an_action_that_fits_is_read_with_its_command_and_its_confirmation() {
    let read = table(notes())
        .read(2, &asks("note", r#"{"text": "milk"}"#), OWNER)
        .unwrap();
    assert_eq!(read.index, 2);
    assert_eq!(read.performed.command.as_deref(), Some("milk"));
    assert_eq!(read.confirmation.as_deref(), Some("note is confirmed each time"));
}

#[tokio::test]
async fn what_a_payload_names_is_refused_as_mendable_or_as_not_permitted() {
    let asked = ActionCircumstances {
        asker: OWNER,
        turn: TurnId(1),
    };
    let looked_up = async |named| {
        let table = with(|notes| notes.named = named);
        let read = table
            .read(2, &asks("note", r#"{"text": "milk"}"#), OWNER)
            .unwrap();
        table.look_up(&read, asked).await
    };
    assert_eq!(looked_up(Ok(())).await, Ok(()));
    let finding = PayloadFinding {
        at: "/text".to_owned(),
        problem: "two are called milk".to_owned(),
        change: "write the number".to_owned(),
    };
    let unfit = looked_up(Err(NamedRefusal::Unfit(vec![finding.clone()]))).await;
    let unfit = unfit.unwrap_err();
    assert_eq!((unfit.index, unfit.code), (2, ActionRefusalCode::PayloadInvalid));
    assert_eq!(unfit.findings, [finding]);
    assert!(unfit.detail.ends_with("write the number"), "{unfit:?}");
    let not_permitted = NamedRefusal::NotPermitted {
        code: ActionRefusalCode::NotPermitted,
        why: "owners only".to_owned(),
        setting: Some("commands.owner_allow_from"),
    };
    let not_permitted = looked_up(Err(not_permitted)).await.unwrap_err();
    assert_eq!(not_permitted.code, ActionRefusalCode::NotPermitted);
    assert_eq!(
        not_permitted.setting.as_deref(),
        Some("commands.owner_allow_from")
    );
    assert!(not_permitted.findings.is_empty() && not_permitted.detail == "owners only");
}

#[test]
fn an_unknown_name_gets_the_nearest_one_or_the_list() {
    let table = table(notes());
    let say = |name: &str| refused(&table, 0, &asks(name, "{}"), OWNER).detail;
    assert_eq!(say("note_"), "there is no such action; did you mean `note`?");
    assert_eq!(say("Note"), "there is no such action; did you mean `note`?");
    assert_eq!(say("launch"), "there is no such action; there are: note");
    let none = ActionTable::default();
    assert!(none.is_empty());
    let refusal = refused(&none, 0, &asks("note", "{}"), OWNER);
    assert_eq!(refusal.detail, "there is no such action: none is on");
    assert_eq!(refusal.code, ActionRefusalCode::UnknownAction);
    let long = "ä".repeat(300);
    assert_eq!(refused(&table, 0, &asks(&long, "{}"), OWNER).name.len(), 256);
}

#[test]
fn a_payload_that_does_not_fit_is_refused_with_each_place() {
    let table = with(|notes| notes.rows[0].limits.payload_bytes = 100);
    let code = |payload: &str| {
        let refusal = refused(&table, 1, &asks("note", payload), OWNER);
        assert_eq!((refusal.index, refusal.name.as_str()), (1, "note"));
        (refusal.code, refusal.findings.len())
    };
    assert_eq!(code("[]"), (ActionRefusalCode::PayloadMalformed, 0));
    assert_eq!(code(""), (ActionRefusalCode::PayloadMalformed, 0));
    assert_eq!(code(r#"{"text": "#), (ActionRefusalCode::PayloadMalformed, 0));
    assert_eq!(code("{}"), (ActionRefusalCode::PayloadInvalid, 1));
    assert_eq!(
        code(r#"{"text": 1, "txt": 2}"#),
        (ActionRefusalCode::PayloadInvalid, 2)
    );
    let large = format!(r#"{{"text": "{}"}}"#, "x".repeat(100));
    assert_eq!(code(&large), (ActionRefusalCode::PayloadTooLarge, 0));
    let refusal = refused(&table, 0, &asks("note", "{}"), OWNER);
    assert_eq!(
        refusal.detail,
        "the payload does not fit: add \"text\" to the payload"
    );
    assert!(refusal.code.is_mendable());
}

#[test]
fn access_is_asked_before_the_payload_is_looked_at() {
    let action = asks("note", "no JSON");
    let stranger = ActionAsker {
        is_owner: false,
        ..OWNER
    };
    let listed = ActionAsker {
        is_listed: true,
        ..stranger
    };
    for (access, asker, permitted, setting) in [
        (ActionAccess::Owner, OWNER, true, None),
        (
            ActionAccess::Owner,
            listed,
            false,
            Some("commands.owner_allow_from"),
        ),
        (
            ActionAccess::Owner,
            stranger,
            false,
            Some("commands.owner_allow_from"),
        ),
        (ActionAccess::Listed, OWNER, true, None),
        (ActionAccess::Listed, listed, true, None),
        (ActionAccess::Listed, stranger, false, Some("actions.senders")),
        (ActionAccess::Anyone, stranger, true, None),
    ] {
        let table = with(|notes| notes.rows[0].access = access);
        let refusal = refused(&table, 0, &action, asker);
        let permits = refusal.code != ActionRefusalCode::NotPermitted;
        assert_eq!(
            (permits, refusal.setting.as_deref()),
            (permitted, setting),
            "{access} {asker:?}"
        );
        assert_eq!(
            refusal.code.is_mendable(),
            permitted,
            "what is refused to a person is not written anew"
        );
    }
}

#[test]
fn the_turn_and_its_depth_decide_whether_it_may_act() {
    let table = table(notes());
    let action = asks("note", r#"{"text": "x"}"#);
    let of = |turn, depth| {
        table
            .read(0, &action, ActionAsker { turn, depth, ..OWNER })
            .map_err(|r| r.code)
    };
    assert!(of(TurnKind::Message, 0).is_ok());
    assert!(of(TurnKind::Delivery, DELIVERY_DEPTH - 1).is_ok());
    assert_eq!(
        of(TurnKind::Delivery, DELIVERY_DEPTH).unwrap_err(),
        ActionRefusalCode::DepthLimit
    );
    assert_eq!(
        of(TurnKind::Schedule, 0).unwrap_err(),
        ActionRefusalCode::TurnNotPermitted
    );
    let led_to = ActionAsker {
        turn: TurnKind::Delivery,
        root: TurnKind::Schedule,
        ..OWNER
    };
    assert_eq!(
        refused(&table, 0, &action, led_to).code,
        ActionRefusalCode::TurnNotPermitted,
        "a turn that may not have it done has no next one do it"
    );
    let many = refused(&table, MOST_ACTIONS, &action, OWNER);
    assert_eq!(many.code, ActionRefusalCode::TooMany);
}

#[test]
fn the_stricter_of_row_and_interface_decides_about_the_confirmation() {
    use ActionConfirmation::{Always, Listed, Never};
    let action = asks("note", r#"{"text": "x"}"#);
    let confirmed = || ActionDecision::Confirmed("why".to_owned());
    for (row, decision, confirms) in [
        (Always, ActionDecision::Allowed("actions.note.allow"), true),
        (Listed, ActionDecision::Allowed("actions.note.allow"), false),
        (Listed, ActionDecision::AsDeclared, true),
        (Listed, confirmed(), true),
        (Never, ActionDecision::AsDeclared, false),
        (Never, confirmed(), true),
    ] {
        let table = with(|notes| {
            notes.rows[0].confirmation = row;
            notes.decision = decision.clone();
        });
        let read = table.read(0, &action, OWNER).unwrap();
        assert_eq!(read.confirmation.is_some(), confirms, "{row} {decision:?}");
    }
    let table = with(|notes| {
        notes.rows[0].confirmation = Never;
        notes.decision = ActionDecision::Denied {
            why: "no notes today".to_owned(),
            setting: "actions.note.deny",
        };
    });
    let refusal = refused(&table, 0, &action, OWNER);
    assert_eq!(refusal.code, ActionRefusalCode::Denied);
    assert_eq!(refusal.setting.as_deref(), Some("actions.note.deny"));
}

#[test]
fn rows_that_are_not_as_they_must_be_make_no_table() {
    let twice: Vec<Arc<dyn ActionInterface>> = vec![Arc::new(notes()), Arc::new(notes())];
    assert_eq!(
        ActionTable::of(twice).unwrap_err(),
        TableError::Twice("note".to_owned())
    );
    let table = |change: &dyn Fn(&mut ActionRow)| {
        let mut notes = notes();
        change(&mut notes.rows[0]);
        ActionTable::of(vec![Arc::new(notes)]).map(drop)
    };
    for name in ["", "A", "a b", "ä", &"a".repeat(65)] {
        let refused = table(&|row| row.name = name.to_owned());
        assert_eq!(refused, Err(TableError::Name(name.to_owned())));
    }
    let schema = table(&|row| row.payload = serde_json::json!({"type": 7}));
    assert!(matches!(schema, Err(TableError::Schema { .. })), "{schema:?}");
}

#[tokio::test]
async fn what_is_performed_gives_its_result_and_what_takes_too_long_is_dropped() {
    let action = asks("note", r#"{"text": "milk"}"#);
    let perform = async |table: &ActionTable| {
        let read = table.read(0, &action, OWNER).unwrap();
        table
            .perform(&read, "7".into(), "chat".into(), TurnId(1), &Hurried)
            .await
    };
    let result = perform(&table(notes())).await;
    assert_eq!(result.outcome, DeliveryOutcome::Output);
    assert_eq!(result.items[0].text, "milk");
    let result = perform(&with(|notes| notes.hangs = true)).await;
    assert_eq!(result.outcome, DeliveryOutcome::Error);
    assert_eq!(
        result.items[0].text,
        "stopped: it took longer than 1 minute 10 seconds"
    );
}
