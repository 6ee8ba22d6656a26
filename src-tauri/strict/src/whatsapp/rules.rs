//! The rules, each with the address of its sentence.

use crate::Rule;

macro_rules! rules {
    ($($name:ident: $page:literal, $says:literal;)*) => {
        $(pub(super) const $name: Rule = Rule {
            says: $says,
            source: concat!("https://developers.facebook.com/documentation/business-messaging/whatsapp/", $page),
        };)*
    };
}

rules! {
    TOKEN: "access-tokens", "Every call carries an access token: Authorization: Bearer.";
    NUMBER: "reference/whatsapp-business-phone-number/message-api",
        "Every address names the version and the id of the phone number.";
    METHOD: "reference/whatsapp-business-phone-number/message-api", "A number is asked for, messages and media are posted.";
    JSON: "messages/send-messages#requests", "A message is JSON.";
    PRODUCT: "messages/send-messages#requests", "messaging_product is whatsapp.";
    PARAMETER: "support/error-codes#other-errors", "Only the parameters of the call are passed, each of its type (100).";
    RECIPIENT_TYPE: "messages/send-messages#requests", "recipient_type is individual, or group for a group.";
    TO: "messages/send-messages#requests", "to is the phone number of a person, or the id of a group.";
    RECIPIENT: "business-scoped-user-ids", "recipient is a business-scoped user id: a country, a period, letters and digits.";
    TYPE: "messages/send-messages#message-types", "The message has a type, and the object of that name.";
    TEXT: "messages/text-messages#request-parameters", "A body has 1 to 4,096 characters.";
    CONTEXT: "messages/contextual-replies#post-body-parameters", "The message answered is one of the chat.";
    REACTION_REPLY: "messages/contextual-replies#limitations", "A reaction is no contextual reply.";
    REACTION: "messages/reaction-messages#request-parameters",
        "The message reacted to is one of the chat, not deleted and no reaction itself (131009).";
    EMOJI: "messages/reaction-messages#request-parameters", "A reaction is one emoji.";
    MEDIA: "business-phone-numbers/media#get-media-id", "The id is that of a file uploaded from this number.";
    MEDIA_NUMBER: "business-phone-numbers/media#get-media-url", "phone_number_id, where it is given, is that of the number the media came to.";
    MEDIA_TYPE: "business-phone-numbers/media#supported-media-types", "A message shows media of its own type.";
    CAPTION: "messages/image-messages#request-parameters", "A caption has at most 1,024 characters.";
    AUDIO: "messages/audio-messages#request-parameters", "Audio has an id and, where it is a voice message, voice; nothing else.";
    VOICE: "messages/audio-messages#voice-messages", "Voice messages are .ogg files with the OPUS codec.";
    UPLOAD: "business-phone-numbers/media#upload-media", "A file is posted with messaging_product and its type.";
    UPLOAD_TYPE: "business-phone-numbers/media#supported-media-types", "Only these media types are supported.";
    UPLOAD_SIZE: "business-phone-numbers/media#supported-media-types",
        "Images have at most 5 MB, audio and video 16 MB, documents 100 MB.";
    READ: "typing-indicators#request-syntax", "status is read, and the message is one that came in.";
    TYPING: "typing-indicators#request-syntax", "typing_indicator has the type text.";
    WINDOW: "messages/send-messages#customer-service-windows",
        "Free-form messages go to people who wrote in the last 24 hours (131047).";
    UNDELIVERABLE: "support/error-codes#other-errors", "Messages go to numbers on WhatsApp (131026).";
    OWN: "support/error-codes#other-errors", "Sender and recipient differ (131021).";
    HANDSHAKE: "webhooks/create-webhook-endpoint#get-requests",
        "The endpoint answers with 200 and the challenge if it knows the verify token, and with neither if not.";
    ANSWER: "webhooks/create-webhook-endpoint#post-requests", "A webhook is answered with 200.";
}
