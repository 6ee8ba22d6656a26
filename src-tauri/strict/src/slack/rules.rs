//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $page:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule {
            says: $says,
            source: concat!("https://docs.slack.dev/", $page),
        };)*
    };
}

rules! {
    TOKEN: "apis/web-api/#authentication", "Every call carries a bearer token in its header.";
    TOKEN_KIND: "authentication/tokens", "Methods are called with the bot's token, connections are opened with the app's.";
    SCOPE: "reference/scopes", "The app has the scope that the method needs.";
    METHOD: "reference/methods", "The method exists.";
    POST: "apis/web-api/#post_bodies", "A body is a form, or JSON where the method takes it.";
    ARGUMENT: "reference/methods", "Only the method's own arguments are passed, and the required ones are.";
    CHANNEL: "reference/methods/chat.postMessage#channels", "channel is the id of a conversation the bot can see.";
    MEMBER: "reference/methods/chat.postMessage#errors", "The bot is a member of the conversation.";
    ARCHIVED: "reference/methods/chat.postMessage#errors", "Nothing is written into an archived channel.";
    TEXT: "reference/methods/chat.postMessage#errors", "A message has a text.";
    LENGTH: "reference/methods/chat.postMessage#truncating", "A text has at most 4,000 characters.";
    ESCAPE: "messaging/formatting-message-text#escaping", "&, < and > are written as entities.";
    SPECIAL: "messaging/formatting-message-text#advanced", "Between angle brackets stands a link, a channel, a user, a group or a date.";
    THREAD: "reference/methods/chat.postMessage#threads", "thread_ts is the time stamp of a thread's first message, as text.";
    EPHEMERAL: "reference/methods/chat.postEphemeral#errors", "user is a member of the conversation.";
    UPDATE: "reference/methods/chat.update#errors", "Only a message that exists and that the bot sent can be updated.";
    DELETE: "reference/methods/chat.delete#errors", "Only a message that exists and that the bot sent can be deleted.";
    REPLIES: "reference/methods/conversations.replies#errors", "ts is the time stamp of a message of the conversation, limit a number from 1 to 999, and a cursor one that was given.";
    LINK: "reference/methods/chat.getPermalink#errors", "The message exists.";
    REACT: "reference/methods/reactions.add#errors", "The message exists.";
    EMOJI: "reference/methods/reactions.add#errors", "name is an emoji's name, without colons.";
    FILE: "reference/methods/files.getUploadURLExternal", "A file has a name, and a length of at least one byte.";
    UPLOAD: "messaging/working-with-files#uploading_files", "The bytes, as many as announced, are posted once to the address given, without a token.";
    COMPLETE: "reference/methods/files.completeUploadExternal", "Files are completed once they are uploaded, into a conversation by its id.";
    FILE_TOKEN: "reference/objects/file-object", "url_private is asked for with a bearer token of the bot.";
    TICKET: "apis/events-api/using-socket-mode#connect", "A connection is opened once, with the address that apps.connections.open gave.";
    CONFIRM: "apis/events-api/using-socket-mode#acknowledge", "An envelope is confirmed by its id, once, within three seconds.";
    FRAME: "apis/events-api/using-socket-mode#acknowledge", "What an app sends is a confirmation in JSON.";
    CHALLENGE: "reference/events/url_verification", "The challenge is answered with its text.";
}
