//! `foldback telegram-user`: signs in to a person's own account on Telegram, for a channel of the kind `telegram_user`.

use crate::{
    end::{End, Stop, Verdict, complain},
    places::Place,
    running::{runtime, wrong},
};
use foldback_api::Setup;
use foldback_channels::{SignInStep, TELEGRAM_RISK, TelegramSignIn, TelegramUserApp};
use foldback_pipeline::config::ChannelKind;
use foldback_wire::{ChannelId, Secret};
use std::io::{self, IsTerminal as _, Write as _};

/// The kind of the channels that this is about.
const KIND: &str = "telegram_user";
/// Times that a code or a password is asked for.
const TIMES: usize = 3;

/// Sign in to your own account on Telegram, for a channel that acts as you
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Sign in: Telegram sends a code to the account, which is asked for without being shown, as is its password where it
    /// has one. Not from a terminal, the lines of stdin are `yes`, the code and the password
    SignIn {
        /// The channel: one of a person's own account
        channel: String,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let Command::SignIn { channel } = &args.command;
    let channel = ChannelId::new(channel);
    let setup = args.place.setup()?;
    let app = app(&setup, &channel)?;
    complain(format!("{TELEGRAM_RISK}."));
    if ask("Write yes to take that risk: ", Shown::Yes)? != "yes" {
        complain("nobody has signed in");
        return Ok(Verdict::Fails);
    }
    runtime()?.block_on(sign_in(app, &setup, &channel))
}

/// The account and the app of a channel.
fn app(setup: &Setup, channel: &ChannelId) -> Result<TelegramUserApp, Stop> {
    let unusable = |why: &str| Stop::Wrong(format!("channels.{channel} {why}"));
    let settings = setup.config.channels.get(channel);
    let settings = settings.ok_or_else(|| unusable("is no channel of the configuration"))?;
    let row = match settings.kind(channel) {
        Some(ChannelKind::Real(row)) if row.code == KIND => row,
        _ => return Err(unusable("is not of the kind telegram_user")),
    };
    let used = row.used(|key| settings.is_set(key));
    used.map_err(|missing| unusable(&format!("lacks {}; write {}", missing.key, missing.what)))?;
    let (Some(client_id), Some(account), Some(secret)) =
        (&settings.client_id, &settings.account, &settings.client_secret)
    else {
        return Err(unusable("lacks its app or its account"));
    };
    let secret = secret
        .resolve(&setup.base)
        .map_err(|error| unusable(&format!("cannot use client_secret: {error}")))?;
    let root = settings.api_root.as_deref().unwrap_or(row.api_root);
    TelegramUserApp::new(client_id, Secret::new(secret), account, root).map_err(|refusal| {
        let why = refusal.detail;
        Stop::Wrong(format!("channels.{channel}: {why}"))
    })
}

async fn sign_in(app: TelegramUserApp, setup: &Setup, channel: &ChannelId) -> End {
    let sign_in = TelegramSignIn::begin(app, &setup.data, channel).await;
    let sign_in = sign_in.map_err(wrong)?;
    complain("Telegram has sent a code to the account");
    let mut step = SignInStep::AnotherCode;
    for _ in 0..TIMES {
        step = sign_in
            .enter_code(&ask("Code: ", Shown::No)?)
            .await
            .map_err(wrong)?;
        if step != SignInStep::AnotherCode {
            break;
        }
        complain("the code was another one");
    }
    if let SignInStep::Password(hint) = &step {
        if let Some(hint) = hint {
            complain(format!(
                "the hint for the password: {}",
                crate::plain::plain(hint)
            ));
        }
        for _ in 0..TIMES {
            let password = Secret::new(ask("Password: ", Shown::No)?);
            step = sign_in.enter_password(&password).await.map_err(wrong)?;
            if step != SignInStep::AnotherPassword {
                break;
            }
            complain("the password was another one");
        }
    }
    let SignInStep::Done(name) = step else {
        complain("nobody has signed in");
        return Ok(Verdict::Fails);
    };
    let name = crate::plain::plain(&name);
    let path = sign_in.path().display().to_string();
    complain(format!(
        "signed in as {name}; the session is in {path}, and whoever has that file has the account. Where the bot runs, \
         switch {channel} off and on"
    ));
    Ok(Verdict::Holds)
}

/// An answer that is shown while it is typed, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
}

/// Asks a person; without a terminal, the next line of stdin.
fn ask(what: &str, shown: Shown) -> Result<String, Stop> {
    let is_terminal = io::stdin().is_terminal();
    let line = if is_terminal && shown == Shown::No {
        rpassword::prompt_password(what)?
    } else {
        if is_terminal {
            write!(io::stderr(), "{what}")?;
        }
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            return Err(Stop::Wrong(format!("stdin ended before the answer to {what:?}")));
        }
        line
    };
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
