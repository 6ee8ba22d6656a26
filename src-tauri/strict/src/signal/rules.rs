//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $page:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule {
            says: $says,
            source: concat!("https://github.com/AsamK/signal-cli/blob/master/", $page),
        };)*
    };
}

rules! {
    LINE: "man/signal-cli-jsonrpc.5.adoc#basic-usage", "Every request is a JSON object in a single line.";
    VERSION: "man/signal-cli-jsonrpc.5.adoc#basic-usage", "Requests are those of JSON-RPC 2.0, without further fields.";
    ID: "man/signal-cli-jsonrpc.5.adoc#basic-usage", "Requests have a unique id.";
    METHOD: "man/signal-cli-jsonrpc.5.adoc#commands", "The method is the name of a command.";
    PARAMS: "man/signal-cli-jsonrpc.5.adoc#commands", "The parameters are an object of the command's own, in camelCase.";
    TYPE: "man/signal-cli-jsonrpc.5.adoc#commands", "A parameter with several values is a value or an array; timestamps are integers.";
    ACCOUNT: "man/signal-cli-jsonrpc.5.adoc#multi-account-mode", "In multi-account mode requests for a single account have its number as account.";
    SUBSCRIPTION: "man/signal-cli-jsonrpc.5.adoc#unsubscribereceive", "subscription is an id returned by subscribeReceive.";
    RECIPIENT: "man/signal-cli.1.adoc#description", "A recipient is a phone number, an ACI, PNI: and a PNI, or u: and a user name.";
    REGISTERED: "man/signal-cli.1.adoc#send", "The recipient is on Signal.";
    TARGET: "man/signal-cli.1.adoc#send", "Something is sent to a recipient or a group.";
    GROUP: "man/signal-cli.1.adoc#send", "groupId is a known group's id in base64 encoding.";
    MEMBER: "man/signal-cli.1.adoc#quitgroup", "Only members send to a group.";
    EMPTY: "man/signal-cli.1.adoc#send", "A message has a text or an attachment.";
    LENGTH: "lib/src/main/java/org/asamk/signal/manager/config/ServiceConfig.java", "Text of more than 2,000 bytes goes as a file.";
    STRING: "src/main/java/org/asamk/signal/jsonrpc/JsonRpcReader.java", "No string has more than the 20,000,000 characters that the JSON reader takes.";
    ATTACHMENT: "man/signal-cli.1.adoc#send", "An attachment is data:<MIME-TYPE>;filename=<FILENAME>;base64,<DATA>, or the path of a file there is.";
    FETCH: "man/signal-cli.1.adoc#getattachment", "An attachment is asked for by its id, with the recipient or the group it came from.";
    STYLE: "man/signal-cli.1.adoc#send", "A style is start:length:STYLE in UTF-16 units of the text; STYLE is one of five.";
    QUOTE: "man/signal-cli.1.adoc#send", "A quotation has the timestamp and the author of a previous message with the recipient or group.";
    EMOJI: "man/signal-cli.1.adoc#sendreaction", "The emoji is a single Unicode grapheme cluster.";
    REACTION: "man/signal-cli.1.adoc#sendreaction", "A reaction has the author and the timestamp of a message received or sent before.";
    DELETE: "man/signal-cli.1.adoc#remotedelete", "targetTimestamp is that of a message sent before, and not removed yet.";
    RECEIPT: "man/signal-cli.1.adoc#sendreceipt", "A receipt names one sender and the timestamps of messages received from them; its type is read or viewed.";
}
