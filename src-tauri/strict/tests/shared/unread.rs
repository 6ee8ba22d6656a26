//! Parts that cannot be read, while something else is waited for.

use crate::shared::run::Run;
use foldback_channels::Signal;

/// Does something, and gives the parts that could not be read meanwhile.
pub(crate) async fn unread_while<T>(run: &mut Run, work: impl Future<Output = T>) -> (T, Vec<&'static str>) {
    let mut work = std::pin::pin!(work);
    let mut unread = Vec::new();
    loop {
        tokio::select! {
            biased;
            signal = run.next() => match signal {
                Signal::Unreadable(failed) => unread.push(failed.part),
                other => panic!("{other:?}"),
            },
            done = &mut work => return (done, unread),
        }
    }
}
