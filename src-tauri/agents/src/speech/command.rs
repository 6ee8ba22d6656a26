//! The backend `command`: a program on this machine that writes WAV or Ogg/Opus to its output.

use super::{
    fault::SpeechError,
    voice::{MAX_SOUND, Voice},
};
use async_trait::async_trait;
use foldback_programs::Program;

/// The program where none is named. `--` ends its options: a text that begins with `-` is still a text.
pub const DEFAULT_COMMAND: [&str; 4] = ["espeak-ng", "--stdout", "--", "{text}"];

/// What stands for the text in an argument of its own. Without it the text goes to the program's input.
const TEXT: &str = "{text}";
/// What stands for the voice's name.
const VOICE: &str = "{voice}";
/// Runs a program for each text, in a process group of its own, without a shell.
#[derive(Debug, Clone)]
pub struct CommandVoice {
    program: String,
    arguments: Vec<String>,
}

impl CommandVoice {
    /// A program with its arguments; `{text}` and `{voice}` stand for text and voice. Empty is the default.
    ///
    /// # Errors
    /// Where `voice` is set and the program has no place for it.
    pub fn new(command: &[String], voice: Option<&str>) -> Result<Self, SpeechError> {
        let mut command = command.to_vec();
        if command.is_empty() {
            command = DEFAULT_COMMAND.map(str::to_owned).to_vec();
            if voice.is_some() {
                command.splice(1..1, ["-v".to_owned(), VOICE.to_owned()]);
            }
        } else if voice.is_some() && !command.iter().any(|argument| argument.contains(VOICE)) {
            let why = "voice is set, but no argument of command has {voice} in it";
            return Err(SpeechError::Setting(why.to_owned()));
        }
        let filled = |argument: &String| argument.replace(VOICE, voice.unwrap_or_default());
        let mut filled = command.iter().map(filled);
        Ok(Self {
            program: filled.next().unwrap_or_default(),
            arguments: filled.collect(),
        })
    }

    /// The program's name.
    pub fn program(&self) -> &str {
        &self.program
    }

    fn fault(&self, detail: impl Into<String>) -> SpeechError {
        SpeechError::Command {
            program: self.program.clone(),
            detail: detail.into(),
        }
    }

    /// The program for a text.
    fn program_for(&self, text: &str) -> Program {
        // Only as a whole argument: the text never becomes part of an option.
        let filled = |argument: &String| {
            if argument == TEXT {
                text.to_owned()
            } else {
                argument.clone()
            }
        };
        Program::new(self.program.clone(), self.arguments.iter().map(filled).collect())
    }
}

#[async_trait]
impl Voice for CommandVoice {
    fn backend(&self) -> &'static str {
        "command"
    }

    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError> {
        let to_input = !self.arguments.iter().any(|argument| argument == TEXT);
        let input = if to_input { text } else { "" };
        let end = self.program_for(text).run(input.as_bytes(), MAX_SOUND).await;
        let end = end.map_err(|error| self.fault(error.to_string()))?;
        if end.cut {
            return Err(SpeechError::TooLarge {
                what: "the program's sound",
                limit: MAX_SOUND,
            });
        }
        if !end.status.success() {
            let said = match end.complaint.as_str() {
                "" => "it said nothing",
                complaint => complaint,
            };
            return Err(self.fault(format!("{}: {said}", end.status)));
        }
        Ok(end.output)
    }
}
