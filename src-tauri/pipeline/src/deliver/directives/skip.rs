//! The reason for which a directive is not carried out.

use foldback_channels::FileRefusal;
use foldback_wire::OutcomeCode;

/// The reason for which a directive is not carried out.
pub(super) struct Skip {
    pub(super) code: OutcomeCode,
    pub(super) why: String,
    /// The setting that would change it.
    pub(super) setting: Option<String>,
}

impl Skip {
    pub(super) fn unsupported(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::Unsupported,
            why: why.into(),
            setting: None,
        }
    }

    /// Only one person may see the answer, and no platform shows a file to one person of a chat.
    pub(super) fn ephemeral_file() -> Self {
        Self::unsupported("a file cannot be shown to one person only")
    }

    /// It was tried, and did not work.
    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::Failed,
            why: why.into(),
            setting: None,
        }
    }

    /// There is nothing to do.
    pub(super) fn superfluous(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::Cancelled,
            why: why.into(),
            setting: None,
        }
    }

    /// True where it was tried.
    pub(super) fn is_failure(&self) -> bool {
        self.code == OutcomeCode::Failed
    }

    pub(super) fn not_allowed(why: impl Into<String>) -> Self {
        Self {
            code: OutcomeCode::NotAllowed,
            why: why.into(),
            setting: None,
        }
    }

    pub(super) fn of_file(refusal: &FileRefusal) -> Self {
        let code = match refusal {
            FileRefusal::Missing { .. } => OutcomeCode::Missing,
            _ => OutcomeCode::NotAllowed,
        };
        Self {
            code,
            why: refusal.to_string(),
            setting: refusal.setting().map(str::to_owned),
        }
    }

    pub(super) fn unless(self, setting: Option<&str>) -> Self {
        Self {
            setting: setting.map(str::to_owned),
            ..self
        }
    }
}
