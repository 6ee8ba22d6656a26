//! The strict server refuses what Reddit refuses.

use crate::place::{ANA, CLIENT, POST, Place, SECRET, TOKEN};
use crate::shared::wrong::{filled, stand_below};
use serde_json::Value;

const AGENT: &str = "linux:test:v1 (by /u/somebody)";

struct Client<'a> {
    place: &'a Place,
    http: reqwest::Client,
    token: String,
}

impl<'a> Client<'a> {
    async fn of(place: &'a Place) -> Self {
        let http = reqwest::Client::new();
        let mut client = Self {
            place,
            http,
            token: String::new(),
        };
        let url = format!("{}/api/v1/access_token", place.server.root());
        let form = [("grant_type", "refresh_token"), ("refresh_token", TOKEN)];
        let request = client.http.post(url).basic_auth(CLIENT, Some(SECRET)).form(&form);
        let (status, body) = answer(request.header("user-agent", AGENT)).await;
        assert_eq!(status, 200);
        body["access_token"]
            .as_str()
            .unwrap()
            .clone_into(&mut client.token);
        client
    }

    /// Calls `GET /path?query` or `POST /path form`.
    async fn call(&self, method: &str, path: &str, fields: &str) -> (u16, Value) {
        let url = format!("{}{path}", self.place.server.root());
        let request = match method {
            "GET" => self.http.get(format!("{url}?{fields}")),
            _ => self
                .http
                .post(url)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(fields.to_owned()),
        };
        answer(request.bearer_auth(&self.token).header("user-agent", AGENT)).await
    }
}

async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or_default())
}

/// Method, path, fields, and what the answer holds. Words in capitals stand for what the test puts in.
const WRONG: &str = r"
GET /api/v1/mee  404
POST /api/v1/me  404
GET /api/comment  404
GET /api/v1/me verbose=1 400
GET /message/unread limit=0&mark=false 400
GET /message/unread limit=101&mark=false 400
GET /message/unread limit=5 400
GET /message/unread limit=5&mark=maybe 400
GET /message/unread limit=5&mark=false&where=inbox 400
GET /message/unread limit=5&limit=6&mark=false 400
POST /api/read_message id= 400
POST /api/read_message id=t3_a 400
POST /api/read_message id=MANY 400
POST /api/read_message id=t1_a&all=true 400
POST /api/comment thing_id=POST&text=x 400
POST /api/comment api_type=xml&thing_id=POST&text=x 400
POST /api/comment api_type=json&thing_id=POST NO_TEXT
POST /api/comment api_type=json&thing_id=POST&text=%20 NO_TEXT
POST /api/comment api_type=json&thing_id=POST&text=LONG TOO_LONG
POST /api/comment api_type=json&text=x 400
POST /api/comment api_type=json&thing_id=1abcd2&text=x 400
POST /api/comment api_type=json&thing_id=t5_a&text=x 400
POST /api/comment api_type=json&thing_id=t1_A&text=x 400
POST /api/comment api_type=json&thing_id=t1_none&text=x 403
POST /api/comment api_type=json&thing_id=POST&text=x&vote=1 400
POST /api/editusertext api_type=json&thing_id=THEIRS&text=x NOT_AUTHOR
POST /api/editusertext api_type=json&thing_id=t1_none&text=x NOT_AUTHOR
POST /api/editusertext api_type=json&thing_id=t4_a&text=x 400
POST /api/editusertext api_type=json&thing_id=THEIRS NO_TEXT
POST /api/compose api_type=json&to=ANA&text=x NO_SUBJECT
POST /api/compose api_type=json&to=ANA&subject=SUBJECT&text=x NO_SUBJECT
POST /api/compose api_type=json&to=nobody&subject=x&text=x USER_DOESNT_EXIST
POST /api/compose api_type=json&to=ANA&subject=x NO_TEXT
POST /api/compose to=ANA&subject=x&text=x 400
GET /comments/1abcd2 comment=a&context=9 400
GET /comments/none comment=a&context=8 404
";

#[tokio::test]
async fn wrong_calls_are_refused() {
    let place = Place::open().await;
    let theirs = place.server.comment(ANA, POST, "hi");
    let client = Client::of(&place).await;
    let words = [
        ("THEIRS", theirs),
        ("ANA", ANA.to_owned()),
        ("MANY", vec!["t1_a"; 26].join(",")),
        ("=LONG", format!("={}", "x".repeat(10_001))),
        ("=SUBJECT", format!("={}", "x".repeat(101))),
        ("=POST", format!("={POST}")),
    ];
    for (row, filled) in filled(WRONG, &words) {
        let parts: Vec<_> = filled.splitn(4, ' ').collect();
        let (status, body) = client.call(parts[0], parts[1], parts[2]).await;
        let said = parts[3];
        let holds = said == status.to_string() || status == 200 && body.to_string().contains(said);
        assert!(holds, "{row}: {status} {body}");
    }
    assert_eq!(place.server.messages(POST).len(), 1, "nothing came of any");
    let (api, source): (Vec<_>, Vec<_>) = place
        .server
        .broken()
        .into_iter()
        .partition(|rule| rule.source.contains("/dev/api#"));
    stand_below(&api, "https://www.reddit.com/dev/api#");
    stand_below(&source, "https://github.com/reddit-archive/reddit/");
}

#[tokio::test]
async fn a_call_needs_its_token_its_form_and_a_name_to_turn_to() {
    let place = Place::open().await;
    let client = Client::of(&place).await;
    let me = format!("{}/api/v1/me", place.server.root());
    let tokens = format!("{}/api/v1/access_token", place.server.root());
    let get = || client.http.get(&me).header("user-agent", AGENT);
    let ask = || client.http.post(&tokens).header("user-agent", AGENT);
    let form = [("grant_type", "refresh_token"), ("refresh_token", TOKEN)];
    for (request, status) in [
        (get().bearer_auth(&client.token), 200),
        (get(), 401),
        (get().bearer_auth("other"), 401),
        (
            client
                .http
                .get(&me)
                .bearer_auth(&client.token)
                .header("user-agent", "reqwest"),
            429,
        ),
        (client.http.get(&me).bearer_auth(&client.token), 429),
        (ask().form(&form), 401),
        (ask().basic_auth(CLIENT, Some("x")).form(&form), 401),
        (
            ask()
                .basic_auth(CLIENT, Some(SECRET))
                .form(&[("grant_type", "none")]),
            400,
        ),
        (
            ask()
                .basic_auth(CLIENT, Some(SECRET))
                .body("grant_type=refresh_token"),
            400,
        ),
    ] {
        let (answered, body) = answer(request).await;
        assert_eq!(answered, status, "{body}");
    }
}
