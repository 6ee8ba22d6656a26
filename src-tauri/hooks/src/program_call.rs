//! An event told to a program.

use crate::call_end::CallEnd;
use foldback_programs::Program;
use foldback_wire::Clock;
use std::{sync::Arc, time::Duration};

/// Most bytes of the program's output that are read before it is ended: nobody has a use for them.
const MOST_OUTPUT: usize = 64 << 10;

/// Runs the program once. A program is not run again: what it did before it failed, nobody here knows.
pub(crate) async fn run(
    program: &Program,
    mut body: Vec<u8>,
    timeout: Duration,
    clock: &Arc<dyn Clock>,
) -> CallEnd {
    body.push(b'\n');
    let late = clock.sleep_until_steady(clock.steady().plus(timeout));
    let end = tokio::select! {
        end = program.run(&body, MOST_OUTPUT) => end,
        () = late => {
            let detail = format!("{} ran for {} s and was ended", program.name(), timeout.as_secs());
            return CallEnd::failed(detail, 1);
        }
    };
    match end {
        Ok(end) if end.cut => {
            let detail = format!(
                "{} wrote more than {MOST_OUTPUT} bytes and was ended",
                program.name()
            );
            CallEnd::failed(detail, 1)
        }
        Ok(end) => CallEnd {
            done: end.status.success(),
            detail: match end.complaint.as_str() {
                "" => format!("{}: {}", program.name(), end.status),
                complaint => format!("{}: {}: {complaint}", program.name(), end.status),
            },
            attempts: 1,
        },
        Err(error) => CallEnd::failed(format!("{}: {error}", program.name()), 1),
    }
}
