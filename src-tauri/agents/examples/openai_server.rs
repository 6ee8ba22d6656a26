//! The strict server on its own, for tests that drive Foldback from outside:
//! `cargo run -p foldback-agents --example openai_server -- --port 8080 --script rules.yaml`
//!
//! The script is a list of rules, `- {when: {contains: hello}, agent: ["Hi ", {text: "there", after_ms: 40}]}`.
//! It prints the root to give to a client on stdout, and every refused request on stderr.

use foldback_agents::{
    Rule, Secret,
    strict_server::{Insists, StrictServer},
};
use std::{error::Error, process::ExitCode};

const USAGE: &str = "usage: openai_server --script FILE [--port N] [--model NAME] [--key-from VARIABLE]";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let (mut port, mut script) = (0, None);
    let mut insists = Insists::on_model("test");
    let mut words = std::env::args().skip(1);
    while let Some(flag) = words.next() {
        let value = words.next().ok_or(USAGE)?;
        match flag.as_str() {
            "--port" => port = value.parse()?,
            "--script" => script = Some(value),
            "--model" => insists.model = value,
            "--key-from" => insists.api_key = Some(Secret::new(std::env::var(value)?)),
            _ => return Err(USAGE.into()),
        }
    }
    let rules: Vec<Rule> = serde_saphyr::from_str(&std::fs::read_to_string(script.ok_or(USAGE)?)?)?;
    let server = StrictServer::bind(port, insists, rules).await??;
    println!("{}", server.base_url());
    for told in 0.. {
        server.until(|counts| counts.refused > told).await;
        eprintln!("refused: {}", server.refusals()[told as usize]);
    }
    Ok(())
}
