//! Pictures described by an agent's own model, for a run that is not given the pictures themselves.

use foldback_wire::AgentFault;
use thiserror::Error;

/// Order to describe a picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescriptionOrder {
    /// Another model of the backend than the one that answers.
    pub model: Option<String>,
    /// Most bytes of the description; the rest is left out.
    pub most: usize,
}

/// The words for a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The description, within the order's bound.
    pub text: String,
    /// Bytes that were written, at most one answer of the order's bound and a piece.
    pub bytes: usize,
    /// The backend and the model that wrote it.
    pub by: String,
}

/// Reason for which a picture was not described.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DescriptionError {
    /// The backend describes no pictures.
    #[error("{backend} describes no pictures")]
    Unable {
        /// Its name.
        backend: String,
    },
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The model did not describe it.
    #[error("{by}: {fault}: {detail}")]
    Failed {
        /// The backend and the model.
        by: String,
        /// Kind of the failure.
        fault: AgentFault,
        /// Why, in words, without secrets.
        detail: String,
    },
}

impl DescriptionError {
    /// This backend describes none.
    pub(crate) fn unable(backend: &str) -> Self {
        Self::Unable {
            backend: backend.to_owned(),
        }
    }

    /// Failure in words of ours alone, for a place that other people's words may not reach.
    pub fn kind(&self) -> String {
        match self {
            Self::Failed { by, fault, .. } => format!("{by}: {fault}"),
            other => other.to_string(),
        }
    }
}
