//! Which events pass.

use crate::events::journal;
use foldback_store::{EventDuration, FIELDS, Filter, Journal, MemoryJournal, Scene, Selection, Values, row};
use foldback_wire::{
    ActionRefusal, ActionRefusalCode, ActionStarted, Draft, Event, Kind, PerformedAction, Seq, Timestamp,
    rpc::RowFlag,
};
use futures::FutureExt as _;
use std::collections::HashMap;

const NOW: Timestamp = Timestamp(6_000);

/// The places of the events that pass.
fn passing(filter: &str) -> Vec<u64> {
    passing_in(filter, Scene::live())
}

fn passing_in(filter: &str, mut scene: Scene) -> Vec<u64> {
    let mut matcher = Filter::parse(filter).unwrap().matcher(NOW);
    let durations = durations();
    let passes = |event: &Event| {
        scene.see(event);
        matcher.matches(event, &scene, durations.get(&event.seq))
    };
    journal()
        .into_iter()
        .filter(passes)
        .map(|event| event.seq.0)
        .collect()
}

fn stored() -> MemoryJournal {
    let store = MemoryJournal::new();
    let draft = |event: Event| Draft {
        at: event.at,
        turn: event.turn,
        session: event.session,
        channel: event.channel,
        kind: event.kind,
    };
    store.append(journal().into_iter().map(draft).collect()).unwrap();
    store
}

/// How long everything lasted once all is over.
fn durations() -> HashMap<Seq, EventDuration> {
    let places: Vec<_> = journal().iter().map(|event| event.seq).collect();
    // In memory nothing waits.
    let known = stored().durations(&places).now_or_never().unwrap().unwrap();
    known.into_iter().map(|known| (known.seq, known)).collect()
}

#[test]
fn each_field_tests_what_its_line_says() {
    for (filter, expected) in [
        ("channel:telegram kind:received", vec![3]),
        ("channel:telegram,discord kind:received", vec![3, 20]),
        ("channel:disc* kind:received", vec![20]),
        ("channel:\"disc*\"", vec![]),
        ("session:*:42:alice kind:received", vec![3, 20]),
        ("turn:#8", vec![19, 20, 21, 22, 23, 24]),
        ("turn<8 kind:turn_ended", vec![18]),
        ("stage:dedupe", vec![4]),
        ("stage:activation,process", vec![1, 2, 21]),
        ("stage:hold", vec![7, 8, 14]),
        ("kind:edit", vec![13, 14, 15, 16]),
        ("kind:react,started", vec![1, 10, 11, 12]),
        ("reason:partial_tag", vec![7, 8]),
        ("reason:edit_interval,partial_tag", vec![7, 8, 14]),
        ("kind:held,released", vec![7, 8]),
        ("kind:held,released -reason:partial_tag", vec![]),
        ("outcome:sent", vec![12]),
        ("outcome:failed,unknown", vec![16]),
        ("outcome:cancelled", vec![]),
        ("outcome:sent -kind:react", vec![]),
        ("is:error", vec![15, 16, 22]),
        ("is:leaked", vec![15]),
        ("is:held", vec![7, 14]),
        ("is:live", vec![19, 20, 21, 22]),
        ("is:replayed", vec![]),
        ("has:directive", vec![9, 10, 11, 12]),
        ("has:setting", vec![21]),
        ("has:diagnostic", vec![22]),
        ("dur>1.5s", vec![7, 8, 14, 16, 17, 18]),
        ("is:held dur>1.5s", vec![7, 14]),
        ("reason:partial_tag dur>1.5s", vec![7, 8]),
        ("-kind:chunk channel:telegram is:held dur>1.5s", vec![7, 14]),
        ("kind:edit is:held dur>1.5s", vec![14]),
        ("is:held -dur>1.6s", vec![7]),
        ("dur:1600ms", vec![7, 8]),
        ("dur<0s", vec![]),
        ("dur<=30ms", vec![12]),
        ("dur>3s", vec![17, 18]),
        ("bytes>=2k", vec![6]),
        ("bytes<2k bytes>15 kind:held", vec![7]),
        ("after:-1s", vec![20, 21, 22, 23, 24]),
        ("after:-1s before:-985ms", vec![20, 21]),
        ("before:1970-01-01", vec![]),
    ] {
        assert_eq!(passing(filter), expected, "{filter}");
    }
    assert_eq!(passing_in("is:replayed", Scene::replay()).len(), 24);
    assert!(passing_in("is:live", Scene::replay()).is_empty());
}

