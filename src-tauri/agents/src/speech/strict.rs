//! A server that takes the place of the speech services and holds their rules, for tests on loopback.
//!
//! | rule | source |
//! |---|---|
//! | the key comes as `Authorization: Bearer`, or as `xi-api-key` | <https://platform.openai.com/docs/api-reference/authentication>, <https://elevenlabs.io/docs/api-reference/authentication> |
//! | `model`, `input`, `voice` are needed, `input` has at most 4,096 characters, `response_format` is of a list | <https://platform.openai.com/docs/api-reference/audio/createSpeech> |
//! | the voice is part of the path, `text` is needed, `output_format` is codec, rate and bits | <https://elevenlabs.io/docs/api-reference/text-to-speech/convert> |
//! | a transcription is a form with `file` and `model`, the file's name ends as its sound | <https://platform.openai.com/docs/api-reference/audio/createTranscription> |
//!
//! Fields that the reference does not name are refused: a misspelt one must not pass as ignored.

use axum::{
    Router,
    body::Body,
    extract::{Multipart, Path, Query, Request, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use futures::stream;
use serde_json::{Map, Value, json};
use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{net::TcpListener, task::JoinHandle};

/// The key that the server wants.
pub const KEY: &str = "sk-speech-0123456789";
/// The only model that the server knows.
pub const MODEL: &str = "strict-speech-1";
/// The only voice.
pub const VOICE: &str = "alto";
/// Most characters of `input`.
const INPUT: usize = 4_096;
/// Sound that transcription takes, by the file's ending.
const ENDINGS: [&str; 10] = [
    "flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm",
];

/// How the next right request is answered.
#[derive(Debug, Clone)]
pub enum Answer {
    /// With these bytes, as sound or transcript.
    Bytes(Vec<u8>),
    /// With this refusal.
    Refusal(u16, String),
    /// With the first bytes, and then never anything.
    Silence(Vec<u8>),
    /// With so many bytes, without a length beforehand.
    Endless(usize),
    /// With the first bytes, and a cut connection.
    Cut(Vec<u8>),
}

/// A request that was right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Which service: `openai`, `elevenlabs` or `transcription`.
    pub service: &'static str,
    /// What is to be said; of a transcription, the file's name.
    pub text: String,
    /// The sound of a transcription.
    pub bytes: Vec<u8>,
}

#[derive(Default)]
struct Told {
    answers: VecDeque<Answer>,
    asked: Vec<Asked>,
    refused: Vec<String>,
}

type Shared = Arc<Mutex<Told>>;

/// The server. It ends when it is dropped.
pub struct SpeechServer {
    address: SocketAddr,
    told: Shared,
    task: JoinHandle<()>,
}

impl SpeechServer {
    /// Listens on a free port of this machine.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let told = Shared::default();
        let router = Router::new()
            .route("/v1/audio/speech", post(openai))
            .route("/v1/text-to-speech/{voice}", post(elevenlabs))
            .route("/v1/audio/transcriptions", post(transcription))
            .layer(axum::extract::DefaultBodyLimit::max(64_000_000))
            .with_state(Arc::clone(&told));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the strict server ended");
            }
        });
        Ok(Self { address, told, task })
    }

    /// The root that a client is given.
    pub fn root(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The next right request is answered so; without a plan it is an error of the test and refused with 500.
    pub fn answer(&self, answer: Answer) {
        lock(&self.told).answers.push_back(answer);
    }

    /// The requests that were right, in order.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.told).asked.clone()
    }

    /// Why the others were not.
    pub fn refused(&self) -> Vec<String> {
        lock(&self.told).refused.clone()
    }
}

impl Drop for SpeechServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(told: &Shared) -> MutexGuard<'_, Told> {
    // Plain data, whole after every change.
    told.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A refusal: its status and why.
type Refusal = (u16, String);

fn refuse<T>(status: u16, why: impl Into<String>) -> Result<T, Refusal> {
    Err((status, why.into()))
}

/// Answers as planned, or refuses as the service would.
fn conclude(told: &Shared, checked: Result<Asked, Refusal>) -> Response {
    let mut told = lock(told);
    let asked = match checked {
        Ok(asked) => asked,
        Err((status, why)) => {
            told.refused.push(why.clone());
            return refusal(status, &why);
        }
    };
    told.asked.push(asked);
    let pieces = |first: Vec<u8>| stream::iter([Ok::<_, std::io::Error>(first)]);
    match told.answers.pop_front() {
        None => refusal(500, "the test has no answer to this"),
        Some(Answer::Bytes(bytes)) => bytes.into_response(),
        Some(Answer::Refusal(status, why)) => refusal(status, &why),
        Some(Answer::Silence(first)) => {
            use futures::StreamExt as _;
            Body::from_stream(pieces(first).chain(stream::pending())).into_response()
        }
        Some(Answer::Endless(bytes)) => {
            let piece = vec![0_u8; 65_536];
            let all = (0..bytes.div_ceil(piece.len())).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
            Body::from_stream(stream::iter(all)).into_response()
        }
        Some(Answer::Cut(first)) => {
            use futures::StreamExt as _;
            let cut = stream::iter([Err(std::io::Error::other("cut"))]);
            Body::from_stream(pieces(first).chain(cut)).into_response()
        }
    }
}

