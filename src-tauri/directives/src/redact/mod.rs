//! Redaction: secrets in what an agent says are masked, after the scanner and before anybody sees them.
//!
//! What a secret looks like is data ([`SECRETS`]); what of it is waited for while a message streams is bounded
//! (512 bytes), and begins at the first byte that may belong to one. A secret is everything that some pattern
//! matches from some byte, so that neither the order of the patterns nor the cut of the text matters.

mod compile;
mod find;
mod literal;
mod memo;
mod run;
mod settings;
mod stage;
mod table;
mod tell;
mod text;
mod window;

#[cfg(test)]
mod tests;

pub use compile::{PatternError, Patterns};
pub use literal::CREDENTIAL;
pub use settings::{ExtraSecret, InboundSecrets, RedactSettings, SecretPattern};
pub use stage::Reader;
pub use table::{SECRETS, SecretRow, WORDS};
pub use tell::{KnownBy, Secret};
pub use text::{RawRedactor, TextRedactor};

/// What is shown for a secret.
pub const MASK: &str = "[redacted]";
