//! Corpora as files: `corpus unpack TARGET DIR`, `corpus pack TARGET DIR`, `corpus seed TARGET DIR`.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder};
use foldback_directives::redact::SECRETS;

#[path = "../../src-tauri/directives/tests/naive/archive.rs"]
mod archive;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Largest entry, in bytes; `scripts/fuzz` tells the fuzzer the same.
const LARGEST: usize = 4_096;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [action, target, folder] = arguments.as_slice() else {
        return Err("usage: corpus unpack|pack|seed TARGET DIR".into());
    };
    let folder = Path::new(folder);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("corpus").join(format!("{target}.gz"));
    match action.as_str() {
        "unpack" if file.exists() => write(folder, archive::read(&file)?),
        "unpack" => Ok(()),
        "seed" => write(folder, seeds(root, target)?),
        "pack" => pack(&file, folder),
        _ => Err(format!("no such action: {action}").into()),
    }
}

fn write(folder: &Path, entries: impl IntoIterator<Item = Vec<u8>>) -> Outcome<()> {
    fs::create_dir_all(folder)?;
    for (number, entry) in entries.into_iter().enumerate() {
        let name = format!("{number:06}");
        fs::write(folder.join(name), entry)?;
    }
    Ok(())
}

/// The same entries make the same bytes.
fn pack(file: &Path, folder: &Path) -> Outcome<()> {
    let mut entries = BTreeSet::new();
    for found in fs::read_dir(folder)? {
        let entry = fs::read(found?.path())?;
        if entry.len() <= LARGEST {
            entries.insert((entry.len(), entry));
        }
    }
    let out = fs::File::create(file)?;
    let mut out = GzBuilder::new().mtime(0).write(out, Compression::best());
    for (len, entry) in &entries {
        out.write_all(&u16::try_from(*len)?.to_le_bytes())?;
        out.write_all(entry)?;
    }
    out.finish()?;
    println!("{}: {} entries", file.display(), entries.len());
    Ok(())
}

/// Every vector that is small enough, under several settings, whole and cut.
fn seeds(root: &Path, target: &str) -> Outcome<Vec<Vec<u8>>> {
    let vectors = root.join("../fixtures/vectors");
    if target == "inbound" {
        let mut seeds = Vec::new();
        for name in ["inbound.jsonl", "own-inbound.jsonl"] {
            for (text, _) in texts(&vectors.join(name))? {
                seeds.extend([0, 1, 6, 14].map(|choice| [&[choice], text.as_bytes()].concat()));
            }
        }
        return Ok(seeds);
    }
    if target == "redact" {
        return redact_seeds(&vectors);
    }
    let mut seeds = Vec::new();
    for name in ["output.jsonl", "own.jsonl"] {
        for (text, inbound) in texts(&vectors.join(name))? {
            for choice in [[0, 0], [1, 0], [8, 1], [16, 2], [33, 6]] {
                let mut seed = choice.to_vec();
                if let Some(inbound) = &inbound {
                    seed.extend(inbound.bytes());
                    seed.push(0xFE);
                }
                let cut = if choice == [0, 0] { usize::MAX } else { 7 };
                push_cut(&mut seed, &text, cut);
                seeds.push(seed);
            }
        }
    }
    seeds.retain(|seed| seed.len() <= LARGEST);
    Ok(seeds)
}

/// Every vector of redaction and every example of a secret, whole and cut, with all settings on and off.
fn redact_seeds(vectors: &Path) -> Outcome<Vec<Vec<u8>>> {
    let vectors = texts(&vectors.join("redact.jsonl"))?
        .into_iter()
        .map(|(text, _)| text);
    let examples = SECRETS.iter().map(|row| row.example.0.to_owned());
    let mut seeds = Vec::new();
    for text in vectors.chain(examples) {
        for (choice, cut) in [(0, usize::MAX), (0x1f, 5)] {
            let mut seed = vec![choice];
            push_cut(&mut seed, &text, cut);
            seeds.push(seed);
        }
    }
    for pattern in [r"\bkey-(\d{4,})", "a(b|c){1,9}d", r"(x[^\n]{2,20})\b"] {
        seeds.push([b"\0", pattern.as_bytes(), &[0xFE], b"key-1234 abcbcd xyz 12"].concat());
    }
    seeds.retain(|seed| seed.len() <= LARGEST);
    Ok(seeds)
}

/// Adds a text, cut every so many bytes.
fn push_cut(seed: &mut Vec<u8>, text: &str, cut: usize) {
    for (at, byte) in text.bytes().enumerate() {
        if at % cut == cut - 1 && text.is_char_boundary(at) {
            seed.push(0xFF);
        }
        seed.push(byte);
    }
}

/// The texts of a file of vectors, with the message that triggered the turn.
fn texts(file: &PathBuf) -> Outcome<Vec<(String, Option<String>)>> {
    let mut texts = Vec::new();
    for line in fs::read_to_string(file)?.lines() {
        let vector: serde_json::Value = serde_json::from_str(line)?;
        let text = |key: &str| vector[key].as_str().map(str::to_owned);
        texts.push((text("input").unwrap_or_default(), text("inbound")));
    }
    Ok(texts)
}
