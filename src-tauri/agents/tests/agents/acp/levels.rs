//! Levels of a run: what the agent offers is set before the prompt and set back afterwards; the rest is said by name.

use super::Bench;
use crate::support::{answer, request, said};
use foldback_agents::{LevelSupport, Step};
use foldback_wire::{ModelOverride, RunLevel, RunLevels, StopReason, ThinkLevel};
use serde_json::{Value, json};

fn levels(think: Option<ThinkLevel>, model: &str) -> RunLevels {
    RunLevels {
        think,
        model: ModelOverride::parse(model),
        ..RunLevels::default()
    }
}

fn offering(way: &str) -> Bench {
    Bench::with("opencode", |config| {
        config.env.insert("OFFERS".to_owned(), way.to_owned());
    })
}

/// What the agent was asked to set since it began, and the run's steps.
async fn told(bench: &Bench, run: u64, levels: RunLevels) -> (Vec<(String, Value)>, Vec<Step>) {
    let mut request = request(run, "told");
    request.levels = levels;
    let steps = answer(&bench.agent, request).await;
    assert_eq!(steps.last(), Some(&Step::Done(StopReason::End)));
    let told = said(&steps);
    let line = |line: &str| {
        let (method, mut params) = line.split_once(' ').map(|(method, params)| {
            (
                method.to_owned(),
                serde_json::from_str::<Value>(params).expect("params"),
            )
        })?;
        params.as_object_mut().expect("an object").remove("sessionId");
        Some((method, params))
    };
    (told.lines().filter_map(line).collect(), steps)
}

fn ignored(steps: &[Step]) -> Vec<(RunLevel, &str, &str)> {
    let ignored = |step| match step {
        &Step::LevelIgnored {
            level,
            ref asked,
            ref why,
        } => Some((level, asked.as_str(), why.as_str())),
        _ => None,
    };
    steps.iter().filter_map(ignored).collect()
}

fn set(way: &str, what: &str, value: &str) -> (String, Value) {
    match way {
        "options" => (
            "session/set_config_option".to_owned(),
            json!({"configId": what, "value": value}),
        ),
        _ if what == "which" => ("session/set_model".to_owned(), json!({"modelId": value})),
        _ => ("session/set_mode".to_owned(), json!({"modeId": value})),
    }
}

#[tokio::test]
async fn what_is_offered_is_set_and_set_back() {
    for way in ["options", "lists"] {
        let bench = offering(way);
        let asked = bench.agent.level_supports(&RunLevels::default());
        assert_eq!(
            (asked.think, asked.model),
            (LevelSupport::Untold, LevelSupport::Untold)
        );
        let (_, steps) = told(&bench, 1, levels(Some(ThinkLevel::High), "acp/b/large")).await;
        let after = match way {
            // The large model has no think levels there.
            "options" => vec![("model", "b/large")],
            _ => vec![("model", "b/large"), ("think", "high")],
        };
        assert_eq!(ignored(&steps).len(), 2 - after.len(), "{way}: {steps:?}");
        let (set_so_far, steps) = told(&bench, 2, levels(Some(ThinkLevel::High), "small")).await;
        assert_eq!(ignored(&steps), [], "{way}");
        let (all, steps) = told(&bench, 3, RunLevels::default()).await;
        assert_eq!(ignored(&steps), [], "{way}");
        let mut expected = vec![set(way, "which", "b/large")];
        match way {
            "options" => {
                expected.extend([set(way, "which", "a/small"), set(way, "effort", "high")]);
            }
            _ => {
                expected.extend([set(way, "effort", "high"), set(way, "which", "a/small")]);
            }
        }
        assert_eq!(set_so_far, expected, "{way}");
        expected.push(set(way, "effort", "medium"));
        assert_eq!(all, expected, "{way}: only what a run changed is set back");
        let supports = bench.agent.level_supports(&RunLevels::default());
        assert_eq!(supports.think.options(), ["off", "medium", "high"]);
        assert_eq!(supports.model.options(), ["a/small", "b/large", "b/refused"]);
        bench.end().await;
    }
}

#[tokio::test]
async fn an_agent_that_offers_nothing_says_so_by_name_and_answers() {
    let bench = Bench::new("opencode");
    let (all, steps) = told(&bench, 1, levels(Some(ThinkLevel::High), "m@work")).await;
    assert_eq!(all, []);
    assert_eq!(
        ignored(&steps),
        [
            (
                RunLevel::Think,
                "high",
                "acp cannot set a think level: the agent offers none"
            ),
            (
                RunLevel::Model,
                "m",
                "acp cannot set a model: the agent offers none"
            ),
            (RunLevel::Profile, "work", "acp cannot choose a profile"),
        ]
    );
    bench.end().await;
}

#[tokio::test]
async fn a_value_that_is_not_offered_or_is_refused_leaves_the_session_as_it_was() {
    let bench = offering("options");
    let (all, steps) = told(&bench, 1, levels(Some(ThinkLevel::Max), "c/none")).await;
    assert_eq!(all, [], "nothing is asked for that is not there");
    assert_eq!(
        ignored(&steps),
        [
            (
                RunLevel::Think,
                "max",
                "acp has no think level max; it has off, medium, high"
            ),
            (
                RunLevel::Model,
                "c/none",
                "acp has no model c/none; it has a/small, b/large, b/refused"
            ),
        ]
    );
    let (_, steps) = told(&bench, 2, levels(None, "b/refused")).await;
    let [(RunLevel::Model, "b/refused", why)] = ignored(&steps)[..] else {
        panic!("{steps:?}");
    };
    assert!(
        why.starts_with("acp: session/set_config_option: no such value"),
        "{why}"
    );
    bench.end().await;
}

#[tokio::test]
async fn commands_run_where_an_agent_that_offers_it_is_told_and_back_where_they_ran() {
    let bench = offering("options");
    let on = |host: Option<&str>, node: Option<&str>| RunLevels {
        host: host.map(str::to_owned),
        node: node.map(str::to_owned),
        ..RunLevels::default()
    };
    let host = |value: &str| set("options", "where", value);
    let (all, steps) = told(&bench, 1, on(Some("gateway"), Some("n1"))).await;
    assert_eq!(all, [host("gateway")]);
    let why = "acp decides itself where commands run: the agent offers no option of the category _exec_node";
    assert_eq!(ignored(&steps), [(RunLevel::Node, "n1", why)]);
    let (all, steps) = told(&bench, 2, RunLevels::default()).await;
    assert_eq!(
        (all, ignored(&steps)),
        (vec![host("gateway"), host("sandbox")], vec![])
    );
    let (_, steps) = told(&bench, 3, on(Some("node"), None)).await;
    let why = "acp has no host for commands node; it has sandbox, gateway";
    assert_eq!(ignored(&steps), [(RunLevel::Host, "node", why)]);
    bench.end().await;
}
