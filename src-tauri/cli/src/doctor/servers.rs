//! Backends over HTTP: is the server there, does it take the key, does it have the model or the agent. Lists and
//! descriptions are asked for, which cost nothing; no model says a word.

use super::{
    check::{Answer, Check},
    http::Reply,
    subject::Subject,
};
use foldback_pipeline::config::{self, Config, EndpointConfig, OpenaiApi};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A server, and what tells of a model or an agent there. Several checks look at one reply.
#[derive(Clone)]
struct Server {
    subject: Subject,
    backend: &'static str,
    endpoint: EndpointConfig,
    /// Without a slash at its end, and for anthropic and letta without the version.
    root: String,
    /// The list of models of an `openai` server.
    list: Arc<OnceCell<Result<Reply, Answer>>>,
}

/// Questions to the server of a backend that some channel uses.
pub(super) fn checks(subject: &Subject, backend: &'static str, endpoint: &EndpointConfig) -> Vec<Check> {
    let default = (backend == "anthropic").then_some(config::ANTHROPIC);
    let Some(url) = endpoint.base_url.as_deref().or(default) else {
        let wrong = Answer::wrong("is not set", "name the server's address");
        let about = format!("agent.{backend}.base_url");
        return vec![Check::answered(about, "the configuration for an address", wrong)];
    };
    let root = url.trim_end_matches('/');
    let root = match backend {
        "openai" => root,
        _ => root.strip_suffix("/v1").unwrap_or(root),
    };
    let server = Server {
        subject: subject.clone(),
        backend,
        endpoint: endpoint.clone(),
        root: root.to_owned(),
        list: Arc::default(),
    };
    let models = models(&subject.config, backend, endpoint);
    let first = models.first().map(|(_, model)| model.clone());
    let mut checks = vec![server.reached(first.as_deref())];
    checks.extend(models.into_iter().map(|(about, model)| server.has(about, model)));
    if endpoint.api == Some(OpenaiApi::Responses) {
        checks.push(server.responses());
    }
    checks
}

/// The models, or agents, that the backend is asked for, each with the setting that names it.
fn models(config: &Config, backend: &str, endpoint: &EndpointConfig) -> Vec<(String, String)> {
    let own = endpoint.model.clone();
    let own = own.map(|model| (format!("agent.{backend}.model"), model));
    let others = config.agent.fallback.iter();
    let others = others.filter(|other| other.backend.code() == backend);
    let others = others.filter_map(|other| Some(("agent.fallback".to_owned(), other.model.clone()?)));
    own.into_iter().chain(others).collect()
}

impl Server {
    fn key(&self, key: &str) -> String {
        format!("agent.{}.{key}", self.backend)
    }

