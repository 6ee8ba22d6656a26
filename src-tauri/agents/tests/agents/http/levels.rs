//! Levels of a run, as each protocol is asked for them.

use super::{APIS, fine};
use crate::{
    openai::Bench,
    support::{answer, message, request},
};
use foldback_agents::{Api, HttpConfig, LevelSupport, Steer, SteerInput, Step, strict_server::Insists};
use foldback_wire::{ModelOverride, RunId, RunLevel, RunLevels, StopReason, ThinkLevel};
use serde_json::{Value, json};

fn levels(think: Option<ThinkLevel>, model: &str) -> RunLevels {
    RunLevels {
        think,
        model: ModelOverride::parse(model),
        ..RunLevels::default()
    }
}

/// A server that knows only `model`, and an agent that is configured so.
async fn bench(api: Api, model: &str, change: impl FnOnce(&mut HttpConfig)) -> Bench {
    Bench::insisting(Insists::on(api, model), change).await
}

/// The request of a run with these levels, and its steps.
async fn asked(bench: &Bench, api: Api, levels: RunLevels) -> (Value, Vec<Step>) {
    bench.server.reply(fine(api, &["ok"]));
    let mut request = request(1, "hi");
    request.levels = levels;
    let steps = answer(&bench.agent, request).await;
    assert_eq!(bench.server.refusals(), [""; 0], "every request was right");
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    (bench.server.requests().pop().expect("a request"), steps)
}

fn ignored(steps: &[Step]) -> Vec<(RunLevel, &str)> {
    let ignored = |step| match step {
        &Step::LevelIgnored { level, ref why, .. } => Some((level, why.as_str())),
        _ => None,
    };
    steps.iter().filter_map(ignored).collect()
}

#[tokio::test]
async fn chat_completions_are_asked_for_an_effort() {
    let bench = bench(Api::Chat, "m", |config| {
        config.extra.insert("reasoning_effort".to_owned(), json!("low"));
    })
    .await;
    for (level, effort) in [
        (Some(ThinkLevel::Off), "none"),
        (Some(ThinkLevel::Minimal), "minimal"),
        (Some(ThinkLevel::XHigh), "xhigh"),
        (None, "low"),
    ] {
        let (body, steps) = asked(&bench, Api::Chat, levels(level, "")).await;
        assert_eq!(body["reasoning_effort"], effort, "{level:?}");
        assert_eq!(ignored(&steps), []);
    }
}

#[tokio::test]
async fn responses_are_asked_for_an_effort_beside_what_is_configured() {
    let bench = bench(Api::Responses, "m", |config| {
        config.extra.insert(
            "reasoning".to_owned(),
            json!({"summary": "auto", "effort": "low"}),
        );
    })
    .await;
    let (body, _) = asked(&bench, Api::Responses, levels(Some(ThinkLevel::High), "")).await;
    assert_eq!(body["reasoning"], json!({"summary": "auto", "effort": "high"}));
    let (body, _) = asked(&bench, Api::Responses, RunLevels::default()).await;
    assert_eq!(
        body["reasoning"],
        json!({"summary": "auto", "effort": "low"}),
        "for one run"
    );
}

#[tokio::test]
async fn messages_are_asked_for_a_budget_or_an_effort() {
    let old = bench(Api::Anthropic, "claude-sonnet-4-5", |config| {
        config.model = "claude-sonnet-4-5".to_owned();
        config.extra.insert("temperature".to_owned(), json!(0.3));
    })
    .await;
    let (body, _) = asked(&old, Api::Anthropic, levels(Some(ThinkLevel::Medium), "")).await;
    assert_eq!(
        body["thinking"],
        json!({"type": "enabled", "budget_tokens": 8192})
    );
    assert_eq!(body["max_tokens"], 16_384);
    let (body, _) = asked(&old, Api::Anthropic, levels(Some(ThinkLevel::Off), "")).await;
    assert_eq!(body["thinking"], json!({"type": "disabled"}));
    assert_eq!(
        (&body["max_tokens"], &body["temperature"]),
        (&json!(8192), &json!(0.3))
    );
    let new = bench(Api::Anthropic, "claude-opus-4-7", |config| {
        config.model = "claude-opus-4-7".to_owned();
    })
    .await;
    let (body, _) = asked(&new, Api::Anthropic, levels(Some(ThinkLevel::Max), "")).await;
    assert_eq!(body["thinking"], json!({"type": "adaptive"}));
    assert_eq!(body["output_config"], json!({"effort": "max"}));
    let (body, steps) = asked(&new, Api::Anthropic, levels(Some(ThinkLevel::Minimal), "")).await;
    assert_eq!(body.get("thinking"), None);
    assert_eq!(
        ignored(&steps),
        [(
            RunLevel::Think,
            "anthropic claude-opus-4-7 has no think level minimal; it has off, low, medium, high, xhigh, max"
        )]
    );
}

