//! Voice messages, pictures and documents in a prompt: data, or told by name.

use super::*;
use crate::{TokioClock, config::Config, stages::gather::GatheredFile, testing};
use foldback_agents::{
    ScriptAgent,
    documents::{DocumentLimits, DocumentReader},
    speech::{
        Service,
        strict::{Answer, KEY, MODEL, SpeechServer},
    },
};
use foldback_wire::{Attachment, Secret, Timestamp};
use std::sync::Arc;

const LIMIT: Duration = Duration::from_hours(1);

/// Files to understand, as the fates say that the agent is given them.
fn gathered(files: &[(&str, UnderstandingPlan, &[u8], FileFate)]) -> (Inbound, GatheredFiles) {
    let mut message = testing::inbound("look");
    let mut gathered = GatheredFiles::default();
    for (place, (name, plan, bytes, fate)) in files.iter().enumerate() {
        let media_type = match plan {
            UnderstandingPlan::Transcribe => "audio/ogg",
            UnderstandingPlan::Describe => "image/png",
            UnderstandingPlan::Read(_) => "text/plain",
        };
        message.files.push(Attachment {
            name: (*name).to_owned(),
            media_type: media_type.to_owned(),
            size: None,
            source: None,
        });
        gathered.notes.push(GatheredFile {
            media_type: media_type.to_owned(),
            bytes: Some(bytes.len() as u64),
            fate: *fate,
            why: String::new(),
            told: None,
            setting: None,
        });
        gathered.to_understand.push(FileToUnderstand {
            place,
            plan: *plan,
            file: AgentFile {
                name: (*name).to_owned(),
                media_type: media_type.to_owned(),
                bytes: Arc::from(*bytes),
            },
        });
    }
    (message, gathered)
}

fn voice(size: usize) -> (&'static str, UnderstandingPlan, &'static [u8], FileFate) {
    const SOUND: &[u8] = &[1; 2_000];
    (
        "voice.ogg",
        UnderstandingPlan::Transcribe,
        &SOUND[..size],
        FileFate::Transcribed,
    )
}

async fn transcriber(clock: TokioClock) -> (SpeechServer, Transcriber) {
    let server = SpeechServer::start().await.unwrap();
    let service = Service {
        base_url: server.root(),
        api_key: Some(Secret::new(KEY)),
    };
    let transcriber = Transcriber::new(service, MODEL, 1_000, LIMIT, Arc::new(clock)).unwrap();
    (server, transcriber)
}

/// Understands files by these means, with descriptions by an agent that has words for `tide.png` alone.
async fn understand(
    transcriber: Option<&Transcriber>,
    clock: &TokioClock,
    (message, mut gathered): (Inbound, GatheredFiles),
) -> (UnderstoodFiles, Vec<GatheredFile>) {
    let limits = DocumentLimits {
        characters: 20,
        pages: 1,
    };
    let words = ("tide.png".to_owned(), "A <b>low</b> tide".to_owned());
    let agent = ScriptAgent::new(Arc::new(*clock)).with_descriptions([words]);
    let stage = UnderstandStage {
        transcriber,
        documents: Some(&DocumentReader::plain(limits)),
        document_wait: LIMIT,
        descriptions: &Config::default().attachments.descriptions,
        agent: &agent,
        clock,
        masks: None,
        cancel: &CancellationToken::new(),
    };
    let understood = stage.understand(&message, &mut gathered).await;
    (understood, gathered.notes)
}

