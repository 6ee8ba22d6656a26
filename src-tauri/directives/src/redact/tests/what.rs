//! What is masked and what is not.

use crate::redact::{Patterns, RedactSettings, SECRETS};

fn shown(text: &str) -> String {
    Patterns::new(&RedactSettings::default())
        .redact(text)
        .into_owned()
}

#[test]
fn every_row_masks_its_example() {
    let settings = RedactSettings {
        email: true,
        phone: true,
        ..RedactSettings::default()
    };
    let patterns = Patterns::new(&settings);
    for row in SECRETS {
        let (text, expected) = row.example;
        assert_eq!(patterns.redact(text), expected, "{}", row.id);
    }
}

#[test]
fn each_example_needs_its_row() {
    let settings = RedactSettings {
        email: true,
        phone: true,
        ..RedactSettings::default()
    };
    for row in SECRETS {
        let without = Patterns::without(&settings, row.id);
        let (text, expected) = row.example;
        assert_ne!(without.redact(text), expected, "{} makes no difference", row.id);
    }
}

#[test]
fn the_keys_of_each_vendor_are_masked_without_a_word_before_them() {
    for (start, length) in [
        ("npm_", 36),
        ("pypi-", 60),
        ("hf_", 34),
        ("gsk_", 52),
        ("xai-", 80),
        ("dop_v1_", 64),
        ("shpat_", 32),
        ("hvs.", 40),
        ("AGE-SECRET-KEY-1", 58),
    ] {
        // Digits are hexadecimal, base 32 and capital at once.
        let key = format!("{start}{}", "0123456789".repeat(9).split_at(length).0);
        assert_eq!(
            shown(&format!("it is {key}, see")),
            "it is [redacted], see",
            "{start}"
        );
    }
    let key = "SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG";
    assert_eq!(shown(key), "[redacted]");
}

#[test]
fn mail_and_phone_are_masked_only_when_asked_for() {
    for row in SECRETS.iter().filter(|row| row.optional) {
        assert_eq!(shown(row.example.0), row.example.0, "{}", row.id);
    }
    assert_eq!(SECRETS.iter().filter(|row| row.optional).count(), 2);
}

#[test]
fn secrets_are_masked_wherever_they_stand() {
    let key = "sk-abcdefghijklmnopqrstuvwx";
    for (before, after) in [
        ("", ""),
        ("(", ")"),
        ("`", "`"),
        ("```\n", "\n```"),
        ("\"", "\","),
        ("ключ", " ключ"),
        ("äöü ", " 👍"),
        ("key:", "."),
        ("https://x.org/?k=", "&y=1"),
        ("<b>", "</b>"),
        ("| ", " |"),
        ("**", "**"),
    ] {
        assert_eq!(
            shown(&format!("{before}{key}{after}")),
            format!("{before}[redacted]{after}"),
            "{before}"
        );
    }
    assert_eq!(shown(&format!("{key} and {key}")), "[redacted] and [redacted]");
}

