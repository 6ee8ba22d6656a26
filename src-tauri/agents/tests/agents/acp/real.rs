//! The settings of real agents, each with a model of somebody else's behind it.

use foldback_agents::AcpConfig;
use serde_json::json;
use std::{fs, path::Path};

/// A real agent.
pub(super) struct Peer {
    name: &'static str,
    /// The variable that names its program.
    pub(super) variable: &'static str,
    /// The prompt that has the model run a command with the agent's own tool.
    pub(super) runs: &'static str,
    /// It may have lost a session that it ought to take up.
    pub(super) forgets: bool,
    /// Its settings: program, home, folder and address of the model.
    pub(super) config: fn(&str, &Path, &Path, &str) -> AcpConfig,
}

const PEERS: [Peer; 4] = [
    Peer {
        name: "opencode",
        variable: "FOLDBACK_OPENCODE",
        runs: "run bash",
        forgets: false,
        config: opencode,
    },
    Peer {
        name: "codex",
        variable: "FOLDBACK_CODEX_ACP",
        runs: "run exec",
        forgets: false,
        config: codex,
    },
    Peer {
        name: "gemini",
        variable: "FOLDBACK_GEMINI",
        runs: "run shell",
        // `session/load` in the minute in which the session was begun or last taken up buries its messages:
        // <https://github.com/google-gemini/gemini-cli/issues/28693>, seen with 0.61.
        forgets: true,
        config: gemini,
    },
    Peer {
        name: "claude",
        variable: "FOLDBACK_CLAUDE_AGENT_ACP",
        runs: "use Bash",
        forgets: false,
        config: claude,
    },
];

/// The agent of this name.
pub(super) fn named(name: &str) -> &'static Peer {
    let peer = PEERS.iter().find(|peer| peer.name == name);
    peer.unwrap_or_else(|| panic!("there is no {name}"))
}

fn opencode(program: &str, home: &Path, work: &Path, root: &str) -> AcpConfig {
    let models =
        json!({"m": {"name": "m", "tool_call": true, "limit": {"context": 128_000, "output": 8192}}});
    let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "Fake", "models": models,
        "options": {"baseURL": root, "apiKey": "x"}});
    let settings = json!({
        "autoupdate": false, "share": "disabled", "model": "fake/m", "small_model": "fake/m",
        "enabled_providers": ["fake"], "provider": {"fake": provider},
        "permission": {"bash": "ask", "edit": "ask"}
    });
    let folder = home.join(".config/opencode");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("opencode.json"), settings.to_string()).expect("its settings");
    let mut config = AcpConfig::new(program, work);
    config.args = vec!["acp".to_owned()];
    for off in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"] {
        config
            .env
            .insert(format!("OPENCODE_DISABLE_{off}"), "1".to_owned());
    }
    config
}

fn codex(program: &str, home: &Path, work: &Path, root: &str) -> AcpConfig {
    let folder = home.join("codex");
    fs::create_dir_all(&folder).expect("a folder");
    let settings = format!(
        "model = \"m\"\nmodel_provider = \"fake\"\napproval_policy = \"untrusted\"\nsandbox_mode = \"workspace-write\"\n\
         check_for_update_on_startup = false\n[analytics]\nenabled = false\n\
         [model_providers.fake]\nname = \"Fake\"\nbase_url = \"{root}\"\nwire_api = \"responses\"\n\
         env_key = \"FAKE_API_KEY\"\n"
    );
    fs::write(folder.join("config.toml"), settings).expect("its settings");
    let mut config = AcpConfig::new(program, work);
    config
        .env
        .insert("CODEX_HOME".to_owned(), folder.display().to_string());
    config.env.insert("FAKE_API_KEY".to_owned(), "x".to_owned());
    config
}

/// `root` without the version that OpenAI's clients want in it.
fn bare(root: &str) -> &str {
    root.trim_end_matches("/v1")
}

fn gemini(program: &str, home: &Path, work: &Path, root: &str) -> AcpConfig {
    // With its clean-up, the start after one that took a session up deletes that session:
    // <https://github.com/google-gemini/gemini-cli/issues/27368>.
    let settings = json!({"general": {"sessionRetention": {"enabled": false}}});
    let folder = home.join(".gemini");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("settings.json"), settings.to_string()).expect("its settings");
    let mut config = AcpConfig::new(program, work);
    // With a model of its own choice it asks a model first which one that is.
    config.args = ["--acp", "-m", "gemini-2.5-flash"].map(str::to_owned).to_vec();
    for (name, value) in [
        ("GEMINI_API_KEY", "x"),
        ("GOOGLE_GEMINI_BASE_URL", bare(root)),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ] {
        config.env.insert(name.to_owned(), value.to_owned());
    }
    config
}

fn claude(program: &str, _home: &Path, work: &Path, root: &str) -> AcpConfig {
    let mut config = AcpConfig::new(program, work);
    // Its own mode lets a model decide about permissions.
    config.mode = Some("default".to_owned());
    for (name, value) in [
        ("ANTHROPIC_API_KEY", "x"),
        ("ANTHROPIC_BASE_URL", bare(root)),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ] {
        config.env.insert(name.to_owned(), value.to_owned());
    }
    config
}
