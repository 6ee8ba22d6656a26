//! Reading of links in messages for an agent: by fetching them from public addresses, or by a program.
//!
//! Whoever writes to a bot chooses the address, so a fetch must not reach what only this machine reaches. An example: a
//! stranger sends `http://docs.example/a`.
//!
//! ```text
//!   docs.example resolves to 10.0.0.7        refused: no address of the public internet
//!   docs.example resolves to 93.184.216.34   connected there, whatever the name resolves to a moment later
//!   302 Location: http://169.254.169.254/    the next address is judged like the first
//! ```
//!
//! What must hold:
//! - No connection goes to an address that is not public; names are resolved once, by the resolver that judges.
//! - No proxy of the environment is asked, as it would resolve names by itself.
//! - At most so many bytes are read, and nothing but text is passed on.

mod address;
mod fetch;
mod find;

pub use fetch::Reach;
pub use find::links;

use fetch::Fetcher;
use foldback_programs::Program;
use reqwest::Url;
use std::collections::BTreeMap;
use thiserror::Error;

/// Most bytes of a link's text that an agent is given; the rest is left out.
const MOST: usize = 16 * 1024;

/// Reads links.
pub struct LinkReader {
    way: Way,
    most: usize,
}

enum Way {
    Fetch(Box<Fetcher>),
    Program(Vec<String>),
    /// What was read before.
    Known(BTreeMap<String, Result<LinkText, String>>),
}

/// Text behind a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkText {
    /// Its text, at most 16 KiB.
    pub text: String,
    /// Bytes of the whole text.
    pub bytes: usize,
}

/// Reason for which a link was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LinkError {
    /// It leads to this machine or to a network that is not public.
    #[error("{0} is no address of the public internet")]
    NotPublic(String),
    /// It could not be reached.
    #[error("it could not be reached: {0}")]
    Unreachable(String),
    /// The server answered with another status than success.
    #[error("the server answered {0}")]
    Status(u16),
    /// It led on to other addresses too often.
    #[error("it leads on to other addresses more than {0} times")]
    Redirects(usize),
    /// It is no text.
    #[error("it is {0}, which is no text")]
    NoText(String),
    /// It has more bytes than may be read.
    #[error("it has more than {0} bytes")]
    TooLarge(usize),
    /// The program failed.
    #[error("the program failed: {0}")]
    Program(String),
    /// It was not read before, for the reason that is known of that.
    #[error("{0}")]
    Known(String),
}

impl LinkReader {
    /// A reader that fetches at most `most` bytes of each link from where it may reach.
    ///
    /// # Errors
    /// The reason, in words, when no HTTP client can be made.
    pub fn fetching(most: usize, reach: Reach) -> Result<Self, String> {
        let way = Way::Fetch(Box::new(Fetcher::new(reach)?));
        Ok(Self { way, most })
    }

    /// A reader that asks a program, whose output is the text, at most `most` bytes of it. `{url}` in an argument is the
    /// link; without one the link is the last argument. No shell reads any of it.
    pub fn of_program(command: Vec<String>, most: usize) -> Self {
        let way = Way::Program(command);
        Self { way, most }
    }

    /// A reader for replays, which reach nobody: it knows what was read of some links, or why that was not, and of all
    /// others nothing.
    pub const fn knowing(links: BTreeMap<String, Result<LinkText, String>>) -> Self {
        let way = Way::Known(links);
        Self { way, most: MOST }
    }

    /// The text behind a link. Takes as long as the server or the program does; dropped, it ends both.
    ///
    /// # Errors
    /// The reason for which it was not read.
    pub async fn read(&self, link: &Url) -> Result<LinkText, LinkError> {
        let mut text = match &self.way {
            Way::Fetch(fetcher) => fetcher.read(link, self.most).await?,
            Way::Program(command) => self.ask(command, link).await?,
            Way::Known(links) => {
                let known = links.get(link.as_str()).cloned();
                let known = known.unwrap_or_else(|| Err("a replay reads no link".to_owned()));
                return known.map_err(LinkError::Known);
            }
        };
        let bytes = text.len();
        text.truncate(text.floor_char_boundary(MOST));
        Ok(LinkText { text, bytes })
    }

    async fn ask(&self, command: &[String], link: &Url) -> Result<String, LinkError> {
        const URL: &str = "{url}";
        let names_link = command.iter().any(|part| part.contains(URL));
        let parts = command.iter().map(|part| part.replace(URL, link.as_str()));
        let last = (!names_link).then(|| link.to_string());
        let command: Vec<_> = parts.chain(last).collect();
        let failed = |why: String| LinkError::Program(why);
        let program = Program::of(&command).ok_or_else(|| failed("none is named".to_owned()))?;
        let end = program
            .run(&[], self.most)
            .await
            .map_err(|error| failed(error.to_string()))?;
        if end.cut {
            return Err(LinkError::TooLarge(self.most));
        }
        if !end.status.success() {
            return Err(failed(
                format!("{} {}", end.status, end.complaint).trim().to_owned(),
            ));
        }
        Ok(String::from_utf8_lossy(&end.output).trim().to_owned())
    }
}

#[cfg(test)]
mod tests;
