//! An interface is added with its data and fewer than 50 lines (docs/adding-an-interface.md shows them).

mod facts;

use facts::Facts;
use foldback_actions::{ActionAsker, ActionTable};
use foldback_wire::{
    ActionRefusalCode, Clock, DELIVERY_DEPTH, DeliveryOutcome, JsonAction, Sleep, Span, Timestamp, TurnId,
    TurnKind,
};
use std::sync::Arc;

const CODE: &str = include_str!("facts.rs");
const GUIDE: &str = include_str!("../../../../../docs/adding-an-interface.md");

/// Nothing waits here.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn sleep_until(&self, _: Timestamp) -> Sleep {
        Box::pin(std::future::pending())
    }
}

fn asks(payload: &str) -> JsonAction {
    JsonAction {
        kind: "look_up".to_owned(),
        payload: payload.to_owned(),
        span: Span::default(),
    }
}

const VISITOR: ActionAsker = ActionAsker {
    is_owner: false,
    is_listed: false,
    turn: TurnKind::Message,
    root: TurnKind::Message,
    depth: 0,
    most_depth: DELIVERY_DEPTH,
};

#[tokio::test]
async fn an_added_interface_is_looked_up_checked_and_performed_like_any_other() {
    let table = ActionTable::of(vec![Arc::new(Facts)]).unwrap();
    let answers = async |payload: &str| {
        let read = table.read(0, &asks(payload), VISITOR).unwrap();
        assert_eq!(read.confirmation, None);
        let result = table
            .perform(&read, "7".into(), "chat".into(), TurnId(1), &Still)
            .await;
        (result.outcome, result.items[0].text.clone())
    };
    let known = answers(r#"{"name": "door"}"#).await;
    assert_eq!(known, (DeliveryOutcome::Output, "closed".to_owned()));
    let unknown = answers(r#"{"name": "cellar"}"#).await;
    assert_eq!(
        unknown,
        (DeliveryOutcome::Error, "nothing is known about cellar".to_owned())
    );
    let refusal = table.read(0, &asks(r#"{"what": "door"}"#), VISITOR).unwrap_err();
    assert_eq!(refusal.code, ActionRefusalCode::PayloadInvalid);
    assert_eq!(refusal.findings.len(), 2, "{refusal:?}");
}

#[test]
fn it_takes_fewer_than_fifty_lines_and_the_guide_shows_them() {
    assert!(CODE.lines().count() < 50, "{}", CODE.lines().count());
    assert!(
        GUIDE.contains(CODE.trim_end()),
        "the guide shows another interface than the tests try"
    );
}
