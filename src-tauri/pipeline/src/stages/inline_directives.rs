//! Takes directives such as `/think high` out of a user's text.
//!
//! Three messages of a sender who may use directives:
//!
//! ```text
//!   /think high                    stored on the session and acknowledged; the agent is not asked
//!   /think high explain this       counts for this turn; the agent is asked "explain this"
//!   see you at /t                  text: a directive without a value, beside other text, is a word
//! ```
//!
//! What must hold:
//! - Of a message that is passed on nothing is read: what it says is another person's word.
//! - All directives of a message count, or none. One that may loosen what the agent may do, also what is stored on the
//!   session, needs an owner.
//! - But for the directives, no character of the text changes.

use crate::{
    rules::{Rule, Rules},
    session_settings::{TurnOverrides, apply, may_loosen},
    stages::{addressed::AddressedText, command_access::CommandAccess},
};
use foldback_directives::inbound::{Directives, Inbound as Read, Settings, parse};
use foldback_store::SessionSettings;
use foldback_wire::{DirectiveScope, Inbound, InlineDirective, InlineDirectives};

/// What the stage decides from, beside the message.
pub(crate) struct InlineContext<'a> {
    pub(crate) rules: Rules,
    pub(crate) access: &'a CommandAccess,
    /// Short names of models, which are directives themselves.
    pub(crate) aliases: Vec<String>,
    /// The reason for which the backend cannot do what a directive asks, by its name.
    pub(crate) unsupported: &'a dyn Fn(&Directives) -> Option<String>,
}

/// What the directives of a message come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inline {
    /// There are none.
    None,
    /// The sender may not use them; the text stays as it is.
    Refused(InlineDirectives),
    /// The message is nothing else, and one of them cannot be carried out: none is.
    Invalid(InlineDirectives),
    /// They count for this turn; this text goes on.
    Turn {
        text: String,
        overrides: Box<TurnOverrides>,
        /// The settings that are stored on the session all the same (`--session`).
        kept: Option<Box<SessionSettings>>,
        read: InlineDirectives,
    },
    /// The message is nothing else: they are for the session.
    Session {
        directives: Box<Directives>,
        read: InlineDirectives,
    },
}

/// Reads the directives of a message, whose text `addressed` is.
pub(crate) fn read_directives(
    context: &InlineContext<'_>,
    message: &Inbound,
    addressed: &AddressedText,
) -> Inline {
    let holds = |rule| context.rules.holds(rule);
    // Every directive begins with a slash: most messages need no reader.
    if !message.text.contains('/') || message.forwarded && holds(Rule::InlineForwarded) {
        return Inline::None;
    }
    let settings = Settings {
        authorized: true,
        aliases: context.aliases.clone(),
        ..Settings::default()
    };
    let mut found = parse(&addressed.text, &settings);
    if found.spans.is_empty() {
        return misspelt(&found, context.access, &message.text);
    }
    for span in &mut found.spans {
        *span = addressed.in_message(*span);
    }
    let told = |scope, findings, setting| inline(&found, scope, findings, setting);
    if !context.access.is_allowed {
        let why = context.access.why.clone();
        let setting = context.access.setting.clone();
        return Inline::Refused(told(DirectiveScope::Refused, vec![why], Some(setting)));
    }
    if may_loosen(&found.directives) && !context.access.is_owner && holds(Rule::InlineOwner) {
        let why = "only owners may loosen what the agent may do".to_owned();
        let setting = "commands.owner_allow_from".to_owned();
        return Inline::Refused(told(DirectiveScope::Refused, vec![why], Some(setting)));
    }
    let unsupported = (context.unsupported)(&found.directives);
    if let Some(why) = unsupported.as_ref().filter(|_| found.directive_only) {
        return Inline::Invalid(told(DirectiveScope::Invalid, vec![why.clone()], None));
    }
    let findings = found.diagnostics.iter().map(|found| found.message.clone());
    // Beside text the agent is asked all the same, without what it cannot do.
    let findings = findings.chain(unsupported).collect();
    if found.directive_only {
        let read = told(DirectiveScope::Session, findings, None);
        return Inline::Session {
            directives: Box::new(found.directives),
            read,
        };
    }
    let kept = found.directives.model.as_ref().filter(|model| model.session);
    let kept = kept.map(|model| {
        let mut settings = SessionSettings::default();
        let of_model = Directives {
            model: Some(model.clone()),
            ..Directives::default()
        };
        apply(&mut settings, &of_model);
        Box::new(settings)
    });
    Inline::Turn {
        read: told(DirectiveScope::Turn, findings, None),
        text: addressed.with_mention(&message.text, &found.cleaned),
        overrides: Box::new(TurnOverrides::of(&found.directives)),
        kept,
    }
}

