//! JSON actions in Compose: findings, and what would come of them on each channel.

use crate::host::Host;
use foldback_directives::{Code, Dialect, Needs};
use foldback_wire::{
    ActionRefusal, ActionRefusalCode, Kind, Seq, TurnId,
    rpc::{
        ActionPreviewOutcome::{self, AskedFirst, CarriedOut, Refused},
        Catalog, ChannelActions, ComposeResult,
    },
};
use serde_json::{Value, json};
use std::time::Duration;

/// A bot with `bash` and reminders, whose owner is this person.
async fn bot(owner: &str) -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        let config = &mut setup.config;
        config.output.dialects.push(Dialect::Json);
        config.commands.owner_allow_from = vec![owner.to_owned()];
        config.actions.event.enabled = true;
        let bash = &mut config.actions.bash;
        bash.enabled = true;
        bash.folder = Some("work".into());
        bash.allow = vec!["uptime".to_owned().try_into().unwrap()];
        bash.deny = vec!["shutdown".to_owned().try_into().unwrap()];
    })
    .await
}

async fn compose(host: &Host, output: &str, channels: &[&str]) -> ComposeResult {
    let args = json!({"user_text": "", "agent_output": output, "channels": channels});
    host.call("compose", args).await
}

/// Code, text and sentence of each finding.
fn found<'a>(composed: &'a ComposeResult, output: &'a str) -> Vec<(Code, &'a str, &'a str)> {
    let lints = composed.lints.iter().map(|lint| &lint.diagnostic);
    lints
        .map(|found| (found.code, found.span.of(output), found.message.as_str()))
        .collect()
}

fn mended(composed: &ComposeResult, output: &str) -> String {
    let fix = composed.lints[0].diagnostic.fix.as_ref().expect("a fix");
    let mut text = output.to_owned();
    text.replace_range(fix.span.start..fix.span.end, &fix.text);
    text
}

fn bash(command: &str) -> String {
    json!({"type": "bash", "payload": {"command": command}}).to_string()
}

