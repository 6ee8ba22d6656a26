//! A platform that is strict, with chats in each of which one person writes to the bot.

use foldback_channels::platform;
use foldback_strict::{
    discord::DiscordServer,
    free_address,
    signal::{SignalServer, Start},
    slack::SlackServer,
    telegram::TelegramServer,
    whatsapp::{Credentials, WhatsAppServer},
};
use foldback_wire::Platform;
use serde_json::json;
use std::{fs, net::SocketAddr, path::Path};

const TELEGRAM_TOKEN: &str = "700001:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const TELEGRAM_CHAT: i64 = 42;
const DISCORD_TOKEN: &str = "NzAwMDAwMDAwMDAwMDAwMDAx.GhT9xQ.k2JvPzW0sY7mD4nRfLb8cXaQeUiHgTqVw1";
const DISCORD_ROOM: u64 = 1_400_000_000_000_000_001;
const SLACK_TOKEN: &str = "xoxb-1234567890-the-bots-own";
const SLACK_APP_TOKEN: &str = "xapp-1-A0-the-apps-own";
const SLACK_ANA: &str = "U0ANA0001";
const WHATSAPP_NUMBER: &str = "106540352242922";
const WHATSAPP_TOKEN: &str = "EAAJBxyzTokenOfTheWhatsAppTest";
const WHATSAPP_SECRET: &str = "c0ffeec0ffeeAppSecretOfTheTest";
const WHATSAPP_VERIFY: &str = "VerifyWordOfTheTest";
const SIGNAL_ME: &str = "+4915500000001";

/// The platforms that are tried. The page of a web chat is the program's own, and has no platform to be tried against; Reddit
/// and X take no files and no reactions, and so few messages an hour that this traffic would last for days; a person's account
/// on Telegram writes as slowly as a person.
pub(crate) const TRIED: [Platform; 5] = [
    platform::TELEGRAM,
    platform::DISCORD,
    platform::SLACK,
    platform::WHATSAPP,
    platform::SIGNAL,
];

/// How many chats there are.
pub(crate) const CHATS: usize = 8;

pub(crate) fn slack_room(chat: usize) -> String {
    format!("C0GENERAL{}", chat + 1)
}

pub(crate) fn whatsapp_ana(chat: usize) -> String {
    format!("1650555{:04}", 1_234 + chat)
}

pub(crate) fn signal_ana(chat: usize) -> String {
    format!("+3312345678{chat}")
}

pub(crate) fn telegram_chat(chat: usize) -> i64 {
    TELEGRAM_CHAT + i64::try_from(chat).unwrap()
}

pub(crate) fn discord_room(chat: usize) -> u64 {
    DISCORD_ROOM + chat as u64
}

/// The names, as a list of the configuration.
fn list(name: impl Fn(usize) -> String) -> String {
    format!("{:?}", (0..CHATS).map(name).collect::<Vec<_>>())
}

/// A message of the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// Whether it is a file.
    pub(crate) file: bool,
}

pub(crate) enum Place {
    Telegram(TelegramServer),
    Discord(DiscordServer),
    Slack(SlackServer),
    /// And where its webhooks go.
    Whatsapp(WhatsAppServer, SocketAddr),
    Signal(SignalServer),
}

