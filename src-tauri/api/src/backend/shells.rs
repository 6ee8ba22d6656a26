//! The shells that are kept between commands of the agent, as an operator sees and ends them. What a window gets of them is
//! masked like everything else.

use super::Backend;
use crate::failure;
use foldback_wire::rpc::{Failure, ShellLine, ShellRef, ShellScreen};

impl Backend {
    /// The shells, the oldest first; none where they are off. Their commands are masked once more, as a credential may have become
    /// known meanwhile.
    pub(super) fn list_shells(&self) -> Vec<ShellLine> {
        let mut lines = self
            .shared
            .shells
            .as_ref()
            .map(|shells| shells.list())
            .unwrap_or_default();
        if let Some(secrets) = &self.shared.secrets {
            for command in lines.iter_mut().flat_map(|line| &mut line.commands) {
                secrets.mask(&mut command.command);
            }
        }
        lines
    }

    /// The screen of a shell, which masks its rows itself: it knows which of them go on in the next.
    pub(super) fn screen_of(&self, which: ShellRef) -> Result<ShellScreen, Failure> {
        let shells = self.shared.shells.as_ref();
        let screen = shells.and_then(|shells| shells.screen(which.number));
        screen.ok_or_else(|| failure::no_shell(which.number))
    }

    pub(super) fn end_shell(&self, which: ShellRef) -> Result<Vec<ShellLine>, Failure> {
        let shells = self.shared.shells.as_ref();
        if !shells.is_some_and(|shells| shells.end(which.number)) {
            return Err(failure::no_shell(which.number));
        }
        Ok(self.list_shells())
    }
}
