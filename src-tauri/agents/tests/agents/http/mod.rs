//! What holds for every backend that is asked over HTTP, whatever it speaks.

mod anthropic;
mod compaction;
mod descriptions;
mod faults;
mod letta;
mod levels;
mod responses;
mod tools;
mod upstream;

use crate::{
    contract::{self, Subject},
    openai::Bench,
    support::{answer, request},
};
use foldback_agents::{
    Agent, AgentFile, Api, PictureLimits, Step,
    strict_server::{Insists, Piece, Reply, event, named},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Every protocol.
pub(crate) const APIS: [Api; 4] = [Api::Chat, Api::Responses, Api::Anthropic, Api::Letta];

/// An event as the protocol writes it: Anthropic and Responses name it as its data do.
pub(crate) fn piece(api: Api, data: &Value) -> Piece {
    match (api, data["type"].as_str()) {
        (Api::Responses | Api::Anthropic, Some(kind)) => named(kind, &data.to_string()),
        _ => event(&data.to_string()),
    }
}

/// More text.
pub(crate) fn say(api: Api, text: &str) -> Piece {
    let data = match api {
        Api::Chat => json!({"id": "c1", "choices": [{"index": 0, "delta": {"content": text}}]}),
        Api::Responses => json!({"type": "response.output_text.delta", "item_id": "c1", "output_index": 0,
            "content_index": 0, "delta": text}),
        Api::Anthropic => json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}}),
        Api::Letta => json!({"message_type": "assistant_message", "id": "c1", "content": text}),
    };
    piece(api, &data)
}

/// What comes before the first text.
pub(crate) fn begin(api: Api) -> Vec<Piece> {
    let data: &[Value] = match api {
        Api::Chat => {
            &[json!({"id": "c1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})]
        }
        Api::Responses => &[
            json!({"type": "response.created", "response": {"id": "r1", "status": "in_progress", "output": []}}),
            json!({"type": "response.in_progress", "response": {"id": "r1", "status": "in_progress", "output": []}}),
            json!({"type": "response.output_item.added", "output_index": 0,
                "item": {"type": "message", "id": "c1", "role": "assistant", "content": []}}),
        ],
        Api::Anthropic => &[
            json!({"type": "message_start", "message": {"id": "c1", "type": "message", "role": "assistant",
                "content": [], "stop_reason": null, "usage": {"input_tokens": 3, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
        ],
        Api::Letta => &[json!({"message_type": "ping", "id": "p", "date": "2026-01-01T00:00:00Z"})],
    };
    data.iter().map(|data| piece(api, data)).collect()
}

/// What comes after the last text of a good answer.
pub(crate) fn end(api: Api) -> Vec<Piece> {
    let data: &[Value] = match api {
        Api::Chat => &[json!({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})],
        Api::Responses => &[
            json!({"type": "response.completed", "response": {"id": "r1", "status": "completed",
            "output": []}}),
        ],
        Api::Anthropic => &[
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}}),
            json!({"type": "message_stop"}),
        ],
        Api::Letta => &[json!({"message_type": "stop_reason", "stop_reason": "end_turn"})],
    };
    let done = matches!(api, Api::Chat | Api::Letta).then(|| event("[DONE]"));
    data.iter().map(|data| piece(api, data)).chain(done).collect()
}

/// A good answer in these pieces.
pub(crate) fn fine(api: Api, texts: &[&str]) -> Reply {
    let texts = texts.iter().map(|text| say(api, text));
    Reply::stream(begin(api).into_iter().chain(texts).chain(end(api)))
}

/// A bench of a protocol whose model, or agent, is `m`.
pub(crate) async fn bench(api: Api) -> Bench {
    Bench::insisting(Insists::on(api, "m"), |_| {}).await
}

/// The answer to one question, from these events.
pub(crate) async fn told(api: Api, events: &[Value]) -> Vec<Step> {
    let bench = bench(api).await;
    bench
        .answer(Reply::stream(events.iter().map(|data| piece(api, data))))
        .await
}

/// Every backend keeps the contract.
macro_rules! subject {
    ($name:ident, $keeps:ident, $api:expr) => {
        pub(crate) struct $name(Bench);

        impl Subject for $name {
            async fn new() -> Self {
                Self(bench($api).await)
            }

            fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent> {
                let reply = if endless {
                    let texts = pieces.iter().map(|text| say($api, text));
                    Reply::stream(begin($api).into_iter().chain(texts).chain([Piece::Hang]))
                } else {
                    fine($api, pieces)
                };
                self.0.server.reply(reply);
                Arc::clone(&self.0.agent)
            }
        }

        contract::contract!($keeps, crate::http::$name, #[tokio::test]);
    };
}

subject!(Responses, responses_keeps, Api::Responses);
subject!(Anthropic, anthropic_keeps, Api::Anthropic);
subject!(Letta, letta_keeps, Api::Letta);

#[tokio::test]
async fn every_protocol_names_itself_and_its_model() {
    for (api, name) in APIS.into_iter().zip(["openai", "openai", "anthropic", "letta"]) {
        let bench = bench(api).await;
        assert_eq!((bench.agent.backend(), bench.agent.model()), (name, Some("m")));
    }
}

#[tokio::test]
async fn pictures_reach_the_model_in_each_protocols_form() {
    for api in APIS {
        let bench = bench(api).await;
        bench.server.reply(fine(api, &["A dot."]));
        let mut request = request(1, "What is it?");
        request.files.push(AgentFile {
            name: "dot.png".to_owned(),
            media_type: "image/png".to_owned(),
            bytes: b"\x89PNG".as_slice().into(),
        });
        let steps = answer(&bench.agent, request).await;
        assert_eq!(bench.server.refusals(), [""; 0], "{api:?}");
        assert_eq!(crate::support::said(&steps), "A dot.");
        let asked = bench.server.requests()[0].to_string();
        assert!(asked.contains("iVBORw=="), "{api:?} {asked}");
    }
}

/// What it does not take never comes here: the pipeline asks first, and says of each file what became of it.
#[tokio::test]
async fn every_protocol_says_which_pictures_it_takes() {
    for api in APIS {
        for images in [true, false] {
            let bench = Bench::insisting(Insists::on(api, "m"), |config| config.images = images).await;
            let accepts = bench.agent.accepts();
            assert_eq!((accepts.images, accepts.files), (images, false));
            let PictureLimits { bytes, number } = accepts.pictures;
            assert_eq!((bytes, number), (3_932_160, 6), "5 MiB as base64");
        }
    }
}

#[tokio::test]
async fn what_was_said_is_said_again_only_to_a_server_that_does_not_know_it() {
    for api in APIS {
        let bench = bench(api).await;
        for text in ["first", "second"] {
            bench.answer(fine(api, &[text])).await;
        }
        let asked = bench.server.requests()[1].to_string();
        assert_eq!(asked.contains("first"), api != Api::Letta, "{api:?} {asked}");
    }
}
