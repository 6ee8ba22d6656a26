//! Links, and requests to the window to open something.

use crate::host::{Host, pushed};
use foldback_api::WindowOrder;
use foldback_wire::rpc::{LinkText, Push, Topic, TurnLink};
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_link_is_read_and_written_and_a_bad_one_gets_one_sentence() {
    let host = Host::start().await;
    let link: TurnLink = host
        .call("link_read", json!({"link": "foldback://turn/10@+631ms"}))
        .await;
    assert_eq!((link.turn.0, link.at_ms, &link.file), (10, Some(631), &None));
    let text: LinkText = host.call("link_write", json!(link)).await;
    assert_eq!(text.link, "foldback://turn/10@+631ms");
    let (code, message, hint) = host
        .failure("link_read", json!({"link": "foldback://turn/x"}))
        .await;
    assert_eq!((code.as_str(), hint), ("bad_link", None));
    assert_eq!(
        message,
        "This is no link to a turn: write it as foldback://turn/10 or foldback://turn/10@+631ms."
    );
}

#[tokio::test(start_paused = true)]
async fn a_window_is_told_what_to_open_once_and_a_bot_without_one_says_so() {
    let order = |target: &str| WindowOrder::Open {
        targets: vec![target.to_owned()],
    };
    let host = Host::start().await;
    let failure = host.backend.ask_window(order("/a")).unwrap_err();
    assert_eq!(failure.code, "no_window");

    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.window = true;
    })
    .await;
    // Before the page listens, too.
    host.backend.ask_window(order("/a")).unwrap();
    host.backend.ask_window(order("foldback://turn/1")).unwrap();
    let mut app = host.subscribe(&Topic::App);
    let told = |pushes: Vec<Push>| -> Vec<Vec<String>> {
        let targets = pushes.into_iter().filter_map(|push| match push {
            Push::Open { targets } => Some(targets),
            _ => None,
        });
        targets.collect()
    };
    let first = told(pushed(&mut app, Duration::from_secs(1)).await);
    assert_eq!(first, [["/a".to_owned(), "foldback://turn/1".to_owned()]]);
    host.backend
        .ask_window(WindowOrder::Open { targets: Vec::new() })
        .unwrap();
    let second = told(pushed(&mut app, Duration::from_secs(1)).await);
    assert_eq!(second, [Vec::<String>::new()]);
}
