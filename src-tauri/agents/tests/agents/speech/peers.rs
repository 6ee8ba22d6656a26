//! The real program of the default command. Opt-in: `tests/peers/run` wants it installed and runs this.

use super::speak;
use foldback_agents::speech::CommandVoice;
use std::{process::Command, time::Duration};

const WORDS: &str = "Hello, this is the voice of the bot. It says some words, and then it ends.";
/// The header of a WAV file as the program writes it.
const HEADER: usize = 44;

/// The program writes WAV to a pipe, with a length in its header that it cannot know.
#[tokio::test]
async fn espeak_ng_is_heard_for_as_long_as_it_speaks() {
    for voice in [None, Some("de")] {
        let mut program = Command::new("espeak-ng");
        program
            .arg("--stdout")
            .args(voice.map(|voice| format!("-v{voice}")));
        let wav = program.args(["--", WORDS]).output().expect("espeak-ng").stdout;
        assert_eq!(
            wav[40..44],
            0x7fff_f000_u32.to_le_bytes(),
            "a length that is none"
        );
        // 16 bits, one channel, 22,050 Hz.
        let long = Duration::from_secs_f64((wav.len() - HEADER) as f64 / 2.0 / 22_050.0);
        assert!(long > Duration::from_secs(3), "{long:?}");

        let command = CommandVoice::new(&[], voice).unwrap();
        let spoken = speak(command, WORDS).await.unwrap().unwrap();
        assert!(spoken.note.duration.abs_diff(long) < Duration::from_millis(200));
        // The head of Opus in Ogg, after 28 bytes of the first page: version 1, one channel (RFC 7845, section 5.1).
        assert_eq!(spoken.note.bytes[28..38], *b"OpusHead\x01\x01");
        assert!(spoken.note.peaks(8).unwrap().iter().any(|peak| *peak > 10));
    }
}
