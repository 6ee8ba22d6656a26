use super::*;
use crate::{config::parse, testing::inbound, time::TokioClock};
use foldback_agents::{ScriptAgent, StepSink, TurnRequest};
use foldback_wire::{Attachment, Timestamp};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// An agent that can set no level.
struct Plain;

#[async_trait::async_trait]
impl Agent for Plain {
    fn backend(&self) -> &'static str {
        "plain"
    }
    fn model(&self) -> Option<&str> {
        None
    }
    async fn run(&self, _: TurnRequest, _: StepSink, _: CancellationToken) {}
}

fn read_message(message: &Inbound, is_allowed: bool) -> TextMeaning {
    let agent = ScriptAgent::new(Arc::new(TokioClock::at(Timestamp(0))));
    read_for(&agent, message, is_allowed)
}

fn read_for(agent: &dyn Agent, message: &Inbound, is_allowed: bool) -> TextMeaning {
    let text = "[agent.models]\nopus = \"anthropic/opus\"\n[session]\nreset_words = [\"fresh start\"]\n\
                [channels.telegram]\nmention_patterns = ['captain']\n";
    let config = parse(text, std::path::Path::new("foldback.toml")).unwrap();
    let access = CommandAccess {
        is_allowed,
        is_owner: false,
        why: String::new(),
        setting: "commands.allow_from".to_owned(),
    };
    let context = TextContext {
        rules: Rules::all(),
        config: &config,
        agent,
        access: &access,
    };
    context.read(message)
}

fn read(text: &str) -> TextMeaning {
    read_message(&inbound(text), true)
}

fn command(meaning: &TextMeaning) -> Option<&'static str> {
    match meaning {
        TextMeaning::Answered(OwnAnswerKind::Command { row, .. }) => Some(row.name),
        _ => None,
    }
}

#[test]
fn stop_words_and_commands_are_answered_here_and_the_rest_is_for_the_agent() {
    assert_eq!(command(&read("Stop!")), Some("stop"));
    assert_eq!(command(&read("/help")), Some("help"));
    for text in ["hello", "/unknown x", "stop it", "/help now"] {
        assert_eq!(
            read(text),
            TextMeaning::ForAgent(AgentText::default()),
            "{text} is the agent's, as it was written"
        );
    }
}

#[test]
fn whoever_may_not_use_commands_writes_text_and_that_is_recorded() {
    for (text, name, value, span) in [
        ("/help", "help", "", (0, 5)),
        (" /new opus\nhi", "new", "opus", (1, 10)),
        ("Stop!", "stop", "", (0, 5)),
        ("fresh start", "new", "", (0, 11)),
    ] {
        let TextMeaning::ForAgent(AgentText {
            text: None,
            read: Some(read),
            reset: None,
            ..
        }) = read_message(&inbound(text), false)
        else {
            panic!("{text}: it acts, or nothing is recorded")
        };
        assert_eq!(read.scope, DirectiveScope::Refused);
        assert_eq!(read.setting.as_deref(), Some("commands.allow_from"));
        let [directive] = read.directives.as_slice() else {
            panic!("{read:?}")
        };
        assert_eq!((directive.name.as_str(), directive.value.as_str()), (name, value));
        assert_eq!(read.spans, [Span::new(span.0, span.1)], "{text}");
    }
    let plain = TextMeaning::ForAgent(AgentText::default());
    assert_eq!(read_message(&inbound("help me"), false), plain);
}

#[test]
fn what_is_passed_on_or_stands_below_a_file_is_no_command() {
    let text = TextMeaning::ForAgent(AgentText::default());
    let mut message = inbound("/new");
    message.forwarded = true;
    assert_eq!(read_message(&message, true), text);
    message.forwarded = false;
    message.files = vec![Attachment {
        name: "a".into(),
        media_type: "image/png".into(),
        size: None,
        source: None,
    }];
    assert_eq!(read_message(&message, true), text);
}

#[test]
fn what_an_agent_never_asks_for_cannot_be_allowed_or_denied() {
    for text in ["/elevated off", "/exec ask=always", "/exec security=deny"] {
        let meaning = read_for(&Plain, &inbound(text), true);
        let TextMeaning::Answered(OwnAnswerKind::InvalidDirectives { read }) = meaning else {
            panic!("{text} is acknowledged")
        };
        let why = "plain never asks before it uses a tool, so there is nothing to allow or deny";
        assert_eq!(read.findings, [why], "{text}");
    }
}

#[test]
fn in_a_group_the_bot_may_be_named_first() {
    let mut message = inbound("<@42> /status@bot");
    assert_eq!(command(&read_message(&message, true)), None);
    message.chat_type = ChatType::Group;
    // `/status` alone is a directive, too; the command comes first.
    assert_eq!(command(&read_message(&message, true)), Some("status"));
    message.text = "@bot stop".into();
    assert_eq!(command(&read_message(&message, true)), Some("stop"));
}

#[test]
fn in_a_group_the_bot_may_be_named_last() {
    let mut message = inbound("/status @bot");
    assert_eq!(
        command(&read_message(&message, true)),
        None,
        "nobody else is there"
    );
    message.chat_type = ChatType::Group;
    assert_eq!(command(&read_message(&message, true)), Some("status"));
    message.text = "/stop <@42>".into();
    assert_eq!(command(&read_message(&message, true)), Some("stop"));
    message.text = "/think high @bot".into();
    let meaning = read_message(&message, true);
    let is_set = matches!(meaning, TextMeaning::Answered(OwnAnswerKind::Directives { .. }));
    assert!(is_set, "{meaning:?}");
    message.mentioned = false;
    message.text = "/status @alice".into();
    assert_eq!(command(&read_message(&message, true)), None);
}

