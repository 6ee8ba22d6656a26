//! `foldback lint`.

use crate::foldback::foldback;
use foldback_directives::{Code, Needs};
use serde_json::{Value, json};

#[test]
fn names_file_line_column_severity_and_code() {
    let ran = foldback(&["lint", "-"], "fine\nGrüße <actions>\n<react/>\n</actions>");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with("<stdin>:3:1: error missing-attribute "),
        "{}",
        ran.stdout
    );

    let columns = foldback(&["lint"], "Grüße <react emoji=\"👍\"/>");
    assert_eq!(columns.code, 0, "warnings alone are fine");
    assert!(
        columns.stdout.starts_with("<stdin>:1:7: warning bare-directive "),
        "{}",
        columns.stdout
    );

    let json = foldback(&["lint", "--format", "json"], "<react emoji=\"👍\"/>").json();
    assert_eq!(
        (json["line"].as_u64(), json["column"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(json["code"], "bare-directive");
}

#[test]
fn an_unreadable_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.txt");
    std::fs::write(&file, "<actions>").unwrap();
    let ran = foldback(&["lint", "no/such/file", file.to_str().unwrap()], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("unclosed-block"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no/such/file"), "{}", ran.stderr);
}

/// The log of a run over these texts, in files of these names, and its exit code.
fn sarif(files: &[(&str, &str)]) -> (Value, i32) {
    let folder = tempfile::tempdir().unwrap();
    let mut args = vec!["lint", "--format", "sarif"];
    let paths: Vec<String> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    args.extend(paths.iter().map(String::as_str));
    let ran = foldback(&args, "");
    (ran.json(), ran.code)
}

/// What the standard requires of every member that is written, by its section.
fn assert_is_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0", "3.13.2");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-2.1.0.json"));
    for run in log["runs"].as_array().unwrap() {
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert!(run["tool"]["driver"]["name"].is_string(), "3.19.8");
        assert_eq!(run["columnKind"], "unicodeCodePoints", "3.14.17");
        assert!(
            run["invocations"][0]["executionSuccessful"].is_boolean(),
            "3.20.14"
        );
        for rule in rules {
            for text in ["shortDescription", "fullDescription", "help"] {
                assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "3.49: {rule}");
            }
            assert_level(&rule["defaultConfiguration"]["level"]);
        }
        for result in run["results"].as_array().unwrap() {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"], "3.27.6");
            assert_level(&result["level"]);
            assert!(!result["message"]["text"].as_str().unwrap().is_empty(), "3.27.11");
            assert_location(&result["locations"][0]["physicalLocation"], "region");
            for fix in result["fixes"].as_array().into_iter().flatten() {
                assert!(fix["description"]["text"].is_string(), "3.55.2");
                let change = &fix["artifactChanges"][0];
                let replacement = &change["replacements"][0];
                assert!(replacement["insertedContent"]["text"].is_string(), "3.57.4");
                let place = json!({
                    "artifactLocation": change["artifactLocation"],
                    "deletedRegion": replacement["deletedRegion"],
                });
                assert_location(&place, "deletedRegion");
            }
        }
    }
}

fn assert_level(level: &Value) {
    assert!(
        level == "error" || level == "warning" || level == "note",
        "3.27.10: {level}"
    );
}

fn assert_location(place: &Value, region: &str) {
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~/:%".contains(c);
    assert!(!uri.is_empty() && uri.chars().all(allowed), "RFC 3986: {uri}");
    let number = |name: &str| place[region][name].as_u64().unwrap();
    let start = (number("startLine"), number("startColumn"));
    let end = (number("endLine"), number("endColumn"));
    assert!(start.0 >= 1 && start.1 >= 1 && start <= end, "3.30: {place}");
}

#[test]
fn sarif_lists_every_rule_once_whatever_was_found() {
    let (log, code) = sarif(&[("fine.txt", "Hello")]);
    assert_is_sarif(&log);
    assert_eq!(code, 0);
    assert_eq!(log["runs"][0]["results"], json!([]));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let codes: Vec<_> = Code::ALL.iter().map(|code| code.code()).collect();
    assert_eq!(ids, codes);
}

