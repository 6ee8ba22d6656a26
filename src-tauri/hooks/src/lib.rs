//! Hooks: programs and addresses that are told of events, such as a pager of an alarm or a dashboard of every answer.
//!
//! A hook reads the journal behind everything else, so that no message ever waits for one. An example, with the hook
//! `pager` on `outcome:failed`:
//!
//! ```text
//!   event 7  turn_ended, failed   passes the filter: it waits, at most 64 do
//!   event 8  received             does not pass
//!            the program is started, the event's JSON is its input, it ends with status 0
//!   event 9  hook_ended pager     told of event 7, in the first attempt
//! ```
//!
//! What must hold:
//! - An event that finds 64 waiting is left out and counted; the count stands in the hook's next event.
//! - What a hook is not told of when the bot ends is counted, too, and stands in an event of its own.
//! - What hooks do is told to no hook: two of them could keep each other busy for ever.
//! - A hook is told of what happens from the start of its process on. What happened before is not made up for.

mod call;
mod call_end;
mod destination;
mod follow;
mod program_call;
mod signature;
mod status;
mod stop;
mod url_call;

pub use destination::{Destination, Hook};
pub use follow::Hooks;
pub use signature::sign;
pub use status::{HookStatus, HookStatuses};
pub use stop::HooksStop;
