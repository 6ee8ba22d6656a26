//! The strict server refuses what X refuses.

use crate::place::{ANA, BOT, CLIENT, Place, TOKEN};
use crate::shared::wrong::{filled, stand_below};
use serde_json::Value;

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
    token: String,
}

impl<'a> Client<'a> {
    async fn of(place: &'a Place) -> Self {
        let http = reqwest::Client::new();
        let url = format!("{}/2/oauth2/token", place.server.root());
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", TOKEN),
            ("client_id", CLIENT),
        ];
        let (status, body) = answer(http.post(url).form(&form)).await;
        assert_eq!(status, 200);
        let token = body["access_token"].as_str().unwrap().to_owned();
        Self { place, http, token }
    }

    /// Calls `GET /path?query`, or `POST /path` with JSON or, of a token, a form.
    async fn call(&self, method: &str, path: &str, given: &str) -> u16 {
        let url = format!("{}{path}", self.place.server.root());
        let kind = match path {
            "/2/oauth2/token" => "application/x-www-form-urlencoded",
            _ => "application/json",
        };
        let request = match method {
            "GET" => self.http.get(format!("{url}?{given}")),
            _ => self
                .http
                .post(url)
                .header("content-type", kind)
                .body(given.to_owned()),
        };
        answer(request.bearer_auth(&self.token)).await.0
    }
}

async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or_default())
}

/// Method, path, what is given, and the status. Words in capitals stand for what the test puts in.
const WRONG: &str = r#"
GET /2/users/mee  404
POST /2/users/me {} 404
GET /2/tweets  404
GET /1.1/statuses/update  404
GET /2/users/me expansions=x 400
GET /2/users/42/mentions max_results=5 400
GET /2/users/x/mentions max_results=5 400
GET /2/users/BOT/mentions max_results=4 400
GET /2/users/BOT/mentions max_results=101 400
GET /2/users/BOT/mentions max_results=many 400
GET /2/users/BOT/mentions max_results=5&since_id=x 400
GET /2/users/BOT/mentions max_results=5&since_id=0 400
GET /2/users/BOT/mentions max_results=5&since_id=12345678901234567890 400
GET /2/users/BOT/mentions max_results=5&pagination_token=none 400
GET /2/users/BOT/mentions max_results=5&tweet.fields=likes 400
GET /2/users/BOT/mentions max_results=5&expansions=everything 400
GET /2/users/BOT/mentions max_results=5&user.fields=password 400
GET /2/users/BOT/mentions max_results=5&count=5 400
POST /2/tweets [] 400
POST /2/tweets {"text": 400
POST /2/tweets {} 400
POST /2/tweets {"text":""} 400
POST /2/tweets {"text":"\n","reply":{"in_reply_to_tweet_id":"POST"}} 400
POST /2/tweets {"text":"x"} 400
POST /2/tweets {"text":"x","reply":"POST"} 400
POST /2/tweets {"text":"x","reply":{}} 400
POST /2/tweets {"text":"x","reply":{"in_reply_to_tweet_id":POST}} 400
POST /2/tweets {"text":"x","reply":{"in_reply_to_tweet_id":"a"}} 400
POST /2/tweets {"text":"x","reply":{"in_reply_to_tweet_id":"POST","auto":true}} 400
POST /2/tweets {"text":"x","status":"x"} 400
POST /2/tweets {"text":"LONG","reply":{"in_reply_to_tweet_id":"POST"}} 403
POST /2/tweets {"text":"WIDE","reply":{"in_reply_to_tweet_id":"POST"}} 403
POST /2/tweets {"text":"x","reply":{"in_reply_to_tweet_id":"1"}} 403
POST /2/oauth2/token grant_type=refresh_token 400
POST /2/oauth2/token grant_type=refresh_token&refresh_token=none&client_id=CLIENT 400
POST /2/oauth2/token grant_type=password&refresh_token=none&client_id=CLIENT 400
POST /2/oauth2/token grant_type=refresh_token&refresh_token=USED&client_id=CLIENT 400
"#;

#[tokio::test]
async fn wrong_calls_are_refused() {
    let place = Place::open().await;
    place.server.mention(ANA, "@foldback_bot hi", None);
    let client = Client::of(&place).await;
    let words = [
        ("BOT", BOT.to_string()),
        (":\"POST\"", format!(":\"{}\"", place.post)),
        (":POST", format!(":{}", place.post)),
        ("LONG", "x".repeat(281)),
        ("WIDE", "你".repeat(141)),
        ("USED", TOKEN.to_owned()),
        ("CLIENT", CLIENT.to_owned()),
    ];
    for (row, filled) in filled(WRONG, &words) {
        let (method, rest) = filled.split_once(' ').unwrap();
        let (path, rest) = rest.split_once(' ').unwrap();
        let (given, status) = rest.rsplit_once(' ').unwrap();
        let answered = client.call(method, path, given).await;
        assert_eq!(answered.to_string(), status, "{row}");
    }
    assert_eq!(place.server.messages(place.post).len(), 1, "nothing came of any");
    stand_below(&place.server.broken(), "https://docs.x.com/");
}

#[tokio::test]
async fn a_call_needs_its_token() {
    let place = Place::open().await;
    let client = Client::of(&place).await;
    let me = format!("{}/2/users/me", place.server.root());
    for (request, status) in [
        (client.http.get(&me).bearer_auth(&client.token), 200),
        (client.http.get(&me).bearer_auth("other"), 401),
        (client.http.get(&me), 401),
    ] {
        assert_eq!(answer(request).await.0, status);
    }
}
