//! The strict server refuses what signal-cli refuses.

use crate::place::{ANA, GROUP, ME, Place, several};
use crate::shared::wrong::{filled, stand_below};
use foldback_strict::signal::Start;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// One line, and what is said to it; nothing where the connection is closed.
async fn say(place: &Place, line: &str) -> Option<Value> {
    say_to(place.server.root(), line).await
}

pub(crate) async fn say_to(root: &str, line: &str) -> Option<Value> {
    let address = root.strip_prefix("tcp://").unwrap();
    let mut wire = BufReader::new(TcpStream::connect(address).await.unwrap());
    wire.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    wire.read_line(&mut answer).await.unwrap();
    serde_json::from_str(&answer).ok()
}

async fn call(place: &Place, method: &str, params: &Value) -> Value {
    let call = json!({"jsonrpc": "2.0", "id": "mark", "method": method, "params": params});
    let answer = say(place, &call.to_string()).await.unwrap();
    assert_eq!(answer["id"], "mark");
    answer
}

/// The line, the code, and what the refusal says.
pub(crate) const NO_CALLS: &str = r#"
 -32700 Empty input line
nonsense -32700 Unrecognized
{"jsonrpc":"2.0" -32700 Unrecognized
[] -32600 unexpected type
7 -32600 unexpected type
null -32600 unexpected type
{"jsonrpc":"2.0"} -32600 without an id
{"jsonrpc":"2.0","method":"version"} -32600 without an id
{"jsonrpc":"2.0","method":"version","id":{}} -32600 without an id
{"jsonrpc":"2.0","id":1} -32600 method field
{"jsonrpc":"2.0","method":7,"id":1} -32600 method field
{"jsonrpc":"1.0","method":"version","id":1} -32600 only jsonrpc version
{"method":"version","id":1} -32600 only jsonrpc version
{"jsonrpc":"2.0","method":"version","id":1,"extra":1} -32600 Unrecognized field "extra"
{"jsonrpc":"2.0","method":"version","id":1,"params":7} -32600 'params'
{"jsonrpc":"2.0","method":"version","id":1,"params":[]} -32600 'params'
"#;

/// Method, parameters beside the account, the code, and what the refusal says.
const WRONG: &str = r#"
sendMessage {} -32601 Method not implemented
version {"verbose":true} -32602 unknown parameter
unsubscribeReceive {"subscription":99} -1 Unknown subscription
unsubscribeReceive {} -1 Unknown subscription
send {"message":"x"} -1 No recipients given
send {"recipient":[],"message":"x"} -1 No recipients given
send {"recipient":["ANA"]} -1 Sending empty message
send {"recipient":["ANA"],"message":""} -1 Sending empty message
send {"recipient":["ANA"],"message":7} -32603 must be a string
send {"recipient":[7],"message":"x"} -32603 must be strings
send {"recipient":{},"message":"x"} -32603 must be strings
send {"recipient":["0123"],"message":"x"} -1 Invalid phone number '0123'
send {"recipient":["+19999999999"],"message":"x"} -1 Failed to send message
send {"recipient":["ANA"],"groupId":["GROUP"],"message":"x"} -1 one recipient or group
send {"group-id":["GROUP"],"message":"x"} -32602 unknown parameter group-id
send {"groupId":["AAAA"],"message":"x"} -1 must be base64
send {"groupId":["group:GROUP"],"message":"x"} -1 must be base64
send {"groupId":["BBBBBBBBBBBBBBBBBBBBBA=="],"message":"x"} -1 Group not found
send {"groupId":["AAAAAAAAAAAAAAAAAAAAAA=="],"message":"x"} -1 not a member
send {"recipient":["ANA"],"attachments":["/etc/passwd"]} -32603 no such file
send {"recipient":["ANA"],"attachments":["data:text/plain;filename=a.txt,hi"]} -32603 not in base64
send {"recipient":["ANA"],"attachments":["data:text/plain;base64,aGk="]} -32603 no file name
send {"recipient":["ANA"],"attachments":["data:text;filename=a.txt;base64,aGk="]} -32603 no media type
send {"recipient":["ANA"],"attachments":["data:text/plain;filename=a b;base64,aGk="]} -32603 not escaped
send {"recipient":["ANA"],"attachments":["data:text/plain;filename=a;base64,a-k="]} -32603 not base64
send {"recipient":["ANA"],"attachments":["data:text/plain"]} -32603 not a valid data URI
send {"recipient":["ANA"],"message":"x","textStyle":["BOLD"]} -1 Invalid textStyle syntax
send {"recipient":["ANA"],"message":"x","textStyle":["0:1:bold"]} -1 Invalid style: bold
send {"recipient":["ANA"],"message":"🎉","textStyle":["0:3:BOLD"]} -1 not in the text of 2 units
send {"recipient":["ANA"],"message":"x","quoteTimestamp":1} -32603 a timestamp and an author
send {"recipient":["ANA"],"message":"x","quoteTimestamp":"1","quoteAuthor":"ANA"} -32603 must be an integer
send {"recipient":["ANA"],"message":"x","quoteTimestamp":1.7e12,"quoteAuthor":"ANA"} -32603 must be an integer
send {"recipient":["ANA"],"message":"x","quoteTimestamp":1,"quoteAuthor":"+19999999999"} -1 is not registered
sendReaction {"recipient":["ANA"],"emoji":"👍","targetAuthor":"ANA"} -32603 target author and timestamp
sendReaction {"recipient":["ANA"],"emoji":"👍","targetTimestamp":1} -32603 target author and timestamp
sendReaction {"recipient":["ANA"],"emoji":"👍👍","targetAuthor":"ANA","targetTimestamp":1} -1 single grapheme
sendReaction {"recipient":["ANA"],"emoji":"thumbsup","targetAuthor":"ANA","targetTimestamp":1} -1 single grapheme
sendReaction {"recipient":["ANA"],"emoji":"👍","targetAuthor":"1:ANA","targetTimestamp":1} -1 Invalid phone number
sendReaction {"recipient":["ANA"],"emoji":"👍","targetAuthor":"ANA","targetTimestamp":-0.5} -32603 must be an integer
remoteDelete {"recipient":["ANA"]} -32603 targetTimestamp is missing
remoteDelete {"targetTimestamp":1} -1 No recipients given
sendTyping {} -1 No recipients given
sendTyping {"recipient":["ANA"],"action":"START"} -32602 unknown parameter
sendReceipt {"recipient":["ANA"],"targetTimestamp":[1]} -32603 must be a string
sendReceipt {"recipient":"ANA"} -32603 targetTimestamp is missing
sendReceipt {"recipient":"ANA","targetTimestamp":[1],"type":"seen"} -1 Unknown receipt type
sendReceipt {"targetTimestamp":[1]} -32603 the author is missing
"#;

pub(crate) fn rows(table: &str) -> impl Iterator<Item = (&str, i64, &str)> {
    table.lines().skip(1).map(parts)
}

/// The call, the code, and what the refusal says.
fn parts(row: &str) -> (&str, i64, &str) {
    let codes = [" -32", " -1 "].iter();
    let at = codes.filter_map(|code| row.rfind(code)).max().unwrap();
    let (code, said) = row[at + 1..].split_once(' ').unwrap();
    (&row[..at], code.parse().unwrap(), said)
}

fn is(answer: &Value, code: i64, said: &str) -> bool {
    let error = &answer["error"];
    error["code"] == code
        && error["message"]
            .as_str()
            .is_some_and(|message| message.contains(said))
}

#[tokio::test]
async fn lines_that_are_no_calls_are_refused() {
    let place = Place::open().await;
    for (line, code, said) in rows(NO_CALLS) {
        let answer = say(&place, line).await.unwrap();
        assert!(is(&answer, code, said), "{line}: {answer}");
    }
    assert_eq!(place.server.calls(), 0);
    assert_eq!(place.server.broken().len(), 4, "{:?}", place.server.broken());
}

#[tokio::test]
async fn wrong_calls_are_refused() {
    let place = Place::open().await;
    place.server.open_group("AAAAAAAAAAAAAAAAAAAAAA==", &[ANA]);
    let words = [("ANA", ANA.to_owned()), ("GROUP", GROUP.to_owned())];
    for (row, filled) in filled(WRONG, &words) {
        let (wrong, code, said) = parts(&filled);
        let (method, params) = wrong.split_once(' ').unwrap();
        let mut params: Value = serde_json::from_str(params).unwrap();
        if method.starts_with("send") || method == "remoteDelete" {
            params["account"] = ME.into();
        }
        let answer = call(&place, method, &params).await;
        assert!(is(&answer, code, said), "{row}: {answer}");
    }
    assert!(
        place.server.messages(ANA).is_empty() && place.server.typing(ANA) == 0,
        "nothing came of any"
    );
    let known = "https://github.com/AsamK/signal-cli/blob/master/";
    stand_below(&place.server.broken(), known);
}

#[tokio::test]
async fn accounts_are_named_where_there_are_several_and_known() {
    let send = |account: Value| json!({"recipient": ANA, "message": "x", "account": account});
    let place = Place::open().await;
    for (account, said) in [
        (Value::Null, "requires valid account"),
        (ANA.into(), "does not exist"),
        (7.into(), "string"),
    ] {
        let answer = call(&place, "send", &send(account)).await;
        assert!(
            answer["error"]["message"].as_str().unwrap().contains(said),
            "{answer}"
        );
    }
    let single = Place::started(
        Start {
            single: true,
            ..several()
        },
        None,
    )
    .await;
    assert!(is(
        &call(&single, "listAccounts", &json!({})).await,
        -32601,
        "not implemented"
    ));
    assert!(call(&single, "send", &send(Value::Null)).await["result"]["timestamp"].is_i64());
}

#[tokio::test]
async fn what_does_not_exist_is_noted_though_signal_cli_cannot_know() {
    for (method, params) in [
        (
            "send",
            json!({"message": "x", "quoteTimestamp": 1, "quoteAuthor": ANA}),
        ),
        ("send", json!({"message": "x".repeat(2_001)})),
        (
            "sendReaction",
            json!({"emoji": "👍", "targetAuthor": ANA, "targetTimestamp": 1}),
        ),
        ("remoteDelete", json!({"targetTimestamp": 1})),
        ("sendReceipt", json!({"targetTimestamp": [1]})),
    ] {
        let place = Place::open().await;
        let mut params = params;
        params["account"] = ME.into();
        params["recipient"] = ANA.into();
        let answer = call(&place, method, &params).await;
        assert!(answer["result"]["timestamp"].is_i64(), "{answer}");
        assert_eq!(place.server.broken().len(), 1, "{method}");
    }
}

#[tokio::test]
async fn a_string_that_is_too_long_closes_the_connection() {
    let place = Place::open().await;
    let line = |len: usize| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "version", "params": {"x": "x".repeat(len)}}).to_string()
    };
    assert!(say(&place, &line(20_000_000)).await.is_some());
    assert_eq!(say(&place, &line(20_000_001)).await, None);
    assert_eq!(place.server.broken().len(), 2);
}
