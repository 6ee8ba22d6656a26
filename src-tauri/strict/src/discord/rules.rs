//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $page:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule {
            says: $says,
            source: concat!("https://discord.com/developers/docs/", $page),
        };)*
    };
}

rules! {
    VERSION: "reference#api-versioning", "The path names the version of the interface, here 10.";
    TOKEN: "reference#authentication", "Every call carries the header Authorization: Bot TOKEN.";
    AGENT: "reference#user-agent", "User-Agent is DiscordBot (URL, VERSION).";
    ID: "reference#snowflakes", "Identifiers are digits of an integer of 64 bits.";
    ROUTE: "reference#http-api", "The call exists.";
    JSON: "reference#http-api", "The body is what its content type says: JSON, or a form with a file.";
    FIELD: "resources/message#create-message-jsonform-params", "Only the call's own fields are passed, each of its type.";
    CONTENT: "resources/message#create-message", "Content has up to 2,000 characters.";
    EMPTY: "resources/message#create-message-limitations", "A message has content or a file.";
    FLAGS: "resources/message#message-object-message-flags", "flags is a number of the flags that the call can set.";
    NONCE: "resources/message#create-message-jsonform-params", "A nonce is an integer or a string of up to 25 characters.";
    MENTIONS: "resources/message#allowed-mentions-object", "parse holds users, roles and everyone; what it holds is not listed besides; lists have up to 100 entries.";
    REPLY: "resources/message#message-reference-object-message-reference-structure", "A message that is answered exists in the channel.";
    CHANNEL: "topics/opcodes-and-status-codes#json-json-error-codes", "The channel exists.";
    LIST: "resources/message#get-channel-messages", "At most one of before, after and around is an id, and limit is from 1 to 100.";
    MESSAGE: "topics/opcodes-and-status-codes#json-json-error-codes", "The message exists.";
    ACCESS: "topics/permissions", "The bot may see the channel, and write in it.";
    EDIT: "resources/message#edit-message", "Only the author edits a message's content.";
    DELETE: "resources/message#delete-message", "Others' messages are deleted only with the permission MANAGE_MESSAGES.";
    EMOJI: "resources/message#create-reaction", "The emoji is one of Unicode's, URL encoded, or NAME:ID.";
    REACTIONS: "topics/opcodes-and-status-codes#json-json-error-codes", "A message has up to 20 different reactions.";
    COMMAND: "interactions/application-commands#application-command-object", "At most 100 commands, each with a name of its own of 1 to 32 small letters, digits, - and _ and a description of 1 to 100 characters.";
    INTERACTION: "interactions/receiving-and-responding#create-interaction-response", "An interaction is answered by its id and its token, with a message of 1 to 2,000 characters.";
    CDN: "reference#signed-attachment-cdn-urls", "A file's address is signed, and needs no token.";
    FILE: "reference#uploading-files", "A file is the part files[n], and attachments name it by that n.";
    FILE_SIZE: "reference#uploading-files", "All files together have up to 10 MiB.";
    LIMIT: "topics/rate-limits#exceeding-a-rate-limit", "Who is told to wait waits.";
    QUERY: "events/gateway#connecting", "The gateway's address names the version, here 10, and the encoding, here json.";
    PAYLOAD: "events/gateway#sending-events", "An event is JSON with op and d, of up to 4,096 bytes.";
    OPCODE: "topics/opcodes-and-status-codes#gateway-gateway-opcodes", "The opcode is one that a client sends.";
    FIRST: "events/gateway#identifying", "A connection begins with Identify or Resume; heartbeats may precede them.";
    ONCE: "topics/opcodes-and-status-codes#gateway-gateway-close-event-codes", "Identify is sent once.";
    IDENTIFY: "events/gateway-events#identify", "Identify has a token, intents and properties: os, browser, device.";
    INTENTS: "events/gateway#gateway-intents", "Intents are bits of the list.";
    PRIVILEGED: "events/gateway#privileged-intents", "A privileged intent is switched on for the application.";
    SHARD: "events/gateway#sharding", "shard is [number, count], the number below the count.";
    RESUME: "events/gateway-events#resume", "Resume has a token, session_id and seq.";
    SEQ: "topics/opcodes-and-status-codes#gateway-gateway-close-event-codes", "seq is a number the session has reached.";
    RESUME_URL: "events/gateway#preparing-to-resume", "A session is resumed at its resume_gateway_url.";
    BEAT: "events/gateway#sending-heartbeats", "A heartbeat comes within every interval, with the last seq or null.";
    PACE: "events/gateway#rate-limiting", "A connection sends up to 120 events in 60 seconds.";
}
