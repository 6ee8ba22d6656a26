//! Tools from the servers that a session is given (Model Context Protocol over HTTP), asked as a client asks them.

use super::{Done, line::say};
use serde_json::{Value, json};
use std::{
    error::Error,
    fmt::Write as _,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    thread,
    time::Duration,
};

/// A server that a session was given.
#[derive(Clone)]
pub(super) struct Server {
    address: String,
    path: String,
    headers: Vec<(String, String)>,
}

/// The answer to a request: its status, and the message in it, where there is one.
pub(super) struct Reply {
    pub(super) status: String,
    pub(super) message: Value,
}

/// The result of a call; `is_error` as it was told.
pub(super) struct ToolResult {
    pub(super) text: String,
    pub(super) is_error: Value,
}

impl Server {
    /// The servers of a session.
    pub(super) fn of(params: &Value) -> Vec<Self> {
        let server = |server: &Value| {
            let url = server["url"].as_str()?.strip_prefix("http://")?;
            let (address, path) = url.split_once('/')?;
            let header = |header: &Value| {
                let text = |name: &str| header[name].as_str().unwrap_or_default().to_owned();
                (text("name"), text("value"))
            };
            let headers = server["headers"].as_array()?.iter().map(header).collect();
            (server["type"] == "http").then(|| Self {
                address: address.to_owned(),
                path: format!("/{path}"),
                headers,
            })
        };
        params["mcpServers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(server)
            .collect()
    }

    /// The same with another key.
    pub(super) fn with_key(&self, key: &str) -> Self {
        Self {
            headers: vec![("Authorization".to_owned(), format!("Bearer {key}"))],
            ..self.clone()
        }
    }

    /// Begins as every client does, and asks.
    pub(super) fn ask(&self, method: &str, params: &Value) -> Result<Reply, Box<dyn Error>> {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "scripted", "version": "1"}});
        let begun =
            self.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}))?;
        if begun.message["result"]["capabilities"]["tools"].is_null() {
            return Ok(begun);
        }
        self.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    /// Calls a tool, and waits for its result.
    pub(super) fn call(&self, name: &str, arguments: &Value) -> Result<ToolResult, Box<dyn Error>> {
        let reply = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let result = &reply.message["result"];
        Ok(ToolResult {
            text: result["content"][0]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            is_error: result["isError"].clone(),
        })
    }

    /// One request, of HTTP/1.0: its answer comes in one piece and ends with the connection.
    fn post(&self, message: &Value) -> Result<Reply, Box<dyn Error>> {
        let mut stream = self.send(message)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).unwrap_or_default().to_owned();
        // One value, or events, of which the last one answers.
        let last = body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .next_back();
        let message = serde_json::from_str(last.unwrap_or(body).trim()).unwrap_or_default();
        Ok(Reply { status, message })
    }

    /// Sends a request, and gives the connection on which its answer comes.
    fn send(&self, message: &Value) -> Result<TcpStream, Box<dyn Error>> {
        let body = message.to_string();
        let mut stream = TcpStream::connect(&self.address)?;
        let mut head = format!(
            "POST {} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\nContent-Length: {}\r\n",
            self.path,
            self.address,
            body.len()
        );
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n")?;
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
        Ok(stream)
    }
}

/// Asks the first server, and says what came of it: `tools` for the names of its tools; `call NAME JSON` for a call;
/// `give-up NAME` for one that it hangs up on once the file `leave` is there, `cancel NAME` for one that it cancels then; `key
/// KEY` for the status with another key; `method NAME` for the error of another method.
pub(super) fn ask_servers(servers: &[Server], session: &Value, wish: &str) -> Done {
    say(session, &asked(servers, wish)?)
}

pub(super) fn asked(servers: &[Server], wish: &str) -> Result<String, Box<dyn Error>> {
    let Some(server) = servers.first() else {
        return Ok("no server".to_owned());
    };
    let (what, rest) = wish.split_once(' ').unwrap_or((wish, ""));
    Ok(match what {
        "tools" => {
            let reply = server.ask("tools/list", &json!({}))?;
            let tools = reply.message["result"]["tools"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let names: Vec<_> = tools
                .iter()
                .map(|tool| tool["name"].as_str().unwrap_or_default())
                .collect();
            format!(
                "tools: {} {}",
                names.join(" "),
                tools.first().map_or(&Value::Null, |tool| &tool["inputSchema"])
            )
        }
        "call" => {
            let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
            let arguments: Value = serde_json::from_str(arguments)?;
            let result = server.call(name, &arguments)?;
            format!("error {}: {}", result.is_error, result.text)
        }
        "give-up" => {
            drop(begin_call(server, rest)?);
            "gave it up".to_owned()
        }
        "cancel" => {
            let mut waiting = begin_call(server, rest)?;
            server.post(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
            )?;
            // Its answer ends the connection, which stays open until then.
            waiting.read_to_string(&mut String::new())?;
            "cancelled it".to_owned()
        }
        "key" => format!(
            "status {}",
            server.with_key(rest).ask("tools/list", &json!({}))?.status
        ),
        "method" => {
            let reply = server.ask(rest, &json!({}))?;
            format!("status {} code {}", reply.status, reply.message["error"]["code"])
        }
        _ => "no such wish".to_owned(),
    })
}

/// Calls a tool, waits for the file `leave`, and gives the connection on which the answer comes.
fn begin_call(server: &Server, name: &str) -> Result<TcpStream, Box<dyn Error>> {
    let call = json!({"name": name, "arguments": {}});
    let waiting = server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}))?;
    while !Path::new("leave").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    Ok(waiting)
}