    /// The thing that the server has many of.
    fn what(&self) -> &'static str {
        if self.backend == "letta" { "agent" } else { "model" }
    }

    /// The address that tells of a model; of all of them where the server is one of many that speak the protocol.
    fn address(&self, model: Option<&str>) -> String {
        let root = &self.root;
        match (self.backend, model) {
            ("openai", _) => format!("{root}/models"),
            ("letta", Some(agent)) => format!("{root}/v1/agents/{agent}"),
            ("letta", None) => format!("{root}/v1/agents/?limit=1"),
            (_, Some(model)) => format!("{root}/v1/models/{model}"),
            (_, None) => format!("{root}/v1/models"),
        }
    }

    /// The headers of every question, without the key.
    fn plain_headers(&self) -> Vec<(&'static str, String)> {
        match self.backend {
            "anthropic" => vec![("anthropic-version", "2023-06-01".to_owned())],
            _ => Vec::new(),
        }
    }

    async fn headers(&self) -> Result<Vec<(&'static str, String)>, Answer> {
        let mut headers = self.plain_headers();
        let Some(key) = &self.endpoint.api_key else {
            return Ok(headers);
        };
        let key = self.subject.secret(&self.key("api_key"), key).await?;
        headers.push(match self.backend {
            "anthropic" => ("x-api-key", key),
            _ => ("authorization", format!("Bearer {key}")),
        });
        Ok(headers)
    }

    async fn get(&self, model: Option<&str>) -> Result<Reply, Answer> {
        let ask = async {
            let headers = self.headers().await?;
            let address = self.address(model);
            Ok(self.subject.http.get(&address, &borrowed(&headers)).await?)
        };
        if self.backend == "openai" {
            self.list.get_or_init(|| ask).await.clone()
        } else {
            ask.await
        }
    }

    /// Address and key.
    fn reached(&self, model: Option<&str>) -> Check {
        let (server, model) = (self.clone(), model.map(str::to_owned));
        let asked = format!("GET {}", self.address(model.as_deref()));
        Check::new(self.key("base_url"), asked, async move {
            match server.get(model.as_deref()).await {
                Ok(reply) => {
                    let is_public = server.is_public(model.as_deref(), &reply).await;
                    server.judge_key(&reply, is_public)
                }
                Err(answer) => answer,
            }
        })
    }

    /// True where the server answers whoever has no key as it answered us: then the key was not tried.
    async fn is_public(&self, model: Option<&str>, reply: &Reply) -> bool {
        if self.endpoint.api_key.is_none() || !matches!(reply.status, 200 | 404) {
            return false;
        }
        let headers = self.plain_headers();
        let address = self.address(model);
        let without = self.subject.http.get(&address, &borrowed(&headers)).await;
        without.is_ok_and(|without| without.status == reply.status)
    }

    fn judge_key(&self, reply: &Reply, is_public: bool) -> Answer {
        let with_key = self.endpoint.api_key.is_some();
        // An agent or a model that is not there is told only to whoever has the key.
        let known = reply.status == 200 && reply.json().is_some()
            || reply.status == 404 && self.backend != "openai" && reply.json().is_some();
        match reply.status {
            _ if reply.refuses_key() && with_key => {
                let todo = format!("mend {}", self.key("api_key"));
                Answer::wrong(format!("refuses the key with {}", reply.status), &todo)
            }
            _ if reply.refuses_key() => {
                let todo = format!("name the key's place in {}", self.key("api_key"));
                Answer::wrong(format!("wants a key ({})", reply.status), &todo)
            }
            _ if known && is_public => public(self.what(), &self.key("api_key")),
            _ if known && with_key => Answer::fine("answers and takes the key"),
            _ if known => Answer::fine(format!("lists its {}s without a key", self.what())),
            status => Answer::unasked(
                format!("answers {status} and tells nothing of its models, so the key was not tried"),
                &format!("look at {}: it is the root of the API", self.key("base_url")),
            ),
        }
    }

    /// The model or the agent.
    fn has(&self, about: String, model: String) -> Check {
        let (server, key) = (self.clone(), about.clone());
        let asked = format!("GET {}", self.address(Some(&model)));
        Check::new(about, asked, async move {
            match server.get(Some(&model)).await {
                Ok(reply) => server.judge_model(&key, &model, &reply),
                Err(answer) => Answer::unasked(
                    format!("{model} was not asked about: {}", answer.found),
                    &format!("see {}", server.key("base_url")),
                ),
            }
        })
    }

    fn judge_model(&self, key: &str, model: &str, reply: &Reply) -> Answer {
        let unasked = || {
            let why = format!("{model} was not asked about: the server answers {}", reply.status);
            Answer::unasked(why, &format!("see {}", self.key("base_url")))
        };
        let Some(json) = reply.json() else {
            return unasked();
        };
        let what = self.what();
        match (self.backend, reply.status) {
            ("openai", 200) => match json["data"].as_array() {
                Some(list) if list.iter().any(|listed| is_model(listed["id"].as_str(), model)) => {
                    Answer::fine(format!("{model} is in the server's list"))
                }
                Some(list) => {
                    let some: Vec<_> = list
                        .iter()
                        .filter_map(|listed| listed["id"].as_str())
                        .take(3)
                        .collect();
                    let begins = if some.is_empty() {
                        "is empty"
                    } else {
                        "begins with"
                    };
                    let found = format!(
                        "{model} is not in the server's list of {}, which {begins} {}",
                        list.len(),
                        some.join(", ")
                    );
                    let todo = format!("look whether {key} is right: some servers list only a part");
                    Answer::note(found.trim_end(), &todo)
                }
                None => unasked(),
            },
            (_, 200) => match json["name"].as_str().or(json["display_name"].as_str()) {
                Some(name) => Answer::fine(format!("the server has the {what} {model} ({name})")),
                None => Answer::fine(format!("the server has the {what} {model}")),
            },
            (_, 404 | 422) => Answer::wrong(
                format!("the server has no {what} {model}"),
                &format!("name one that it has in {key}"),
            ),
            _ => unasked(),
        }
    }

    /// A request without a model and a question is refused by whoever has the path, and nobody else.
    fn responses(&self) -> Check {
        let (server, url) = (self.clone(), format!("{}/responses", self.root));
        let asked = format!("POST {url} without a question");
        Check::new(self.key("api"), asked, async move {
            let reply = async {
                let headers = server.headers().await?;
                let http = &server.subject.http;
                Ok(http.post_nothing(&url, &borrowed(&headers)).await?)
            };
            match reply.await {
                Ok(Reply {
                    status: status @ (404 | 405 | 501),
                    ..
                }) => Answer::wrong(
                    format!("the server has no /responses ({status})"),
                    "set agent.openai.api = \"chat\", or mend agent.openai.base_url",
                ),
                Ok(Reply {
                    status: 400 | 422, ..
                }) => Answer::fine("the server has /responses"),
                Ok(Reply { status, .. }) => Answer::unasked(
                    format!("answers {status}, which does not tell whether it has /responses"),
                    "see agent.openai.base_url and agent.openai.api_key",
                ),
                Err(answer) => answer,
            }
        })
    }
}

/// The finding about a key that a server with a public list did not look at.
pub(super) fn public(what: &str, key: &str) -> Answer {
    Answer::unasked(
        format!("lists its {what}s to anyone, so the key was not tried"),
        &format!("send a message to find out whether the server takes {key}"),
    )
}

fn borrowed<'a>(headers: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    let borrowed = headers.iter().map(|(name, value)| (*name, value.as_str()));
    borrowed.collect()
}

/// Ollama lists `name:latest` where `name` is asked for.
fn is_model(listed: Option<&str>, model: &str) -> bool {
    listed.is_some_and(|listed| listed == model || listed.strip_suffix(":latest") == Some(model))
}
