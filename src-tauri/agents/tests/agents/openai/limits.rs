//! Time, size and interest: when an answer is not waited for any longer.

use super::{Bench, DONE, END, detail, fault, finish, say, text};
use crate::support::{Running, request, said, start, start_with};
use foldback_agents::{
    Step,
    strict_server::{Gate, Piece, Reply, event},
};
use foldback_wire::{AgentFault, StopReason};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Starts a turn whose request has arrived.
async fn asked(bench: &Bench, reply: Reply) -> Running {
    bench.server.reply(reply);
    let running = start(&bench.agent, request(1, "hi"));
    bench.server.until(|counts| counts.accepted == 1).await;
    running
}

#[tokio::test]
async fn silence_ends_the_run_and_the_connection() {
    let limited = |config: &mut foldback_agents::HttpConfig| {
        config.timeouts.first_byte = 20 * SECOND;
        config.timeouts.silence = 10 * SECOND;
        config.timeouts.total = 25 * SECOND;
    };
    // Before the head, before the first event.
    for reply in [Reply::bare([Piece::Hang]), Reply::stream([Piece::Hang])] {
        let bench = Bench::with(limited).await;
        let running = asked(&bench, reply).await;
        bench.clock.advance(20 * SECOND);
        let steps = running.rest().await;
        assert_eq!(fault(&steps), Some(AgentFault::Timeout));
        assert!(detail(&steps).ends_with("for 20000 ms"), "{steps:?}");
        bench.server.until(|counts| counts.dropped == 1).await;
    }
    // In the middle.
    let bench = Bench::with(limited).await;
    let mut running = asked(&bench, Reply::stream([event(&say("a")), Piece::Hang])).await;
    assert_eq!(running.next().await, text("a"));
    bench.clock.advance(10 * SECOND);
    let steps = running.rest().await;
    assert_eq!(
        (fault(&steps), detail(&steps)),
        (Some(AgentFault::Timeout), "nothing came for 10000 ms")
    );
    bench.server.until(|counts| counts.dropped == 1).await;
}

#[tokio::test]
async fn pings_keep_a_run_alive_until_its_total_time() {
    let bench = Bench::with(|config| {
        config.timeouts.silence = 10 * SECOND;
        config.timeouts.total = 25 * SECOND;
    })
    .await;
    let gate = Gate::default();
    let beat = || [Piece::Wait(gate.clone()), ": ping\n\n".into(), event(&say("."))];
    let pieces = [event(&say("a"))]
        .into_iter()
        .chain(beat())
        .chain(beat())
        .chain([Piece::Hang]);
    let mut running = asked(&bench, Reply::stream(pieces)).await;
    assert_eq!(running.next().await, text("a"));
    for _ in 0..2 {
        bench.clock.advance(9 * SECOND);
        gate.open();
        assert_eq!(running.next().await, text("."), "9 s of silence are fine");
    }
    bench.clock.advance(7 * SECOND);
    let steps = running.rest().await;
    assert_eq!(
        (fault(&steps), detail(&steps)),
        (Some(AgentFault::Timeout), "the run took longer than 25000 ms")
    );
}

#[tokio::test]
async fn pings_without_a_pause_do_not_outlast_the_total_time() {
    let bench = Bench::with(|config| config.timeouts.total = 25 * SECOND).await;
    let endless = Piece::Repeat(b": ping\n\n".repeat(1000), usize::MAX);
    let mut running = asked(&bench, Reply::stream([event(&say("a")), endless])).await;
    assert_eq!(running.next().await, text("a"));
    bench.clock.advance(25 * SECOND);
    let steps = running.rest().await;
    assert_eq!(detail(&steps), "the run took longer than 25000 ms");
    bench.server.until(|counts| counts.dropped == 1).await;
}

