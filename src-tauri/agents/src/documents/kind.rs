//! Which files are documents whose text can be read.

/// Kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// Text as it is.
    Plain,
    /// A page of HTML, of which the words are read.
    Markup,
    /// A PDF.
    Pdf,
}

/// Endings of names of text, for files whose type says nothing: platforms know few types.
const ENDINGS: [&str; 52] = [
    "txt",
    "md",
    "markdown",
    "rst",
    "adoc",
    "org",
    "tex",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "ndjson",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "env",
    "properties",
    "log",
    "diff",
    "patch",
    "xml",
    "svg",
    "sql",
    "rs",
    "py",
    "js",
    "mjs",
    "ts",
    "tsx",
    "jsx",
    "svelte",
    "vue",
    "css",
    "scss",
    "go",
    "c",
    "h",
    "cpp",
    "hpp",
    "cs",
    "java",
    "kt",
    "swift",
    "rb",
    "php",
    "sh",
    "ps1",
    "ics",
    "vcf",
];

/// Types of text that do not begin with `text/`.
const TYPES: [&str; 12] = [
    "application/json",
    "application/x-ndjson",
    "application/xml",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/javascript",
    "application/typescript",
    "application/sql",
    "application/x-sh",
    "application/x-httpd-php",
    "application/x-tex",
];

/// Types that say nothing.
const UNKNOWN: [&str; 2] = ["application/octet-stream", ""];

impl DocumentKind {
    /// The kind of a document of this name and type, where the type has neither parameters nor capital letters; `None` for
    /// what is none.
    pub fn of(name: &str, media_type: &str) -> Option<Self> {
        let ending = name
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase());
        let has_ending = |endings: &[&str]| ending.as_deref().is_some_and(|ending| endings.contains(&ending));
        let unknown = UNKNOWN.contains(&media_type);
        match media_type {
            "application/pdf" => Some(Self::Pdf),
            "text/html" | "application/xhtml+xml" => Some(Self::Markup),
            _ if unknown && has_ending(&["html", "htm", "xhtml"]) => Some(Self::Markup),
            // Its bytes decide before a type and after a name.
            _ if unknown && has_ending(&["pdf"]) => Some(Self::Pdf),
            // TypeScript has the ending of a kind of film.
            "video/mp2t" | "video/vnd.dlna.mpeg-tts" if has_ending(&["ts"]) => Some(Self::Plain),
            text if text.starts_with("text/") => Some(Self::Plain),
            text if text.ends_with("+json") || text.ends_with("+xml") || TYPES.contains(&text) => {
                Some(Self::Plain)
            }
            _ if unknown && has_ending(&ENDINGS) => Some(Self::Plain),
            _ => None,
        }
    }
}
