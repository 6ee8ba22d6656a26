//! Calls of the API, by their constructors: <https://core.telegram.org/methods>.

use super::answers::{CallRefusal, CallResult, answered, refused, wrong};
use super::rules::{BEGIN, CALL};
use super::state::State;
use crate::Mishap;
use grammers_tl_types::{Cursor, Deserializable, Identifiable, LAYER, enums, functions};

/// Calls that a session may make before it is signed in: <https://core.telegram.org/api/auth>.
const OPEN: &[&str] = &[
    "help.getConfig",
    "auth.sendCode",
    "auth.signIn",
    "auth.checkPassword",
    "account.getPassword",
];

macro_rules! calls {
    ($($name:literal: $call:path => $answer:expr;)*) => {
        /// The name of a call.
        fn name(id: u32) -> Option<&'static str> {
            match id {
                $(<$call>::CONSTRUCTOR_ID => Some($name),)*
                _ => None,
            }
        }

        impl State {
            fn perform(&mut self, id: u32, arguments: &[u8]) -> CallResult {
                match id {
                    $(<$call>::CONSTRUCTOR_ID => {
                        let answer: fn(&mut State, &$call) -> CallResult = $answer;
                        answer(self, &whole(arguments)?)
                    })*
                    _ => Err(unknown()),
                }
            }
        }
    };
}

calls! {
    "help.getConfig": functions::help::GetConfig => |state, asked| state.get_config(asked);
    "auth.sendCode": functions::auth::SendCode => State::send_code;
    "auth.signIn": functions::auth::SignIn => State::sign_in;
    "auth.checkPassword": functions::auth::CheckPassword => State::check_password;
    "auth.logOut": functions::auth::LogOut => State::log_out;
    "account.getPassword": functions::account::GetPassword => State::get_password;
    "users.getUsers": functions::users::GetUsers => |state, asked| state.get_users(asked);
    "updates.getState": functions::updates::GetState => |state, _| answered(&state.counts());
    "updates.getDifference": functions::updates::GetDifference => |state, asked| state.difference(asked);
    "updates.getChannelDifference": functions::updates::GetChannelDifference =>
        |state, asked| state.channel_difference(asked);
    "messages.getMessages": functions::messages::GetMessages => |state, asked| state.get_messages(asked);
    "messages.getHistory": functions::messages::GetHistory => |state, asked| state.history(asked);
    "messages.sendMessage": functions::messages::SendMessage => State::send_message;
    "messages.sendMedia": functions::messages::SendMedia => State::send_media;
    "messages.editMessage": functions::messages::EditMessage => State::edit_message;
    "messages.deleteMessages": functions::messages::DeleteMessages => State::delete_messages;
    "messages.sendReaction": functions::messages::SendReaction => State::send_reaction;
    "messages.setTyping": functions::messages::SetTyping => State::set_typing;
    "channels.getMessages": functions::channels::GetMessages => |state, asked| state.get_channel_messages(asked);
    "channels.deleteMessages": functions::channels::DeleteMessages => State::delete_channel_messages;
    "upload.saveFilePart": functions::upload::SaveFilePart => State::save_part;
    "upload.saveBigFilePart": functions::upload::SaveBigFilePart => State::save_big_part;
    "upload.getFile": functions::upload::GetFile => State::get_file;
}

fn unknown() -> CallRefusal {
    wrong(CALL, 400, "INPUT_METHOD_INVALID")
}

/// A call's parameters, and nothing behind them.
fn whole<T: Deserializable>(arguments: &[u8]) -> Result<T, CallRefusal> {
    let mut cursor = Cursor::from_slice(arguments);
    let asked = T::deserialize(&mut cursor).map_err(|_| unknown())?;
    if cursor.pos() == arguments.len() {
        Ok(asked)
    } else {
        Err(unknown())
    }
}

/// The call that a client makes along with what it says about itself: the app's id, and the place where it begins.
fn begun(body: &[u8]) -> Option<(i32, usize)> {
    let mut at = Cursor::from_slice(body);
    let at = &mut at;
    let is = |at: &mut Cursor<'_>, wanted: u32| u32::deserialize(at).ok().filter(|found| *found == wanted);
    is(
        at,
        functions::InvokeWithLayer::<functions::help::GetConfig>::CONSTRUCTOR_ID,
    )?;
    is(at, LAYER as u32)?;
    is(
        at,
        functions::InitConnection::<functions::help::GetConfig>::CONSTRUCTOR_ID,
    )?;
    let flags = u32::deserialize(at).ok()?;
    let api_id = i32::deserialize(at).ok()?;
    for _about in [
        "device",
        "system",
        "version",
        "language",
        "pack",
        "language of the pack",
    ] {
        String::deserialize(at).ok()?;
    }
    if flags & 1 != 0 {
        enums::InputClientProxy::deserialize(at).ok()?;
    }
    if flags & 2 != 0 {
        enums::Jsonvalue::deserialize(at).ok()?;
    }
    Some((api_id, at.pos()))
}

impl State {
    /// Answers a call, and gives what is to go wrong with the answer.
    pub(super) fn call(&mut self, body: &[u8], has_begun: &mut bool) -> (CallResult, Option<Mishap>) {
        let mut mishap = None;
        let done = self.try_call(body, has_begun, &mut mishap);
        if let Err(CallRefusal {
            broken: Some(rule), ..
        }) = &done
        {
            self.broken.note(*rule);
        }
        (done, mishap)
    }

    fn try_call(&mut self, body: &[u8], has_begun: &mut bool, mishap: &mut Option<Mishap>) -> CallResult {
        let body = match begun(body) {
            Some((api_id, at)) => {
                self.check_app(api_id, None)?;
                *has_begun = true;
                &body[at..]
            }
            None if *has_begun => body,
            None => return Err(wrong(BEGIN, 400, "CONNECTION_NOT_INITED")),
        };
        let (id, arguments) = body.split_at_checked(4).ok_or_else(unknown)?;
        let id = u32::from_bytes(id).map_err(|_| unknown())?;
        let name = name(id).ok_or_else(unknown)?;
        self.names.push(name);
        *mishap = self.next_mishap(name);
        match mishap {
            Some(Mishap::RateLimited(wait)) => {
                return Err(refused(420, format!("FLOOD_WAIT_{}", wait.as_secs())));
            }
            // <https://core.telegram.org/api/errors#500-internal>
            Some(Mishap::Failed | Mishap::Broken) => return Err(refused(500, "RPC_CALL_FAIL")),
            _ => {}
        }
        if !self.account.is_signed_in && !OPEN.contains(&name) {
            // A session that was ended meets this, too.
            return Err(refused(401, "AUTH_KEY_UNREGISTERED"));
        }
        let done = self.perform(id, arguments);
        match mishap {
            Some(Mishap::FailedAfter) => Err(refused(500, "RPC_SEND_FAIL")),
            _ => done,
        }
    }
}
