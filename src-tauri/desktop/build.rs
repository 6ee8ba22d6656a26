//! Prepares what `generate_context!` embeds. On a clean clone there is no built front end yet: a one-line
//! page keeps editors, clippy and docs working, and `make package` refuses to ship it.

use std::{fs, path::Path};

fn main() {
    let dist = Path::new("ui/dist");
    let page = dist.join("index.html");
    println!("cargo:rerun-if-changed=ui/dist");
    println!("cargo:rerun-if-changed=tauri.conf.json");
    if !page.exists() {
        let written = fs::create_dir_all(dist).and_then(|()| fs::write(&page, "<!doctype html>run make\n"));
        if let Err(error) = written {
            println!("cargo:warning=ui/dist/index.html cannot be written: {error}");
        }
    }
    let attributes =
        tauri_build::Attributes::new().capabilities_path_pattern("src-tauri/desktop/capabilities/*.json");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:warning={error:#}");
        std::process::exit(1);
    }
}
