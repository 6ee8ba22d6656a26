//! The secrets that are known, as data: the matcher, the documents and the console's lists read this table.

/// One kind of secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretRow {
    /// Its name, as holds and documents print it.
    pub id: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// A text in which it stands (made up), with what is shown of it.
    pub example: (&'static str, &'static str),
    /// Whether it is masked only when the setting of the same name is on.
    pub optional: bool,
    /// A regular expression over bytes. Its groups, or else all of it, are masked. `{NAME}` stands for a
    /// fragment of [`FRAGMENTS`].
    pub(super) pattern: &'static str,
}

impl SecretRow {
    /// How it looks: a regular expression over bytes (`\b`, `\d`, `\w` and `\s` are ASCII). Its groups, or else
    /// all of it, are masked.
    pub fn pattern(&self) -> String {
        written_out(self.pattern)
    }
}

/// The words that make the value after them a secret, as `password = …`, `"password": "…"` and the like.
/// Anything may stand before them (`DB_PASSWORD`), nothing between them and the sign; letters of any case,
/// and `-`, a space or nothing for `_`.
pub const WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "api_key",
    "access_key",
    "secret_key",
    "private_key",
    "auth_key",
    "credential",
    "credentials",
];

/// Parts of patterns, by name; each may name those behind it. `{WORDS}` is made of [`WORDS`], `{WIDE:c}` is
/// [`WIDE`] up to this byte.
pub(super) const FRAGMENTS: &[(&str, &str)] = &[
    // A quoted value: anything without white space up to the same quote. In `"…"` a quote may be escaped, and a
    // quotation may be escaped as a whole, as JSON in a string is.
    ("QUOTATION", r#"(?:"{WIDE:"}|\\"{WIDE:\"}|'{WIDE:'}|`{WIDE:`})"#),
    // A sign between a word and its value: as in code, in files, in JSON (escaped or not) and in Markdown.
    ("SIGN", r#"{COLON}(?:\\?["'`])?"#),
    (
        "COLON",
        r#"(?:\\?["'`\]*]){0,3}[ \t]{0,8}(?:=>|:=|=|:)\*{0,2}[ \t]{0,8}"#,
    ),
    // The name of a flag, up to its value.
    ("FLAG", r"--(?:[A-Za-z0-9]{1,16}[_-]){0,3}{WORDS}[ \t]{1,4}"),
    // What ends a value: a call or an index does not, so that code which fetches a secret stays.
    ("END", r#"(?:[\s"'`,;)\]}<\\*]|\z)"#),
    // Six characters or more with a digit or a sign among them, up to 120 more.
    (
        "VALUE",
        r"(?:(?:{MIXED}|{DOTTED}){V}{0,120}|{PLAIN}{U}{0,120}\.{0,3}|{NUMBER})",
    ),
    // A longer one needs no end.
    (
        "LONG",
        r"(?:(?:{MIXED}|{DOTTED}){V}{121}{V}*|{PLAIN}{U}{121}{V}*|[0-9]{100}{V}*)",
    ),
    // Digits alone: six in a row, or groups of four. A date, a time and `1000:1000` are none.
    (
        "NUMBER",
        r"(?:[0-9]{6}[0-9.:-]{0,114}|[0-9]{4}(?:-[0-9]{4}){2,5})",
    ),
    // It begins with a sign, or with a digit and is no number, date or time.
    (
        "MIXED",
        r"(?:[!#%@^+]{V}{5}|[0-9](?:{X}{V}{4}|{N}(?:{X}{V}{3}|{N}(?:{X}{V}{2}|{N}(?:{X}{V}|{N}{1,99}{X})))))",
    ),
    // It begins with a letter, and is not `name.name`.
    (
        "PLAIN",
        r"[A-Za-z\x80-\xff](?:{H}{U}{4}|{L}(?:{H}{U}{3}|{L}(?:{H}{U}{2}|{L}(?:{H}{U}|{L}{1,59}{H}))))",
    ),
    // It is `name.name`, but no name in a program has such a sign, or so many digits apart.
    (
        "DOTTED",
        r"[A-Za-z](?:{D}{4,60}[#%&@^+~$]|{D}{3}[#%&@^+~$]{V}|{D}{2}[#%&@^+~$]{V}{2}|{D}[#%&@^+~$]{V}{3}|{D}{3,60}[0-9]{D}{0,60}!|{D}{0,60}[0-9]{D}{3,60}!|[A-Za-z_.-]{0,30}[0-9]{3,6}[A-Za-z_.-]{1,30}[0-9]{3}|(?:[A-Za-z_.-]{0,30}[0-9]{1,6}[A-Za-z_.-]){2}[A-Za-z_.-]{0,30}[0-9])",
    ),
    ("D", r"[!0-9A-Za-z\x80-\xff._=?|-]"),
    // It begins with a letter, dots or not.
    (
        "LETTER",
        r"[A-Za-z\x80-\xff](?:{H}{V}{4}|{M}(?:{H}{V}{3}|{M}(?:{H}{V}{2}|{M}(?:{H}{V}|{M}{1,59}{H}))))",
    ),
    ("N", r"(?:[0-9TZ./-]|:[0-9TZ.-])"),
    ("X", r"(?::?[!#%&@^+~$\x80-\xffA-SU-Ya-z_=?|])"),
    ("H", r"(?:[.:]?[0-9#%&@^+~$])"),
    // No `:` before `/`: an address is no value. In `L` and `U`, no `.` before a name.
    (
        "L",
        r"(?:[!A-Za-z\x80-\xff_=?|/-]|:[!A-Za-z\x80-\xff._=?|-]|\.[!\x80-\xff=?|/-])",
    ),
    (
        "U",
        r"(?:[!#%&@^+~$\x80-\xff0-9A-Za-z_=?|/-]|:[!#%&@^+~$\x80-\xff0-9A-Za-z._=?|-]|\.[!#%&@^+~$\x80-\xff0-9=?|/-])",
    ),
    ("M", r"(?:[!A-Za-z\x80-\xff._=?|/-]|:[!A-Za-z\x80-\xff._=?|-])"),
    (
        "V",
        r"(?:[!#%&@^+~$\x80-\xff0-9A-Za-z._=?|/-]|:[!#%&@^+~$\x80-\xff0-9A-Za-z._=?|-])",
    ),
    // A cell of a table: two digits with a letter behind the first, so that `16384`, `varchar(64)` and `SHA-256`
    // are none.
    ("CELL", r"{T}{0,40}[0-9][A-Za-z]{T}{1,40}[0-9]{T}{0,40}"),
    ("T", r"[^\s|`*<>()\[]"),
];

/// A value up to a certain byte `{q}`, masked without it: anything but white space, with a digit or a sign
/// among its six characters or more, or very long. What begins as a variable, a path or a list is none.
const WIDE: &str = r"(?:((?:{F}{V}{5}|[0-9]{N}{0,30}{X}{V}{4}|{S}(?:{H}{V}{4}|{L}(?:{H}{V}{3}|{L}(?:{H}{V}{2}|{L}(?:{H}{V}|{L}{1,39}{H}))))){V}{0,80}:?){q}|([^\s{c}\\:$<{/.~\[*]{V}{100}{V}*))";
/// The parts of it; `{e}` is what may stand behind a backslash.
const WIDE_PARTS: &[(&str, &str)] = &[
    ("{F}", r"[!#%@^+]"),
    ("{S}", r"[^\s{c}\\:$<{/.~\[*0-9!#%@^+]"),
    ("{N}", r"[0-9TZ./:-]"),
    ("{X}", r"[^\s{c}\\:\[0-9TZ./-]"),
    ("{H}", r"(?::?[0-9#%&@^+~$])"),
    ("{L}", r"(?::?[^\s{c}\\:/\[0-9#%&@^+~$]|/|\[[^\s{c}\\r]{e})"),
    ("{V}", r"(?:[^\s{c}\\:\[]|:[^\s{c}\\:/\[]|\[[^\s{c}\\r]{e})"),
];

macro_rules! secrets {
    ($( $id:literal, $about:literal, $pattern:literal, $text:literal => $shown:literal $(, $optional:ident)? ;)+) => {
        /// Every kind of secret.
        pub const SECRETS: &[SecretRow] = &[$(
            SecretRow {
                id: $id,
                about: $about,
                example: ($text, $shown),
                optional: false $(|| stringify!($optional).len() > 0)?,
                pattern: $pattern,
            }
        ),+];
    };
}

secrets! {
    "sk", "API keys of OpenAI, Anthropic, Letta, OpenRouter and others",
        r"\bsk-(?:(?:proj|svcacct|admin|service|live|test|let|None|or-v1|ant(?:-[a-z]{2,8}[0-9]{2})?)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9_]{20,}[A-Za-z0-9_-]*)",
        "use sk-proj-Abc123Abc123Abc123Abc123" => "use [redacted]";
    "github", "GitHub tokens",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789" => "[redacted]";
    "gitlab", "GitLab tokens",
        r"\bgl(?:pat|ptt|dt|rt|oas|cbt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,}",
        "glpat-abcdefghij0123456789" => "[redacted]";
    "slack", "Slack tokens",
        r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}",
        "xoxb-123456789012-abcdefABCDEF" => "[redacted]";
    "slack-webhook", "Slack webhook addresses",
        r"\bhooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})",
        "https://hooks.slack.com/services/T00000000/B00000000/abcdefABCDEF" => "https://hooks.slack.com/services/[redacted]";
    "discord-webhook", "Discord webhook addresses",
        r"\bdiscord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{30,})",
        "https://discord.com/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz0123" => "https://discord.com/api/webhooks/123456789012345678/[redacted]";
    "discord", "Discord bot tokens",
        r"\b[MNO][DTjz][A-Za-z0-9_-]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        "MTAxMDEwMTAxMDEwMTAxMDEw.Gabcde.abcdefghijklmnopqrstuvwxyz012" => "[redacted]";
    "telegram", "Telegram bot tokens",
        r"\b[0-9]{8,10}:[A-Za-z0-9_-]{34,}",
        "123456789:AAabcdefghijklmnopqrstuvwxyz0123456" => "[redacted]";
    "meta", "Access tokens of Meta, such as WhatsApp's",
        r"\bEAA[A-Za-z0-9]{40,}",
        "EAAGm0PX4ZCpsBAabcdefghijklmnopqrstuvwxyz0123456789ZD" => "[redacted]";
    "elevenlabs", "API keys of ElevenLabs",
        r"\bsk_[0-9a-f]{32,}",
        "sk_0123456789abcdef0123456789abcdef0123456789abcdef" => "[redacted]";
    "aws", "AWS access key ids",
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
        "AKIAIOSFODNN7EXAMPLE is the id" => "[redacted] is the id";
    "aws-secret", "AWS secret access keys, after their name",
        r"(?i:aws_?secret_?(?:access_?)?key|secret_?access_?key){SIGN}([A-Za-z0-9/+=]{40})",
        "secret_access_key = /JalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" => "secret_access_key = [redacted]";
    "google", "Google API keys and OAuth secrets",
        r"\b(?:AIza[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})",
        "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234" => "[redacted]";
    "stripe", "Stripe keys and webhook secrets",
        r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})",
        "sk_live_abcdefghijklmnop0123" => "[redacted]";
    "vendor", "Keys of npm, PyPI, Hugging Face, SendGrid, Groq, xAI, DigitalOcean, Shopify, Vault and age",
        r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|dop_v1_[0-9a-f]{60,}|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}|hv[bs]\.[A-Za-z0-9_-]{24,}|AGE-SECRET-KEY-1[0-9A-Z]{50,})",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789" => "[redacted]";
    "jwt", "JSON Web Tokens",
        r"\beyJ[A-Za-z0-9_-]{8,320}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl" => "[redacted]";
    "bearer", "What follows `Bearer` and looks like a token",
        r"(?:(?i:\bbearer)[ \t]{1,4}(?:((?:{MIXED}|{LETTER}){V}{0,120}){END}|((?:{MIXED}|{LETTER}){V}{121}{V}*))|\bBearer[ \t]{1,4}({NUMBER}){END})",
        "sent with Bearer abc123def456" => "sent with Bearer [redacted]";
    "authorization", "What follows the scheme in an Authorization header",
        r"(?i:authorization){SIGN}(?i:basic|bearer|token|digest|apikey)[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,})",
        "Authorization: Basic dXNlcjpwYXNzd29yZA==" => "Authorization: Basic [redacted]";
    "url", "User and password in an address, also a long key in their place",
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://((?:[^\s/:@<>\x22'?#]|#\*){0,64}:[^\s/@<>\x22']{1,160}(?:@[^\s/<>\x22'?#]{0,160})?|[0-9A-Fa-f]{20,128}|[A-Za-z_-]{0,16}[0-9][0-9A-Za-z_=+-]{23,128})@",
        "postgres://app:hunter2@db/main" => "postgres://[redacted]@db/main";
    "private-key", "Private keys in PEM form",
        r"(-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|[\r\n]| )(?:[ \t>]{0,4}[A-Za-z-]{1,24}: [^\r\n\\]{1,80}(?:\\r|\\n|[\r\n])){0,3}(?:\\r|\\n|[\r\n \t>]){0,8}[A-Za-z0-9+/]{16}(?:[A-Za-z0-9+/=]|(?:\\r|\\n|[\r\n])[ \t>]{0,4})*(?: ?-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----)?)",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----" => "[redacted]";
    "named", "A value after a word of the list, such as `password = …`",
        r"{WORDS}{SIGN}(?:({VALUE}){END}|({LONG})|([A-Za-z]{20,100}){END})",
        "DB_PASSWORD=hunter2" => "DB_PASSWORD=[redacted]";
    "quoted", "A quoted value after a word of the list, whatever signs are in it",
        r"(?:{WORDS}{COLON}|{FLAG}){QUOTATION}",
        "password='it,s3cret(9)long'" => "password='[redacted]'";
    "named-quoted", "A quoted value after a word of the list, also without a digit",
        r#"{WORDS}{COLON}\\?["'`]([A-Za-z_-]{12,120})\\?["'`]"#,
        r#"{"client_secret": "correcthorsebattery"}"# => r#"{"client_secret": "[redacted]"}"#;
    "command", "A password on a command line: behind a flag named by a word of the list, or of `curl -u`",
        r#"(?:{FLAG}["'`]?(?:({VALUE}){END}|({LONG}))|\bcurl\b(?:[^\n]|\\\n)*[ \t](?:-u|-U|--user|--proxy-user)[ \t=]{0,2}["']?([^\s:"'`$<{\[]{1,64}:[^\s"'`$<{\[][^\s"'`]*))"#,
        "mysql --password hunter2zz9 -u app" => "mysql --password [redacted] -u app";
    "element", "A value in an XML element or behind a table cell named by a word of the list",
        r"(?:{WORDS}>{WIDE:</}|{WORDS}[ \t*`_:]{0,8}\|[ \t*`]{0,8}({CELL})[ \t*`]{0,8}\|)",
        "<password>hunter2zz9</password>" => "<password>[redacted]</password>";
    "azure", "Azure account keys and signatures, after their name",
        r"(?:(?i:account_?key){SIGN}([A-Za-z0-9+/]{40,}={0,2})|[?&]sig=([A-Za-z0-9%+/_-]{40,}))",
        "AccountKey=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST==;x" => "AccountKey=[redacted];x";
    "masked", "What the journal wrote for a secret that was masked before",
        r"#\*{4,}",
        "the key #*************" => "the key [redacted]";
    "email", "E-mail addresses",
        r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}\b",
        "write to ada@example.org" => "write to [redacted]", email;
    "phone", "Phone numbers",
        r"(?:\+[1-9](?:[ ().-]{0,2}[0-9]){7,13}|\(?\b[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4})\b",
        "call +49 30 1234567" => "call [redacted]", phone;
}

/// The pattern of a row, written out.
fn written_out(pattern: &str) -> String {
    let words: Vec<String> = WORDS.iter().map(|word| word.replace('_', "[ _-]?")).collect();
    let words = format!("(?i:{})", words.join("|"));
    let mut out = pattern.to_owned();
    for (name, fragment) in FRAGMENTS {
        out = out.replace(&format!("{{{name}}}"), fragment);
    }
    for end in ["\"", "\\\"", "'", "`", "</"] {
        out = out.replace(&format!("{{WIDE:{end}}}"), &wide(end));
    }
    out.replace("{WORDS}", &words)
}

/// [`WIDE`] up to this quote, which may be escaped.
fn wide(end: &str) -> String {
    // Inside of quotes that are not escaped a backslash goes with what follows it.
    let (close, escape) = match end.strip_prefix('\\') {
        Some(quote) => (format!(r"\\{quote}"), ""),
        None => (end.to_owned(), r"|\\[^\s]"),
    };
    let mut out = WIDE.replace("{q}", &close);
    for (name, part) in WIDE_PARTS {
        out = out.replace(name, part);
    }
    out.replace("{c}", end.trim_matches(['\\', '/']))
        .replace("{e}", escape)
}
