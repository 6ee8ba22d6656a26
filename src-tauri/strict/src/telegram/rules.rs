//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $page:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule {
            says: $says,
            source: concat!("https://core.telegram.org/bots/api#", $page),
        };)*
    };
}

rules! {
    TOKEN: "authorizing-your-bot", "Every call names the bot's token in its address.";
    METHOD: "making-requests", "The method exists.";
    POST: "making-requests", "Only GET and POST are supported; parameters go as query, form, JSON or multipart.";
    JSON: "making-requests", "The body is what its content type says.";
    PARAMETER: "available-methods", "Only the method's own parameters are passed.";
    CHAT: "sendmessage", "chat_id is the identifier of a chat the bot is in.";
    CHAT_INTEGER: "chat", "Identifiers have up to 52 significant bits and are integers.";
    TEXT: "sendmessage", "Text has 1 to 4,096 characters after entities parsing.";
    PARSE_MODE: "formatting-options", "parse_mode is HTML, MarkdownV2 or Markdown.";
    HTML: "html-style", "Only the tags mentioned are supported, closed in order; <, > and & are written as entities.";
    BOOLEAN: "available-methods", "A Boolean is true or false.";
    PREVIEW: "linkpreviewoptions", "is_disabled is a Boolean.";
    REPLY: "replyparameters", "The message replied to exists in the chat.";
    TOPIC: "sendmessage", "message_thread_id is a topic of the forum.";
    EDIT: "editmessagetext", "Only a message that exists and that the bot sent can be edited.";
    DELETE: "deletemessage", "Only a message that exists can be deleted; others' only by an administrator of a group.";
    REACT: "setmessagereaction", "The message exists.";
    REACTION: "reactiontypeemoji", "A bot sets at most one reaction, out of the list of emoji.";
    ACTION: "sendchataction", "The action is one of the list.";
    FILE: "sending-files", "The file is posted as multipart/form-data, in the method's own field.";
    FILE_SIZE: "sending-files", "10 MB for photos, 50 MB for other files.";
    FILE_ID: "getfile", "file_id is the identifier of a file.";
    FILE_PATH: "getfile", "A file is at https://api.telegram.org/file/bot<token>/<file_path>, with the path that getFile gave.";
    MENU: "setmycommands", "At most 100 commands, each with a name of 1 to 32 small letters, digits and _ and a description of 1 to 256 characters.";
    CAPTION: "senddocument", "A caption has at most 1,024 characters after entities parsing.";
    VOICE: "sendvoice", "Voice is OGG encoded with OPUS, MP3 or M4A.";
    FORBIDDEN: "making-requests", "Nobody is written to who has blocked the bot.";
    LIMIT: "getupdates", "limit is 1 to 100; timeout is not negative.";
    CONFLICT: "getupdates", "One poll at a time.";
}
