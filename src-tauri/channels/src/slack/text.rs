//! Text as people write it, out of the form in which Slack tells of it:
//! <https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages>.

/// Whether a text names this user. What a person only typed, angle brackets and all, comes escaped.
pub(super) fn mentions(text: &str, user: &str) -> bool {
    parts(text).any(|part| matches!(part, Part::Special(inner) if person(inner) == Some(user)))
}

/// The text with everything between angle brackets in words; people stay `<@ID>`, which is how they are named.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => out.push_str(&unescaped(text)),
            Part::Special(inner) => out.push_str(&words(inner)),
        }
    }
    out
}

enum Part<'a> {
    Text(&'a str),
    /// What stands between angle brackets.
    Special(&'a str),
}

fn parts(mut rest: &str) -> impl Iterator<Item = Part<'_>> {
    std::iter::from_fn(move || {
        let special = rest
            .strip_prefix('<')
            .and_then(|inner| inner.split_once('>'))
            .map(|(inner, after)| (Part::Special(inner), after));
        let (part, after) = special.or_else(|| {
            let first = rest.chars().next()?;
            let end = rest[first.len_utf8()..].find('<');
            let (text, after) = rest.split_at(end.map_or(rest.len(), |at| at + first.len_utf8()));
            Some((Part::Text(text), after))
        })?;
        rest = after;
        Some(part)
    })
}

fn person(inner: &str) -> Option<&str> {
    let id = inner.strip_prefix('@')?;
    Some(id.split_once('|').map_or(id, |(id, _)| id))
}

fn words(inner: &str) -> String {
    if let Some(id) = person(inner) {
        return format!("<@{id}>");
    }
    let (what, label) = inner.split_once('|').unwrap_or((inner, ""));
    let (what, label) = (unescaped(what), unescaped(label));
    match what.chars().next() {
        Some('#') if !label.is_empty() => format!("#{label}"),
        Some('#') => what,
        // A group or a date is shown as its label, everybody by name.
        Some('!') if label.is_empty() => what.replacen('!', "@", 1),
        Some('!') => label,
        _ if label.is_empty() || what.split_once(':').is_some_and(|(_, address)| address == label) => {
            what.strip_prefix("mailto:").unwrap_or(&what).to_owned()
        }
        _ if what.ends_with(&label) => what,
        _ => format!("{label} ({what})"),
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote() {
        for (told, written) in [
            ("hello", "hello"),
            ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
            ("&amp;lt; stays", "&lt; stays"),
            ("<@U1> and <@U2|ana>!", "<@U1> and <@U2>!"),
            ("in <#C1|general> or <#C2>", "in #general or #C2"),
            (
                "<!here> <!channel> <!everyone|everyone>",
                "@here @channel everyone",
            ),
            ("<!subteam^S1|@team> <!date^1^{date}|today>", "@team today"),
            ("see <https://e.org/?a=1&amp;b=2>", "see https://e.org/?a=1&b=2"),
            ("see <https://e.org|the page>", "see the page (https://e.org)"),
            ("see <http://e.org|e.org>", "see http://e.org"),
            ("<mailto:a@e.org|a@e.org>", "a@e.org"),
            ("<tel:123|123>", "tel:123"),
            ("a < b, <unclosed", "a < b, <unclosed"),
            ("é<é>é", "ééé"),
            ("", ""),
        ] {
            assert_eq!(plain(told), written, "{told}");
        }
    }

    #[test]
    fn a_mention_is_more_than_its_letters() {
        assert!(mentions("hi <@U1>", "U1") && mentions("<@U1|bot>: go", "U1"));
        for text in ["hi @U1", "&lt;@U1&gt;", "<@U12>", "<!U1>", "<@U1", "U1"] {
            assert!(!mentions(text, "U1"), "{text}");
        }
    }
}