#[test]
fn sarif_places_findings_and_fixes_in_unicode_scalars() {
    let (log, code) = sarif(&[
        ("grüße 1.txt", "👍\nGrüße <react emoji=\"👍\"/>."),
        ("broken.txt", "<actions>\n<react/>\n</actions>"),
    ]);
    assert_is_sarif(&log);
    assert_eq!(code, 1, "there is an error");
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let place = &results[0]["locations"][0]["physicalLocation"];
    let region = json!({"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 25});
    assert_eq!(place["region"], region);
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/gr%C3%BC%C3%9Fe%201.txt"),
        "{uri}"
    );
    let change = &results[0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], uri);
    assert_eq!(
        change["replacements"],
        json!([{
            "deletedRegion": region,
            "insertedContent": {"text": "<actions><react emoji=\"👍\"/></actions>"},
        }])
    );
    assert_eq!(
        (&results[1]["ruleId"], &results[1]["level"]),
        (&json!("missing-attribute"), &json!("error"))
    );
    assert_eq!(
        results[1]["fixes"],
        Value::Null,
        "nobody knows which emoji was meant"
    );
}

/// Every example of every rule that lint can find gives its result, with a fix where there is one.
#[test]
fn sarif_holds_for_every_rule() {
    let mut fixed = 0;
    for code in Code::ALL
        .iter()
        .filter(|code| code.example().needs == Needs::Nothing)
    {
        let (log, _) = sarif(&[("answer.txt", &code.example().raw())]);
        assert_is_sarif(&log);
        let results = log["runs"][0]["results"].as_array().unwrap();
        let ids: Vec<_> = results
            .iter()
            .map(|result| result["ruleId"].as_str().unwrap())
            .collect();
        assert_eq!(ids, [code.code()]);
        fixed += usize::from(results[0]["fixes"].is_array());
    }
    assert!(fixed >= 6, "{fixed} examples with a fix");
}

#[test]
fn sarif_says_what_could_not_be_read_and_keeps_the_rest() {
    let ran = foldback(
        &["lint", "--format", "sarif", "no/such/file", "-"],
        "Hello </actions>",
    );
    assert_eq!(ran.code, 2);
    let log = ran.json();
    assert_is_sarif(&log);
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let said = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].as_str();
    assert!(said.unwrap().starts_with("no/such/file: "), "{said:?}");
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "%3Cstdin%3E");
}

/// A directive whose value is wrong, and a bare one, both with a secret.
const SECRETS: &str = "<actions><send-file path=a kind=\"sk-abcdefghijklmnopqrstuvwx\"/></actions>Hi\n\
                       <voice>the password: hunter2</voice>\n";

#[test]
fn secrets_are_masked_in_findings_and_fixes_where_that_is_asked_for() {
    for format in ["text", "json", "sarif"] {
        let plain = foldback(&["lint", "--format", format], SECRETS);
        assert!(
            plain.stdout.contains("sk-abcdefghijklmnopqrstuvwx"),
            "{}",
            plain.stdout
        );
        let masked = foldback(&["lint", "--redact", "--format", format], SECRETS);
        assert_eq!(masked.code, plain.code);
        assert_eq!(masked.stdout.lines().count(), plain.stdout.lines().count());
        assert!(masked.stdout.contains("[redacted]"), "{}", masked.stdout);
        for secret in ["sk-abcdefghij", "hunter2"] {
            assert!(!masked.stdout.contains(secret), "{format}: {}", masked.stdout);
        }
        assert_eq!(
            plain.stdout.contains("hunter2"),
            format != "text",
            "text prints no fixes"
        );
    }
}

#[test]
fn a_wrong_setting_of_redaction_is_refused() {
    for set in ["redact.nothing=x", "redact.enabled=perhaps", "redact.enabled"] {
        let ran = foldback(&["lint", "--set", set], "Hi");
        assert_eq!(ran.code, 2, "{set}");
        assert!(
            ran.stderr.contains(set.split('=').next().unwrap()),
            "{}",
            ran.stderr
        );
    }
    let off = foldback(&["lint", "--redact", "--set", "redact.enabled=false"], SECRETS);
    assert!(
        off.stdout.contains("sk-abcdefghijklmnopqrstuvwx"),
        "{}",
        off.stdout
    );
}
