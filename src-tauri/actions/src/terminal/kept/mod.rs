//! Shells that are kept between commands: a folder, variables and background programs of an owner in a chat.
//!
//! The problem: when is a command over, what did it write, and how did it end, in a shell that goes on? The shell's own
//! output cannot tell: a command prints whatever it likes, without a line end, after a comment, out of the background, or
//! the very mark that was to end it.
//!
//! An example, `cd /tmp; printf done`:
//!
//! ```text
//!   Foldback → shell (pipe)      \builtin eval -- $'cd /tmp; printf done' 29>&-
//!   Foldback → shell (pipe)      \builtin printf '%s %s\n' 2719… "$?" >&29      read only when the command is over
//!   shell → terminal             done
//!   shell → Foldback (pipe)      2719… 0                                          the exit status
//!   Foldback → terminal          8314…                                            from the program's side
//!   terminal → Foldback          done8314…                                        all of the output, and its end
//! ```
//!
//! What must hold:
//! - Commands of one shell run one at a time; one of them is over before the next begins, or the shell is.
//! - Nothing that a command writes or leaves open makes it look ended, or another one's output look its own. Only what it
//!   put into the background on purpose can write into the next one.
//! - A command that takes too long, or that nobody waits for any more, ends with its shell and everything that the shell
//!   started: nothing of it comes late.
//! - A shell belongs to one owner in one chat. It ends when nothing ran in it for a while, when an operator ends it, and
//!   with the bot, however that ends.

mod last_output;
mod record;
mod screen;
mod screen_secrets;
mod script;
mod shell_process;
mod shell_task;
mod shells;
mod terminal_action;
mod until_mark;

pub use shells::{ShellLimits, Shells};
pub use terminal_action::{KeptTerminal, TERMINAL};
