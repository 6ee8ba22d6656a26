//! The lists of commands: which run at once, which a person confirms, which never run.

use crate::ActionDecision;
use regex::{Regex, RegexSet};

/// Characters with a meaning for the shell beyond the words of one command. A command with any of them may do more than
/// its beginning says, so that the list of what is allowed does not count for it.
const SHELL_CONTROLS: [char; 13] = [';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\n', '\r'];
/// Characters by which a shell reads another word than the one that is written, so that a list of what is confirmed or denied
/// may not see what runs.
const DISGUISES: [char; 6] = ['\'', '"', '\\', '*', '?', '['];

/// The lists of patterns, in the order in which they count: `deny`, `confirm`, `allow`. A command that no list names is
/// confirmed.
///
/// A shell reads `git  push`, `git "push"` and `git pu\sh` alike, so that `deny` and `confirm` are looked for in the command as it
/// is written and in its words without quotes, one blank between them. What a glob sign stands for is known to the shell
/// alone; while one of these two lists is set, what has such a sign, a quote or a backslash is therefore not allowed by its
/// beginning, but confirmed.
#[derive(Debug, Clone, Default)]
pub struct CommandRules {
    allow: RegexSet,
    confirm: RegexSet,
    deny: RegexSet,
}

/// A list cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("actions.bash.{list}: {why}")]
pub struct PatternError {
    /// The list: `allow`, `confirm` or `deny`.
    pub list: &'static str,
    /// The reason, in words.
    pub why: String,
}

/// Checks one pattern of a list.
///
/// # Errors
/// In words, where it is no regular expression or matches every command.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    let read = Regex::new(pattern).map_err(|error| in_words(&error))?;
    if read.is_match("") {
        return Err("this matches every command".to_owned());
    }
    Ok(())
}

fn in_words(error: &regex::Error) -> String {
    let error = error.to_string();
    let last = error.lines().last().unwrap_or(&error);
    format!(
        "this is no regular expression: {}",
        last.trim_start_matches("error: ")
    )
}

impl CommandRules {
    /// Reads the lists of regular expressions. Those of `allow` have to match a whole command; those of the others any
    /// part of one.
    ///
    /// # Errors
    /// The first pattern that is none.
    pub fn read(allow: &[String], confirm: &[String], deny: &[String]) -> Result<Self, PatternError> {
        for (list, patterns) in [("allow", allow), ("confirm", confirm), ("deny", deny)] {
            for pattern in patterns {
                // Each by itself: put into a group, half a pattern may be a whole one.
                check_pattern(pattern).map_err(|why| PatternError { list, why })?;
            }
        }
        let set = |list, patterns: Vec<String>| {
            RegexSet::new(patterns).map_err(|error| PatternError {
                list,
                why: in_words(&error),
            })
        };
        let whole = allow.iter().map(|pattern| format!(r"\A(?:{pattern})\z"));
        Ok(Self {
            allow: set("allow", whole.collect())?,
            confirm: set("confirm", confirm.to_vec())?,
            deny: set("deny", deny.to_vec())?,
        })
    }