/// A replay that was put into a journal begins with a start that says so, and ends at the next start.
#[test]
fn what_follows_the_start_of_a_replay_is_replayed() {
    let start = |replayed| foldback_wire::Kind::Started {
        version: "0.1.0".into(),
        replayed,
    };
    let events = [
        start(false),
        foldback_wire::Kind::Idle,
        start(true),
        foldback_wire::Kind::Idle,
        start(false),
    ];
    let mut scene = Scene::live();
    let mut matcher = Filter::parse("is:replayed").unwrap().matcher(NOW);
    let mut passing = Vec::new();
    for (seq, kind) in (1..).zip(events) {
        let event = Event {
            seq: Seq(seq),
            at: NOW,
            turn: None,
            session: None,
            channel: None,
            kind,
        };
        scene.see(&event);
        if matcher.matches(&event, &scene, None) {
            passing.push(seq);
        }
    }
    assert_eq!(passing, [3, 4]);
}

#[test]
fn words_are_looked_for_everywhere_in_any_case() {
    for (filter, expected) in [
        ("über", vec![6]),
        ("ÜBER <REACT", vec![6]),
        ("\"how was\"", vec![3]),
        ("\"g3.partial\"", vec![7]),
        ("mentioned", vec![21, 24]),
        ("text:\"Great\"", vec![13]),
        ("text:\"great\"", vec![]),
        ("/gr.at idea.$/i", vec![13]),
        ("/Gr.at/ kind:intended", vec![13]),
        ("/^gr.at/", vec![]),
        ("\"after 1.60 s\"", vec![8]),
        ("never_there", vec![]),
    ] {
        assert_eq!(passing(filter), expected, "{filter}");
    }
}

#[test]
fn tests_are_joined_and_turned_round() {
    for (filter, expected) in [
        ("kind:received or kind:turn_ended", vec![3, 18, 20, 24]),
        (
            "kind:received or kind:turn_ended channel:telegram",
            vec![3, 18, 20],
        ),
        ("(kind:received or kind:turn_ended) channel:telegram", vec![3, 18]),
        ("-turn:7 -turn:8", vec![1, 2]),
        ("not (turn:7 or turn:8)", vec![1, 2]),
        ("-is:error has:directive or kind:started", vec![1, 9, 10, 11, 12]),
        ("-bytes>0 turn:8", vec![19, 21, 23, 24]),
        ("not not kind:started", vec![1]),
    ] {
        assert_eq!(passing(filter), expected, "{filter}");
    }
}

#[test]
fn every_stage_type_and_mark_that_rows_show_can_be_asked_for() {
    let codes = |field: &str| {
        let field = FIELDS.iter().find(|f| f.code == field).unwrap();
        let Values::Closed(values) = field.values else {
            panic!("{} is open", field.code)
        };
        values().into_iter().map(|value| value.code).collect::<Vec<_>>()
    };
    let mut scene = Scene::live();
    for event in journal() {
        scene.see(&event);
        let shown = scene.row(&event, None);
        assert!(codes("stage").contains(&shown.stage.as_str()), "{}", shown.stage);
        assert!(codes("kind").contains(&shown.kind.as_str()), "{}", shown.kind);
        let json = serde_json::to_value(&event.kind).unwrap();
        assert_eq!(
            json["type"],
            shown.kind.as_str(),
            "a row names its type as the JSON does"
        );
        for (field, value) in [("stage", &shown.stage), ("kind", &shown.kind)] {
            let filter = Filter::parse(&format!("{field}:{value} -is:replayed")).unwrap();
            assert!(passing(&filter.to_string()).contains(&event.seq.0), "{filter}");
        }
        for flag in shown.flags {
            assert!(passing(&format!("is:{flag}")).contains(&event.seq.0), "{flag}");
        }
    }
}

#[test]
fn a_row_says_it_in_one_line() {
    let durations = durations();
    let shown = |event: &Event| row(event, durations.get(&event.seq));
    let rows: Vec<_> = journal().iter().map(shown).collect();
    let summary = |seq: usize| rows[seq - 1].summary.as_str();
    assert_eq!(summary(3), "Alice: How was my talk?");
    assert_eq!(summary(7), "partial_tag 10..30: the tag <react is not complete");
    assert_eq!(summary(8), "released after 1.60 s (partial_tag, 20 B)");
    assert_eq!(rows[6].lasted_ms, Some(1_600));
    assert_eq!(rows[5].lasted_ms, None);
    assert_eq!(summary(12), "op 1 sent");
    assert_eq!(summary(13), "op 2 edit_text to 42: Great idea!");
    assert_eq!(
        summary(14),
        "op 2: waiting for the next edit (edit_interval: pause between edits)"
    );
    assert_eq!(summary(16), "op 2 failed: chat not found");
    assert_eq!(summary(24), "blocked: not_mentioned");
    assert_eq!(rows[14].flags, [RowFlag::Error, RowFlag::Leaked]);
    assert_eq!(rows[5].bytes, Some(2_500));
    let long = Event {
        kind: foldback_wire::Kind::Warned {
            detail: format!("a\tb\r\n{}", "🐢".repeat(1_000)),
        },
        ..journal().remove(0)
    };
    let line = row(&long, None).summary;
    assert!(
        line.starts_with("a␉b␍␊🐢") && line.ends_with('…') && line.chars().count() == 240,
        "{line}"
    );
}

