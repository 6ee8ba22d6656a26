//! Connections of other processes, served side by side.

use std::{future::Future, io, time::Duration};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

/// Most connections that are served at once; more wait to be accepted.
const AT_ONCE: usize = 16;

/// Longest time that one connection is served.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// First wait after the system had no connection to give, doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// Longest wait after the system had no connection to give.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Serves the connections that `accept` gives, at most [`AT_ONCE`] at a time and each for at most [`PATIENCE`]. A panic
/// while one is served ends only that one. Dropping this ends all of them; `accept` may be dropped while it waits.
pub(super) async fn serve_peers<S, A, W>(accept: impl Fn() -> A, serve: impl Fn(S) -> W)
where
    A: Future<Output = io::Result<S>>,
    W: Future<Output = ()> + Send + 'static,
{
    let mut open = JoinSet::new();
    let mut wait = FIRST_WAIT;
    loop {
        tokio::select! {
            biased;
            Some(ended) = open.join_next() => if let Err(error) = ended {
                tracing::error!(%error, "serving a connection panicked");
            },
            accepted = accept(), if open.len() < AT_ONCE => match accepted {
                Ok(stream) => {
                    wait = FIRST_WAIT;
                    let work = serve(stream);
                    open.spawn(async move { drop(timeout(PATIENCE, work).await) });
                }
                Err(error) => {
                    // Out of descriptors or memory: asking again at once would only keep a core busy.
                    if wait == FIRST_WAIT {
                        tracing::warn!(%error, "no order can be received for now");
                    }
                    sleep(wait).await;
                    wait = LONGEST_WAIT.min(wait * 2);
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::pending,
        sync::atomic::{AtomicUsize, Ordering},
    };
    use tokio::{
        sync::{Mutex, mpsc},
        time::Instant,
    };

    /// Connections 0 to `count`, then none.
    fn connections(count: usize) -> Mutex<mpsc::UnboundedReceiver<usize>> {
        let (to, from) = mpsc::unbounded_channel();
        (0..count).for_each(|number| to.send(number).unwrap());
        Mutex::new(from)
    }

    async fn next(from: &Mutex<mpsc::UnboundedReceiver<usize>>) -> io::Result<usize> {
        match from.lock().await.recv().await {
            Some(number) => Ok(number),
            None => pending().await,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_of_the_system_is_waited_out() {
        let asked = AtomicUsize::new(0);
        let accept = || {
            let asked = asked.fetch_add(1, Ordering::Relaxed);
            assert!(asked < 100, "accepting is asked for without a wait");
            async { io::Result::<()>::Err(io::Error::other("too many open files")) }
        };
        let ended = timeout(Duration::from_secs(10), serve_peers(accept, |()| async {})).await;
        assert!(ended.is_err(), "it goes on");
        // At 0, 0.05, 0.15, 0.35, 0.75, 1.55, 3.15 and 6.35 seconds.
        assert_eq!(asked.into_inner(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_ends_one_connection() {
        let (to, mut served) = mpsc::unbounded_channel();
        let from = connections(2);
        let serve = |number| {
            let to = to.clone();
            async move {
                assert_ne!(number, 0, "the first one panics");
                to.send(number).unwrap();
            }
        };
        tokio::select! {
            () = serve_peers(|| next(&from), serve) => {}
            number = served.recv() => assert_eq!(number, Some(1)),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_says_nothing_keeps_nobody_out() {
        let (to, mut served) = mpsc::unbounded_channel();
        let from = connections(AT_ONCE + 1);
        let start = Instant::now();
        let serve = |number| {
            let to = to.clone();
            async move {
                to.send((number, start.elapsed())).unwrap();
                pending::<()>().await;
            }
        };
        let served = async {
            let mut all = Vec::new();
            while all.len() <= AT_ONCE {
                all.extend(served.recv().await);
            }
            all
        };
        let served = tokio::select! {
            () = serve_peers(|| next(&from), serve) => unreachable!("it goes on"),
            served = served => served,
        };
        let at_once = served.iter().filter(|(_, after)| after.is_zero()).count();
        assert_eq!(at_once, AT_ONCE, "{served:?}");
        assert!(served[AT_ONCE].1 >= PATIENCE, "{served:?}");
    }
}
