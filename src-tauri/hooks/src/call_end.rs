//! How a call of a hook ended.

/// How a call ended.
pub(crate) struct CallEnd {
    pub(crate) done: bool,
    /// The exit status, the status of the answer, or the error.
    pub(crate) detail: String,
    pub(crate) attempts: u32,
}

impl CallEnd {
    pub(crate) fn failed(detail: String, attempts: u32) -> Self {
        Self {
            done: false,
            detail,
            attempts,
        }
    }
}
