//! Work of which a panic takes nothing else with it.

use std::{any::Any, future::Future};
use tokio_util::task::AbortOnDropHandle;

/// Most bytes of a panic's message that are told.
const MESSAGE: usize = 500;

/// A panic of a piece of work, with its message.
#[derive(Debug, thiserror::Error)]
#[error("it panicked ({0}); please report this")]
pub(crate) struct WorkPanic(String);

/// Runs work in a task of its own, which ends with the caller: a panic is an error here.
pub(crate) async fn contained<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, WorkPanic> {
    let task = AbortOnDropHandle::new(tokio::spawn(work));
    task.await.map_err(|error| {
        // A task that is aborted has no caller any more, unless the runtime ends.
        WorkPanic(match error.try_into_panic() {
            Ok(panic) => message(panic.as_ref()),
            Err(error) => error.to_string(),
        })
    })
}

/// The message of a panic, cut where it is long.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("without a message");
    text[..text.floor_char_boundary(MESSAGE)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics with the message as it is formatted, or as it is.
    fn breaks(message: String, formatted: bool) -> u8 {
        assert!(!formatted, "at {message}");
        std::panic::panic_any(message)
    }

    #[tokio::test]
    async fn a_panic_is_told_and_a_result_is_given() {
        assert_eq!(contained(async { 1 }).await.unwrap(), 1);
        let told = contained(async { breaks("7".to_owned(), true) }).await;
        let told = told.unwrap_err().to_string();
        assert_eq!(told, "it panicked (at 7); please report this");
        let told = contained(async { breaks("ä".repeat(MESSAGE), false) }).await;
        let told = told.unwrap_err().to_string();
        assert!(told.len() < MESSAGE + 50, "{told}");
    }
}