impl Place {
    pub(crate) async fn open(platform: Platform) -> Self {
        match platform {
            platform::TELEGRAM => {
                let server = TelegramServer::start(TELEGRAM_TOKEN, "foldback_bot")
                    .await
                    .unwrap();
                (0..CHATS).for_each(|chat| server.open_chat(telegram_chat(chat), &[]));
                Self::Telegram(server)
            }
            platform::DISCORD => {
                let server = DiscordServer::start(DISCORD_TOKEN, "foldback").await.unwrap();
                (0..CHATS).for_each(|chat| server.open_channel(discord_room(chat)));
                Self::Discord(server)
            }
            platform::SLACK => {
                let server = SlackServer::start(SLACK_TOKEN, SLACK_APP_TOKEN, "foldback")
                    .await
                    .unwrap();
                (0..CHATS).for_each(|chat| server.open_room(&slack_room(chat)));
                Self::Slack(server)
            }
            platform::WHATSAPP => {
                let credentials = Credentials {
                    number: WHATSAPP_NUMBER.into(),
                    token: WHATSAPP_TOKEN.into(),
                    app_secret: WHATSAPP_SECRET.into(),
                };
                let listen = free_address().unwrap();
                Self::Whatsapp(WhatsAppServer::start(credentials).await.unwrap(), listen)
            }
            platform::SIGNAL => {
                let start = Start {
                    accounts: vec![SIGNAL_ME.into()],
                    ..Start::default()
                };
                let server = SignalServer::start(start).await.unwrap();
                for chat in 0..CHATS {
                    let aci = format!("7ccae375-cd51-4c82-8b1e-7be3280aa48{chat}");
                    server.register(&signal_ana(chat), &aci, "Ana");
                }
                Self::Signal(server)
            }
            other => panic!("there is no strict server of {other}"),
        }
    }

    /// The channel's table of the configuration; its secrets are written into the folder.
    pub(crate) fn config(&self, folder: &Path) -> String {
        let secret = |name: &str, secret: &str| {
            fs::write(folder.join(name), secret).unwrap();
            format!("{{ file = \"{name}\" }}")
        };
        match self {
            Self::Telegram(server) => format!(
                "[channels.telegram]\narmed = true\nallow_from = [\"7\"]\ntoken = {}\napi_root = \"{}\"\n",
                secret("telegram", TELEGRAM_TOKEN),
                server.root()
            ),
            Self::Discord(server) => format!(
                "[channels.discord]\narmed = true\nallow_from = [\"42\"]\nrequire_mention = false\ntoken = {}\n\
                 api_root = \"{}\"\n",
                secret("discord", DISCORD_TOKEN),
                server.root()
            ),
            Self::Slack(server) => format!(
                "[channels.slack]\narmed = true\nallow_from = [\"{SLACK_ANA}\"]\ntoken = {}\napp_token = {}\n\
                 api_root = \"{}\"\n",
                secret("slack", SLACK_TOKEN),
                secret("slack-app", SLACK_APP_TOKEN),
                server.root()
            ),
            Self::Whatsapp(server, listen) => format!(
                "[channels.whatsapp]\narmed = true\nallow_from = {}\naccount = \"{WHATSAPP_NUMBER}\"\n\
                 token = {}\nsigning_secret = {}\nverify_token = {}\nlisten = \"{listen}\"\napi_root = \"{}\"\n",
                list(whatsapp_ana),
                secret("whatsapp", WHATSAPP_TOKEN),
                secret("whatsapp-secret", WHATSAPP_SECRET),
                secret("whatsapp-verify", WHATSAPP_VERIFY),
                server.root()
            ),
            Self::Signal(server) => format!(
                "[channels.signal]\narmed = true\nallow_from = {}\naccount = \"{SIGNAL_ME}\"\n\
                 api_root = \"{}\"\n",
                list(signal_ana),
                server.root()
            ),
        }
    }

    /// What the platform has to be told once the bot runs.
    pub(crate) async fn introduce(&self) {
        if let Self::Whatsapp(server, listen) = self {
            let callback = format!("http://{listen}/");
            server.register(&callback, WHATSAPP_VERIFY).await.unwrap();
        }
    }

