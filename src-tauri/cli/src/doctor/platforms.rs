//! Platforms: do they know the credentials of a channel. Each is asked who the bot is, which changes nothing and takes no
//! message.

use super::{
    check::{Answer, Check},
    http::{NoReply, Reply, is_private},
    subject::Subject,
    token_form::TokenForm,
};
use foldback_pipeline::config::{ChannelConfig, ChannelKind, Secret};
use foldback_wire::ChannelId;
use serde_json::Value;

/// Codes by which Meta refuses a call whoever makes it: it fails itself, or the app, the account or the number has made too
/// many calls (<https://developers.facebook.com/docs/graph-api/overview/rate-limiting>,
/// <https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes>).
const META_BUSY: &[i64] = &[1, 2, 4, 17, 32, 613, 80_007, 130_429];

/// Question for the names of somebody who is in every workspace.
const SLACK_NAMES: &str = "/users.info?user=USLACKBOT";

/// One question with one credential.
struct Question {
    subject: Subject,
    about: String,
    secret: Secret,
    form: TokenForm,
    place: Place,
}

/// Place of the credential in the question.
enum Place {
    /// In the address, between these.
    Path(String, &'static str),
    Header {
        url: String,
        scheme: &'static str,
        /// Asked with POST, which Slack wants.
        post: bool,
    },
}

/// Questions about the credentials of a channel on a real platform.
pub(super) fn checks(subject: &Subject, id: &ChannelId, channel: &ChannelConfig) -> Vec<Check> {
    let Some(kind) = channel.kind(id) else {
        return Vec::new();
    };
    let ChannelKind::Real(row) = kind else {
        return Vec::new();
    };
    let root = channel
        .api_root
        .as_deref()
        .unwrap_or(row.api_root)
        .trim_end_matches('/');
    let header = |path: &str, scheme, post| Place::Header {
        url: format!("{root}{path}"),
        scheme,
        post,
    };
    let account = channel.account.as_deref().unwrap_or_default();
    let asked = match row.code {
        "telegram" => vec![(
            "token",
            TokenForm::Telegram,
            Place::Path(format!("{root}/bot"), "/getMe"),
        )],
        "discord" => vec![(
            "token",
            TokenForm::Discord,
            header("/api/v10/users/@me", "Bot", false),
        )],
        "slack" => vec![
            ("token", TokenForm::SlackBot, header("/auth.test", "Bearer", true)),
            // Everybody knows this one; the answer tells whether the app has the scope.
            ("token", TokenForm::SlackBot, header(SLACK_NAMES, "Bearer", true)),
            // Opens no connection: it only tells where one could be opened.
            (
                "app_token",
                TokenForm::SlackApp,
                header("/apps.connections.open", "Bearer", true),
            ),
        ],
        "whatsapp" => {
            let path = format!("/{account}?fields=display_phone_number");
            vec![("token", TokenForm::Meta, header(&path, "Bearer", false))]
        }
        _ => Vec::new(),
    };
    let mut checks = Vec::new();
    for (key, form, place) in asked {
        let secret = match key {
            "token" => &channel.token,
            _ => &channel.app_token,
        };
        if let Some(secret) = secret {
            checks.push(
                Question {
                    subject: subject.clone(),
                    about: format!("channels.{id}.{key}"),
                    secret: secret.clone(),
                    form,
                    place,
                }
                .check(),
            );
        }
    }
    checks
}

impl Question {
    fn check(self) -> Check {
        let asked = match &self.place {
            Place::Path(before, after) => format!("GET {before}[secret]{after}"),
            Place::Header { url, post, .. } => format!("{} {url}", if *post { "POST" } else { "GET" }),
        };
        Check::new(self.about.clone(), asked, async move {
            match self.subject.secret(&self.about, &self.secret).await {
                Ok(token) => self.ask(token.trim()).await,
                Err(answer) => answer,
            }
        })
    }