/// The record of directives whose values are none, beside which nothing was found: the text stays as it is.
fn misspelt(found: &Read, access: &CommandAccess, text: &str) -> Inline {
    if found.diagnostics.is_empty() || !access.is_allowed {
        return Inline::None;
    }
    let findings = found.diagnostics.iter().map(|found| found.message.clone());
    Inline::Turn {
        read: inline(found, DirectiveScope::Turn, findings.collect(), None),
        text: text.to_owned(),
        overrides: Box::default(),
        kept: None,
    }
}

fn inline(
    found: &Read,
    scope: DirectiveScope,
    findings: Vec<String>,
    setting: Option<String>,
) -> InlineDirectives {
    let written = found.directives.written().into_iter();
    InlineDirectives {
        directives: written
            .map(|(name, value)| InlineDirective {
                name: name.to_owned(),
                value,
            })
            .collect(),
        spans: found.spans.clone(),
        scope,
        findings,
        setting,
        decided_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_directives::inbound::Think;
    use foldback_wire::Span;

    fn access(is_allowed: bool, is_owner: bool) -> CommandAccess {
        CommandAccess {
            is_allowed,
            is_owner,
            why: "because".into(),
            setting: "commands.allow_from".into(),
        }
    }

    fn addressed(text: &str) -> AddressedText {
        AddressedText::read(text, |word| word == "@bot", |word| word == "@bot")
    }

    fn read_directives_of(context: &InlineContext<'_>, text: &str) -> Inline {
        read_directives(context, &inbound(text), &addressed(text))
    }

    #[test]
    fn those_behind_the_bots_name_count_and_the_name_stays() {
        let may = access(true, false);
        let Inline::Turn { text, read: told, .. } = read("@bot /think high plan it", &may) else {
            panic!("no turn")
        };
        assert_eq!(
            (text.as_str(), told.spans.as_slice()),
            ("@bot plan it", [Span::new(5, 16)].as_slice())
        );
        assert!(matches!(read("@bot /think high", &may), Inline::Session { .. }));
        assert!(matches!(read("/think@bot high", &may), Inline::Session { .. }));
        assert_eq!(read("/think@other high", &may), Inline::None);
    }

    fn read(text: &str, access: &CommandAccess) -> Inline {
        let context = InlineContext {
            rules: Rules::all(),
            access,
            aliases: vec!["opus".into()],
            unsupported: &|_| None,
        };
        read_directives_of(&context, text)
    }

    #[test]
    fn beside_text_they_count_for_the_turn_and_alone_for_the_session() {
        let may = access(true, false);
        let Inline::Turn {
            text,
            overrides,
            kept,
            read: told,
        } = read("/think high\n\nDo X:\n  - a", &may)
        else {
            panic!("no turn")
        };
        assert_eq!(text, "Do X:\n  - a");
        assert_eq!(overrides.set.think, Some(Think::High));
        assert_eq!((kept, told.scope), (None, DirectiveScope::Turn));
        assert_eq!(told.spans, [Span::new(0, 11)]);
        assert!(matches!(read("/think high", &may), Inline::Session { .. }));
        assert_eq!(read("explain this", &may), Inline::None);
        assert_eq!(read("```\n/think high\n```", &may), Inline::None);
    }

    #[test]
    fn a_value_that_is_none_is_told_where_no_other_directive_stands_there() {
        let Inline::Turn {
            text,
            overrides,
            kept: None,
            read: told,
        } = read("/think banana", &access(true, false))
        else {
            panic!("nothing is told")
        };
        assert_eq!(text, "/think banana");
        assert_eq!(*overrides, TurnOverrides::default());
        assert_eq!(
            (told.scope, told.spans.as_slice()),
            (DirectiveScope::Turn, [].as_slice())
        );
        assert!(told.directives.is_empty(), "{told:?}");
        let [finding] = told.findings.as_slice() else {
            panic!("{told:?}")
        };
        assert!(
            finding.starts_with("`banana` is no value of /think: "),
            "{finding}"
        );
        assert_eq!(read("/think banana", &access(false, false)), Inline::None);
    }

    #[test]
    fn whoever_may_not_use_them_writes_text() {
        let Inline::Refused(told) = read("/think high explain", &access(false, true)) else {
            panic!("they count")
        };
        assert_eq!(told.scope, DirectiveScope::Refused);
        assert_eq!(told.setting.as_deref(), Some("commands.allow_from"));
    }

    #[test]
    fn only_an_owner_loosens_what_the_agent_may_do() {
        for text in [
            "/elevated full rm it",
            "/elevated on",
            "/exec security=full run",
            "/exec security=allowlist run",
            "/exec ask=off run",
            "/exec ask=on-miss run",
            "/exec host=gateway run",
            "/exec host=auto run",
            "/exec node=n1 run",
        ] {
            let told = read(text, &access(true, false));
            assert!(matches!(told, Inline::Refused(_)), "{text}");
            let told = read(text, &access(true, true));
            assert!(!matches!(told, Inline::Refused(_)), "{text}");
        }
        for text in [
            "/elevated off go",
            "/exec security=deny run",
            "/exec ask=always host=sandbox run",
        ] {
            let told = read(text, &access(true, false));
            assert!(
                matches!(told, Inline::Turn { .. }),
                "less is for everybody: {text}"
            );
        }
    }

    #[test]
    fn what_is_passed_on_holds_none() {
        let mut message = inbound("/think high");
        message.forwarded = true;
        let may = access(true, true);
        let context = InlineContext {
            rules: Rules::all(),
            access: &may,
            aliases: Vec::new(),
            unsupported: &|_| None,
        };
        assert_eq!(
            read_directives(&context, &message, &addressed("/think high")),
            Inline::None
        );
    }

    #[test]
    fn a_model_beside_text_stays_only_where_the_message_says_so() {
        let may = access(true, false);
        let kept = |text| match read(text, &may) {
            Inline::Turn { kept, .. } => kept
                .and_then(|settings| settings.model)
                .map(|model| model.written()),
            _ => None,
        };
        assert_eq!(kept("/model a/b hi"), None);
        assert_eq!(kept("/model a/b --session hi"), Some("a/b".into()));
    }

    #[test]
    fn what_the_backend_cannot_do_is_said_by_name_and_nothing_counts() {
        let may = access(true, true);
        let context = InlineContext {
            rules: Rules::all(),
            access: &may,
            aliases: Vec::new(),
            unsupported: &|_| Some("letta sets no level of thinking".into()),
        };
        let Inline::Invalid(told) = read_directives_of(&context, "/think high /verbose on") else {
            panic!("they count")
        };
        assert_eq!(
            (told.scope, told.findings.as_slice()),
            (
                DirectiveScope::Invalid,
                ["letta sets no level of thinking".to_owned()].as_slice()
            )
        );
        let Inline::Turn { read, .. } = read_directives_of(&context, "/think high hello") else {
            panic!("the agent is not asked")
        };
        assert_eq!(read.findings, ["letta sets no level of thinking"]);
    }
}
