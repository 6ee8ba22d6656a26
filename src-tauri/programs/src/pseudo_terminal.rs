//! A terminal for a program, with nobody at its keyboard: the program writes to one end, Foldback reads the other.
//!
//! The program leads a session on it, so that it is the terminal of everything that the program starts (`/dev/tty`). Between
//! the guard and the program a process stands for a moment that makes the session, and becomes the program: the guard
//! must not be in that session, as the system ends whoever is in it when the terminal is hung up.
//!
//! The crate `portable-pty` makes the process that it starts the leader of the session, and names it by its path, so that it
//! could start neither a guard nor a program of one.
//!
//! Foldback holds an end of the program's side, too: the terminal is not hung up as long as Foldback lives, and a text that
//! Foldback writes there comes out behind everything that was written before. Only it knows that text, so that nobody
//! else can write the sign of an end.

use rustix::{
    io::Errno,
    process::{ioctl_tiocsctty, setsid},
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{
        Action, InputModes, LocalModes, OptionalActions, OutputModes, Termios, Winsize, tcflow, tcgetattr,
        tcsetattr, tcsetwinsize,
    },
};
use std::{
    ffi::{OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::process::CommandExt as _},
    process::{Command, Stdio},
};
use tokio::net::unix::pipe;

/// The name under which a program makes the session of another.
pub(crate) const NAME: &str = "foldback-terminal";

/// A terminal whose other end a program has. Reading needs a runtime with input and output.
#[derive(Debug)]
pub struct PseudoTerminal {
    /// Our end: what is written to the terminal is read here. It is no pipe, and read like one.
    output: pipe::Receiver,
    /// The program's side, never waited for.
    side: OwnedFd,
    /// The modes in which it begins.
    modes: Termios,
}

impl PseudoTerminal {
    /// A terminal of so many columns and rows. It echoes nothing, as nobody types.
    ///
    /// # Errors
    /// The system has none.
    pub fn open(columns: u16, rows: u16) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let output = openpt(flags)?;
        grantpt(&output)?;
        unlockpt(&output)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        let side = ioctl_tiocgptpeer(&output, flags)?;
        rustix::io::ioctl_fionbio(&side, true)?;
        let mut modes = tcgetattr(&side)?;
        modes.local_modes.remove(LocalModes::ECHO);
        // Nobody could let it go on that stopped it.
        modes.input_modes.remove(InputModes::IXON | InputModes::IXOFF);
        modes.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
        tcsetwinsize(
            &side,
            Winsize {
                ws_row: rows,
                ws_col: columns,
                ws_xpixel: 0,
                ws_ypixel: 0,
            },
        )?;
        let terminal = Self {
            output: pipe::Receiver::from_owned_fd_unchecked(output)?,
            side,
            modes,
        };
        terminal.reset()?;
        Ok(terminal)
    }

    /// The end that a program gets; it blocks whoever writes faster than is read.
    ///
    /// # Errors
    /// The system opens no more.
    pub fn program_end(&self) -> io::Result<Stdio> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        Ok(ioctl_tiocgptpeer(&self.output, flags)?.into())
    }

    /// Another hold on the program's side: as long as it is there, the terminal's number is not that of another one.
    pub(crate) fn hold(&self) -> io::Result<OwnedFd> {
        self.side.try_clone()
    }

    /// Gives it the modes back in which it began, and lets it go on where its output was stopped.
    ///
    /// # Errors
    /// It is gone.
    pub fn reset(&self) -> io::Result<()> {
        tcsetattr(&self.side, OptionalActions::Now, &self.modes)?;
        Ok(tcflow(&self.side, Action::OOn)?)
    }

    /// Reads what was written to it: at least a byte.
    ///
    /// # Errors
    /// It is gone.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.output.readable().await?;
            match self.output.try_read(buffer) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
                    ) => {}
                read => return read,
            }
        }
    }

    /// Writes into the program's side, as if the program had written it; gives how many bytes it took, which may be none
    /// where nobody reads.
    ///
    /// # Errors
    /// It is gone.
    pub fn write_beside(&self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(&self.side, bytes) {
            Ok(written) => Ok(written),
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }
}

/// The start of a program that leads a session on the terminal that is its standard error; its arguments follow.
pub(crate) fn command(program: &OsStr) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0(NAME).arg(program);
    command
}

/// Makes the session, and becomes the program whose path and arguments these are. Comes back with the reason, in words, where
/// it cannot.
pub(crate) fn lead(mut args: impl Iterator<Item = OsString>) -> String {
    let Some(program) = args.next() else {
        return "no program is named".to_owned();
    };
    if let Err(error) = setsid().and_then(|_| ioctl_tiocsctty(io::stderr())) {
        return format!("the program gets no terminal: {error}");
    }
    let error = Command::new(&program).args(args).exec();
    format!("{} cannot be started: {error}", program.display())
}
