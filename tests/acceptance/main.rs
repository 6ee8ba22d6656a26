//! What holds for the shell as a whole: the page reaches nothing but Foldback, asks for no more than it needs,
//! and the shell stays a shell.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files below a folder with one of these endings.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if endings
                .iter()
                .any(|ending| path.to_string_lossy().ends_with(ending))
            {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn the_page_reaches_no_host_but_its_own_and_runs_no_code_but_its_own() {
    let conf = json("tauri.conf.json");
    let policy = conf["app"]["security"]["csp"].as_str().expect("a policy");
    let mut directives = Vec::new();
    for directive in policy.split(';') {
        let mut words = directive.split_whitespace();
        let name = words.next().expect("a name");
        directives.push(name);
        for source in words {
            let allowed = match name {
                "connect-src" => ["'self'", "ipc:", "http://ipc.localhost"].contains(&source),
                "style-src" => ["'self'", "'unsafe-inline'"].contains(&source),
                "img-src" | "font-src" => ["'self'", "data:"].contains(&source),
                // A voice note that the page was given; a blob is of the page's own making.
                "media-src" => source == "blob:",
                _ => source == "'self'",
            };
            assert!(allowed, "{name} allows {source}");
        }
    }
    // It stands for scripts, frames, workers and whatever else has no line of its own.
    assert!(directives.contains(&"default-src"), "{policy}");
    assert_eq!(
        conf["app"]["withGlobalTauri"],
        Value::Null,
        "only the page's own modules call the shell"
    );
}

#[test]
fn the_page_may_ask_for_nothing_but_to_be_shown() {
    let capabilities = files("src-tauri/desktop/capabilities", &[".json"]);
    assert_eq!(capabilities.len(), 1, "{capabilities:?}");
    let capability = json("src-tauri/desktop/capabilities/main.json");
    assert_eq!(capability["windows"], serde_json::json!(["main"]));
    assert_eq!(
        capability["permissions"],
        serde_json::json!(["core:window:allow-show"])
    );
    assert_eq!(
        capability.get("remote"),
        None,
        "no page from elsewhere may call the shell"
    );
}

/// That they name everything is shown by `ui/src/test/notices.test.ts`, which runs the script that writes them.
#[test]
fn no_package_is_built_without_the_notices_of_what_it_carries() {
    let conf = json("tauri.conf.json");
    let files = conf["bundle"]["linux"]["deb"]["files"]
        .as_object()
        .expect("files");
    let place = "/usr/share/doc/foldback/THIRD-PARTY-NOTICES";
    // The bundler ends with an error where a file that is named here was not written.
    assert_eq!(files[place], "target/release/THIRD-PARTY-NOTICES");
    let script = read("scripts/package");
    let written = script
        .find("node scripts/notices.mjs \"$notices\"")
        .expect("it writes them");
    let built = script.find("tauri\" build").expect("it builds the package");
    assert!(
        written < built,
        "written for this package, not left from one before"
    );
    assert!(
        script.contains(&format!("{place}\\\":\\\"$notices\\\"")),
        "where they were written"
    );
    assert!(
        read("docs/dependencies.md").contains(place),
        "and people are told where they are"
    );
}

#[test]
fn the_shell_stays_thin() {
    let lines = |path: &PathBuf| read(path).lines().count();
    let shell = files("src-tauri/desktop", &[".rs"]);
    assert!(shell.iter().any(|path| path.ends_with("main.rs")), "{shell:?}");
    let total: usize = shell.iter().map(lines).sum();
    // The bridge, the tray, and what only the system's window knows: dragged files and its dialog for them.
    assert!(total < 400, "{total} lines: what decides belongs to foldback-api");
}

#[test]
fn every_command_the_page_calls_exists() {
    let mut called = 0;
    for path in files("ui/src", &[".ts", ".svelte"]) {
        if path.to_string_lossy().ends_with(".test.ts") {
            continue;
        }
        let text = read(&path);
        for call in ["host.call(\"", "console.try(\"", "this.try(\""] {
            for rest in text.split(call).skip(1) {
                let name = rest.split('"').next().unwrap_or_default();
                assert!(
                    foldback_api::COMMANDS.contains(&name),
                    "{}: {name}",
                    path.display()
                );
                called += 1;
            }
        }
    }
    assert!(
        called > 20,
        "only {called} calls were found: the page calls in another way now"
    );
}
