//! A model with tools, which no kill touches: it calls `bash` for what a person wrote, and words what it is told of that.

use super::ANSWER;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// Pause between two pieces of an answer.
const PAUSE: Duration = Duration::from_millis(10);

/// Starts one; answers where it listens. It lives as long as the test does.
pub(super) fn start() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            // A bot that was killed hears nothing any more.
            thread::spawn(move || drop(answer(connection)));
        }
    });
    address
}

fn answer(mut connection: TcpStream) -> std::io::Result<()> {
    let asked = read(&connection)?;
    connection
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let (delta, finish) = said_to(&asked);
    for (delta, finish) in [(delta, None), (json!({}), Some(finish))] {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "test", "choices": [choice]});
        write!(connection, "data: {chunk}\n\n")?;
        connection.flush()?;
        thread::sleep(PAUSE);
    }
    connection.write_all(b"data: [DONE]\n\n")
}

/// The body of a request.
fn read(connection: &TcpStream) -> std::io::Result<Value> {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// The answer to a conversation, and the reason of its end.
fn said_to(asked: &Value) -> (Value, &'static str) {
    let last = asked["messages"].as_array().unwrap().last().unwrap();
    let text = last["content"].to_string();
    let is_told =
        last["role"] == "tool" || text.contains("## Action result") || text.contains("## Action error");
    if is_told {
        return (json!({"content": ANSWER}), "stop");
    }
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-');
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|sign| sign.is_ascii_digit());
    let is_asked = |word: &&str| {
        word.strip_prefix("two-")
            .or(word.strip_prefix('m'))
            .is_some_and(is_number)
    };
    let word = words.rev().find(is_asked).unwrap();
    let commands = if word.starts_with('m') {
        vec![word.to_owned()]
    } else {
        vec![format!("{word}-a"), format!("{word}-b")]
    };
    let calls = commands.iter().enumerate().map(|(index, word)| {
        let arguments = json!({"command": format!("./count {word}")}).to_string();
        json!({
            "index": index, "id": format!("call-{word}"), "type": "function",
            "function": {"name": "bash", "arguments": arguments},
        })
    });
    (json!({"tool_calls": calls.collect::<Vec<_>>()}), "tool_calls")
}