#[tokio::test]
async fn after_the_last_word_nothing_is_waited_for_long() {
    let bench = Bench::new().await;
    // In one piece: when the text arrives, the last word has been read too.
    let both = format!("data: {}\n\ndata: {}\n\n", say("a"), finish("length"));
    let mut running = asked(&bench, Reply::stream([both.as_str().into(), Piece::Hang])).await;
    assert_eq!(running.next().await, text("a"));
    bench.clock.advance(5 * SECOND);
    let steps = running.rest().await;
    let ended = [Step::Done(StopReason::Length)];
    assert_eq!(steps, ended, "an answer that was complete did not time out");

    let bench = Bench::new().await;
    let cut = Reply::stream([event(&say("a")), event(&finish("stop")), Piece::Cut]);
    assert_eq!(bench.answer(cut).await, [text("a"), END]);
}

#[tokio::test]
async fn cancelling_drops_the_connection() {
    for (reply, before) in [
        (Reply::bare([Piece::Hang]), 0),
        (Reply::stream([Piece::Hang]), 0),
        (Reply::stream([event(&say("a")), Piece::Hang]), 1),
    ] {
        let bench = Bench::new().await;
        let mut running = asked(&bench, reply).await;
        for _ in 0..before {
            running.next().await;
        }
        running.cancel.cancel();
        assert_eq!(running.rest().await, [Step::Done(StopReason::Cancelled)]);
        bench.server.until(|counts| counts.dropped == 1).await;
    }
}

#[tokio::test]
async fn a_closed_sink_drops_the_connection() {
    let bench = Bench::new().await;
    let mut running = asked(&bench, Reply::stream([event(&say("a")), Piece::Hang])).await;
    running.next().await;
    drop(running.steps);
    bench.server.until(|counts| counts.dropped == 1).await;
}

#[tokio::test]
async fn the_limit_of_length_is_inclusive() {
    let ten = |count: usize| {
        let texts = vec![event(&say("0123456789")); count];
        Reply::stream(texts.into_iter().chain([event(&finish("stop")), event(DONE)]))
    };
    let bench = Bench::with(|config| config.max_bytes = 50).await;
    assert_eq!(bench.answer(ten(5)).await.last(), Some(&END));
    let bench = Bench::with(|config| config.max_bytes = 50).await;
    let steps = bench.answer(ten(6)).await;
    assert_eq!(said(&steps).len(), 50, "what was said stays said");
    assert_eq!(
        (fault(&steps), detail(&steps)),
        (Some(AgentFault::TooLarge), "the answer is longer than 50 bytes")
    );
}

#[tokio::test]
async fn a_line_without_end_is_not_collected_for_ever() {
    for start in ["data: ", "{\"choices\": \""] {
        let bench = Bench::with(|config| config.max_bytes = 1000).await;
        let endless = Piece::Repeat(vec![b'x'; 10_000], 100_000);
        let steps = bench.answer(Reply::stream([start.into(), endless])).await;
        assert_eq!(fault(&steps), Some(AgentFault::TooLarge), "{steps:?}");
        bench.server.until(|counts| counts.dropped == 1).await;
    }
}

/// 50 MB, said as fast as the network takes it, to a reader that does not read at first.
#[tokio::test]
async fn fifty_megabytes_pass_and_wait_for_the_reader() {
    const PIECE: usize = 10_000;
    const COUNT: usize = 5_000;
    /// What may be under way: the system's socket buffers, and the client's.
    const UNDER_WAY: u64 = 20_000_000;

    let bench = Bench::new().await;
    let Piece::Bytes(piece) = event(&say(&"é".repeat(PIECE / 2))) else {
        unreachable!("an event is bytes");
    };
    let pieces = [Piece::Repeat(piece, COUNT), event(&finish("stop")), event(DONE)];
    bench.server.reply(Reply::stream(pieces));
    let mut running = start_with(&bench.agent, request(1, "hi"), 1);
    running.next().await;
    let mut written = 0;
    while bench.server.written() > written {
        written = bench.server.written();
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }
    assert!(written < UNDER_WAY, "{written} bytes without a reader");
    let mut read = PIECE;
    while let Step::Text { text, .. } = running.next().await {
        read += text.len();
        assert!(bench.server.written() < read as u64 * 11 / 10 + UNDER_WAY);
    }
    assert_eq!(read, PIECE * COUNT);
    running.task.await.expect("the agent does not panic");
}
