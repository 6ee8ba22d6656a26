use super::*;
use foldback_directives::inbound::{Settings, parse};

fn set(texts: &[&str]) -> SessionSettings {
    let mut settings = SessionSettings::default();
    for text in texts {
        apply(&mut settings, &parse(text, &Settings::authorized()).directives);
    }
    settings
}

fn written(texts: &[&str]) -> Vec<String> {
    let settings = set(texts);
    let written = settings.written().into_iter();
    written.map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn what_is_not_named_stays_and_default_or_reset_clears() {
    assert_eq!(
        written(&["/think high /verbose on", "/verbose full", "/think"]),
        ["think=high", "verbose=full"]
    );
    assert_eq!(written(&["/think high", "/think default"]), Vec::<String>::new());
    assert_eq!(
        written(&["/exec ask=always", "/exec security=deny"]),
        ["exec.security=deny", "exec.ask=always"]
    );
    assert_eq!(
        written(&["/queue collect cap:5", "/queue debounce:0"]),
        ["queue.mode=collect", "queue.debounce=0 seconds", "queue.cap=5"]
    );
    assert_eq!(
        written(&["/queue debounce:30d cap:99999999"]),
        ["queue.debounce=1 minute", "queue.cap=200"],
        "as much as a chat may set"
    );
    assert_eq!(written(&["/queue collect", "/queue reset"]), Vec::<String>::new());
    assert_eq!(written(&["/model a/b@c", "/model default"]), Vec::<String>::new());
}

#[test]
fn what_a_message_clears_is_not_taken_from_the_session() {
    let stored = set(&["/think high /model a/b /verbose on", "/queue collect cap:3"]);
    let left = |text: &str| {
        let directives = parse(text, &Settings::authorized()).directives;
        let overrides = TurnOverrides::of(&directives);
        assert_eq!(overrides.set, SessionSettings::default(), "{text}");
        let left = overrides.uncleared(stored.clone()).written().into_iter();
        left.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(
        left("/think default x"),
        ["verbose", "model", "queue.mode", "queue.cap"]
    );
    assert_eq!(
        left("/model default x"),
        ["think", "verbose", "queue.mode", "queue.cap"]
    );
    assert_eq!(left("/queue reset x"), ["think", "verbose", "model"]);
    let directives = parse("/queue reset x", &Settings::authorized()).directives;
    let overrides = TurnOverrides::of(&directives);
    assert_eq!(overrides.without_queue(), TurnOverrides::default());
}

#[test]
fn the_message_comes_before_the_session() {
    let settings = TurnSettings {
        message: set(&["/verbose off x"]),
        session: set(&["/verbose full /reasoning on"]),
        ..TurnSettings::default()
    };
    assert_eq!(settings.tools(), Some(ToolDisplay::None));
    assert_eq!(settings.reasoning(), Some(ReasoningDisplay::Show));
    let told: Vec<_> = settings
        .effective()
        .into_iter()
        .map(|s| (s.setting, s.value, s.source))
        .collect();
    assert_eq!(
        told,
        [
            ("verbose".into(), "off".into(), SettingSource::Inline),
            ("reasoning".into(), "on".into(), SettingSource::Session),
        ]
    );
}

#[test]
fn a_level_of_the_configuration_counts_where_nobody_sets_one() {
    let text = "[agent.defaults]\nthink = \"low\"\nverbose = \"on\"\nreasoning = \"stream\"\n";
    let config = crate::config::parse(text, std::path::Path::new("f")).unwrap();
    let mut settings = TurnSettings {
        message: set(&["/verbose off x"]),
        session: set(&["/think high"]),
        configured: ConfiguredLevels::of(&config, &"slack".into()),
        ..TurnSettings::default()
    };
    let told = |settings: &TurnSettings| {
        let set = settings.effective().into_iter();
        set.map(|s| format!("{} {} ({})", s.setting, s.value, s.source))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told(&settings),
        [
            "verbose off (inline)",
            "think high (session)",
            "reasoning stream (global)"
        ]
    );
    assert_eq!(settings.tools(), Some(ToolDisplay::None));
    assert_eq!(settings.reasoning(), Some(ReasoningDisplay::Stream));
    assert!(!settings.is_verbose());
    (settings.message, settings.session) = (set(&[]), set(&["/think high", "/think default"]));
    assert_eq!(settings.tools(), Some(ToolDisplay::Compact));
    assert!(settings.is_verbose());
    assert_eq!(settings.levels(&BTreeMap::new()).think, Some(ThinkLevel::Low));
}

#[test]
fn a_model_is_meant_by_its_short_name_its_number_or_its_own_name() {
    let names = BTreeMap::from([
        ("opus".to_owned(), "anthropic/opus-4".to_owned()),
        ("small".to_owned(), "openai/gpt-mini@work".to_owned()),
    ]);
    let asked = |text| {
        let settings = TurnSettings {
            message: set(&[text]),
            session: set(&["/think high /model openai/gpt"]),
            ..TurnSettings::default()
        };
        let levels = settings.levels(&names);
        (
            levels.think.map(ThinkLevel::code),
            levels.model.map(|model| model.to_string()),
        )
    };
    let high = Some("high");
    assert_eq!(asked("/model opus x"), (high, Some("anthropic/opus-4".into())));
    assert_eq!(asked("/model 2 x"), (high, Some("openai/gpt-mini@work".into())));
    assert_eq!(asked("/model a/b@c x"), (high, Some("a/b@c".into())));
    assert_eq!(asked("x"), (high, Some("openai/gpt".into())));
    assert_eq!(asked("/think off x"), (Some("off"), Some("openai/gpt".into())));
}

#[test]
fn what_the_configuration_rejects_stays_rejected() {
    let configured = PermissionsConfig {
        reject: vec![ToolKind::Delete],
        allow_once: vec![ToolKind::Read],
        ..PermissionsConfig::default()
    };
    let about = |text: &str, does: &str| {
        let settings = TurnSettings {
            message: set(&[text]),
            ..TurnSettings::default()
        };
        settings.permissions(&configured).about(does).0
    };
    assert_eq!(about("/elevated full", "delete"), PermissionPolicy::Reject);
    assert_eq!(about("/elevated full", "execute"), PermissionPolicy::AllowOnce);
    assert_eq!(about("/elevated ask", "read"), PermissionPolicy::Ask);
    assert_eq!(about("/elevated off", "edit"), PermissionPolicy::Reject);
    assert_eq!(about("/exec security=deny", "execute"), PermissionPolicy::Reject);
    assert_eq!(about("/exec ask=off", "execute"), PermissionPolicy::AllowOnce);
    assert_eq!(about("/exec ask=off", "edit"), PermissionPolicy::Ask);
    assert_eq!(
        about("/elevated full /exec ask=always", "execute"),
        PermissionPolicy::Ask
    );
}
