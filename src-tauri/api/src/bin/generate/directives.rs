//! The page for people who write agents: every directive and header key, from the tables that scanner, envelope and
//! channels read.

use foldback_api::typescript::File;
use foldback_channels::{EMOJI_ALIASES, platform, profile, size_limit, takes_caption};
use foldback_directives::{AttributeRow, CHILDREN, ChildRow, FileKind, HEADER_KEYS, LIMITS, Makes, Part};
use foldback_pipeline::{config::FilesConfig, honoured_flags};
use foldback_wire::Capabilities;
use std::fmt::Write as _;

const HEAD: &str = include_str!("directives/head.md");
const TEXT: &str = include_str!("directives/text.md");

/// The page.
pub(crate) fn page() -> File {
    let mut text = HEAD.to_owned();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "\n| directive | what it does | needs |\n|---|---|---|");
    for row in CHILDREN {
        let needs: Vec<String> = row.needs().map(|name| needed(row, name)).collect();
        let _ = writeln!(
            text,
            "| [`{name}`](#{name}) | {} | {} |",
            row.about,
            needs.join(", "),
            name = row.name
        );
    }
    for row in CHILDREN {
        text += &child(row);
    }
    text += &emoji();
    text += &header();
    text += TEXT;
    text += &files();
    text += &limits();
    File {
        name: "directives.md",
        text,
    }
}

/// A part without which there is no directive; the text of a paired one is its content.
fn needed(row: &ChildRow, name: &str) -> String {
    if row.paired && name == Part::Text.code() {
        "its content".to_owned()
    } else {
        format!("`{name}`")
    }
}

fn child(row: &ChildRow) -> String {
    let ChildRow {
        name, about, example, ..
    } = row;
    let mut text = format!("\n## {name}\n\n{about}\n\n```xml\n{example}\n```\n");
    if row.paired {
        text +=
            "\nIt takes the text up to its closing tag; nothing in that is a directive, and it is trimmed.\n";
    }
    if !row.attributes.is_empty() {
        text += "\n| attribute | needed | values | meaning |\n|---|---|---|---|\n";
        for attribute in row.attributes {
            text += &attribute_line(row, attribute);
        }
    }
    text += "\n| channel | what it does with it |\n|---|---|\n";
    for platform in platform::ALL {
        let does = on_channel(row.makes, &profile(*platform));
        let _ = writeln!(text, "| {platform} | {does} |");
    }
    text
}

fn attribute_line(row: &ChildRow, attribute: &AttributeRow) -> String {
    let names: Vec<String> = [Some(attribute.name), attribute.or_else]
        .into_iter()
        .flatten()
        .map(|name| format!("`{name}`"))
        .collect();
    let needed = match row.needs().any(|name| name == attribute.name) {
        true if row.paired && attribute.gives == Part::Text => "or the content",
        true => "yes",
        false => "",
    };
    let values: Vec<String> = attribute
        .values
        .iter()
        .map(|value| format!("`{value}`"))
        .collect();
    format!(
        "| {} | {needed} | {} | {} |\n",
        names.join(" or "),
        values.join(", "),
        attribute.about
    )
}

/// The fate of a directive on a channel, from what that can do.
fn on_channel(makes: Makes, can: &Capabilities) -> String {
    let nothing =
        || "nothing: the directive is reported as `unsupported-on-channel`, and the text goes out".to_owned();
    match makes {
        Makes::React => can.react.map_or_else(nothing, |form| form.about().to_owned()),
        Makes::SendFile => can.file_limit.map_or_else(nothing, |_| {
            let limit = |kind| megabytes(size_limit(can, kind));
            let [file, image, audio] = [FileKind::File, FileKind::Image, FileKind::Audio].map(limit);
            let with_audio = takes_caption(can.platform, "audio.mp3");
            let audio_too = if with_audio { "" } else { ", and that of audio," };
            let captions = format!(
                "a caption of {} {}; a longer one{audio_too} is a message of its own",
                thousands(can.caption_limit as u64),
                unit(can)
            );
            if file == image && file == audio {
                format!("files up to {file}, {captions}")
            } else {
                format!("files up to {file}, images up to {image}, audio up to {audio}, {captions}")
            }
        }),
        Makes::Voice => can.voice.map_or_else(nothing, |form| form.about().to_owned()),
        Makes::SendMessage => format!(
            "messages of up to {} {}; a longer text is split",
            thousands(can.text_limit as u64),
            unit(can)
        ),
    }
}

