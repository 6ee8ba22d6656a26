//! The code of a platform.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// Most bytes of a code.
const LONGEST: usize = 16;

/// A platform by its code, such as `telegram`: up to 16 lower-case letters, digits and underscores. Which platforms there
/// are, and the rules of each, is not known here: `foldback-channels` has one row for each. A code without a row, such as
/// one in a journal of a later version, is kept as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ts_rs::TS)]
#[ts(type = "string")]
pub struct Platform {
    /// The code, filled up with zeros.
    bytes: [u8; LONGEST],
}

impl Platform {
    /// The platform of a code that is written in the program.
    ///
    /// # Panics
    /// Where it is no code: as a constant, when the program is compiled.
    pub const fn new(code: &str) -> Self {
        match Self::from_code(code) {
            Some(platform) => platform,
            None => panic!("a platform's code has 1 to 16 lower-case letters, digits and underscores"),
        }
    }

    /// The platform of a code; `None` where it cannot be one.
    pub const fn from_code(code: &str) -> Option<Self> {
        let code = code.as_bytes();
        if code.is_empty() || code.len() > LONGEST {
            return None;
        }
        let mut bytes = [0; LONGEST];
        let mut at = 0;
        while at < code.len() {
            if !matches!(code[at], b'a'..=b'z' | b'0'..=b'9' | b'_') {
                return None;
            }
            bytes[at] = code[at];
            at += 1;
        }
        Some(Self { bytes })
    }

    /// Its code.
    pub fn code(&self) -> &str {
        let length = self.bytes.iter().take_while(|byte| **byte != 0).count();
        // It is made of ASCII.
        std::str::from_utf8(&self.bytes[..length]).unwrap_or_default()
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Platform({})", self.code())
    }
}

impl Serialize for Platform {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Platform {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::from_code(&code)
            .ok_or_else(|| D::Error::custom(format_args!("{code:?} is no code of a platform")))
    }
}

impl schemars::JsonSchema for Platform {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Platform".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "The code of a platform.",
            "pattern": "^[a-z0-9_]{1,16}$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_and_written_as_it_is() {
        const SHORT: Platform = Platform::new("x");
        assert_eq!(SHORT.code(), "x");
        let text = "\"sixteen_letters_\"";
        let read: Platform = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(format!("{read:>18}|"), "  sixteen_letters_|");
        for wrong in [
            "\"\"",
            "\"Telegram\"",
            "\"seventeen_letters\"",
            "\"a b\"",
            "\"\u{e9}\"",
            "7",
        ] {
            assert!(serde_json::from_str::<Platform>(wrong).is_err(), "{wrong}");
        }
    }
}