#[tokio::test(start_paused = true)]
async fn every_example_of_an_action_is_found_with_its_code_and_no_other() {
    let (owned, other) = (bot("console").await, bot("42").await);
    for code in Code::ALL {
        let example = code.example();
        if !matches!(example.needs, Needs::Actions(_)) {
            continue;
        }
        let host = if *code == Code::ActionNotPermitted {
            &other
        } else {
            &owned
        };
        let raw = example.raw();
        let composed = compose(host, &raw, &["telegram"]).await;
        let codes: Vec<_> = found(&composed, &raw).iter().map(|(code, ..)| *code).collect();
        assert_eq!(codes, [*code], "{raw}");
        assert_eq!(composed.parsed.clean_text, "", "the scanner takes it out: {raw}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_finding_names_its_place_and_says_what_the_corrector_would() {
    let host = bot("console").await;
    for (output, place, message) in [
        (
            r#"{"type":"bsah","payload":{"command":"df"}}"#,
            r#""bsah""#,
            "`bsah`: there is no such action; did you mean `bash`?",
        ),
        (
            r#"{"type":"terminal","payload":{"command":"df"}}"#,
            r#""terminal""#,
            "`terminal` is off. Setting: `actions.terminal.enabled`",
        ),
        (
            "Sure:\n```json\n{\"actions\":[{\"type\":\"event_cancel\",\"payload\":{ \"id\" : \"3\" }}]}\n```",
            r#""3""#,
            "`event_cancel`: the payload does not fit: make `/id` a JSON integer",
        ),
        (
            r#"{"type":"event_cancel","payload":{}}"#,
            "{}",
            "`event_cancel`: the payload does not fit: add \"id\" to the payload",
        ),
        (
            r#"{"type":"event_list","payload":{"of":"me"}}"#,
            r#""of""#,
            "`event_list`: the payload does not fit: remove `of` from the payload",
        ),
        (
            r#"{"actions":[{"type":"event_list","payload":7}]}"#,
            "7",
            "`event_list`: the payload is no JSON object; write {…}",
        ),
        (
            r#"{"type":"bash","payload":{"command":"shutdown now"}}"#,
            r#"{"command":"shutdown now"}"#,
            "`bash`: the command is on the list of those that never run (`shutdown` matches). Setting: `actions.bash.deny`",
        ),
        (
            r#"{"type":"bash","payload":{"command":"df"}}"#,
            r#""bash""#,
            "`bash` waits for a confirmation: the list of allowed commands does not name it",
        ),
    ] {
        let composed = compose(&host, output, &["telegram"]).await;
        let found = found(&composed, output);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].1, found[0].2), (place, message), "{output}");
    }
    for broken in [
        r#"{"actions":[{"type":"bash","payload":{"command":"df}}]}"#,
        r#"{"type":"bash","payload":"df"}"#,
        r#"{"type":"terminal","payload":{"command":"df"},"id":"1"}"#,
    ] {
        let composed = compose(&host, broken, &["telegram"]).await;
        assert_eq!(
            found(&composed, broken),
            [(
                Code::MalformedDirective,
                broken,
                "these JSON actions cannot be read; they are dropped"
            )]
        );
        assert_eq!(composed.parsed.clean_text, "", "{broken}");
        let why = &composed.actions[0].actions[0].why;
        assert_eq!(why, foldback_wire::ActionRefusalCode::Unreadable.about());
    }
    assert_eq!(
        compose(&host, &bash("uptime"), &[]).await.lints,
        [],
        "a list allows it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_misspelt_name_and_a_misspelt_key_are_mended() {
    let host = bot("console").await;
    let name = r#"{"type":"evnt_list","payload":{}}"#;
    let composed = compose(&host, name, &["telegram"]).await;
    assert_eq!(mended(&composed, name), r#"{"type":"event_list","payload":{}}"#);
    let key = r#"{"type":"bash","payload":{"command":"uptime","timout":3}}"#;
    let composed = compose(&host, key, &["telegram"]).await;
    assert_eq!(found(&composed, key)[0].1, r#""timout""#);
    assert_eq!(
        mended(&composed, key),
        r#"{"type":"bash","payload":{"command":"uptime","timeout":3}}"#
    );
    // The nearest name is offered once, and a name that is right is not.
    let twice = r#"{"type":"event_cancel","payload":{"id":1,"idd":2}}"#;
    let composed = compose(&host, twice, &["telegram"]).await;
    assert_eq!(composed.lints[0].diagnostic.fix, None);
}

#[tokio::test(start_paused = true)]
async fn with_the_dialect_off_actions_are_text_and_nothing_else_is_said_of_them() {
    let host = Host::start_with(|setup| setup.demo = false).await;
    let output = bash("df");
    let composed = compose(&host, &output, &["telegram"]).await;
    assert_eq!(
        found(&composed, &output),
        [(
            Code::ActionsNotRead,
            output.as_str(),
            "the action `bash` is shown as text: output.dialects has no json"
        )]
    );
    assert!(composed.actions.is_empty(), "{:?}", composed.actions);
    assert_eq!(composed.parsed.clean_text, output);
}

/// Name or command, outcome, reason and setting of each action on a channel.
fn outcomes(of: &ChannelActions) -> Vec<(&str, ActionPreviewOutcome, &str, Option<&str>)> {
    let actions = of.actions.iter();
    actions
        .map(|action| {
            let name = action.command.as_deref().unwrap_or(&action.name);
            (
                name,
                action.outcome,
                action.why.as_str(),
                action.setting.as_deref(),
            )
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn each_action_is_previewed_as_carried_out_asked_first_or_refused() {
    let host = bot("console").await;
    let mut asked: Vec<Value> = ["uptime", "df", "shutdown now"]
        .map(|command| json!({"type": "bash", "payload": {"command": command}}))
        .into();
    asked.push(json!({"type": "terminal", "payload": {"command": "ls"}}));
    asked.push(json!({"type": "event_cancel", "payload": {}}));
    let output = json!({"actions": asked}).to_string();
    let composed = compose(&host, &output, &["telegram"]).await;
    assert_eq!(composed.actions.len(), 1);
    assert_eq!(
        (
            composed.actions[0].channel.as_str(),
            composed.actions[0].sender.as_str()
        ),
        ("telegram", "console")
    );
    assert_eq!(
        outcomes(&composed.actions[0]),
        [
            ("uptime", CarriedOut, "", None),
            (
                "df",
                AskedFirst,
                "the list of allowed commands does not name it",
                None
            ),
            (
                "shutdown now",
                Refused,
                "the command is on the list of those that never run (`shutdown` matches)",
                Some("actions.bash.deny")
            ),
            (
                "ls",
                Refused,
                "the action is off",
                Some("actions.terminal.enabled")
            ),
            (
                "event_cancel",
                Refused,
                "the payload does not fit: add \"id\" to the payload",
                None
            ),
        ]
    );
    // JSON that cannot be read counts as one action before all others, so that the eighth beside it is one too many.
    let eight = json!({"actions": vec![json!({"type": "event_list", "payload": {}}); 8]});
    let output = format!("{{\"actions\":[{{\"type\":}}]}}\n{eight}");
    let composed = compose(&host, &output, &["telegram"]).await;
    let told = outcomes(&composed.actions[0]);
    assert_eq!(told.len(), 9);
    assert_eq!(
        told[0],
        ("", Refused, "The JSON of the actions cannot be read.", None)
    );
    assert_eq!((told[7].1, told[8].1), (CarriedOut, Refused));
    assert_eq!(
        found(&composed, &output)
            .iter()
            .map(|(code, ..)| *code)
            .collect::<Vec<_>>(),
        [Code::MalformedDirective, Code::TooManyActions]
    );
}

/// The refusals of a turn in the journal.
async fn refusals(host: &Host, turn: u64) -> Vec<ActionRefusal> {
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let of_turn = events
        .into_iter()
        .filter(|event| event.turn == Some(TurnId(turn)));
    let refused = of_turn.filter_map(|event| match event.kind {
        Kind::ActionRefused(refusal) => Some(refusal),
        _ => None,
    });
    refused.collect()
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_is_previewed_as_what_the_turn_says_of_it() {
    let host = bot("console").await;
    let output = bash("uptime");
    let armed = json!({"channel": "telegram", "armed": false, "confirm": ""});
    let _: Value = host.call("channel_arm", armed).await;
    let args = json!({"user_text": "", "agent_output": output, "channels": [], "dry_run": ["slack"]});
    let composed: ComposeResult = host.call("compose", args).await;
    let on = |channel: &str| {
        let mut all = composed.actions.iter();
        let of = all.find(|of| of.channel.as_str() == channel).unwrap();
        of.actions[0].clone()
    };
    assert_eq!((on("discord").outcome, on("discord").refusal), (CarriedOut, None));
    for (channel, dry_run, setting) in [
        ("telegram", false, Some("channels.telegram.armed")),
        ("slack", true, None),
    ] {
        let preview = on(channel);
        assert_eq!(preview.command.as_deref(), Some("uptime"));
        assert_eq!(
            (preview.outcome, preview.refusal, preview.setting.as_deref()),
            (Refused, Some(ActionRefusalCode::DryRun), setting)
        );
        let args = json!({"channel": channel, "user_text": "hi", "agent_output": output, "dry_run": dry_run});
        let sent: Value = host.call("compose_send", args).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        let refused = refusals(&host, sent["turn"].as_u64().unwrap()).await;
        let told: Vec<_> = refused
            .iter()
            .map(|refusal| (refusal.code, &refusal.detail))
            .collect();
        assert_eq!(told, [(ActionRefusalCode::DryRun, &preview.why)], "{channel}");
        assert_eq!(refused[0].setting, preview.setting);
    }
    // A command on the deny list is refused for that, in a dry run, too.
    let args = json!({
        "user_text": "", "agent_output": bash("shutdown now"), "channels": ["slack"], "dry_run": ["slack"],
    });
    let composed: ComposeResult = host.call("compose", args).await;
    let refusal = composed.actions[0].actions[0].refusal;
    assert_eq!(refusal, Some(ActionRefusalCode::Denied));
}

#[tokio::test(start_paused = true)]
async fn what_only_some_channels_permit_is_told_with_their_names() {
    // Owns the bot on Slack only.
    let host = bot("slack:console").await;
    let output = bash("df");
    let composed = compose(&host, &output, &["slack", "telegram", "signal"]).await;
    assert_eq!(
        found(&composed, &output),
        [
            (
                Code::ActionConfirmed,
                r#""bash""#,
                "`bash` waits for a confirmation: the list of allowed commands does not name it"
            ),
            (
                Code::ActionNotPermitted,
                r#""bash""#,
                "`bash` is refused on telegram, signal: only owners of the bot may have this action carried out. Setting: \
                 `commands.owner_allow_from`"
            ),
        ]
    );
    let told: Vec<_> = composed.actions.iter().map(|of| outcomes(of)[0].1).collect();
    assert_eq!(told, [AskedFirst, Refused, Refused]);
}

#[tokio::test(start_paused = true)]
async fn secrets_in_what_is_previewed_are_masked() {
    let host = bot("console").await;
    let composed = compose(
        &host,
        &bash("curl -H token=sk-abcdefghijklmnopqrstuvwx"),
        &["telegram"],
    )
    .await;
    let command = composed.actions[0].actions[0].command.as_deref().unwrap();
    assert!(
        command.contains("[redacted]") && !command.contains("sk-abc"),
        "{command}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_catalog_tells_the_actions_that_are_on_and_templates_that_fit_once_filled_in() {
    let host = bot("console").await;
    let catalog: Catalog = host.call("catalog", json!({})).await;
    let told: Vec<_> = catalog
        .actions
        .iter()
        .map(|action| (action.name.as_str(), action.off.is_some()))
        .collect();
    assert_eq!(
        told,
        [
            ("bash", false),
            ("event", false),
            ("event_cancel", false),
            ("event_list", false),
            ("terminal", true)
        ]
    );
    for action in &catalog.actions {
        let composed = compose(&host, &action.template, &["telegram"]).await;
        assert_eq!(composed.parsed.actions.len(), 1, "{}", action.template);
        assert_eq!(composed.parsed.actions[0].kind, action.name);
    }
}

#[tokio::test(start_paused = true)]
async fn the_preview_shows_what_is_said_beside_actions_and_carries_nothing_out() {
    let host = bot("console").await;
    for (output, shown) in [
        (
            format!("Let me look.\n{}", bash("uptime > ran")),
            &["Let me look."][..],
        ),
        (bash("uptime > ran"), &[]),
    ] {
        let args = json!({"user_text": "hi", "agent_output": output, "channels": ["telegram"]});
        let composed: ComposeResult = host.call("compose", args).await;
        let preview = &composed.previews[0];
        let said = preview.bubbles.iter().filter(|bubble| bubble.from_bot);
        let texts: Vec<_> = said.map(|bubble| json!(bubble.part)["text"].clone()).collect();
        assert_eq!(texts, shown, "{output}");
        assert_eq!(preview.notes, [""; 0], "{output}");
    }
    assert!(!host.folder.path().join("work/ran").exists());
}