#[tokio::test]
async fn another_model_is_asked_for_one_run() {
    for api in [Api::Chat, Api::Responses, Api::Anthropic] {
        let bench = bench(api, "vendor/other", |config| config.model = "usual".to_owned()).await;
        let own = format!("{}/vendor/other", bench.agent.backend());
        for named in ["vendor/other", own.as_str()] {
            let (body, steps) = asked(&bench, api, levels(None, named)).await;
            assert_eq!(body["model"], "vendor/other", "{named}");
            assert_eq!(ignored(&steps), []);
            let mut request = request(1, "hi");
            request.levels = levels(None, named);
            let answering = bench.agent.answering(&request);
            assert_eq!(answering, (bench.agent.backend(), Some("vendor/other")));
        }
        bench.server.reply(fine(api, &["ok"]));
        let steps = answer(&bench.agent, request(2, "hi")).await;
        assert!(
            matches!(steps.last(), Some(Step::Failed { .. })),
            "the usual one is not there"
        );
    }
}

#[tokio::test]
async fn a_letta_agent_answers_with_another_model_and_says_that_it_has_no_think_level() {
    let bench = bench(Api::Letta, "m", |_| {}).await;
    for (named, handle) in [
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("letta/letta-free", "letta/letta-free"),
        ("letta/openai/gpt-4o", "openai/gpt-4o"),
    ] {
        let (body, steps) = asked(&bench, Api::Letta, levels(Some(ThinkLevel::High), named)).await;
        assert_eq!(body["override_model"], handle, "{named}");
        assert_eq!(
            ignored(&steps),
            [(
                RunLevel::Think,
                "letta cannot set a think level; the agent's own is set at the Letta server"
            )]
        );
    }
    let (body, _) = asked(&bench, Api::Letta, RunLevels::default()).await;
    assert_eq!(body.get("override_model"), None);
}

#[tokio::test]
async fn a_profile_is_ignored_by_name_and_the_model_taken() {
    for api in APIS {
        let bench = bench(api, "m", |_| {}).await;
        let name = match api {
            Api::Letta => "openai/m@work",
            _ => "m@work",
        };
        let (_, steps) = asked(&bench, api, levels(None, name)).await;
        let backend = bench.agent.backend();
        let why = format!("{backend} has one key, that of agent.{backend}.api_key, and no profiles");
        assert_eq!(ignored(&steps), [(RunLevel::Profile, why.as_str())]);
    }
}

/// A directive is answered by this, before anything runs.
#[tokio::test]
async fn what_a_model_takes_is_known_before_it_is_asked() {
    let bench = bench(Api::Chat, "m", |config| config.model = "gpt-5".to_owned()).await;
    let of = |model: &str| bench.agent.level_supports(&levels(None, model));
    assert_eq!(of("").think.options(), ["minimal", "low", "medium", "high"]);
    assert_eq!(
        of("openai/gpt-5.2").think.options(),
        ["off", "low", "medium", "high", "xhigh"]
    );
    assert_eq!(of("qwen/qwen3-8b").think, LevelSupport::Any);
    let (taken, refused) = of("").divide(&levels(Some(ThinkLevel::Off), ""));
    assert_eq!(taken, RunLevels::default());
    assert_eq!(
        refused[0].why,
        "openai gpt-5 has no think level off; it has minimal, low, medium, high"
    );
}

#[tokio::test]
async fn nothing_is_steered_into_an_answer_over_http() {
    for api in APIS {
        let bench = super::bench(api).await;
        let input = SteerInput {
            prompt: "more".to_owned(),
            message: message("m2", "more"),
            files: Vec::new(),
        };
        let why = format!("{} takes no input while it runs", bench.agent.backend());
        assert_eq!(bench.agent.steer(RunId(1), input).await, Steer::NotNow { why });
    }
}
