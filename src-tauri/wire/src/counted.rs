//! Numbers of things in sentences.

use std::fmt::Display;

/// Messages that wait, as the beginning of a sentence.
///
/// ```
/// use foldback_wire::messages_wait;
///
/// assert_eq!(messages_wait(1_u32), "1 message waits");
/// assert_eq!(messages_wait(20_u32), "20 messages wait");
/// ```
pub fn messages_wait<N: Copy + Display + PartialEq + From<u8>>(count: N) -> String {
    let verb = if count == N::from(1) { "waits" } else { "wait" };
    format!("{} {verb}", messages(count))
}

/// So many messages: `1 message`, `20 messages`.
pub fn messages<N: Copy + Display + PartialEq + From<u8>>(count: N) -> String {
    let noun = if count == N::from(1) {
        "message"
    } else {
        "messages"
    };
    format!("{count} {noun}")
}