fn unit(can: &Capabilities) -> String {
    can.unit.about().trim_end_matches('.').to_owned()
}

/// Bytes in the units that platforms count in.
fn megabytes(bytes: u64) -> String {
    format!("{} MB", thousands(bytes / 1_000_000))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut parts: Vec<&str> = (first..digits.len())
        .step_by(3)
        .map(|at| &digits[at..at + 3])
        .collect();
    if first > 0 {
        parts.insert(0, &digits[..first]);
    }
    parts.join(",")
}

/// The names of emoji.
fn emoji() -> String {
    let mut text = "\n## Emoji\n\nAn emoji is written as itself, as a name, or as a name between colons, in any case. These \
                    names come first; all others of the common table, [gemoji](https://github.com/github/gemoji), work \
                    too.\n\n| name | emoji |\n|---|---|\n"
        .to_owned();
    for (name, emoji) in EMOJI_ALIASES {
        let _ = writeln!(text, "| `{name}` | {emoji} |");
    }
    text
}

/// The keys of headers and the channels that honour them.
fn header() -> String {
    let mut text = "\n## Headers\n\n`[[key:value]]` at the start of a message, before or after a block; several may stand on \
                    one line. Values are read in any case but `reply_to`'s. A tag, such as `[[reply_to_current]]`, is \
                    set where it stands alone. A value that its key does not take is ignored and reported.\n\n\
                    | key | meaning | channels |\n|---|---|---|\n"
        .to_owned();
    for (key, about) in HEADER_KEYS {
        let _ = writeln!(text, "| `{key}` | {about} | {} |", honoured_on(key));
    }
    text
}

fn honoured_on(key: &str) -> String {
    let mut of = Vec::new();
    for platform in platform::ALL {
        let can = profile(*platform);
        let honours = if key.starts_with("reply_to") {
            can.reply.is_some()
        } else {
            honoured_flags(&can).contains(&key)
        };
        if honours {
            of.push(platform.code());
        }
    }
    if of.len() == platform::ALL.len() {
        "all".to_owned()
    } else if of.is_empty() {
        "none yet: it is reported as `unsupported-on-channel`".to_owned()
    } else {
        format!(
            "{}; elsewhere it is reported as `unsupported-on-channel`",
            of.join(", ")
        )
    }
}

fn files() -> String {
    let FilesConfig {
        send_dir,
        max_size,
        allow_cleanup,
    } = FilesConfig::default();
    let mut text = format!(
        "\n| setting of `[files]` | default | what it does |\n|---|---|---|\n\
         | `send_dir` | `{}` | the outgoing folder: only files in it are sent. Relative, it lies below the \
         configuration file's folder, else below the data folder. Relative paths of a directive begin here, absolute \
         ones must lie in it, and no link leads out of it. One with the configuration, the journal or a secret's file in \
         it is refused at the start |\n\
         | `max_size` | `{}` | largest file, inclusive; the channel's own limit counts too |\n\
         | `allow_cleanup` | `{allow_cleanup}` | whether `cleanup=\"true\"` deletes a file once it was sent |\n",
        send_dir.display(),
        megabytes(max_size.0),
    );
    text += "\nWithout `kind` the extension says how a file is sent:\n\n| kind | extensions |\n|---|---|\n";
    for kind in [FileKind::Image, FileKind::Audio] {
        let extensions: Vec<String> = kind
            .extensions()
            .iter()
            .map(|name| format!("`.{name}`"))
            .collect();
        let _ = writeln!(text, "| `{kind}` | {} |", extensions.join(" "));
    }
    text + "| `file` | every other one |\n"
}

fn limits() -> String {
    let mut text =
        "\n## Limits\n\nIn bytes of UTF-8.\n\n| what | most | what becomes of more |\n|---|---|---|\n"
            .to_owned();
    for row in LIMITS {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            row.about,
            thousands(row.bytes as u64),
            row.beyond
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_audio_of_whatsapp_has_no_caption() {
        for platform in platform::ALL {
            let files = on_channel(Makes::SendFile, &profile(*platform));
            assert_eq!(
                files.ends_with("; a longer one, and that of audio, is a message of its own"),
                *platform == platform::WHATSAPP,
                "{platform}: {files}"
            );
        }
    }
}
