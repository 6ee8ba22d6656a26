//! By tools of its session's server, with the real opencode; its model is a strict server of chat completions. Opt-in:
//! `agents/tests/peers/run opencode` installs the program and runs this.

use super::{
    called::{self, Act, CallingAgent},
    evidence::of,
    native::{reply, results_in, serving},
    settings,
};
use crate::bot::Home;
use foldback_agents::{
    Secret,
    strict_server::{Insists, StrictServer},
};
use serde_json::{Value, json};
use std::{env, fs};
use tokio::runtime::Runtime;

/// The real opencode with a model of ours, and the home of its bot.
struct Opencode {
    /// Serves while it lives.
    _runtime: Runtime,
    model: StrictServer,
    home: Home,
}

/// Its settings: one model, nothing that asks it beside the answers, and nothing from elsewhere.
fn opencode_settings(root: &str) -> Value {
    let models =
        json!({"m": {"name": "m", "tool_call": true, "limit": {"context": 128_000, "output": 8192}}});
    let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "Strict", "models": models,
        "options": {"baseURL": root, "apiKey": "x"}});
    json!({
        "autoupdate": false, "share": "disabled", "model": "strict/m", "small_model": "strict/m",
        "enabled_providers": ["strict"], "provider": {"strict": provider},
        "agent": {"title": {"disable": true}},
    })
}

impl CallingAgent for Opencode {
    fn doing(runs: &[&[Act]]) -> Self {
        let insists = Insists {
            api_key: Some(Secret::new("x")),
            is_foreign: true,
            ..Insists::on_model("m")
        };
        let (runtime, model) = serving(insists);
        // The tools of a server have its name before their own.
        for (number, act) in runs.iter().copied().flatten().enumerate() {
            model.reply(reply(number, "foldback_", act));
        }
        let program = env::var("FOLDBACK_OPENCODE").expect("FOLDBACK_OPENCODE names the program");
        let home = Home::new();
        let own = home.path("opencode");
        let folder = own.join(".config/opencode");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("opencode.json"),
            opencode_settings(&model.base_url()).to_string(),
        )
        .unwrap();
        let off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"];
        let off = off
            .map(|name| format!(", OPENCODE_DISABLE_{name} = \"1\""))
            .concat();
        // On a machine that builds meanwhile it starts in more than a minute.
        home.write(
            "foldback.toml",
            &settings(&format!(
                "[agent]\nbackend = \"acp\"\n[agent.acp]\ncommand = [\"{program}\", \"acp\"]\n\
                 start_timeout = \"5m\"\nenv = {{ HOME = \"{}\"{off} }}",
                own.display()
            )),
        );
        Self {
            _runtime: runtime,
            model,
            home,
        }
    }

    fn home(&self) -> &Home {
        &self.home
    }

    /// As its model was given them, in the conversation that holds most of them.
    fn results(&self, _: &[Value]) -> Vec<String> {
        assert_eq!(self.model.refusals(), [""; 0]);
        let requests = self.model.requests();
        let all = requests.iter().map(|request| results_in(&request["messages"]));
        all.max_by_key(Vec::len).unwrap()
    }
}

#[test]
fn opencode_has_a_confirmed_command_run_and_words_it_as_a_reply() {
    let (agent, bot) = called::a_confirmed_command::<Opencode>();
    assert_eq!(agent.model.requests().len(), 2);
    let sessions = of(&bot.seen, 1, "agent_session");
    assert_eq!((sessions.len(), &sessions[0]["backend"]), (1, &json!("acp")));
}

#[test]
fn opencode_words_a_reminder_that_comes_due() {
    called::a_reminder_that_comes_due::<Opencode>();
}

#[test]
fn opencode_corrects_its_call_twice_and_words_what_ran() {
    called::a_second_correction_that_is_right::<Opencode>();
}

#[test]
fn after_two_corrections_of_opencode_the_person_reads_that_it_was_not_done() {
    called::two_corrections_that_are_wrong::<Opencode>();
}
