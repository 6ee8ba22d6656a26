//! The strict server ends a connection whose packets are none.

use crate::place::{Place, key};
use crate::shared::run::until;
use foldback_strict::Rule;
use grammers_client::tl::{Serializable as _, functions};
use grammers_crypto::{AuthKey, DequeBuffer, encrypt_data_v2};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The packet of the full transport around a payload, with its number.
fn framed(number: u32, payload: &[u8]) -> Vec<u8> {
    let length = payload.len() as u32 + 12;
    let mut packet = [&length.to_le_bytes()[..], &number.to_le_bytes(), payload].concat();
    let mut sum = flate2::Crc::new();
    sum.update(&packet);
    packet.extend(sum.sum().to_le_bytes());
    packet
}

/// A message and its envelope.
struct Envelope {
    session: i64,
    id: i64,
    number: i32,
    body: Vec<u8>,
    length: Option<u32>,
}

/// An identifier of now, and so many seconds later.
fn id_of(later: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    (now.as_secs() as i64 + later) << 32
}

impl Envelope {
    fn ping() -> Self {
        Self {
            session: 7,
            id: id_of(0),
            number: 1,
            body: functions::Ping { ping_id: 1 }.to_bytes(),
            length: None,
        }
    }

    fn message(&self) -> Vec<u8> {
        let length = self.length.unwrap_or(self.body.len() as u32);
        let head = [
            &self.id.to_le_bytes()[..],
            &self.number.to_le_bytes(),
            &length.to_le_bytes(),
        ];
        [&head.concat()[..], &self.body].concat()
    }

    fn sealed(&self) -> Vec<u8> {
        // The salt is another one, which alone would only be answered with the right one.
        let text = [
            &0_i64.to_le_bytes()[..],
            &self.session.to_le_bytes(),
            &self.message(),
        ]
        .concat();
        let mut buffer = DequeBuffer::with_capacity(text.len() + 64, 64);
        buffer.extend(text);
        encrypt_data_v2(&mut buffer, &AuthKey::from_bytes(key()));
        buffer[..].to_vec()
    }
}

/// A container of messages.
fn container(messages: &[Envelope]) -> Vec<u8> {
    let mut body = 0x73f1_f8dc_u32.to_le_bytes().to_vec();
    body.extend((messages.len() as u32).to_le_bytes());
    body.extend(messages.iter().flat_map(Envelope::message));
    body
}

/// The rule that these bytes break, and the server's answer before it ends the connection.
async fn broken(place: &Place, bytes: &[u8]) -> (Vec<Rule>, Vec<u8>) {
    let address = place.server.root();
    let mut stream = TcpStream::connect(address.trim_start_matches("tcp://"))
        .await
        .unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    // Ends with the connection, at which the rule is noted.
    let _ = stream.read_to_end(&mut answer).await;
    until(|| !place.server.broken().is_empty()).await;
    (place.server.broken(), answer)
}

/// Wrong packets: in words, their bytes, and the end of the address of the rule that they break.
fn wrong() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let ping = Envelope::ping;
    let fine = ping().sealed();
    let changed = |mut packet: Vec<u8>, at: usize| {
        packet[at] ^= 1;
        packet
    };
    let later = |later| Envelope {
        id: id_of(later),
        ..ping()
    };
    vec![
        ("a length of nothing", 8_u32.to_le_bytes().to_vec(), "#full"),
        ("an odd length", 21_u32.to_le_bytes().to_vec(), "#full"),
        ("a wrong number", framed(1, &fine), "#full"),
        ("a wrong sum", changed(framed(0, &fine), 30), "#full"),
        (
            "an unknown key",
            framed(0, &changed(fine.clone(), 0)),
            "#encrypted-message",
        ),
        (
            "a changed text",
            framed(0, &changed(fine.clone(), 60)),
            "#encrypted-message",
        ),
        (
            "a changed key of the message",
            framed(0, &changed(fine.clone(), 9)),
            "#encrypted-message",
        ),
        (
            "no session",
            framed(0, &Envelope { session: 0, ..ping() }.sealed()),
            "#session",
        ),
        (
            "an odd identifier",
            framed(
                0,
                &Envelope {
                    id: id_of(0) + 1,
                    ..ping()
                }
                .sealed(),
            ),
            "#message-identifier-msg-id",
        ),
        (
            "one of the past",
            framed(0, &later(-400).sealed()),
            "#message-identifier-msg-id",
        ),
        (
            "one of the future",
            framed(0, &later(100).sealed()),
            "#message-identifier-msg-id",
        ),
        (
            "an even number",
            framed(0, &Envelope { number: 0, ..ping() }.sealed()),
            "#message-sequence-number-msg-seqno",
        ),
        (
            "a number too high",
            framed(0, &Envelope { number: 3, ..ping() }.sealed()),
            "#message-sequence-number-msg-seqno",
        ),
        (
            "a length beyond the packet",
            framed(
                0,
                &Envelope {
                    length: Some(4_000),
                    ..ping()
                }
                .sealed(),
            ),
            "#encrypted-message",
        ),
    ]
}

/// The same of containers.
fn wrong_containers() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let ping = Envelope::ping;
    let later = |later| Envelope {
        id: id_of(later),
        ..ping()
    };
    let within = |messages: &[Envelope], id| Envelope {
        body: container(messages),
        id,
        number: 2,
        ..ping()
    };
    vec![
        (
            "a message newer than its container",
            framed(0, &within(&[later(1)], id_of(0)).sealed()),
            "#simple-container",
        ),
        (
            "the number of a container",
            framed(
                0,
                &Envelope {
                    number: 4,
                    ..within(&[ping()], id_of(1))
                }
                .sealed(),
            ),
            "#message-sequence-number-msg-seqno",
        ),
    ]
}

#[tokio::test]
async fn packets_that_are_none_break_a_rule_of_the_transport_or_the_envelope() {
    for (what, bytes, source) in wrong().into_iter().chain(wrong_containers()) {
        let place = Place::open().await;
        let (rules, _) = broken(&place, &bytes).await;
        assert_eq!(rules.len(), 1, "{what}: {rules:?}");
        assert!(rules[0].source.ends_with(source), "{what}: {rules:?}");
        assert_eq!(place.server.calls(), 0);
    }
}
