//! `parse --batch`: many messages, one JSON line each.

use crate::end::{End, Stop, Verdict, complain, json_line, stdout};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, BufRead, Write};

#[derive(Serialize)]
struct Answer<A> {
    id: Value,
    #[serde(flatten)]
    parsed: A,
}

#[derive(Serialize)]
struct Bad {
    id: Value,
    error: String,
}

/// Answers every line in order, the bad ones with an error; any bad line makes the end exit code 2.
pub(crate) fn run<A: Serialize>(parse: impl Fn(&str) -> A) -> End {
    let mut out = stdout();
    let mut bad = 0_usize;
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    for number in 1_usize.. {
        line.clear();
        if stdin.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match request(&line) {
            Ok((id, input)) => {
                json_line(
                    &mut out,
                    &Answer {
                        id,
                        parsed: parse(&input),
                    },
                )?;
            }
            Err((id, error)) => {
                bad += 1;
                complain(format_args!("<stdin>:{number}: {error}"));
                json_line(&mut out, &Bad { id, error })?;
            }
        }
        // A person or a program may wait for each answer.
        out.flush()?;
    }
    match bad {
        0 => Ok(Verdict::Holds),
        1 => Err(Stop::Wrong("1 line could not be read".to_owned())),
        _ => Err(Stop::Wrong(format!("{bad} lines could not be read"))),
    }
}

fn request(line: &[u8]) -> Result<(Value, String), (Value, String)> {
    let value: Value = serde_json::from_slice(line).map_err(|error| (Value::Null, error.to_string()))?;
    let Value::Object(mut fields) = value else {
        return Err((Value::Null, "expected an object with `id` and `input`".to_owned()));
    };
    let Some(id) = fields.remove("id") else {
        return Err((Value::Null, "the field `id` is missing".to_owned()));
    };
    match fields.remove("input") {
        Some(Value::String(input)) => Ok((id, input)),
        Some(_) => Err((id, "the field `input` is not a string".to_owned())),
        None => Err((id, "the field `input` is missing".to_owned())),
    }
}
