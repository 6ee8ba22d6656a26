//! One text in every markup, and what holds for any text.

use super::render;
use foldback_wire::Markup;
use proptest::prelude::*;

const SAMPLE: &str = "\
# The week

Hello **Ana**, it's _done_ — ~~late~~ on time: `a < b && c`.
A second line, snake_case and 2*3*4 and un**believ**able.

- one
- two **bold**
  1. inner
  2. last
- [x] ready

> A quote
> in two lines

```rust
let x = \"<b>\" & y;
```

| name | size |
| --- | ---: |
| a.txt | 5 |
| größe | 12 |

See [the site](https://example.org/?a=1&b=2) or <https://example.org>.
#### Small";

#[test]
fn html() {
    let expected = "\
<b>The week</b>

Hello <b>Ana</b>, it's <i>done</i> — <s>late</s> on time: <code>a &lt; b &amp;&amp; c</code>.
A second line, snake_case and 2*3*4 and un**believ**able.

• one
• two <b>bold</b>
  1. inner
  2. last
• ☑ ready

<blockquote>A quote
in two lines</blockquote>

<pre><code class=\"language-rust\">let x = \"&lt;b&gt;\" &amp; y;</code></pre>

<pre>name  | size
------+-----
a.txt |    5
größe |   12</pre>

See <a href=\"https://example.org/?a=1&amp;b=2\">the site</a> or https://example.org.
<b>Small</b>";
    assert_eq!(render(SAMPLE, Markup::Html), expected);
}

#[test]
fn mrkdwn() {
    let expected = "\
*The week*

Hello *Ana*, it's _done_ — ~late~ on time: `a &lt; b &amp;&amp; c`.
A second line, snake_case and 2*3*4 and un**believ**able.

• one
• two *bold*
  1. inner
  2. last
• ☑ ready

> A quote
> in two lines

```
let x = \"&lt;b&gt;\" &amp; y;
```

```
name  | size
------+-----
a.txt |    5
größe |   12
```

See <https://example.org/?a=1&amp;b=2|the site> or https://example.org.
*Small*";
    assert_eq!(render(SAMPLE, Markup::Mrkdwn), expected);
}

#[test]
fn whatsapp() {
    let expected = "\
*The week*

Hello *Ana*, it's _done_ — ~late~ on time: `a < b && c`.
A second line, snake_case and 2*3*4 and un**believ**able.

- one
- two *bold*
  1. inner
  2. last
- ☑ ready

> A quote
> in two lines

```
let x = \"<b>\" & y;
```

```
name  | size
------+-----
a.txt |    5
größe |   12
```

See the site (https://example.org/?a=1&b=2) or https://example.org.
*Small*";
    assert_eq!(render(SAMPLE, Markup::Whatsapp), expected);
}

#[test]
fn plain() {
    let expected = "\
The week

Hello Ana, it's done — late on time: a < b && c.
A second line, snake_case and 2*3*4 and un**believ**able.

- one
- two bold
  1. inner
  2. last
- ☑ ready

> A quote
> in two lines

let x = \"<b>\" & y;

name  | size
------+-----
a.txt |    5
größe |   12

See the site (https://example.org/?a=1&b=2) or https://example.org.
Small";
    assert_eq!(render(SAMPLE, Markup::Plain), expected);
}

#[test]
fn markdown_stays_but_for_tables_and_small_headings() {
    let table = "\
```
name  | size
------+-----
a.txt |    5
größe |   12
```
";
    let start = SAMPLE.find("| name").unwrap();
    let end = SAMPLE.find("\nSee").unwrap();
    let expected = [&SAMPLE[..start], table, &SAMPLE[end..]].concat();
    assert_eq!(
        render(SAMPLE, Markup::Markdown),
        expected
            .replace("#### Small", "**Small**")
            .replace("2*3*4", "2\\*3\\*4")
    );
}

#[test]
fn an_address_keeps_its_stars_and_dashes() {
    for address in [
        "https://e.org/*a*",
        "see https://e.org/x?_y_=1&z",
        "http://e.org/~~a~~/**b**",
    ] {
        for markup in [Markup::Mrkdwn, Markup::Whatsapp, Markup::Plain, Markup::Markdown] {
            let sent = address.replace('&', if markup == Markup::Mrkdwn { "&amp;" } else { "&" });
            assert_eq!(render(address, markup), sent);
        }
    }
    assert_eq!(render("https://e.org *a*", Markup::Whatsapp), "https://e.org _a_");
    assert_eq!(render("a://b*c*", Markup::Plain), "a://b*c*");
    for address in [
        "https://e.org/a_(b)/*c*",
        "http://[::1]:80/*c*",
        "https://bücher.org/*c*",
    ] {
        assert_eq!(render(address, Markup::Whatsapp), address);
    }
}

#[test]
fn what_follows_an_address_without_a_blank_is_no_part_of_it() {
    for (text, sent) in [
        (
            "See [docs](https://e.org)—**required**.",
            "See docs (https://e.org)—*required*.",
        ),
        ("[a](https://e.org/b_(c)):**d**", "a (https://e.org/b_(c)):*d*"),
        ("(https://e.org)**a**", "(https://e.org)*a*"),
        ("[see https://e.org]**a**", "[see https://e.org]*a*"),
        ("<https://e.org>**a**", "https://e.org*a*"),
        ("https://e.org，**a**", "https://e.org，*a*"),
    ] {
        assert_eq!(render(text, Markup::Whatsapp), sent);
        for (markup, bold) in [(Markup::Mrkdwn, ("*", "*")), (Markup::Html, ("<b>", "</b>"))] {
            let sent = render(text, markup);
            let (_, bold_text) = sent.split_once(bold.0).unwrap_or_else(|| panic!("{sent}"));
            assert!(bold_text.contains(bold.1) && !sent.contains("**"), "{sent}");
        }
    }
}

#[test]
fn a_table_keeps_products_and_the_addresses_of_links() {
    let table = "| a |\n| - |\n| 2*3*4 **b** un**x**ed |\n| [site](https://e.org) <https://e.org> |";
    let expected =
        "a\n-----------------------------------\n2*3*4 b un**x**ed\nsite (https://e.org) https://e.org";
    let sent = render(table, Markup::Plain);
    let lines = |text: &str| {
        text.lines()
            .map(|line| line.trim_end().to_owned())
            .filter(|line| !line.starts_with('-'))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&sent), lines(expected));
}

#[test]
fn a_product_is_no_emphasis() {
    for (markdown, markdown_platform) in [
        ("2*3*4", "2\\*3\\*4"),
        ("a*b*c and *d*", "a\\*b\\*c and *d*"),
        ("un**believ**able", "un**believ**able"),
        ("| 2*3*4 |\n| - |", "```\n2*3*4\n```"),
        ("`2*3*4`", "`2*3*4`"),
        ("#### 2*3*4", "**2*3*4**"),
    ] {
        assert_eq!(
            render(markdown, Markup::Markdown),
            markdown_platform,
            "{markdown}"
        );
    }
}

#[test]
fn code_with_a_backtick_stands_between_three() {
    for markup in [Markup::Mrkdwn, Markup::Whatsapp] {
        assert_eq!(render("run `` a`b `` now", markup), "run ```a`b``` now");
        assert_eq!(render("`` `a` ``", markup), "``` `a` ```");
        assert_eq!(render("`plain`", markup), "`plain`");
    }
}

#[test]
fn unfinished_markup_is_text() {
    for (markdown, html) in [
        ("Hello **Ana", "Hello **Ana"),
        ("```\nlet x", "<pre>let x</pre>"),
        ("[a](http://", "[a](http://"),
        ("| a | b |\n| --", "| a | b |\n| --"),
        (
            "<div class=\"x\">\nhi\n</div>",
            "&lt;div class=\"x\"&gt;\nhi\n&lt;/div&gt;",
        ),
        ("", ""),
    ] {
        assert_eq!(render(markdown, Markup::Html), html, "{markdown}");
    }
}

#[test]
fn quotes_nest_where_they_can() {
    let markdown = "> a\n> > b\n\nc";
    assert_eq!(
        render(markdown, Markup::Html),
        "<blockquote>a\nb</blockquote>\n\nc"
    );
    assert_eq!(render(markdown, Markup::Mrkdwn), "> a\n> > b\n\nc");
}

#[test]
fn nothing_an_agent_writes_is_a_mention_on_slack() {
    for text in [
        "<!everyone>",
        "<@U123|Ana> and <#C1>",
        "[all](!everyone)",
        "[all](<!here|x>)",
        "[all](&#33;channel)",
        "[all](\\!channel)",
        "[all](< !channel>)",
        "[you](@U123)",
        "![you](@U123)",
        "[room](#C123)",
        "[later](!date^1392734382^{date}^https://example.org)",
        "[x]: !here\n\n[x]",
        "`<!here>` and\n\n    <!here>",
        "| <!here> |\n| - |\n| <@U1> |",
    ] {
        let rendered = render(text, Markup::Mrkdwn);
        assert!(!rendered.contains('<'), "{text:?}: {rendered}");
    }
    let links = render(
        "[a](https://e.org/?a=1&b) [b](mailto:a@e.org) <https://e.org>",
        Markup::Mrkdwn,
    );
    assert_eq!(
        links,
        "<https://e.org/?a=1&amp;b|a> <mailto:a@e.org|b> https://e.org"
    );
}

/// The tags that Telegram reads, in their order: none is left open, none closes another.
fn is_well_formed(html: &str) -> bool {
    let mut open = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let Some(end) = rest[at..].find('>') else {
            return false;
        };
        let tag = &rest[at + 1..at + end];
        match tag.strip_prefix('/') {
            Some(name) if open.pop() == Some(name) => {}
            Some(_) => return false,
            None => open.push(tag.split(' ').next().unwrap_or_default()),
        }
        rest = &rest[at + end + 1..];
    }
    open.is_empty()
}

proptest! {
    #[test]
    fn any_text_is_rendered(text in "[ \n*_~`#>|<&a-c1.\\-\\[\\]()!\\\\é]{0,80}") {
        for markup in [Markup::Html, Markup::Mrkdwn, Markup::Whatsapp, Markup::Plain, Markup::Markdown] {
            let rendered = render(&text, markup);
            let words = |text: &str| text.chars().filter(|c| matches!(c, 'a'..='c' | 'é')).count();
            if markup == Markup::Plain || markup == Markup::Markdown {
                prop_assert!(words(&rendered) <= words(&text), "nothing is invented: {rendered:?}");
            }
        }
        let html = render(&text, Markup::Html);
        prop_assert!(is_well_formed(&html), "{html:?}");
    }

    #[test]
    fn words_stay_as_they_are(text in "[A-Za-zé,.?!' ]{0,40}(\n{1,3}[A-Za-zé,.?!']{1,20})*") {
        let text: Vec<_> = text.trim().lines().map(str::trim_end).collect();
        let text = text.join("\n");
        for markup in [Markup::Html, Markup::Mrkdwn, Markup::Whatsapp, Markup::Plain, Markup::Markdown] {
            prop_assert_eq!(render(&text, markup), &text[..]);
        }
    }
}
