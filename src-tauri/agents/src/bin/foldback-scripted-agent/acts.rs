//! What the agent does for a prompt.

use super::{
    Done, FOR_EVER, Manner, Scripted,
    given::given,
    history::wait_for,
    line::{chunk, hear, notification, refuse, say, tell, tool, update},
    next::do_next,
    permissions::{PERMISSION, wish},
    servers::{ask_servers, asked},
};
use serde_json::{Value, json};
use std::{
    env,
    io::{self, Write as _},
    process::Command,
    thread,
    time::Duration,
};

/// Pieces of 1 KiB, more than a pipe holds: whoever wrote as many was heard meanwhile.
const IN_THE_PIPE: usize = 128;

impl Scripted {
    /// Does what the prompt says, and ends it.
    pub(super) fn act(&mut self, id: &Value, params: &Value) -> Done {
        let session = &params["sessionId"];
        let told = env::var("ACT").ok();
        let prompt = params["prompt"][0]["text"].as_str().unwrap_or_default();
        let prompt = told.as_deref().unwrap_or(prompt);
        let (act, rest) = prompt.split_once(' ').unwrap_or((prompt, ""));
        if self.manner == Manner::Other {
            say(session, "")?;
        }
        match act {
            // Says the pieces between the bars.
            "say" => rest.split('|').try_for_each(|piece| say(session, piece))?,
            // Ends for a reason of its own, and without one where none is told, after it said the rest.
            "ends" => return self.ends(id, session, rest),
            // Says the pieces and then nothing more, until it is cancelled.
            "stall" => {
                rest.split('|').try_for_each(|piece| say(session, piece))?;
                return self.until_cancelled(id, None);
            }
            // The same, and goes on talking after it confirmed the cancellation.
            "late" => return self.late(id, session),
            "later" => return self.later(id, session),
            // Ends, and goes on talking: so many pieces of 1 KiB, or without an end where none are told.
            "trails" => return self.trails(id, session, rest),
            // Hears nothing any more.
            "deaf" => {
                say(session, "deaf")?;
                // For whoever has to know that it was said.
                std::fs::write("deaf", "")?;
                thread::sleep(FOR_EVER);
            }
            "joins" => return self.joins(id, session, rest),
            "silent" => thread::sleep(FOR_EVER),
            // Runs a command to its end, and says what it printed.
            "shell" => shell(session, rest)?,
            "tool" => return self.tool(id, session),
            "crash" => crash(session, rest)?,
            // The same, by a signal.
            "killed" => killed(session, rest)?,
            // Says pieces that are cut in the middle of a character, as bytes and as JSON's escapes.
            "half" => {
                for half in [&b"\xf0\x9f"[..], br"\ud83d"] {
                    let line = notification(session, &chunk("caf?")).to_string();
                    let (before, after) = line.split_once('?').unwrap_or_default();
                    let line = [before.as_bytes(), half, after.as_bytes(), b"\n"].concat();
                    io::stdout().lock().write_all(&line)?;
                }
                say(session, " whole")?;
            }
            // The same, and the rest of the character comes with the next piece.
            "halves" => halves(session)?,
            // Asks so often for what we do not offer, all in one breath, and tells how often it was answered.
            "burst" => self.burst(session, rest.parse()?)?,
            // Asks for permissions in a way of its own, and says what was chosen.
            "odd" => self.odd(session)?,
            // Announces a call with all of it, and asks for it by nothing but its id.
            "terse" => self.terse(session)?,
            // Asks a server that its session was given.
            "server" => ask_servers(&self.servers, session, rest)?,
            // The same behind the end of its prompt, and writes the answer into a file.
            "server-late" => {
                self.end(id, "end_turn")?;
                return note_asked(&asked(&self.servers, rest)?);
            }
            // The same within its prompt.
            "server-note" => note_asked(&asked(&self.servers, rest)?)?,
            // Does what the next line of a file says.
            "next" => do_next(&self.servers, session)?,
            // Announces a call and ends it.
            "again" => again(session, rest)?,
            "error" => return refuse(id, -32603, "the model answered 500"),
            "code" => return refuse_as_api(id, rest),
            "sign-in" => return refuse(id, -32000, "Authentication required"),
            // What the environment and the folder are.
            "env" => say(
                session,
                &json!({"env": env::vars().collect::<std::collections::BTreeMap<_, _>>(), "cwd": env::current_dir()?})
                    .to_string(),
            )?,
            // What it was given beside the text.
            "given" => say(session, &given(&params["prompt"]))?,
            // One line of so many bytes.
            "long" => say(session, &"x".repeat(rest.parse()?))?,
            "told" => say(session, &self.told.join("\n"))?,
            "flood" => flood(session, rest.parse()?)?,
            "noise" => noise(session)?,
            "broken" => {
                say(session, "partial")?;
                println!("{{\"jsonrpc\":\"2.0\",\"method\":\"session/upd");
                thread::sleep(FOR_EVER);
            }
            // Says what its user should know in the place of its answer.
            "warned" => ["Model metadata not found.", "Hello."]
                .iter()
                .try_for_each(|piece| say(session, piece))?,
            // Asks for what we do not offer, and says what it was told.
            "asks" => {
                let mut told = Vec::new();
                for method in ["fs/read_text_file", "terminal/create", "x/unheard_of"] {
                    let answer = self.ask(method, &json!({"sessionId": session, "path": "/etc/passwd"}))?;
                    told.push(answer["error"]["code"].to_string());
                }
                say(session, &told.join(" "))?;
            }
            // Runs a tool, under the id that is told, for as long as it takes until somebody cancels.
            "works" => {
                tool(session, "tool_call", rest, json!({"title": "build", "status": "in_progress"}))?;
                return self.until_cancelled(id, None);
            }
            // Wants to run a tool that it never announces.
            "wants" => {
                self.ask(PERMISSION, &wish(session, rest))?;
                return self.end(id, "cancelled");
            }
            // Asks for a command of at least so many bytes, which ends with what it is about.
            "hides" => return self.hides(id, session, rest.parse()?),
            "greedy" => self.greedy(session, rest)?,
            // News of calls that this run never began.
            "news" => {
                for call in rest.split(' ') {
                    tool(session, "tool_call_update", call, json!({"status": "completed"}))?;
                }
                say(session, "told")?;
            }
            "restless" => restless(session, rest.parse()?)?,
            // Calls of which more and more is said, and nothing that has to be told.
            "grows" => grows(session, rest.parse()?)?,
            _ => return refuse(id, -32602, "no such act"),
        }
        self.end(id, "end_turn")
    }