fn refusal(status: u16, why: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body =
        json!({"error": {"message": why, "type": "invalid_request_error", "param": null, "code": null}});
    (status, axum::Json(body)).into_response()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

fn key(headers: &HeaderMap, name: &str, before: &str) -> Result<(), Refusal> {
    let given = header(headers, name);
    if given == format!("{before}{KEY}") {
        return Ok(());
    }
    // Services quote the key that they refuse.
    refuse(401, format!("Incorrect API key provided: {given}."))
}

/// The fields of a JSON body, of which all must be known.
fn fields(
    headers: &HeaderMap,
    body: Result<axum::body::Bytes, BytesRejection>,
    known: &[&str],
) -> Result<Map<String, Value>, Refusal> {
    if header(headers, CONTENT_TYPE.as_str()) != "application/json" {
        return refuse(400, "the body is no application/json");
    }
    let body = body.map_err(|error| (400, error.to_string()))?;
    let Ok(Value::Object(fields)) = serde_json::from_slice(&body) else {
        return refuse(400, "the body is no JSON object");
    };
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => refuse(400, format!("unknown field {unknown}")),
        None => Ok(fields),
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refusal> {
    match fields.get(name).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text),
        _ => refuse(400, format!("{name} is needed, and is a text")),
    }
}

async fn openai(
    State(told): State<Shared>,
    headers: HeaderMap,
    body: Result<axum::body::Bytes, BytesRejection>,
) -> Response {
    let checked = || {
        key(&headers, "authorization", "Bearer ")?;
        let known = [
            "model",
            "input",
            "voice",
            "response_format",
            "speed",
            "instructions",
        ];
        let fields = fields(&headers, body, &known)?;
        if text(&fields, "model")? != MODEL {
            return refuse(404, "there is no such model");
        }
        if text(&fields, "voice")? != VOICE {
            return refuse(400, "there is no such voice");
        }
        let input = text(&fields, "input")?;
        if input.chars().count() > INPUT {
            return refuse(400, format!("input is longer than {INPUT} characters"));
        }
        match fields.get("response_format").and_then(Value::as_str) {
            None | Some("mp3" | "opus" | "aac" | "flac" | "wav" | "pcm") => {}
            Some(other) => return refuse(400, format!("no response_format {other}")),
        }
        Ok(Asked {
            service: "openai",
            text: input.to_owned(),
            bytes: Vec::new(),
        })
    };
    let checked = checked();
    conclude(&told, checked)
}

async fn elevenlabs(
    State(told): State<Shared>,
    Path(voice): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Result<axum::body::Bytes, BytesRejection>,
) -> Response {
    let checked = || {
        key(&headers, "xi-api-key", "")?;
        if voice != VOICE {
            return refuse(404, format!("A voice with the voice_id {voice} was not found."));
        }
        if let Some((name, value)) = query.iter().find(|(name, value)| {
            *name != "output_format" || !value.starts_with("opus_48000_") && !value.starts_with("mp3_")
        }) {
            return refuse(422, format!("{name}={value} is none"));
        }
        let known = ["text", "model_id", "voice_settings", "language_code", "seed"];
        let fields = fields(&headers, body, &known)?;
        if fields.contains_key("model_id") && text(&fields, "model_id")? != MODEL {
            return refuse(400, "there is no such model");
        }
        Ok(Asked {
            service: "elevenlabs",
            text: text(&fields, "text")?.to_owned(),
            bytes: Vec::new(),
        })
    };
    let checked = checked();
    conclude(&told, checked)
}

async fn transcription(State(told): State<Shared>, headers: HeaderMap, request: Request) -> Response {
    let checked = match key(&headers, "authorization", "Bearer ") {
        Ok(()) => form(request).await,
        Err(refusal) => Err(refusal),
    };
    conclude(&told, checked)
}

/// The form of a transcription.
async fn form(request: Request) -> Result<Asked, Refusal> {
    use axum::extract::FromRequest as _;
    let broken = |error: axum::extract::multipart::MultipartError| (400, error.to_string());
    let mut form = match Multipart::from_request(request, &()).await {
        Ok(form) => form,
        Err(error) => return refuse(400, error.to_string()),
    };
    let (mut model, mut sound) = (None, None);
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "model" => model = Some(field.text().await.map_err(broken)?),
            "response_format" => match field.text().await.map_err(broken)?.as_str() {
                "json" | "text" | "srt" | "verbose_json" | "vtt" => {}
                other => return refuse(400, format!("no response_format {other}")),
            },
            "file" => {
                let name = field.file_name().unwrap_or_default().to_owned();
                let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
                if !ENDINGS.contains(&ending) {
                    return refuse(400, format!("Invalid file format: {name}"));
                }
                sound = Some((name, field.bytes().await.map_err(broken)?));
            }
            "language" | "prompt" | "temperature" => drop(field.text().await.map_err(broken)?),
            other => return refuse(400, format!("unknown field {other}")),
        }
    }
    if model.as_deref() != Some(MODEL) {
        return refuse(404, "there is no such model");
    }
    match sound {
        Some((text, bytes)) if !bytes.is_empty() => Ok(Asked {
            service: "transcription",
            text,
            bytes: bytes.to_vec(),
        }),
        _ => refuse(400, "file is needed"),
    }
}
