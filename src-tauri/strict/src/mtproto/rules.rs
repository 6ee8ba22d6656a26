//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $source:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule { says: $says, source: $source };)*
    };
}

rules! {
    LENGTH: "https://core.telegram.org/mtproto/mtproto-transports#full",
        "A packet begins with its length, which is divisible by four.";
    NUMBER: "https://core.telegram.org/mtproto/mtproto-transports#full",
        "The number of a packet begins at 0 and grows by one.";
    CHECKSUM: "https://core.telegram.org/mtproto/mtproto-transports#full", "A packet ends with its CRC32.";
    ENCRYPTED: "https://core.telegram.org/mtproto/description#encrypted-message",
        "A packet names its key, and the key of its message is that of its text.";
    PADDING: "https://core.telegram.org/mtproto/description#encrypted-message", "The padding has 12 to 1024 bytes.";
    MESSAGE: "https://core.telegram.org/mtproto/description#encrypted-message",
        "A message has an identifier, a number, and a length divisible by four.";
    SESSION: "https://core.telegram.org/mtproto/description#session",
        "A client names its session in every message, a random 64-bit number.";
    IDENTIFIER: "https://core.telegram.org/mtproto/description#message-identifier-msg-id",
        "Identifiers of a client's messages grow, are divisible by four, and are unixtime times 2^32, no more than 300 \
         seconds in the past and 30 in the future.";
    SEQUENCE: "https://core.telegram.org/mtproto/description#message-sequence-number-msg-seqno",
        "The number of a message is twice the number of earlier ones that need an acknowledgment, plus one if it needs one.";
    CONTAINER: "https://core.telegram.org/mtproto/service_messages#simple-container",
        "A container holds up to 1020 messages, no container, and none with an identifier greater than its own.";
    ACKNOWLEDGED: "https://core.telegram.org/mtproto/service_messages_about_messages#acknowledgment-of-receipt",
        "Acknowledged are messages that the server has sent.";
    PACKED: "https://core.telegram.org/mtproto/service_messages#packed-object", "A packed object is a gzip stream.";
    CALL: "https://core.telegram.org/methods", "A call exists, and has its parameters and no more.";
    BEGIN: "https://core.telegram.org/api/invoking#saving-client-info",
        "The first call of a session is invokeWithLayer with initConnection inside, with the layer of the schema.";
    APP: "https://core.telegram.org/api/obtaining_api_id", "A call that needs an app has the api_id and api_hash of one.";
    PHONE: "https://core.telegram.org/method/auth.sendCode", "The phone number is one, in international format.";
    CODE: "https://core.telegram.org/method/auth.signIn", "The code is the one that was sent, with the hash it was sent with.";
    PASSWORD: "https://core.telegram.org/api/srp", "The proof is that of the account's password.";
    PEER: "https://core.telegram.org/api/peers#access-hash", "A peer is named with the access hash that the account knows.";
    TEXT: "https://core.telegram.org/method/messages.sendMessage",
        "A message is not empty, and no longer than message_length_max of the configuration.";
    CAPTION: "https://core.telegram.org/method/messages.sendMedia",
        "A caption is no longer than caption_length_max of the configuration.";
    ENTITIES: "https://core.telegram.org/api/entities#entity-length",
        "Offset and length of an entity are in UTF-16 code units, and inside of the text.";
    RANDOM_ID: "https://core.telegram.org/method/messages.sendMessage",
        "A message has a random_id of its own, which prevents that it is sent twice.";
    REPLY: "https://core.telegram.org/method/messages.sendMessage", "A reply names a message of the chat.";
    OWN: "https://core.telegram.org/method/messages.editMessage", "An edited message is one of the account's own.";
    DELETED: "https://core.telegram.org/method/messages.deleteMessages",
        "Messages of channels and supergroups are deleted with channels.deleteMessages, all others with messages.deleteMessages.";
    REACTION: "https://core.telegram.org/api/reactions", "A reaction is an emoji that the chat allows.";
    PART: "https://core.telegram.org/api/files#uploading-files",
        "Parts are numbered from 0, have the same size, divisible by 1 KB and dividing 512 KB, apart from the last one.";
    FILE: "https://core.telegram.org/api/files#uploading-files", "All parts of a file have been saved.";
    CHUNK: "https://core.telegram.org/api/files#downloading-files",
        "Offset and limit are divisible by 4 KB, and 1 MB is divisible by the limit.";
    LOCATION: "https://core.telegram.org/api/files#downloading-files", "A location is that of a file that the account knows.";
}
