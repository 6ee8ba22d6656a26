//! Calls as a row of a table writes them, made by a client by somebody else.

use grammers_client::{Client, InvocationError, tl};

/// A peer as a row writes it: `u:ID:HASH`, `g:ID` or `c:ID:HASH`.
fn peer(written: &str) -> tl::enums::InputPeer {
    let mut parts = written.split(':');
    let kind = parts.next().unwrap();
    let mut number = || {
        parts
            .next()
            .and_then(|part| part.parse().ok())
            .unwrap_or_default()
    };
    match kind {
        "u" => tl::types::InputPeerUser {
            user_id: number(),
            access_hash: number(),
        }
        .into(),
        "g" => tl::types::InputPeerChat { chat_id: number() }.into(),
        _ => tl::types::InputPeerChannel {
            channel_id: number(),
            access_hash: number(),
        }
        .into(),
    }
}

fn channel(written: &str) -> tl::enums::InputChannel {
    match peer(written) {
        tl::enums::InputPeer::Channel(named) => tl::types::InputChannel {
            channel_id: named.channel_id,
            access_hash: named.access_hash,
        }
        .into(),
        _ => tl::enums::InputChannel::Empty,
    }
}

/// A call without anything but a peer, a text and a number of its own.
fn text(to: &str, message: &str, random_id: i64) -> tl::functions::messages::SendMessage {
    tl::functions::messages::SendMessage {
        no_webpage: false,
        silent: false,
        background: false,
        clear_draft: false,
        noforwards: false,
        update_stickersets_order: false,
        invert_media: false,
        allow_paid_floodskip: false,
        peer: peer(to),
        reply_to: None,
        message: message.replace('_', " "),
        random_id,
        reply_markup: None,
        entities: None,
        schedule_date: None,
        schedule_repeat_period: None,
        send_as: None,
        quick_reply_shortcut: None,
        effect: None,
        allow_paid_stars: None,
        suggested_post: None,
        rich_message: None,
    }
}

fn media(file: tl::enums::InputFile, message: &str) -> tl::functions::messages::SendMedia {
    let media = tl::types::InputMediaUploadedPhoto {
        spoiler: false,
        live_photo: false,
        file,
        stickers: None,
        ttl_seconds: None,
        video: None,
    };
    tl::functions::messages::SendMedia {
        silent: false,
        background: false,
        clear_draft: false,
        noforwards: false,
        update_stickersets_order: false,
        invert_media: false,
        allow_paid_floodskip: false,
        peer: peer("u:4711:0"),
        reply_to: None,
        media: media.into(),
        message: message.into(),
        random_id: 77,
        reply_markup: None,
        entities: None,
        schedule_date: None,
        schedule_repeat_period: None,
        send_as: None,
        quick_reply_shortcut: None,
        effect: None,
        allow_paid_stars: None,
        suggested_post: None,
    }
}

/// The word that a call is refused with; `fine` where it is not.
fn word<T>(answer: Result<T, InvocationError>) -> String {
    match answer {
        Ok(_) => "fine".into(),
        Err(InvocationError::Rpc(error)) => error.name,
        Err(error) => error.to_string(),
    }
}

/// Makes the call of a row.
pub(crate) async fn made(client: &Client, row: &[&str]) -> String {
    match row[0] {
        "send" | "reply" | "bold" | "edit" => messages(client, row).await,
        "delete" | "delete_in" | "react" | "typing" => changes(client, row).await,
        "part" | "media" | "file" => files(client, row).await,
        "code" | "sign_in" | "password" => entry(client, row).await,
        "missed" | "missed_in" | "dialogs" => missed(client, row).await,
        other => panic!("{other} is no call"),
    }
}

/// A number of a row; 0 where there is none.
fn number(row: &[&str], at: usize) -> i64 {
    row.get(at).and_then(|part| part.parse().ok()).unwrap_or_default()
}

fn short(row: &[&str], at: usize) -> i32 {
    number(row, at) as i32
}

/// Sends or edits.
async fn messages(client: &Client, row: &[&str]) -> String {
    match row[0] {
        "send" => word(client.invoke(&text(row[1], row[2], number(row, 3))).await),
        "reply" => {
            let header = tl::types::InputReplyToMessage {
                reply_to_msg_id: short(row, 2),
                top_msg_id: None,
                reply_to_peer_id: None,
                quote_text: None,
                quote_entities: None,
                quote_offset: None,
                monoforum_peer_id: None,
                todo_item_id: None,
                poll_option: None,
            };
            let mut call = text(row[1], "hello", 9);
            call.reply_to = Some(header.into());
            word(client.invoke(&call).await)
        }
        "bold" => {
            let (offset, length) = (short(row, 2), short(row, 3));
            let mut call = text(row[1], "he🎉lo", 10);
            call.entities = Some(vec![tl::types::MessageEntityBold { offset, length }.into()]);
            word(client.invoke(&call).await)
        }
        _ => {
            let call = tl::functions::messages::EditMessage {
                no_webpage: false,
                invert_media: false,
                peer: peer(row[1]),
                id: short(row, 2),
                message: row.get(3).map(|text| text.replace('_', " ")),
                media: None,
                reply_markup: None,
                entities: None,
                schedule_date: None,
                schedule_repeat_period: None,
                quick_reply_shortcut_id: None,
                rich_message: None,
            };
            word(client.invoke(&call).await)
        }
    }
}

