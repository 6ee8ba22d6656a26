//! Pages that the bot serves itself: is their address free, and who reaches it.

use super::check::{Answer, Check};
use foldback_pipeline::config::{ChannelConfig, ChannelKind};
use foldback_wire::ChannelId;
use std::{
    io,
    net::{SocketAddr, TcpListener},
};

/// The question for the address of a web chat.
pub(super) fn check(id: &ChannelId, channel: &ChannelConfig) -> Option<Check> {
    let ChannelKind::Real(row) = channel.kind(id)? else {
        return None;
    };
    let listen = channel
        .listen
        .filter(|_| row.code == "web_chat" && channel.enabled)?;
    let about = format!("channels.{id}.listen");
    let origins = channel.origins.clone();
    let asked = format!("{listen} for whether it is free");
    Some(Check::blocking(about.clone(), asked, move || {
        // The port is free again as soon as this is dropped: nothing connected to it.
        match TcpListener::bind(listen) {
            Ok(_) => free(listen, &origins),
            Err(error) => taken(&error, &about),
        }
    }))
}

fn free(listen: SocketAddr, origins: &[String]) -> Answer {
    match origins {
        [] => Answer::fine("is free; only this machine reaches the page"),
        listed => Answer::fine(format!(
            "is free; the page is at an address of {}, if a proxy passes it on to {listen}",
            listed.join(", ")
        )),
    }
}

fn taken(error: &io::Error, about: &str) -> Answer {
    match error.kind() {
        io::ErrorKind::AddrInUse => Answer::note(
            "a program listens there: this bot, where it is running",
            &format!("where it is another program, choose another port in {about}"),
        ),
        io::ErrorKind::AddrNotAvailable => Answer::wrong(
            "is no address of this machine",
            &format!("put 127.0.0.1 and a port into {about}, and a proxy before it"),
        ),
        io::ErrorKind::PermissionDenied => Answer::wrong(
            "may not be opened by this user",
            &format!("choose a port above 1023 in {about}"),
        ),
        _ => Answer::wrong(error.to_string(), &format!("choose another address in {about}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::check::{Deadline, State, ask_all},
        *,
    };
    use std::time::Duration;
    use tokio::time::Instant;

    async fn state(listen: SocketAddr) -> State {
        let id = ChannelId::from("web_chat");
        let channel = ChannelConfig {
            listen: Some(listen),
            ..ChannelConfig::default()
        };
        let deadline = Deadline {
            at: Instant::now() + Duration::from_mins(1),
            seconds: 60,
        };
        let checks = check(&id, &channel).into_iter().collect();
        ask_all(checks, deadline).await.remove(0).state
    }

    #[tokio::test]
    async fn a_page_needs_an_address_of_this_machine_that_is_free() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(state(address).await, State::Note);
        drop(listener);
        assert_eq!(state(address).await, State::Fine);
        // An address for documents: https://www.rfc-editor.org/rfc/rfc5737
        assert_eq!(state("192.0.2.1:8095".parse().unwrap()).await, State::Wrong);
    }
}