    /// Somebody whom the channel lets in writes to the bot in one of the chats.
    pub(crate) fn write(&self, chat: usize, text: &str) {
        match self {
            Self::Telegram(server) => {
                let sender = json!({"id": 7, "is_bot": false, "first_name": "Ana"});
                let message = json!({"from": sender, "date": 1_700_000_000, "text": text});
                server.write(telegram_chat(chat), message);
            }
            Self::Discord(server) => {
                server.write(discord_room(chat), &json!({ "content": text }));
            }
            Self::Slack(server) => {
                let (room, text) = (slack_room(chat), format!("<@{}> {text}", SlackServer::BOT));
                let ts = server.write(&room, json!({"user": SLACK_ANA, "text": text}));
                server.tell(&json!({
                    "type": "app_mention", "channel": room, "user": SLACK_ANA, "text": text, "ts": ts, "event_ts": ts,
                }));
            }
            Self::Whatsapp(server, _) => {
                server.write(
                    &whatsapp_ana(chat),
                    json!({"type": "text", "text": {"body": text}}),
                );
            }
            Self::Signal(server) => {
                server.write(&signal_ana(chat), None, json!({ "message": text }));
            }
        }
    }

    /// The bot's messages in one of the chats, in their order.
    pub(crate) fn messages(&self, chat: usize) -> Vec<Said> {
        let said = |text: String, file: bool| Said { text, file };
        match self {
            Self::Telegram(server) => {
                let messages = server.messages(telegram_chat(chat)).into_iter();
                let mine = messages.filter(|(_, m)| m.by_bot);
                mine.map(|(_, m)| said(m.text, m.file.is_some())).collect()
            }
            Self::Discord(server) => {
                let messages = server.messages(discord_room(chat)).into_iter();
                let mine = messages.filter(|(_, m)| m.by_bot);
                mine.map(|(_, m)| said(m.text, !m.files.is_empty())).collect()
            }
            Self::Slack(server) => {
                let messages = server.messages(&slack_room(chat)).into_iter();
                let mine = messages.filter(|(_, m)| m.by_bot);
                mine.map(|(_, m)| said(m.raw, m.file.is_some())).collect()
            }
            Self::Whatsapp(server, _) => {
                let messages = server.messages(&whatsapp_ana(chat)).into_iter();
                let mine = messages.filter(|(_, m)| m.by_us);
                mine.map(|(_, m)| said(m.text, m.media.is_some())).collect()
            }
            Self::Signal(server) => {
                let messages = server.messages(&signal_ana(chat)).into_iter();
                let mine = messages.filter(|m| m.author.is_none());
                mine.map(|m| said(m.text, m.file.is_some())).collect()
            }
        }
    }

    /// How many messages bear the bot's reaction.
    pub(crate) fn reactions(&self) -> usize {
        (0..CHATS).map(|chat| self.reactions_in(chat)).sum()
    }

    fn reactions_in(&self, chat: usize) -> usize {
        match self {
            Self::Telegram(server) => {
                let messages = server.messages(telegram_chat(chat));
                messages.iter().filter(|(_, m)| m.reaction.is_some()).count()
            }
            Self::Discord(server) => {
                let messages = server.messages(discord_room(chat));
                messages.iter().filter(|(_, m)| !m.reactions.is_empty()).count()
            }
            Self::Slack(server) => {
                let messages = server.messages(&slack_room(chat));
                messages.iter().filter(|(_, m)| !m.reactions.is_empty()).count()
            }
            Self::Whatsapp(server, _) => {
                let messages = server.messages(&whatsapp_ana(chat));
                messages.iter().filter(|(_, m)| m.reaction.is_some()).count()
            }
            Self::Signal(server) => {
                let messages = server.messages(&signal_ana(chat));
                messages.iter().filter(|m| m.reaction.is_some()).count()
            }
        }
    }

    /// The platform's rules that were broken.
    pub(crate) fn broken(&self) -> String {
        match self {
            Self::Telegram(server) => format!("{:?}", server.broken()),
            Self::Discord(server) => format!("{:?}", server.broken()),
            Self::Slack(server) => format!("{:?}", server.broken()),
            Self::Whatsapp(server, _) => format!("{:?}", server.broken()),
            Self::Signal(server) => format!("{:?}", server.broken()),
        }
    }
}