/// Removes, reacts, or shows that somebody writes.
async fn changes(client: &Client, row: &[&str]) -> String {
    match row[0] {
        "delete" => {
            let call = tl::functions::messages::DeleteMessages {
                revoke: true,
                id: vec![short(row, 1)],
            };
            word(client.invoke(&call).await)
        }
        "delete_in" => {
            let call = tl::functions::channels::DeleteMessages {
                channel: channel(row[1]),
                id: vec![short(row, 2)],
            };
            word(client.invoke(&call).await)
        }
        "react" => {
            let emoticon = row[3].to_owned();
            let call = tl::functions::messages::SendReaction {
                big: false,
                add_to_recent: false,
                peer: peer(row[1]),
                msg_id: short(row, 2),
                reaction: Some(vec![tl::types::ReactionEmoji { emoticon }.into()]),
            };
            word(client.invoke(&call).await)
        }
        _ => {
            let call = tl::functions::messages::SetTyping {
                peer: peer(row[1]),
                top_msg_id: None,
                action: tl::enums::SendMessageAction::SendMessageTypingAction,
            };
            word(client.invoke(&call).await)
        }
    }
}

/// Hands over or asks for files.
async fn files(client: &Client, row: &[&str]) -> String {
    match row[0] {
        "part" => {
            let call = tl::functions::upload::SaveFilePart {
                file_id: 5,
                file_part: short(row, 1),
                bytes: vec![1; number(row, 2) as usize],
            };
            word(client.invoke(&call).await)
        }
        "media" => {
            let file = tl::types::InputFile {
                id: number(row, 1),
                parts: short(row, 2),
                name: "x".into(),
                md5_checksum: String::new(),
            };
            let caption = row.get(3).copied().unwrap_or_default();
            let mut call = media(file.into(), caption);
            call.peer = peer(row[4]);
            word(client.invoke(&call).await)
        }
        _ => {
            let location = tl::types::InputDocumentFileLocation {
                id: number(row, 1),
                access_hash: number(row, 2),
                file_reference: Vec::new(),
                thumb_size: String::new(),
            };
            let call = tl::functions::upload::GetFile {
                precise: false,
                cdn_supported: false,
                location: location.into(),
                offset: number(row, 3),
                limit: short(row, 4),
            };
            word(client.invoke(&call).await)
        }
    }
}

/// Signs in.
async fn entry(client: &Client, row: &[&str]) -> String {
    match row[0] {
        "code" => {
            let settings = tl::types::CodeSettings {
                allow_flashcall: false,
                current_number: false,
                allow_app_hash: false,
                allow_missed_call: false,
                allow_firebase: false,
                unknown_number: false,
                logout_tokens: None,
                token: None,
                app_sandbox: None,
            };
            let call = tl::functions::auth::SendCode {
                phone_number: row[1].into(),
                api_id: short(row, 2),
                api_hash: row[3].into(),
                settings: settings.into(),
            };
            word(client.invoke(&call).await)
        }
        "sign_in" => {
            let call = tl::functions::auth::SignIn {
                phone_number: row[1].into(),
                phone_code_hash: row[2].into(),
                phone_code: Some("1".into()),
                email_verification: None,
            };
            word(client.invoke(&call).await)
        }
        _ => {
            let proof = tl::types::InputCheckPasswordSrp {
                srp_id: 1,
                a: vec![1],
                m1: vec![2],
            };
            let password = tl::enums::InputCheckPasswordSrp::Srp(proof);
            word(
                client
                    .invoke(&tl::functions::auth::CheckPassword { password })
                    .await,
            )
        }
    }
}

/// Asks for what was missed; or for what is of no use to an account that only writes and is written to.
async fn missed(client: &Client, row: &[&str]) -> String {
    match row[0] {
        "missed" => {
            let call = tl::functions::updates::GetDifference {
                pts: short(row, 1),
                pts_limit: None,
                pts_total_limit: None,
                date: 1,
                qts: 0,
                qts_limit: None,
            };
            word(client.invoke(&call).await)
        }
        "missed_in" => {
            let call = tl::functions::updates::GetChannelDifference {
                force: false,
                channel: channel(row[1]),
                filter: tl::enums::ChannelMessagesFilter::Empty,
                pts: 1,
                limit: short(row, 2),
            };
            word(client.invoke(&call).await)
        }
        _ => word(client.invoke(&tl::functions::messages::GetAllDrafts {}).await),
    }
}