    /// The decision about a command.
    pub fn decide(&self, command: &str) -> ActionDecision {
        let command = command.trim();
        // Without words where a quote is not closed.
        let words = shlex::split(command).map(|words| words.join(" "));
        // The first pattern of a list that names it.
        let naming = |list: &RegexSet| {
            let as_words = |words| list.matches(words).into_iter().next();
            let first = as_words(command).or_else(|| words.as_deref().and_then(as_words))?;
            list.patterns().get(first).cloned()
        };
        if let Some(pattern) = naming(&self.deny) {
            return ActionDecision::Denied {
                why: format!("the command is on the list of those that never run (`{pattern}` matches)"),
                setting: "actions.bash.deny",
            };
        }
        if naming(&self.confirm).is_some() {
            return ActionDecision::Confirmed("the list of commands to confirm names it".to_owned());
        }
        if !self.allow.is_match(command) {
            return ActionDecision::Confirmed("the list of allowed commands does not name it".to_owned());
        }
        if command.contains(SHELL_CONTROLS) {
            let why = "more than one simple command is always confirmed".to_owned();
            return ActionDecision::Confirmed(why);
        }
        if command.contains(DISGUISES) && !(self.confirm.is_empty() && self.deny.is_empty()) {
            let why = "a quote, a backslash or a glob sign may hide what the other lists name";
            return ActionDecision::Confirmed(why.to_owned());
        }
        ActionDecision::Allowed("actions.bash.allow")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], confirm: &[&str], deny: &[&str]) -> CommandRules {
        let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        CommandRules::read(&owned(allow), &owned(confirm), &owned(deny)).unwrap()
    }

    #[test]
    fn what_no_list_names_is_confirmed() {
        let decided = CommandRules::default().decide("df -h");
        assert!(matches!(decided, ActionDecision::Confirmed(_)), "{decided:?}");
    }

    #[test]
    fn deny_counts_before_confirm_and_confirm_before_allow() {
        let rules = rules(&["df.*", "rm .*"], &["-rf?"], &["/etc", r"^sudo\b"]);
        let code = |command: &str| match rules.decide(command) {
            ActionDecision::Unfit(_) => "unfit",
            ActionDecision::Confirmed(_) => "confirm",
            ActionDecision::Allowed(setting) | ActionDecision::Denied { setting, .. } => setting,
            ActionDecision::AsDeclared => "as declared",
        };
        assert_eq!(code("df -h"), "actions.bash.allow");
        assert_eq!(code("  df -h\n"), "actions.bash.allow");
        assert_eq!(code("rm a"), "actions.bash.allow");
        assert_eq!(code("rm -r a"), "confirm");
        assert_eq!(code("rm /etc/passwd"), "actions.bash.deny");
        assert_eq!(code("rm -r /etc"), "actions.bash.deny");
        assert_eq!(code("sudo df"), "actions.bash.deny");
        assert_eq!(code("df -h -rf"), "confirm");
        let ActionDecision::Denied { why, .. } = rules.decide("df /etc; sudo df") else {
            panic!("denied");
        };
        assert!(why.ends_with("(`/etc` matches)"), "the pattern is named: {why}");
    }

    #[test]
    fn no_blank_quote_or_backslash_hides_what_is_confirmed_or_denied() {
        let rules = rules(&["git .*", "rm .*"], &["git push"], &["rm -rf /etc"]);
        for command in [
            "git push origin",
            "git  push origin",
            "git\tpush origin",
            "git 'push' origin",
            "git \"pu\"sh origin",
            "git pu\\sh origin",
        ] {
            let ActionDecision::Confirmed(why) = rules.decide(command) else {
                panic!("{command}");
            };
            assert_eq!(why, "the list of commands to confirm names it", "{command}");
        }
        for command in [
            "rm -rf   /etc",
            "rm \t-rf '/etc'",
            "rm -r\\f /e\"\"tc",
            "ls; rm  -rf /etc",
        ] {
            assert!(
                matches!(rules.decide(command), ActionDecision::Denied { .. }),
                "{command}"
            );
        }
    }

    #[test]
    fn what_only_the_shell_can_read_is_confirmed_where_a_list_could_name_it() {
        let asked = [
            "git pus? origin",
            "git p*",
            "git [p]ush",
            "git log 'a",
            "git log \\",
        ];
        for (confirm, deny) in [(&["push"][..], &[][..]), (&[], &["push"])] {
            let rules = rules(&["git .*"], confirm, deny);
            for command in asked {
                assert!(
                    matches!(rules.decide(command), ActionDecision::Confirmed(_)),
                    "{command}"
                );
            }
            let decided = rules.decide("git  log --oneline");
            assert_eq!(decided, ActionDecision::Allowed("actions.bash.allow"));
        }
        let alone = rules(&["git .*"], &[], &[]);
        for command in asked {
            assert!(
                matches!(alone.decide(command), ActionDecision::Allowed(_)),
                "{command}"
            );
        }
    }

    #[test]
    fn allow_names_a_whole_command_and_never_more_than_one() {
        let rules = rules(&["df", "df .*|du .*", "(?s)echo .*"], &[], &[]);
        let allowed = |command: &str| matches!(rules.decide(command), ActionDecision::Allowed(_));
        for command in ["df", "df -h", "du -sh /var", "echo a 'b c' *.txt"] {
            assert!(allowed(command), "{command}");
        }
        for command in [
            "xdf",
            "dfx",
            "LD_PRELOAD=x df -h",
            "df -h; rm -rf ~",
            "df -h && rm x",
            "df | sh",
            "df -h & rm x",
            "df $(rm x)",
            "df `rm x`",
            "df > /etc/passwd",
            "df < x",
            "echo a\nrm x",
            "echo a\rrm x",
            "df ${x}",
        ] {
            assert!(!allowed(command), "{command}");
        }
    }

    #[test]
    fn half_a_pattern_is_none() {
        for pattern in ["a)|(b", "(", "[", "a(?", "", "x*"] {
            let error = CommandRules::read(&[pattern.to_owned()], &[], &[]).unwrap_err();
            assert_eq!(error.list, "allow", "{pattern}");
        }
        let denied = CommandRules::read(&[], &[], &["*".to_owned()]).unwrap_err();
        assert_eq!(denied.list, "deny");
        assert!(denied.to_string().starts_with("actions.bash.deny: "), "{denied}");
    }
}
