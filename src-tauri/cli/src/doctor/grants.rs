//! Credentials that an access token is asked for with (Reddit, X). Reddit gives one for a refresh token or a password as
//! often as it is asked, and nothing changes. X takes a refresh token once: the answer would be the bot's only way in, so
//! that nobody asks.

use super::{
    check::{Answer, Check},
    http::{NoReply, Reply, is_private},
    subject::Subject,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use foldback_pipeline::config::{ChannelConfig, ChannelKind, Secret};
use foldback_wire::ChannelId;
use serde_json::Value;

/// The address at which Reddit gives tokens, where the API is at its usual address.
const REDDIT_TOKENS: &str = "https://www.reddit.com";

pub(super) fn checks(subject: &Subject, id: &ChannelId, channel: &ChannelConfig) -> Vec<Check> {
    let Some(ChannelKind::Real(row)) = channel.kind(id) else {
        return Vec::new();
    };
    match row.code {
        "reddit" => reddit(subject, id, channel, row.api_root).into_iter().collect(),
        "x" if channel.token.is_some() => vec![x(id)],
        _ => Vec::new(),
    }
}

fn x(id: &ChannelId) -> Check {
    let why = "was not shown to X: a refresh token is used once, and the answer holds the next one";
    let todo = "if the channel says that X refuses it, authorize the app anew";
    let asked = "nobody about the refresh token";
    Check::answered(format!("channels.{id}.token"), asked, Answer::unasked(why, todo))
}

/// A question for an access token of Reddit.
struct Grant {
    subject: Subject,
    channel: String,
    url: String,
    /// The setting of the login, and whether it is a password.
    about: String,
    login: Secret,
    is_password: bool,
    client_secret: Secret,
    client_id: String,
    name: String,
}

fn reddit(subject: &Subject, id: &ChannelId, channel: &ChannelConfig, usual: &str) -> Option<Check> {
    let root = channel.api_root.as_deref().unwrap_or(usual).trim_end_matches('/');
    let root = if root == usual { REDDIT_TOKENS } else { root };
    let (key, login) = match (&channel.token, &channel.password) {
        (Some(token), _) => ("token", token),
        (None, Some(password)) => ("password", password),
        (None, None) => return None,
    };
    let grant = Grant {
        subject: subject.clone(),
        channel: format!("channels.{id}"),
        url: format!("{root}/api/v1/access_token"),
        about: format!("channels.{id}.{key}"),
        login: login.clone(),
        is_password: key == "password",
        client_secret: channel.client_secret.clone()?,
        client_id: channel.client_id.clone()?,
        name: channel.account.clone()?,
    };
    let asked = format!("POST {}", grant.url);
    let about = grant.about.clone();
    Some(Check::new(about, asked, async move {
        grant.ask().await.unwrap_or_else(|answer| answer)
    }))
}

impl Grant {
    async fn ask(&self) -> Result<Answer, Answer> {
        let login = self.subject.secret(&self.about, &self.login).await?;
        let secret_key = format!("{}.client_secret", self.channel);
        let secret = self.subject.secret(&secret_key, &self.client_secret).await?;
        if !is_private(&self.url) {
            let found = "was not shown to Reddit: it would travel unencrypted";
            return Err(Answer::wrong(
                found,
                &format!("use https in {}.api_root", self.channel),
            ));
        }
        let (login, name) = (login.trim(), self.name.as_str());
        let app = STANDARD.encode(format!("{}:{}", self.client_id, secret.trim()));
        let basic = format!("Basic {app}");
        // <https://github.com/reddit-archive/reddit/wiki/API#rules>
        let agent = format!(
            "{}:foldback:v{} (by /u/{name})",
            std::env::consts::OS,
            env!("CARGO_PKG_VERSION")
        );
        let headers = [("authorization", basic.as_str()), ("user-agent", agent.as_str())];
        let form = if self.is_password {
            vec![
                ("grant_type", "password"),
                ("username", name),
                ("password", login),
            ]
        } else {
            vec![("grant_type", "refresh_token"), ("refresh_token", login)]
        };
        match self.subject.http.post_form(&self.url, &headers, &form).await {
            Ok(reply) => Ok(self.judge(&reply)),
            Err(NoReply::NotSent(answer)) => Err(answer),
            Err(NoReply::Unreachable(why)) => {
                let found = format!("could not be asked about: Reddit cannot be reached: {why}");
                let todo = format!("look at the network, or mend {}.api_root", self.channel);
                Err(Answer::unasked(found, &todo))
            }
        }
    }

    fn judge(&self, reply: &Reply) -> Answer {
        let json = reply.json().unwrap_or_default();
        let refused = json["error"].as_str().map(str::to_owned);
        match reply.status {
            200 if json["access_token"].is_string() => {
                Answer::fine(format!("Reddit gives an access token to u/{}", self.name))
            }
            401 if json.is_object() => Answer::wrong(
                "Reddit refuses the app",
                &format!("mend {0}.client_id or {0}.client_secret", self.channel),
            ),
            200 | 400 if json != Value::Null => Answer::wrong(
                format!(
                    "Reddit refuses it: {}",
                    refused.unwrap_or_else(|| reply.status.to_string())
                ),
                &format!("mend {}", self.about),
            ),
            status => Answer::unasked(
                format!("Reddit answers {status}, which tells nothing of it"),
                &format!("try again later, or look at {}.api_root", self.channel),
            ),
        }
    }
}