    async fn ask(&self, token: &str) -> Answer {
        let form = TokenForm::of(token);
        if form != self.form && form != TokenForm::Other {
            // Not sent: it belongs to somebody else.
            let todo = match form {
                TokenForm::SlackBot | TokenForm::SlackApp if self.is_of_slack() => {
                    "exchange it with the channel's other token: token takes xoxb-, app_token takes xapp-"
                        .to_owned()
                }
                _ => format!("put {} into {}", self.form.name(), self.about),
            };
            return Answer::wrong(format!("is {}, not {}", form.name(), self.form.name()), &todo);
        }
        let (Place::Path(url, _) | Place::Header { url, .. }) = &self.place;
        if !is_private(url) {
            let found = "was not shown to the platform: it would travel unencrypted";
            return Answer::wrong(found, &format!("use https in {}.api_root", self.channel()));
        }
        let http = &self.subject.http;
        let reply = match &self.place {
            Place::Path(before, after) => http.get(&format!("{before}{token}{after}"), &[]).await,
            Place::Header { url, scheme, post } => {
                let value = format!("{scheme} {token}");
                let headers = [("authorization", value.as_str())];
                match post {
                    true => http.post_nothing(url, &headers).await,
                    false => http.get(url, &headers).await,
                }
            }
        };
        match reply {
            Ok(reply) if url.ends_with(SLACK_NAMES) => self.judge_names(&reply),
            Ok(reply) => self.judge(&reply),
            Err(NoReply::NotSent(answer)) => answer,
            Err(NoReply::Unreachable(why)) => {
                let found = format!("could not be asked about: the platform cannot be reached: {why}");
                Answer::unasked(
                    found,
                    &format!("look at the network, or mend {}.api_root", self.channel()),
                )
            }
        }
    }

    /// The channel's table in the configuration.
    fn channel(&self) -> &str {
        self.about.rsplit_once('.').map_or("", |(channel, _)| channel)
    }

    fn is_of_slack(&self) -> bool {
        matches!(self.form, TokenForm::SlackBot | TokenForm::SlackApp)
    }

    fn judge(&self, reply: &Reply) -> Answer {
        let todo = format!("mend {}", self.about);
        let json = reply.json().unwrap_or_default();
        let refused = json["ok"] == Value::Bool(false);
        let words = ["/description", "/error/message", "/error", "/message"];
        let words = words
            .iter()
            .find_map(|at| json.pointer(at)?.as_str())
            .unwrap_or_default();
        let told = format!("{} {words}", reply.status);
        match reply.status {
            200 if !refused && json.is_object() => Answer::fine(match name(&json) {
                Some(name) => format!("the platform knows the bot as {name}"),
                None => "the platform takes it".to_owned(),
            }),
            200 if refused && words == "ratelimited" => self.not_tried(&told),
            200 if refused => Answer::wrong(format!("the platform refuses it: {words}"), &todo),
            _ if self.form == TokenForm::Meta && is_busy(&json) => self.not_tried(&told),
            // Telegram answers 404 to a token that has not its form, WhatsApp 400 to one, and to an unknown number.
            401 | 403 => Answer::wrong(format!("the platform refuses it: {}", told.trim()), &todo),
            400 | 404 if json.is_object() => Answer::wrong(
                format!("the platform refuses it: {}", told.trim()),
                &format!("{todo}; for WhatsApp also the channel's account"),
            ),
            _ => self.not_tried(told.trim()),
        }
    }

    /// The answer to the question for a name on Slack, which the app may do without.
    fn judge_names(&self, reply: &Reply) -> Answer {
        let json = reply.json().unwrap_or_default();
        match json["error"].as_str() {
            _ if json["ok"] == Value::Bool(true) => Answer::fine("the app may ask for the names of people"),
            Some("missing_scope") => Answer::note(
                "the app may not ask for the names of people: they are called by their ids",
                "add the scope users:read to the app, under OAuth & Permissions, and install the app again",
            ),
            Some(error) => self.not_tried(error),
            None => self.not_tried(&reply.status.to_string()),
        }
    }

    fn not_tried(&self, told: &str) -> Answer {
        let found = format!("the platform answers {told}, which tells nothing of it");
        let todo = format!("try again later, or look at {}.api_root", self.channel());
        Answer::unasked(found, &todo)
    }
}

/// True where Meta refuses for a reason that lies not in the token.
fn is_busy(json: &Value) -> bool {
    let code = json["error"]["code"].as_i64();
    code.is_some_and(|code| META_BUSY.contains(&code))
}

/// The bot's own name, as each platform has it.
fn name(json: &Value) -> Option<&str> {
    let places = ["/result/username", "/username", "/user", "/display_phone_number"];
    places.iter().find_map(|at| json.pointer(at)?.as_str())
}