    fn ends(&self, id: &Value, session: &Value, told: &str) -> Done {
        let (reason, words) = told.split_once(' ').unwrap_or((told, ""));
        say(session, words)?;
        match reason {
            "" | "-" => self.answer(id, &json!({})),
            reason => self.end(id, reason),
        }
    }

    fn burst(&mut self, session: &Value, times: usize) -> Done {
        let mut lines = String::new();
        for _ in 0..times {
            let line = json!({"jsonrpc": "2.0", "id": self.own_ids, "method": "x/y", "params": {}});
            lines += &line.to_string();
            lines.push('\n');
            self.own_ids += 1;
        }
        io::stdout().lock().write_all(lines.as_bytes())?;
        let mut answered = 0;
        while answered < times && hear()?.is_some() {
            answered += 1;
        }
        say(session, &format!("{answered} answered"))
    }

    /// Is cancelled, and goes on talking after it confirmed that.
    fn late(&self, id: &Value, session: &Value) -> Done {
        say(session, "early")?;
        tool(
            session,
            "tool_call",
            "late-1",
            json!({"title": "old", "status": "in_progress"}),
        )?;
        self.until_cancelled(id, Some(session))
    }

    /// Is cancelled, and once there is a file `speak`, says one more word that belongs to nobody.
    fn later(&self, id: &Value, session: &Value) -> Done {
        say(session, "early")?;
        self.until_cancelled(id, None)?;
        wait_for("speak");
        say(session, "LATE")?;
        // For whoever has to know that it was said.
        std::fs::write("spoke", "")?;
        Ok(())
    }

    fn trails(&self, id: &Value, session: &Value, pieces: &str) -> Done {
        say(session, "early")?;
        self.end(id, "end_turn")?;
        let pieces = pieces.parse().ok();
        let piece = format!("LATE{}", "z".repeat(1024));
        for number in 0..pieces.unwrap_or(usize::MAX) {
            say(session, &piece)?;
            // For whoever asks again behind it; without an end, for whoever has to know that it talks on.
            if number == 0 || pieces.is_none() && number % IN_THE_PIPE == 0 {
                std::fs::write("trails", "")?;
            }
        }
        Ok(())
    }

    /// Waits for the cancellation of prompt `id` and confirms it; with `late`, a session, it cannot stop talking.
    fn until_cancelled(&self, id: &Value, late: Option<&Value>) -> Done {
        loop {
            let Some(message) = hear()? else {
                return Err("the input ended in the middle of a prompt".into());
            };
            if message["method"] == "session/cancel" {
                break;
            }
        }
        self.end(id, "cancelled")?;
        if let Some(session) = late {
            say(session, "LATE 1")?;
            thread::sleep(Duration::from_millis(50));
            say(session, "LATE 2")?;
            // This one says of itself that it is late, and comes whenever it likes.
            let Some(next) = hear()? else { return Ok(()) };
            tool(
                session,
                "tool_call_update",
                "late-1",
                json!({"status": "completed"}),
            )?;
            say(session, "fresh")?;
            self.end(&next["id"], "end_turn")?;
        }
        Ok(())
    }
}

