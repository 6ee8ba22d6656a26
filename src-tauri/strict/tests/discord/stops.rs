//! What a run leaves behind: nothing.

use crate::place::Place;
use crate::shared::run::Run;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn twenty_starts_and_stops_leave_no_task_and_no_connection() {
    // The server has tasks of its own.
    let (there, here) = (runtime(), runtime());
    let place = there.block_on(Place::open());
    let once = || {
        here.block_on(async {
            // Spawned, so that the future that is blocked on counts for nothing.
            let run = Run::up(&place.adapter).await;
            run.end().await;
        });
    };
    // The first one opens the connection that REST keeps.
    once();
    settled(&here, &place);
    let before = here.metrics().num_alive_tasks();
    for _ in 0..20 {
        once();
    }
    settled(&here, &place);
    assert_eq!(here.metrics().num_alive_tasks(), before);
    assert_eq!(
        place.server.sessions(),
        (1, 20),
        "every one went on with the session"
    );
    assert_eq!(place.server.broken(), []);
}

/// Waits until the server has seen every connection close, and tasks that were told to end have ended.
fn settled(here: &Runtime, place: &Place) {
    while place.server.connections() > 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (mut calm, mut tasks) = (0, 0);
    while calm < 10 {
        std::thread::sleep(Duration::from_millis(5));
        let now = here.metrics().num_alive_tasks();
        calm = if now == tasks { calm + 1 } else { 0 };
        tasks = now;
    }
}