#[test]
fn what_is_said_to_somebody_else_of_a_group_is_text() {
    let mut message = inbound("");
    message.chat_type = ChatType::Group;
    message.mentioned = false;
    for text in [
        "@alice stop",
        "stop <@7>",
        "@alice /help",
        "/help@another",
        "@alice fresh start",
    ] {
        message.text = text.into();
        assert_eq!(command(&read_message(&message, true)), None, "{text}");
    }
    for (text, name) in [("stop", "stop"), ("/help", "help"), ("@captain stop", "stop")] {
        message.text = text.into();
        assert_eq!(command(&read_message(&message, true)), Some(name), "{text}");
    }
}

#[test]
fn a_new_session_may_begin_with_a_model_and_with_words() {
    assert_eq!(command(&read("/new")), Some("new"));
    assert_eq!(command(&read("/reset opus")), Some("new"));
    let begins = |text: &str| match read(text) {
        TextMeaning::ForAgent(AgentText {
            text: Some(text),
            reset: Some(NewSession { model, .. }),
            ..
        }) => (text, model),
        other => panic!("{other:?}"),
    };
    assert_eq!(begins("/new Hello\nthere"), ("Hello\nthere".into(), None));
    assert_eq!(
        begins("/new opus hi"),
        ("hi".into(), Some("anthropic/opus".into()))
    );
    assert_eq!(
        begins("/NEW Opus hi\nthere"),
        ("hi\nthere".into(), Some("anthropic/opus".into()))
    );
    assert_eq!(begins("/new opusculum"), ("opusculum".into(), None));
    assert_eq!(
        begins("/new anthropic/haiku hi"),
        ("hi".into(), Some("anthropic/haiku".into()))
    );
    assert_eq!(begins("/new 1\nhi"), ("hi".into(), Some("anthropic/opus".into())));
    for text in ["1 thing", "7", "and/or", "https://a.example/b"] {
        assert_eq!(begins(&format!("/new {text}")), (text.into(), None));
    }
    assert_eq!(
        begins("/new a\n\n  b"),
        ("a\n\n  b".into(), None),
        "white space stays"
    );
    assert_eq!(command(&read("/new 1")), Some("new"));
    assert_eq!(command(&read("/new anthropic/haiku")), Some("new"));
}

#[test]
fn directives_behind_a_new_session_count_as_in_a_message_of_their_own() {
    let text = "/new opus /think high /status plan it";
    let TextMeaning::ForAgent(meaning) = read(text) else {
        panic!("it is answered")
    };
    assert_eq!(meaning.text.as_deref(), Some("plan it"));
    assert_eq!(meaning.overrides.set.written(), [("think", "high".to_owned())]);
    assert_eq!(meaning.beside, ["/status"]);
    let reset = meaning.reset.unwrap();
    assert_eq!(reset.model.as_deref(), Some("anthropic/opus"));
    let spans = meaning.read.unwrap().spans;
    let marked: Vec<_> = spans.iter().map(|span| &text[span.start..span.end]).collect();
    assert_eq!(marked, ["/think high", "/status"]);

    let meaning = read("/new /elevated full rm it");
    let TextMeaning::ForAgent(AgentText { text, overrides, .. }) = meaning else {
        panic!("it is answered")
    };
    assert_eq!(text.as_deref(), Some("/elevated full rm it"), "it needs an owner");
    assert_eq!(*overrides, crate::session_settings::TurnOverrides::default());

    for text in ["/new /think high", "/reset\n/status"] {
        let meaning = read(text);
        let begins = matches!(meaning, TextMeaning::Answered(OwnAnswerKind::BeginWith { .. }));
        assert!(begins && meaning.begins_anew(), "{text}: {meaning:?}");
    }
}

#[test]
fn a_configured_word_alone_begins_a_new_session() {
    assert_eq!(command(&read("Fresh start")), Some("new"));
    for text in ["Fresh start please", "> Fresh start", "Path: Fresh start"] {
        assert_eq!(read(text), TextMeaning::ForAgent(AgentText::default()), "{text}");
    }
    assert_eq!(command(&read_message(&inbound("fresh start"), false)), None);
    let mut message = inbound("@bot fresh start");
    message.chat_type = ChatType::Group;
    assert_eq!(command(&read_message(&message, true)), Some("new"));
    message.forwarded = true;
    assert_eq!(command(&read_message(&message, true)), None);
}

#[test]
fn what_the_agent_cannot_do_is_said_by_name() {
    let text = "[agent.models]\n";
    let config = parse(text, std::path::Path::new("foldback.toml")).unwrap();
    let access = CommandAccess {
        is_allowed: true,
        is_owner: true,
        why: String::new(),
        setting: "commands.allow_from".to_owned(),
    };
    let context = TextContext {
        rules: Rules::all(),
        config: &config,
        agent: &Plain,
        access: &access,
    };
    let TextMeaning::Answered(OwnAnswerKind::InvalidDirectives { read }) =
        context.read(&inbound("/exec host=gateway"))
    else {
        panic!("it counts")
    };
    assert_eq!(
        read.findings,
        [
            "plain decides itself where commands run; it takes an agent of the backend acp that offers an option of \
          the category _exec_host"
        ]
    );
}