#[test]
fn values_after_a_word_of_the_list_are_masked() {
    for (text, expected) in [
        ("password: hunter2", "password: [redacted]"),
        ("Password = S3cret!pass", "Password = [redacted]"),
        ("DB_PASSWORD=hunter2\nPORT=1", "DB_PASSWORD=[redacted]\nPORT=1"),
        (
            "export GITHUB_TOKEN=abc123def456",
            "export GITHUB_TOKEN=[redacted]",
        ),
        (
            r#"{"api_key": "a1b2c3d4e5", "n": 1}"#,
            r#"{"api_key": "[redacted]", "n": 1}"#,
        ),
        (
            r#"{\"password\": \"hunter22\"}"#,
            r#"{\"password\": \"[redacted]\"}"#,
        ),
        ("apiKey: 'a1b2c3d4'", "apiKey: '[redacted]'"),
        ("**Password:** `hunter22`", "**Password:** `[redacted]`"),
        (
            "connect(password=\"hunter22\")",
            "connect(password=\"[redacted]\")",
        ),
        ("passwd=pässwort1", "passwd=[redacted]"),
        (
            "client-secret := 8f14e45fceea167a5a36dedd4bea2543",
            "client-secret := [redacted]",
        ),
        ("api_key=abcdefghijklmnopqrstuvwxyz", "api_key=[redacted]"),
        ("?token=abc123def456", "?token=[redacted]"),
        ("secret: ab:cd:12:34", "secret: [redacted]"),
    ] {
        assert_eq!(shown(text), expected);
    }
    let long = "a1".repeat(400);
    assert_eq!(shown(&format!("token={long} end")), "token=[redacted] end");
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in [
        "the token is missing",
        "Your password is required.",
        "the bearer of news",
        "bearer authentication is on",
        "password = input()",
        "password = input(\"Password: \")",
        "password = getpass.getpass()",
        "token = os.environ[\"TOKEN\"]",
        "api_key = os.getenv('API_KEY1')",
        "secret = config.secret",
        "token: string",
        "password: str = None",
        "token: Option<String>,",
        "token: &str,",
        "export TOKEN=$TOKEN1",
        "TOKEN=${TOKEN_V2}",
        "password=<your-password>",
        "password: ********",
        "token: ...",
        "secret: /run/secrets/db1",
        "token: https://auth.example.com/oauth2/token",
        "\"token\": null",
        "\"password\": \"string\"",
        "max_tokens: 16384000",
        "The secret: patience!",
        "secret: größere Dinge",
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "commit e69de29 fixes it",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "d41d8cd98f00b204e9800998ecf8427e",
        "sk-learn-based-classification-models are fine",
        "sk-SK is a locale",
        "ask-abcdefghijklmnopqrstuvwx",
        "ghp_short",
        "AKIA is a prefix",
        "the AKIAIOSFODNN7EXAMPLETOOLONG one",
        "eyJhbGciOiJIUzI1NiJ9 alone",
        "https://example.com:8080/path@home",
        "http://[::1]:80/",
        "git@github.com:me/it.git",
        "ssh://git@github.com/me/it",
        "12:30:45 and 2024-01-01T10:00:00Z",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUabc=\n-----END CERTIFICATE-----",
        "A line -----BEGIN PRIVATE KEY----- begins a key.",
        "C# **** and #*** are short",
        "ada@example.org, +49 30 1234567",
        "Mississippi, Norway, Ontario.",
        "xoxb tokens begin with xoxb-",
        "hooks.slack.com/services/ is the address",
    ] {
        assert_eq!(shown(text), text);
    }
}

#[test]
fn a_private_key_goes_to_its_end_and_no_further() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(26);
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----");
    assert_eq!(
        shown(&format!("here:\n{key}\nThat was it.")),
        "here:\n[redacted]\nThat was it."
    );
    let cut = &key[..key.len() - 100];
    assert_eq!(shown(cut), "[redacted]");
    let lines = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n";
    assert_eq!(
        shown(&format!("{lines}{body}-----END RSA PRIVATE KEY-----.")),
        "[redacted]."
    );
    let json = key.replace('\n', "\\n");
    assert_eq!(
        shown(&format!("{{\"private_key\": \"{json}\\n\"}}")),
        "{\"private_key\": \"[redacted]\\n\"}"
    );
    let indented = key.replace('\n', "\r\n    ");
    assert_eq!(shown(&format!("    {indented}\n")), "    [redacted]\n");
}

#[test]
fn what_is_masked_is_not_masked_again() {
    let text = "key [redacted] and password: [redacted], Bearer [redacted]";
    assert_eq!(shown(text), text);
}

/// The `#` of the journal's masks ends no name in an address, so that a password behind one is masked, too.
#[test]
fn a_masked_name_in_an_address_keeps_its_password_masked() {
    for text in [
        "https://#****a:b@host",
        "https://npm_#************--a:b@host",
        "https://a#****:#****@host",
    ] {
        let once = shown(text);
        assert_eq!(once, "https://[redacted]@host", "{text}");
        assert_eq!(shown(&once), once);
    }
    // Any other `#` begins the place within a page.
    assert_eq!(shown("https://host#a:b@c"), "https://host#a:b@c");
}