fn shell(session: &Value, command: &str) -> Done {
    let ran = Command::new("/bin/sh").args(["-c", command]).output()?;
    say(session, &String::from_utf8_lossy(&ran.stdout))
}

fn killed(session: &Value, last: &str) -> Done {
    say(session, last)?;
    let id = std::process::id().to_string();
    Command::new("kill").args(["-KILL", &id]).status()?;
    Ok(())
}

/// A call that begins and ends.
fn again(session: &Value, id: &str) -> Done {
    let began = json!({"title": "build", "status": "in_progress"});
    tool(session, "tool_call", id, began)?;
    tool(session, "tool_call_update", id, json!({"status": "completed"}))
}

/// Says pieces that are cut in the middle of a character: as bytes, as JSON's escapes, before a call and at the end of
/// a message.
fn halves(session: &Value) -> Done {
    for (half, message) in [
        (&b"\xf0\x9f"[..], "m1"),
        (b"\x98\x80", "m1"),
        (br"\ud83d", "m1"),
        (br"\ude00", "m1"),
        (br"\ud83d", "m1"),
        (br"\ude00", "m2"),
        (br"\ud83d", "m2"),
    ] {
        let mut piece = chunk("?");
        piece["messageId"] = json!(message);
        let line = notification(session, &piece).to_string();
        let (before, after) = line.split_once('?').unwrap_or_default();
        let line = [before.as_bytes(), half, after.as_bytes(), b"\n"].concat();
        io::stdout().lock().write_all(&line)?;
    }
    tool(
        session,
        "tool_call",
        "h1",
        json!({"title": "build", "status": "completed"}),
    )?;
    let line = notification(session, &chunk("?")).to_string();
    let line = line.replace('?', r"\ude00") + "\n";
    io::stdout().lock().write_all(line.as_bytes())?;
    let mut thought = chunk("?");
    thought["sessionUpdate"] = json!("agent_thought_chunk");
    for half in [r"\ud83d", r"\ude00"] {
        let line = notification(session, &thought).to_string().replace('?', half) + "\n";
        io::stdout().lock().write_all(line.as_bytes())?;
    }
    Ok(())
}

/// More text than anybody reads, in pieces of 64 KiB.
fn flood(session: &Value, bytes: usize) -> Done {
    let piece = "y".repeat(64 * 1024);
    for _ in 0..bytes / piece.len() {
        say(session, &piece)?;
    }
    Ok(())
}

/// A tool that runs and pauses so many times, each time with a new result of 16 KiB.
fn restless(session: &Value, times: usize) -> Done {
    for time in 0..times {
        let status = ["in_progress", "pending"][time % 2];
        let text = format!("{time}{}", "r".repeat(16 * 1024));
        let result = json!([{"type": "content", "content": {"type": "text", "text": text}}]);
        tool(
            session,
            "tool_call_update",
            "r1",
            json!({"status": status, "content": result}),
        )?;
    }
    Ok(())
}

fn grows(session: &Value, calls: usize) -> Done {
    for number in 0..calls {
        let call = format!("g{number}");
        tool(session, "tool_call", &call, json!({"title": "grow"}))?;
        let input = json!({"rawInput": "g".repeat(16 * 1024)});
        tool(session, "tool_call_update", &call, input)?;
    }
    Ok(())
}

/// Everything that is no text of an answer.
fn noise(session: &Value) -> Done {
    println!("DEBUG something");
    println!("{{\"level\":30,\"msg\":\"a line of a log\"}}");
    update(
        session,
        &json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
    )?;
    update(
        session,
        &json!({"sessionUpdate": "from_the_future", "anything": [1]}),
    )?;
    update(session, &json!({"sessionUpdate": "plan", "entries": []}))?;
    update(&json!("another"), &chunk("not ours"))?;
    tell(&json!({"jsonrpc": "2.0", "method": "x/unheard_of", "params": {}}))?;
    tell(&json!({"jsonrpc": "2.0", "id": 99, "result": {}}))?;
    for line in 0..20_000 {
        eprintln!("warning {line}: {}", "z".repeat(100));
    }
    say(session, "heard")
}

/// Refuses with the code and the words that it is given, as gemini-cli does with its API's.
fn refuse_as_api(id: &Value, refusal: &str) -> Done {
    let (code, words) = refusal.split_once(' ').unwrap_or((refusal, ""));
    refuse(id, code.parse()?, words)
}

/// Says something and dies.
fn crash(session: &Value, words: &str) -> Done {
    say(session, words)?;
    eprintln!("out of memory");
    std::process::exit(3);
}

/// Writes what a server answered into the file `asked`, which is whole once it is there.
fn note_asked(told: &str) -> Done {
    std::fs::write("asked.new", told)?;
    std::fs::rename("asked.new", "asked")?;
    Ok(())
}
