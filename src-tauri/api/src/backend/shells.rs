//! The shells that are kept between commands of the agent, as an operator sees and ends them. What a window gets of them is
//! masked like everything else.

use super::Backend;
use crate::failure;
use foldback_wire::{
    redact::Redaction,
    rpc::{Failure, ScreenRun, ShellLine, ShellRef, ShellScreen},
};

impl Backend {
    /// The shells, the oldest first; none where they are off.
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

    pub(super) fn screen_of(&self, which: ShellRef) -> Result<ShellScreen, Failure> {
        let shells = self.shared.shells.as_ref();
        let screen = shells.and_then(|shells| shells.screen(which.number));
        let mut screen = screen.ok_or_else(|| failure::no_shell(which.number))?;
        if let Some(secrets) = &self.shared.secrets {
            for line in &mut screen.lines {
                mask(line, secrets);
            }
        }
        Ok(screen)
    }

    pub(super) fn end_shell(&self, which: ShellRef) -> Result<Vec<ShellLine>, Failure> {
        let shells = self.shared.shells.as_ref();
        if !shells.is_some_and(|shells| shells.end(which.number)) {
            return Err(failure::no_shell(which.number));
        }
        Ok(self.list_shells())
    }
}

/// Masks a line. A secret may go over several styles, so that a line with one has none.
fn mask(line: &mut Vec<ScreenRun>, secrets: &Redaction) {
    let text: String = line.iter().map(|run| run.text.as_str()).collect();
    let mut masked = text.clone();
    secrets.mask(&mut masked);
    if masked != text {
        *line = vec![ScreenRun {
            text: masked,
            ..ScreenRun::default()
        }];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::redact::RedactSettings;

    #[test]
    fn a_secret_that_changes_its_style_is_masked_with_its_line() {
        let run = |text: &str, bold| ScreenRun {
            text: text.to_owned(),
            bold,
            ..ScreenRun::default()
        };
        let secrets = Redaction::new(&RedactSettings::default()).unwrap();
        let mut line = vec![
            run("token sk-ant-api03-", false),
            run("abcdefghijklmnopqrstuvwxyz0123456789", true),
        ];
        mask(&mut line, &secrets);
        assert_eq!(line.len(), 1);
        assert!(!line[0].text.contains("abcdefghij"), "{line:?}");
        let plain = vec![run("nothing ", false), run("secret", true)];
        let mut line = plain.clone();
        mask(&mut line, &secrets);
        assert_eq!(line, plain);
    }
}
