//! The markups of the platforms, one row each.

use foldback_wire::Markup;

/// What opens and closes something.
pub(super) type Marks = (&'static str, &'static str);

/// How a markup writes things.
#[derive(Debug)]
pub(super) struct Style {
    pub(super) bold: Marks,
    pub(super) italic: Marks,
    pub(super) strike: Marks,
    pub(super) bullet: &'static str,
    code: Marks,
    /// What stands for the characters that would be read as markup.
    escapes: &'static [(char, &'static str)],
    form: Form,
}

/// What marks alone do not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Tags: `<pre>`, `<blockquote>`, `<a>`.
    Tags,
    /// Lines: a fence before and after code, `>` before each line of a quotation; links as `<address|text>`.
    Mrkdwn,
    /// The same, with links in words.
    Lines,
    /// Nothing but text.
    Plain,
}

const XML: &[(char, &str)] = &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;")];

/// <https://core.telegram.org/bots/api#html-style>
static HTML: Style = Style {
    bold: ("<b>", "</b>"),
    italic: ("<i>", "</i>"),
    strike: ("<s>", "</s>"),
    code: ("<code>", "</code>"),
    bullet: "• ",
    escapes: XML,
    form: Form::Tags,
};

/// <https://docs.slack.dev/messaging/formatting-message-text>
static MRKDWN: Style = Style {
    bold: ("*", "*"),
    italic: ("_", "_"),
    strike: ("~", "~"),
    code: ("`", "`"),
    bullet: "• ",
    escapes: XML,
    form: Form::Mrkdwn,
};

/// <https://faq.whatsapp.com/539178204879377>
static WHATSAPP: Style = Style {
    bold: ("*", "*"),
    italic: ("_", "_"),
    strike: ("~", "~"),
    code: ("`", "`"),
    bullet: "- ",
    escapes: &[],
    form: Form::Lines,
};

static PLAIN: Style = Style {
    bold: ("", ""),
    italic: ("", ""),
    strike: ("", ""),
    code: ("", ""),
    bullet: "- ",
    escapes: &[],
    form: Form::Plain,
};

/// Plain text with marks around what is emphasised, which [`super::ranges`] takes out again.
static MARKED: Style = Style {
    bold: ("\u{FDD0}", "\u{FDD1}"),
    italic: ("\u{FDD2}", "\u{FDD3}"),
    strike: ("\u{FDD4}", "\u{FDD5}"),
    code: ("\u{FDD6}", "\u{FDD7}"),
    bullet: "- ",
    escapes: &[],
    form: Form::Plain,
};

/// For what a platform that reads Markdown is given in place of a table.
static MARKDOWN: Style = Style {
    bold: ("**", "**"),
    italic: ("*", "*"),
    strike: ("~~", "~~"),
    code: ("`", "`"),
    bullet: "- ",
    escapes: &[],
    form: Form::Lines,
};

impl Style {
    pub(super) fn of(markup: Markup) -> &'static Self {
        match markup {
            Markup::Html => &HTML,
            Markup::Mrkdwn => &MRKDWN,
            Markup::Whatsapp => &WHATSAPP,
            Markup::Markdown => &MARKDOWN,
            Markup::Plain => &PLAIN,
        }
    }

    pub(super) fn marked() -> &'static Self {
        &MARKED
    }

    pub(super) fn escaped(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match self.escapes.iter().find(|(special, _)| *special == c) {
                Some((_, written)) => out.push_str(written),
                None => out.push(c),
            }
        }
        out
    }

    pub(super) fn code(&self, text: &str) -> String {
        let escaped = self.escaped(text);
        // Between single backticks there can be none; between three, which both platforms take within a line, there can.
        if self.code.0 == "`" && text.contains('`') && !text.contains("```") {
            let (before, after) = (text.starts_with('`'), text.ends_with('`'));
            let space = |needed| if needed { " " } else { "" };
            return ["```", space(before), &escaped, space(after), "```"].concat();
        }
        [self.code.0, &escaped, self.code.1].concat()
    }

    /// A block of code. Its text is not escaped yet.
    pub(super) fn block(&self, language: Option<&str>, text: &str) -> String {
        let text = self.escaped(text);
        match (self.form, language) {
            (Form::Tags, Some(language)) => {
                let language = self.escaped(language).replace('"', "&quot;");
                format!("<pre><code class=\"language-{language}\">{text}</code></pre>")
            }
            (Form::Tags, None) => format!("<pre>{text}</pre>"),
            (Form::Mrkdwn | Form::Lines, _) => {
                let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
                let fence = "`".repeat(longest.max(2) + 1);
                format!("{fence}\n{text}\n{fence}")
            }
            (Form::Plain, _) => [self.code.0, &text, self.code.1].concat(),
        }
    }

    /// A quotation. Telegram nests none.
    pub(super) fn quote(&self, text: &str, nested: bool) -> String {
        match self.form {
            Form::Tags if nested => text.to_owned(),
            Form::Tags => format!("<blockquote>{text}</blockquote>"),
            _ => {
                let lines: Vec<_> = text.lines().map(|line| format!("> {line}")).collect();
                lines.join("\n")
            }
        }
    }

    /// A link; `text` is rendered already.
    pub(super) fn link(&self, text: &str, address: &str) -> String {
        let escaped = self.escaped(address);
        match self.form {
            _ if address.is_empty() || text == escaped => text.to_owned(),
            Form::Tags => format!("<a href=\"{}\">{text}</a>", escaped.replace('"', "&quot;")),
            // A bar or an angle bracket would end the address; without a scheme it could be a mention, as in
            // `<!everyone|…>`.
            Form::Mrkdwn if has_scheme(address) && !address.contains(['|', '<', '>', '\n']) => {
                format!("<{escaped}|{text}>")
            }
            _ if text.is_empty() => escaped,
            _ => format!("{text} ({escaped})"),
        }
    }
}

/// Whether an address begins with a scheme, such as `https:`.
/// <https://www.rfc-editor.org/rfc/rfc3986#section-3.1>
fn has_scheme(address: &str) -> bool {
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}