#[test]
fn a_refused_action_is_found_and_one_that_began_is_not() {
    let action = |seq, kind| Event {
        seq: Seq(seq),
        at: NOW,
        turn: None,
        session: None,
        channel: None,
        kind,
    };
    let refused = Kind::ActionRefused(ActionRefusal {
        index: 0,
        name: "bash".to_owned(),
        code: ActionRefusalCode::Denied,
        detail: "it never runs".to_owned(),
        findings: Vec::new(),
        setting: None,
        decided_by: None,
    });
    let began = Kind::ActionStarted(ActionStarted {
        index: 1,
        action: PerformedAction {
            name: "bash".to_owned(),
            command: None,
        },
        allowed_by: None,
    });
    for (filter, expected) in [
        ("is:refused", [true, false]),
        ("is:warning", [true, false]),
        ("-is:refused", [false, true]),
    ] {
        let mut matcher = Filter::parse(filter).unwrap().matcher(NOW);
        let mut scene = Scene::live();
        let found = [action(1, refused.clone()), action(2, began.clone())].map(|event| {
            scene.see(&event);
            matcher.matches(&event, &scene, None)
        });
        assert_eq!(found, expected, "{filter}");
    }
    let matcher = Filter::parse("is:refused").unwrap().matcher(NOW);
    assert!(matcher.is_exact(), "a database finds them by their kind");
}

/// What a database answers of a filter is never too little, and exact where it says so.
#[tokio::test]
async fn the_selection_of_a_filter_admits_what_passes() {
    let store = stored();
    let durations = durations();
    let mut exact = 0;
    for filter in [
        "",
        "channel:telegram",
        "channel:telegram kind:ended,intended",
        "channel:telegram or channel:discord",
        "channel:telegram or kind:started",
        "kind:started or kind:muted",
        "-kind:chunk",
        "-kind:chunk,held channel:telegram",
        "-(kind:chunk channel:telegram)",
        "-channel:telegram",
        "-kind:edit",
        "turn:7,8 after:-1s",
        "turn>7",
        "stage:scan",
        "stage:hold or is:error",
        "session:discord:42:alice dur>1ms",
        "kind:ended dur>1s",
        "kind:turn_ended dur>3s",
        "after:-2s dur>1s",
        "kind:edit after:-3s",
        "is:held dur>1.5s",
        "dur<2s or dur>3s",
        "dur:1600ms,30ms",
        "is:error",
        "is:error,leaked kind:ended",
        "is:error or kind:edit",
        "reason:partial_tag or kind:edit",
        "reason:partial_tag",
        "-reason:partial_tag",
        "-kind:idle,passed -reason:trailing_space",
        "reason:edit_interval or reason:partial_tag",
        "reason:edit_interval or -reason:partial_tag",
        "before:-3s or after:-1s",
    ] {
        let mut matcher = Filter::parse(filter).unwrap().matcher(NOW);
        let admitted = store
            .select(matcher.selection(), Seq(0), Seq(99), 99)
            .await
            .unwrap();
        let mut scene = Scene::live();
        scene.learn(&store, Seq(99)).await.unwrap();
        let read = admitted.len();
        let passed: Vec<_> = admitted
            .iter()
            .filter(|event| matcher.matches(event, &scene, durations.get(&event.seq)))
            .map(|event| event.seq.0)
            .collect();
        assert_eq!(passed, passing(filter), "{filter}");
        if matcher.is_exact() {
            exact += 1;
            assert_eq!(read, passed.len(), "{filter}");
        }
    }
    assert_eq!(
        exact, 17,
        "as many of these are answered without reading an event"
    );
    assert!(Filter::ALL.matcher(NOW).selection().is_everything());
    assert_eq!(Selection::default(), Selection::ALL);
}
