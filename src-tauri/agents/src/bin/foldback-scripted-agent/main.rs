//! An agent that speaks the Agent Client Protocol from a script, for tests: it behaves like one that was observed, or
//! worse.
//!
//! `foldback-scripted-agent MANNER` with `opencode`, `codex` or `other` as manner. What it does is in the prompt: its
//! first word is the act, the rest is what the act needs (`Scripted::act`). The variable `ACT` stands for every prompt, and
//! `REPLAY` says when the history of a session that is taken up is told (`Replay`), `OFFERS` which levels a session has
//! (`Offer`), `QUEUES` that it takes a prompt while one runs, `TOOLS` that it takes tools from servers over HTTP.

mod acts;
mod given;
mod history;
mod levels;
mod line;
mod next;
mod permissions;
mod servers;
mod steering;

use history::Replay;
use levels::Offer;
use line::{hear, refuse, tell, update};
use serde_json::{Value, json};
use servers::Server;
use std::{
    env,
    error::Error,
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

type Done = Result<(), Box<dyn Error>>;

/// Who it behaves like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Opencode,
    Codex,
    Other,
}

/// Longer than any test.
const FOR_EVER: Duration = Duration::from_hours(1);

fn main() -> ExitCode {
    if let Some(code) = foldback_programs::guard::run_if_asked() {
        std::process::exit(code);
    }
    let manner = match env::args().nth(1).as_deref() {
        Some("codex") => Manner::Codex,
        Some("other") => Manner::Other,
        Some("opencode") => Manner::Opencode,
        // It has nothing to say, not even hello.
        Some("mute") => {
            eprintln!("waiting for a licence");
            // For whoever has to know that it was said.
            let _ = std::fs::write("said", "");
            thread::sleep(FOR_EVER);
            return ExitCode::SUCCESS;
        }
        Some("exits") => {
            eprintln!("no licence for {}", env::var("KEY").unwrap_or_default());
            return ExitCode::from(7);
        }
        Some("garbage") => {
            println!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"resu");
            thread::sleep(FOR_EVER);
            return ExitCode::SUCCESS;
        }
        _ => return ExitCode::from(2),
    };
    let mut agent = Scripted {
        manner,
        sessions: 0,
        own_ids: 0,
        told: Vec::new(),
        replay: Replay::from_env(),
        offer: Offer::from_env(),
        servers: Vec::new(),
    };
    match agent.serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

struct Scripted {
    manner: Manner,
    sessions: u64,
    own_ids: u64,
    /// What it was told about the session.
    told: Vec<String>,
    replay: Replay,
    offer: Offer,
    /// The servers from which its session takes tools.
    servers: Vec<Server>,
}

impl Scripted {
    fn serve(&mut self) -> Done {
        if self.manner == Manner::Codex {
            // The program that was started is a wrapper around this one.
            Command::new("sleep").arg("3600").stdin(Stdio::null()).spawn()?;
        }
        println!("starting up");
        while let Some(message) = hear()? {
            let id = message["id"].clone();
            let params = &message["params"];
            match message["method"].as_str().unwrap_or_default() {
                "initialize" => self.answer(
                    &id,
                    &json!({
                        "protocolVersion": 1,
                        "agentCapabilities": {
                            "_meta": {"scripted": {"promptQueueing": env::var("QUEUES").is_ok()}},
                            "mcpCapabilities": {"http": env::var("TOOLS").is_ok()},
                            "loadSession": self.manner != Manner::Other || env::var("LOADS").is_ok(),
                            "promptCapabilities": {"image": self.manner != Manner::Other, "embeddedContext": true}
                        },
                        "authMethods": [{"id": "key", "name": "A key"}]
                    }),
                )?,
                "authenticate" | "session/set_mode" | "session/set_config_option" | "session/set_model" => {
                    self.set(&id, &message)?;
                }
                "session/new" => {
                    self.servers = Server::of(params);
                    self.sessions += 1;
                    let session = format!("s{}-{}", std::process::id(), self.sessions);
                    let mut answer = self.offer.told();
                    answer["sessionId"] = json!(session);
                    self.answer(&id, &answer)?;
                    if self.manner == Manner::Opencode {
                        let commands = json!({"sessionUpdate": "available_commands_update", "availableCommands": []});
                        update(&json!(session), &commands)?;
                    }
                }
                "session/load" if fate(&params["sessionId"]) => thread::sleep(FOR_EVER),
                "session/load" if known(&params["sessionId"]) => {
                    self.servers = Server::of(params);
                    self.load(&id, &params["sessionId"])?;
                }
                "session/load" => {
                    let code = match self.manner {
                        Manner::Opencode => -32602,
                        Manner::Codex => -32002,
                        Manner::Other => -32603,
                    };
                    refuse(&id, code, "no such session")?;
                }
                "session/prompt" => {
                    if self.replay == Replay::Interleaved {
                        self.replay = Replay::First;
                        self.interleave(&params["sessionId"])?;
                    }
                    self.act(&id, params)?;
                }
                // A cancellation without a prompt.
                "session/cancel" => {}
                other => return Err(format!("asked for {other}").into()),
            }
        }
        if self.manner == Manner::Opencode {
            return Ok(());
        }
        thread::sleep(FOR_EVER);
        Ok(())
    }

    /// Notes what it is asked to set, and sets what it offers.
    fn set(&mut self, id: &Value, message: &Value) -> Done {
        let method = message["method"].as_str().unwrap_or_default();
        let mut told = message["params"].clone();
        told["sessionId"] = Value::Null;
        self.told.push(format!("{method} {told}"));
        match self.offer.set(method, &message["params"]) {
            Some(answer) => self.answer(id, &answer),
            None => refuse(id, -32602, "no such value"),
        }
    }

    fn end(&self, id: &Value, reason: &str) -> Done {
        let usage = json!({"totalTokens": 18, "inputTokens": 11, "outputTokens": 7});
        self.answer(id, &json!({"stopReason": reason, "usage": usage}))
    }

    fn answer(&self, id: &Value, result: &Value) -> Done {
        if self.manner == Manner::Codex {
            tell(&json!({"jsonrpc": "2.0", "result": result, "id": id}))
        } else {
            tell(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
        }
    }

    /// Asks the client, and gives its answer.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        let id = match self.manner {
            Manner::Codex => json!(format!("6f1c-{}", self.own_ids)),
            _ => json!(self.own_ids),
        };
        self.own_ids += 1;
        tell(&json!({"jsonrpc": "2.0", "method": method, "params": params, "id": id}))?;
        loop {
            let Some(message) = hear()? else {
                return Err("nobody answers".into());
            };
            if message["id"] == id && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }
}

/// What becomes of an agent that takes up a session of this name; false when nothing special does.
fn fate(session: &Value) -> bool {
    match session.as_str() {
        Some("hangs") => {
            // For whoever has to know that it was asked.
            let _ = std::fs::write("loading", "");
        }
        Some("dies") => std::process::exit(3),
        Some("garbles") => println!("{{\"jsonrpc\":\"2.0\",\"method\":\"session/upd"),
        _ => return false,
    }
    true
}

/// Sessions that an agent kept from before have a name that says so.
fn known(session: &Value) -> bool {
    session.as_str().is_some_and(|id| id.starts_with('s'))
}
