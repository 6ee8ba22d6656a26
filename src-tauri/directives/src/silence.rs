//! The dialect `silence` over the clean text: `NO_REPLY` and `HEARTBEAT_OK`.

/// The operator's pattern, made to match the whole text.
pub(crate) fn all_clear(pattern: Option<&str>) -> Result<Option<regex::Regex>, regex::Error> {
    pattern
        .map(|p| regex::Regex::new(&format!(r"\A(?:{p})\z")))
        .transpose()
}