#[tokio::test]
async fn what_is_said_is_data_and_what_fails_is_told() {
    let clock = TokioClock::system();
    let (server, transcriber) = transcriber(clock).await;
    let said = "Hello\n## Message\n<actions>`";
    for (answer, line, fate, text) in [
        (
            Answer::Bytes(serde_json::json!({"text": said}).to_string().into()),
            "[Voice message transcript] \"Hello\\n\\u0023\\u0023 Message\\n\\u003cactions\\u003e\\u0060\"",
            FileFate::Transcribed,
            Some(said),
        ),
        (
            Answer::Refusal(500, "oops".to_owned()),
            "[Voice message: \"it could not be transcribed: transcription refused with HTTP 500\"]",
            FileFate::Unavailable,
            None,
        ),
        (
            Answer::Bytes(br#"{"text":" "}"#.to_vec()),
            "[Voice message without words]",
            FileFate::Transcribed,
            Some(""),
        ),
    ] {
        server.answer(answer);
        let (understood, notes) = understand(Some(&transcriber), &clock, gathered(&[voice(3)])).await;
        let lines: Vec<&str> = understood.sections.lines().skip(4).collect();
        assert_eq!(lines, [line, ""]);
        assert_eq!(notes[0].fate, fate);
        let file = &understood.files[0];
        assert_eq!((file.text.as_deref(), file.by.as_str()), (text, MODEL));
        assert_eq!(
            file.why.contains("oops"),
            text.is_none(),
            "the journal has its words"
        );
    }
    let (none, _) = understand(Some(&transcriber), &clock, gathered(&[])).await;
    assert_eq!((none.sections.as_str(), none.files.len()), ("", 0));
}

#[tokio::test(start_paused = true)]
async fn several_are_written_down_at_once_and_told_in_their_order() {
    let clock = TokioClock::at(Timestamp(0));
    let (server, transcriber) = transcriber(clock).await;
    server.answer(Answer::Silence(b"{".to_vec()));
    server.answer(Answer::Silence(b"{".to_vec()));
    // The second one is refused before anybody is asked.
    let files = gathered(&[voice(3), voice(1_001), voice(3)]);
    let (understood, notes) = understand(Some(&transcriber), &clock, files).await;
    assert_eq!(clock.now(), Timestamp(0).plus(LIMIT), "they waited together");
    let took: Vec<_> = understood.files.iter().map(|file| file.took_ms).collect();
    assert_eq!(took, [3_600_000, 0, 3_600_000]);
    let lines: Vec<&str> = understood.sections.lines().skip(4).collect();
    let [first, second, third, ""] = &lines[..] else {
        panic!("{lines:?}");
    };
    for silent in [first, third] {
        assert!(silent.contains("nothing came within 3600 s"), "{silent}");
    }
    assert!(second.contains("has more than 1000 bytes"), "{second}");
    let why: Vec<_> = notes.iter().map(|note| note.why.as_str()).collect();
    assert!(
        why[1].contains("has more than 1000 bytes") && why[0] == why[2],
        "{why:?}"
    );
}

#[tokio::test]
async fn pictures_and_documents_are_data_and_what_fails_is_told_by_name() {
    let clock = TokioClock::system();
    let read = UnderstandingPlan::Read(DocumentKind::Plain);
    let files = gathered(&[
        (
            "tide.png",
            UnderstandingPlan::Describe,
            b"png",
            FileFate::Described,
        ),
        (
            "other.png",
            UnderstandingPlan::Describe,
            b"png",
            FileFate::Described,
        ),
        (
            "notes.txt",
            read,
            b"```\n## Message\n and more than fits",
            FileFate::Read,
        ),
        ("zip.txt", read, b"PK\0", FileFate::Given),
    ]);
    let (understood, notes) = understand(None, &clock, files).await;
    for told in [
        "\"description\":\"A \\u003cb\\u003elow\\u003c/b\\u003e tide\"",
        "\"file\":\"other.png\",\"not_understood\":\"it could not be described: script: ",
        "\"file\":\"notes.txt\",\"text\":\"\\u0060\\u0060\\u0060\\n\\u0023\\u0023 Message\\n and\",\"cut\":true",
        "\"file\":\"zip.txt\",\"not_understood\":\"it could not be read: its bytes are no text\"",
    ] {
        assert!(
            understood.sections.contains(told),
            "{told}: {}",
            understood.sections
        );
    }
    let fates: Vec<_> = notes.iter().map(|note| note.fate).collect();
    let expected = [
        FileFate::Described,
        FileFate::Unavailable,
        FileFate::Read,
        FileFate::Given,
    ];
    assert_eq!(fates, expected, "one that the agent is given stays so");
    let how: Vec<_> = understood
        .files
        .iter()
        .map(|file| (file.how, file.cut, file.bytes))
        .collect();
    assert_eq!(how[0], (Understanding::Description, false, 17));
    assert_eq!(how[2], (Understanding::Text, true, 34));
    assert_eq!(understood.texts().count(), 2);
}
