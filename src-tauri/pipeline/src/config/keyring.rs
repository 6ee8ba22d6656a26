//! Secrets in the system's keyring: the Secret Service of a Linux desktop, the keychain of macOS.

use keyring::{Entry, Error};
use std::thread;

/// The service that Foldback's secrets are kept under; the name that the configuration gives is the account.
const SERVICE: &str = "foldback";

/// The reason for which the keyring does not do what it is asked. Never holds any of a secret.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// It has nothing under this name.
    #[error("the system keyring has no secret {0}; put it there with `foldback secret set {0}`")]
    Missing(String),
    /// Its entry is no text, or an empty one.
    #[error(
        "what the system keyring has as {0} is no text; put it there anew with `foldback secret set {0}`"
    )]
    NoText(String),
    /// It cannot be asked.
    #[error(
        "the system keyring cannot be asked for {name}: {why}; an environment variable or a file works without one"
    )]
    Closed {
        /// For which secret.
        name: String,
        /// The reason, in its own words.
        why: String,
    },
}

impl KeyringError {
    fn of(name: &str, error: &Error) -> Self {
        let name = name.to_owned();
        match error {
            Error::NoEntry => Self::Missing(name),
            Error::BadEncoding(_) | Error::BadDataFormat(..) => Self::NoText(name),
            // Why there is none was said when it was looked for.
            Error::NoDefaultStore => Self::Closed {
                name,
                why: Entry::store_status().as_ref().err().unwrap_or(error).to_string(),
            },
            other => Self::Closed {
                name,
                why: other.to_string(),
            },
        }
    }
}

/// Reads a secret. Waits while the system asks a person to open the keyring.
pub fn read(name: &str) -> Result<String, KeyringError> {
    let secret = with(name, Entry::get_password)?;
    if secret.is_empty() {
        return Err(KeyringError::NoText(name.to_owned()));
    }
    Ok(secret)
}

/// Keeps a secret, in place of one that is there.
pub fn store_secret(name: &str, secret: &str) -> Result<(), KeyringError> {
    with(name, |entry| entry.set_password(secret))
}

/// Removes a secret.
pub fn remove(name: &str) -> Result<(), KeyringError> {
    with(name, Entry::delete_credential)
}

/// The keyring blocks, and drives its connection itself: on a thread of its own it may be asked from anywhere.
fn with<T: Send>(
    name: &str,
    work: impl FnOnce(&Entry) -> keyring::Result<T> + Send,
) -> Result<T, KeyringError> {
    let done = thread::scope(|scope| {
        let asked = scope.spawn(|| work(&Entry::new(SERVICE, name)?));
        asked.join()
    });
    match done {
        Ok(done) => done.map_err(|error| KeyringError::of(name, &error)),
        Err(_) => Err(KeyringError::Closed {
            name: name.to_owned(),
            why: "its library failed".to_owned(),
        }),
    }
}
