//! A text as a platform shows it: what its markup becomes on the screen, as data. Nothing of it is HTML, so that
//! no client has to trust what an agent wrote.

use crate::closed::closed_set;
use serde::{Deserialize, Serialize};

closed_set! {
    /// The look of letters.
    pub enum InkStyle {
        Bold = "bold": "Bold.",
        Italic = "italic": "Italic.",
        Underline = "underline": "Underlined.",
        Strike = "strike": "Struck through.",
        Code = "code": "Code inside a line.",
        Spoiler = "spoiler": "Hidden until it is touched.",
    }
}

/// Letters of one look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Ink {
    /// The letters, with their line breaks.
    pub text: String,
    /// Their look; plain where there is none.
    pub styles: Vec<InkStyle>,
    /// The address that they lead to.
    pub link: Option<String>,
}

/// A part of a message that stands on lines of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "block", rename_all = "snake_case")]
#[ts(rename = "Shown")]
pub enum RenderedBlock {
    /// Lines of text.
    Text {
        /// Their text.
        inks: Vec<Ink>,
    },
    /// A heading.
    Heading {
        /// Its level, from 1.
        level: u8,
        /// Its text.
        inks: Vec<Ink>,
    },
    /// A quotation.
    Quote {
        /// Its text.
        inks: Vec<Ink>,
    },
    /// A block of code.
    Code {
        /// Its language, where the platform is told.
        language: Option<String>,
        /// Its lines.
        text: String,
    },
}
