//! Programs at the address of a channel: signal-cli with its account, or a simulated platform in another process.

use super::check::{Answer, Check};
use foldback_pipeline::config::{ChannelConfig, ChannelKind};
use foldback_wire::ChannelId;
use serde_json::{Value, json};
use std::io;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::{TcpStream, UnixStream},
};

/// Most bytes of an answer. A list of accounts has a few hundred.
const ANSWER_BYTES: u64 = 1 << 20;
/// Most lines before the answer: a daemon also sends what it receives.
const LINES: usize = 100;

/// The answer of a daemon that was started for one account: it has no list
/// (<https://www.jsonrpc.org/specification#error_object>).
const METHOD_NOT_FOUND: i64 = -32601;

const REMEDY: &str =
    "start it with `signal-cli daemon --tcp 127.0.0.1:7583`, or with --socket, or mend the address";

/// The question to whatever a channel connects to by itself.
pub(super) fn check(id: &ChannelId, channel: &ChannelConfig) -> Option<Check> {
    let about = format!("channels.{id}.api_root");
    match channel.kind(id)? {
        ChannelKind::Real(row) if row.code == "signal" => {
            let root = channel.api_root.as_deref().unwrap_or(row.api_root).to_owned();
            let account = channel.account.clone();
            let setting = format!("channels.{id}.account");
            Some(Check::new(
                about,
                format!("{root} for its accounts"),
                async move { accounts(&root, account.as_deref(), &setting).await },
            ))
        }
        ChannelKind::Loopback => {
            let root = channel.api_root.clone()?;
            Some(Check::new(
                about,
                format!("{root} for a connection"),
                async move {
                    match connect(&root).await {
                        Ok(_) => Answer::fine(format!("{root} answers")),
                        Err(error) => Answer::wrong(error, "start what listens there, or mend the address"),
                    }
                },
            ))
        }
        ChannelKind::Real(_) => None,
    }
}

/// A connection of either kind.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

async fn connect(root: &str) -> Result<Box<dyn Wire>, String> {
    let cannot = |error: io::Error| format!("{root} cannot be reached: {error}");
    if let Some(path) = root.strip_prefix("unix://") {
        return Ok(Box::new(UnixStream::connect(path).await.map_err(cannot)?));
    }
    match root.strip_prefix("tcp://") {
        Some(address) => Ok(Box::new(TcpStream::connect(address).await.map_err(cannot)?)),
        None => Err(format!("{root} is neither tcp://host:port nor unix:///path")),
    }
}

async fn accounts(root: &str, account: Option<&str>, setting: &str) -> Answer {
    let wire = match connect(root).await {
        Ok(wire) => wire,
        Err(error) => return Answer::wrong(error, REMEDY),
    };
    match ask(wire).await {
        Ok(answer) => judge(&answer, account, setting),
        Err(answer) => answer,
    }
}

/// Asks for the accounts (<https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc>). A server of
/// HTTP answers the line, too, but in its own way.
async fn ask(mut wire: Box<dyn Wire>) -> Result<Value, Answer> {
    let broken = |error: io::Error| Answer::wrong(format!("the connection breaks: {error}"), REMEDY);
    let question = json!({"jsonrpc": "2.0", "id": "doctor", "method": "listAccounts"}).to_string() + "\n\n";
    wire.write_all(question.as_bytes()).await.map_err(broken)?;
    let mut lines = BufReader::new(wire.take(ANSWER_BYTES));
    for _ in 0..LINES {
        let mut line = Vec::new();
        if lines.read_until(b'\n', &mut line).await.map_err(broken)? == 0 {
            break;
        }
        if line.starts_with(b"HTTP/") {
            let found = "a server of HTTP listens there, not the JSON-RPC of signal-cli";
            return Err(Answer::wrong(found, REMEDY));
        }
        match serde_json::from_slice::<Value>(&line) {
            Ok(answer) if answer["id"] == "doctor" => return Ok(answer),
            _ => {}
        }
    }
    Err(Answer::wrong(
        "what listens there does not speak the JSON-RPC of signal-cli",
        REMEDY,
    ))
}

fn judge(answer: &Value, account: Option<&str>, setting: &str) -> Answer {
    let Some(list) = answer["result"].as_array() else {
        return alone(answer, account, setting);
    };
    let numbers: Vec<_> = list.iter().filter_map(|known| known["number"].as_str()).collect();
    let known = |account: &str| {
        list.iter()
            .any(|known| known["number"] == account || known["aci"] == account)
    };
    match account {
        Some(account) if known(account) => Answer::fine(format!("signal-cli has the account {account}")),
        Some(account) => Answer::wrong(
            format!(
                "signal-cli has no account {account}, only: {}",
                numbers.join(", ")
            ),
            &format!("register or link it there, or mend {setting}"),
        ),
        None if list.is_empty() => Answer::wrong("signal-cli has no account", "register or link one there"),
        None if list.len() == 1 => {
            Answer::fine(format!("signal-cli has one account, {}", numbers.join(", ")))
        }
        None => Answer::wrong(
            format!("signal-cli has several accounts: {}", numbers.join(", ")),
            &format!("name one of them in {setting}"),
        ),
    }
}

/// The answer without a list of accounts.
fn alone(answer: &Value, account: Option<&str>, setting: &str) -> Answer {
    if answer["error"]["code"] != METHOD_NOT_FOUND {
        let why = answer["error"]["message"]
            .as_str()
            .unwrap_or("an answer without a list");
        return Answer::unasked(format!("signal-cli does not list its accounts: {why}"), REMEDY);
    }
    match account {
        // It takes any account in a call, and writes as its own.
        Some(account) => Answer::unasked(
            format!(
                "signal-cli answers for the one account that it was started with, and does not say whether that is \
                 {account}"
            ),
            &format!("start it without -a, so that it lists its accounts, or compare its -a with {setting}"),
        ),
        None => Answer::fine("signal-cli answers, for the one account that it was started with"),
    }
}
