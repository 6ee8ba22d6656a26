//! Programs and addresses that are told of events.

use super::{Config, Interval, Secret};
use foldback_agents::is_sent_openly;
use foldback_store::Filter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program or an address that is told of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookConfig {
    /// Its name in the journal.
    pub name: String,
    /// The events that it is told of, in the language of the filter bar, such as `outcome:failed`.
    #[serde(rename = "where")]
    pub events: HookFilter,
    /// The program with its arguments. No shell reads them; the event's JSON is its input, one line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<String>,
    /// The address that the event's JSON is posted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The key by which what is posted is signed, by reference: `X-Foldback-Signature` is `sha256=` and the HMAC-SHA256
    /// of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// Lets events travel unencrypted: to an `http://` address on another machine.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// Longest wait for the program to end, or for each of three answers.
    #[serde(default = "timeout")]
    pub timeout: Interval,
}

fn timeout() -> Interval {
    Interval::seconds(10)
}

/// The filter of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct HookFilter(String);

impl HookFilter {
    /// The filter, read.
    pub fn filter(&self) -> Filter {
        // It was read before; the text of one that passes everything is empty.
        Filter::parse(&self.0).unwrap_or_default()
    }
}

impl TryFrom<String> for HookFilter {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match Filter::parse(&text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => {
                let before = text.get(..error.span.start).unwrap_or(&text).chars().count();
                let meant = error
                    .suggestion
                    .as_ref()
                    .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
                Err(format!(
                    "character {} of {text:?}: {}{meant}",
                    before + 1,
                    error.message
                ))
            }
        }
    }
}

impl From<HookFilter> for String {
    fn from(filter: HookFilter) -> Self {
        filter.0
    }
}

/// The first hook that cannot be, by its number from 0, with the reason.
pub(super) fn unfit_hook(config: &Config) -> Option<(usize, String)> {
    let hooks = &config.hooks;
    let wrong = hooks.iter().enumerate().map(|(at, hook)| {
        let twice = hooks[..at].iter().any(|other| other.name == hook.name);
        let why = match (&hook.url, hook.run.as_slice()) {
            _ if hook.name.trim().is_empty() => "a hook needs a name".to_owned(),
            _ if twice => format!("there are two hooks named {:?}", hook.name),
            (None, []) | (Some(_), [_, ..]) => {
                format!("the hook {:?} needs either run or url", hook.name)
            }
            (None, _) if hook.secret.is_some() => {
                format!("the hook {:?} signs nothing: secret belongs to url", hook.name)
            }
            _ if hook.timeout.0.is_zero() => {
                format!("the timeout of the hook {:?} must be more than 0", hook.name)
            }
            (Some(url), _) if !(url.starts_with("https://") || url.starts_with("http://")) => {
                format!(
                    "the url of the hook {:?} must begin with https:// or http://",
                    hook.name
                )
            }
            (Some(url), _) if is_sent_openly(url) && !hook.allow_plain_http => format!(
                "what the hook {:?} is told would travel unencrypted to another machine; use https, or set \
                 allow_plain_http = true where the network is trusted",
                hook.name
            ),
            _ => return None,
        };
        Some((at, why))
    });
    wrong.flatten().next()
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    fn read(text: &str) -> Result<(), String> {
        let read = parse(text, Path::new("f"));
        read.map(drop).map_err(|error| error.to_string())
    }

    fn hook(more: &str) -> String {
        format!("# hooks\n\n[[hooks]]\nname = \"pager\"\nwhere = \"outcome:failed\"\n{more}\n")
    }

    #[test]
    fn a_hook_has_a_filter_and_either_a_program_or_an_address() {
        assert_eq!(read(&hook("run = [\"notify-send\", \"Foldback\"]")), Ok(()));
        let signed = "url = \"https://example.org/hook\"\nsecret = { env = \"KEY\" }";
        assert_eq!(read(&hook(signed)), Ok(()));
        assert_eq!(read(&hook("url = \"http://127.0.0.1:9/\"")), Ok(()));
        let either = Err("f:3:1: hooks: the hook \"pager\" needs either run or url".to_owned());
        assert_eq!(read(&hook("")), either);
        assert_eq!(
            read(&hook("run = [\"a\"]\nurl = \"https://example.org\"")),
            either
        );
        let twice = hook("run = [\"a\"]") + &hook("run = [\"b\"]");
        assert_eq!(
            read(&twice),
            Err("f:9:1: hooks: there are two hooks named \"pager\"".into())
        );
        let open = read(&hook("url = \"http://example.org\"")).unwrap_err();
        assert!(
            open.starts_with("f:3:1: hooks: what the hook \"pager\" is told would travel unencrypted"),
            "{open}"
        );
    }

    #[test]
    fn a_filter_that_is_none_is_an_error_with_its_line() {
        let wrong = "[[hooks]]\nname = \"a\"\nwhere = \"knd:held\"\nrun = [\"a\"]\n";
        let why = read(wrong).unwrap_err();
        assert!(
            why.starts_with("f:3:9: hooks.where: character 1 of \"knd:held\": "),
            "{why}"
        );
        assert!(why.contains("`kind"), "{why}");
    }
}
