//! Voice directives: what is spoken, what it becomes on each channel, and that nothing of it stays behind.

use crate::bot::{Bot, World, killed, runtime, text, tool};
use async_trait::async_trait;
use foldback_agents::speech::{Note, Speaker, SpeechError, ToneVoice, Voice};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::{Rules, SendDir, Speech, VoiceOutput, Voices, config::FilesConfig};
use foldback_store::Journal as _;
use foldback_wire::{
    Actor, Attachment, ChannelId, Event, Kind, OpKind, Operation, OutcomeCode, Platform, SpokenDirective,
    Terminal,
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const ANSWER: &str = "<actions><voice>**Hey**, three words</voice></actions>And in writing";

/// What speaks in a world, with a limit of 20 s and 100 characters.
pub(crate) fn speaking(mut world: World, voice: impl Voice + 'static) -> World {
    let clock = Arc::new(world.clock);
    let speaker = Speaker::new(Arc::new(voice), 100, Duration::from_secs(20), clock);
    world.speech = Speech {
        output: VoiceOutput::Speaker(speaker),
        voices: Some(Voices::new(world.dir.path().join("voices"), 1_000_000)),
        ..Speech::default()
    };
    world
}

async fn bot(voice: impl Voice + 'static, config: &str) -> Bot {
    Bot::in_world(speaking(World::new(), voice), config, Rules::all()).await
}

/// Where it is sent from: a journal in memory has no file to be known by.
const SPOKEN: &str = ".voice/memory";

/// What is left of what was spoken.
fn left(send_dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(send_dir.join(SPOKEN)) else {
        return Vec::new();
    };
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

async fn skips(bot: &Bot) -> Vec<(OutcomeCode, String)> {
    let skip = |kind| match kind {
        Kind::Skipped { outcome, .. } => Some((outcome.code, outcome.detail.unwrap_or_default())),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(skip).collect()
}

/// A voice that answers the same to everything.
struct Fixed(Result<Vec<u8>, SpeechError>);

#[async_trait]
impl Voice for Fixed {
    fn backend(&self) -> &'static str {
        "fixed"
    }

    async fn say(&self, _text: &str) -> Result<Vec<u8>, SpeechError> {
        self.0.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn every_channel_gets_the_note_before_the_text_and_nothing_stays_behind() {
    for platform in platform::ALL
        .iter()
        .filter(|platform| foldback_channels::profile(**platform).voice.is_some())
    {
        let bot = bot(ToneVoice, "").await;
        bot.says([text(ANSWER)]);
        assert_eq!(bot.turn(*platform, "talk to me").await, Terminal::Replied);
        assert_eq!(
            bot.screen(*platform),
            ["voice Hey, three words", "And in writing"],
            "{platform}"
        );
        assert_eq!(left(&bot.send_dir), [""; 0]);
        let spoken: Vec<_> = bot
            .kinds()
            .await
            .into_iter()
            .filter_map(|kind| match kind {
                Kind::Spoken(SpokenDirective {
                    backend,
                    duration_ms,
                    bytes,
                    kept,
                    ..
                }) => Some((backend, duration_ms, bytes, kept)),
                _ => None,
            })
            .collect();
        let [(backend, duration_ms, bytes, Some(kept))] = &spoken[..] else {
            panic!("{spoken:?}");
        };
        assert_eq!((backend.as_str(), *duration_ms), ("tone", 900));
        let sound = Voices::new(bot.dir.path().join("voices"), 0)
            .read(kept)
            .unwrap()
            .unwrap();
        assert_eq!(sound.len() as u64, *bytes);
        assert_eq!(Note::of(sound).unwrap().duration, Duration::from_millis(900));
        bot.check().await;
    }
}

/// A voice that counts what it says.
struct Counted(Arc<AtomicUsize>);

#[async_trait]
impl Voice for Counted {
    fn backend(&self) -> &'static str {
        "counted"
    }

    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ToneVoice.say(text).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_note_beyond_the_messages_of_a_chat_is_not_spoken() {
    let said = Arc::new(AtomicUsize::new(0));
    let bot = bot(Counted(Arc::clone(&said)), "[output]\nmax_messages = 2\n").await;
    bot.says([text(&format!(
        "<actions>{}</actions>",
        "<voice>Hey</voice>".repeat(50)
    ))]);
    bot.turn(platform::WHATSAPP, "talk to me").await;
    assert_eq!(bot.calls(platform::WHATSAPP, OpKind::SendVoice).len(), 2);
    assert_eq!(said.load(Ordering::Relaxed), 2);
    let skips = skips(&bot).await;
    assert_eq!(skips.len(), 48, "{skips:?}");
    assert!(skips.iter().all(|(code, _)| *code == OutcomeCode::NotAllowed));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn speech_that_fails_never_blocks_the_text() {
    let refused = SpeechError::Refused {
        backend: "openai",
        status: 401,
        detail: "Incorrect API key".to_owned(),
    };
    for (answer, said) in [
        (Err(refused), "openai refused with HTTP 401: Incorrect API key"),
        (
            Ok(b"ID3".to_vec()),
            "this is neither Ogg/Opus nor WAV but MP3 or AAC",
        ),
        (Ok(Vec::new()), "the sound is empty"),
    ] {
        let bot = bot(Fixed(answer), "").await;
        bot.says([text(ANSWER)]);
        assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
        assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing"]);
        assert_eq!(skips(&bot).await, [(OutcomeCode::Failed, said.to_owned())]);
        assert_eq!(left(&bot.send_dir), [""; 0]);
        bot.check().await;
    }
}

/// A voice that never ends.
struct Mute;

#[async_trait]
impl Voice for Mute {
    fn backend(&self) -> &'static str {
        "mute"
    }

    async fn say(&self, _text: &str) -> Result<Vec<u8>, SpeechError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_never_ends_keeps_the_text_for_its_limit_only() {
    let bot = bot(Mute, "").await;
    bot.says([text(ANSWER)]);
    let began = tokio::time::Instant::now();
    assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
    assert_eq!(began.elapsed().as_secs(), 20);
    assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing"]);
    let timed_out = (OutcomeCode::Failed, "nothing came within 20 s".to_owned());
    assert_eq!(skips(&bot).await, [timed_out]);
    bot.check().await;
}

/// What an agent wants to be heard is all that it says, and must reach the user somehow.
#[tokio::test(start_paused = true)]
async fn what_cannot_be_spoken_and_stands_alone_is_sent_as_text() {
    let refused = || SpeechError::Unreachable {
        backend: "openai",
        detail: "refused".to_owned(),
    };
    let two = "<actions><voice>I'll call you at nine</voice><voice>Or ten</voice></actions>";
    let bot = bot(Fixed(Err(refused())), "").await;
    bot.says([text(two)]);
    let end = bot.turn(platform::TELEGRAM, "talk").await;
    assert!(matches!(end, Terminal::Silent { .. }), "{end:?}");
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["I'll call you at nine", "Or ten"]
    );
    assert_eq!(skips(&bot).await.len(), 2);
    assert_eq!(bot.warnings("the user sees nothing").await, 0);

    // Beside text it is left out, and the next message has nothing of it.
    for says in [ANSWER, "Later."] {
        bot.says([text(says)]);
        assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
    }
    assert_eq!(bot.screen(platform::TELEGRAM)[2..], ["And in writing", "Later."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_note_that_the_platform_refuses_and_that_stands_alone_is_sent_as_text() {
    let bot = bot(ToneVoice, "").await;
    let refused = CallFault::first(OpKind::SendVoice, CallFailure::Forbidden);
    bot.fault(platform::TELEGRAM, refused);
    bot.says([text("<actions><voice>I'll call you at nine</voice></actions>")]);
    bot.turn(platform::TELEGRAM, "talk").await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["I'll call you at nine"]);
    assert_eq!(left(&bot.send_dir), [""; 0]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_note_answers_and_is_sent_plainly_where_its_target_is_refused() {
    for (header, calls) in [("[[reply_to_current]]", 1), ("[[reply_to:99]]", 2)] {
        let bot = bot(ToneVoice, "").await;
        bot.says([text(&format!("{header}<actions><voice>Hey</voice></actions>"))]);
        bot.turn(platform::TELEGRAM, "talk").await;
        let notes = bot.calls(platform::TELEGRAM, OpKind::SendVoice);
        let answers = |operation: &Operation| matches!(operation, Operation::SendVoice { reply_to, .. } if reply_to.is_some());
        assert_eq!(notes.len(), calls, "{header}");
        assert!(answers(&notes[0].call.operation), "{header}");
        let screen = bot.screen(platform::TELEGRAM);
        assert!(
            screen.len() == 1 && screen[0].ends_with("voice Hey"),
            "{screen:?}"
        );
        assert_eq!(left(&bot.send_dir), [""; 0]);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_note_that_is_too_large_is_not_written_and_its_words_are_sent() {
    let bot = bot(ToneVoice, "[files]\nmax_size = \"1KB\"\n").await;
    bot.says([text("<actions><voice>Hey, three words</voice></actions>")]);
    bot.turn(platform::TELEGRAM, "talk").await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Hey, three words"]);
    let [(OutcomeCode::Failed, why)] = &skips(&bot).await[..] else {
        panic!("it was sent");
    };
    assert!(why.contains("(files.max_size)"), "{why}");
    assert_eq!(left(&bot.send_dir), [""; 0]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn however_much_a_message_wants_spoken_its_text_waits_once() {
    let bot = bot(Mute, "").await;
    let many = "<voice>Hey</voice>".repeat(10);
    bot.says([
        text(&format!("<actions>{many}</actions>And in writing")),
        crate::bot::tool("t"),
        text("<actions><voice>Ho</voice></actions>Done."),
    ]);
    let began = tokio::time::Instant::now();
    assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
    assert_eq!(began.elapsed().as_secs(), 40, "each message has its limit");
    assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing", "Done."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_the_turn_does_not_wait_for_a_voice() {
    let bot = bot(Mute, "").await;
    bot.says([
        text("<actions><voice>Hey</voice></actions>"),
        foldback_agents::Act::Stall(3_600_000).into(),
    ]);
    let turn = bot.user(platform::TELEGRAM, "talk").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = tokio::time::Instant::now();
    assert!(bot.engine.cancel(turn.id, Actor::Console).unwrap());
    turn.ended().await.unwrap();
    assert_eq!(began.elapsed().as_secs(), 0);
    assert_eq!(bot.screen(platform::TELEGRAM)[0], "Hey");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_to_say_is_skipped_and_too_much_is_cut_and_told() {
    let bot = bot(ToneVoice, "").await;
    bot.says([text(
        "<actions><voice>https://example.org</voice></actions>See it.",
    )]);
    assert_eq!(bot.turn(platform::SLACK, "talk").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SLACK), ["See it."]);
    assert_eq!(skips(&bot).await[0].0, OutcomeCode::Cancelled);

    let long = "Ten words are said again and again and again here. ".repeat(3);
    bot.says([text(&format!("<actions><voice>{long}</voice></actions>"))]);
    assert!(matches!(
        bot.turn(platform::SLACK, "more").await,
        Terminal::Silent { .. }
    ));
    let said = "voice Ten words are said again and again and again here.";
    assert_eq!(bot.screen(platform::SLACK), ["See it.", said]);
    let told = |kind: &Kind| matches!(kind, Kind::Warned { detail } if detail.contains("speech.max_chars"));
    assert!(bot.kinds().await.iter().any(told));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_without_voice_speaks_nothing_and_does_not_teach_it() {
    let bot = bot(ToneVoice, "[output]\ndisable = [\"voice\"]\n").await;
    bot.says([text(ANSWER)]);
    assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing"]);
    assert_eq!(skips(&bot).await[0].0, OutcomeCode::Unsupported);
    let kinds = bot.kinds().await;
    assert!(!kinds.iter().any(|kind| matches!(kind, Kind::Spoken { .. })));
    let taught = |kind: &Kind| matches!(kind, Kind::Prepared { prompt } if prompt.contains("<voice>"));
    assert!(!kinds.iter().any(taught));
}

#[tokio::test(start_paused = true)]
async fn a_refused_note_and_one_of_a_dry_run_leave_nothing_behind_either() {
    let bot = bot(ToneVoice, "").await;
    bot.fault(
        platform::TELEGRAM,
        CallFault::first(OpKind::SendVoice, CallFailure::Rejected),
    );
    bot.says([text(ANSWER)]);
    assert!(matches!(
        bot.turn(platform::TELEGRAM, "talk").await,
        Terminal::Replied | Terminal::Failed { .. }
    ));
    assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing"]);
    assert_eq!(left(&bot.send_dir), [""; 0]);

    let channel = ChannelId::new("slack");
    bot.engine.arm(&channel, false, Actor::Console).unwrap();
    bot.says([text(ANSWER)]);
    assert_eq!(bot.turn(platform::SLACK, "talk").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SLACK), [""; 0]);
    let rehearsed = |event: Event| match event.kind {
        Kind::Ended { outcome, .. } => Some(outcome.code),
        _ => None,
    };
    let mut outcomes = bot.events().await.into_iter().filter_map(rehearsed).rev();
    assert_eq!(outcomes.next(), Some(OutcomeCode::DryRun));
    assert_eq!(outcomes.next(), Some(OutcomeCode::DryRun));
    assert_eq!(left(&bot.send_dir), [""; 0]);
    bot.check().await;
}

/// What is held keeps its file until it goes out, also when the process ends between the two.
#[test]
fn what_is_held_keeps_its_file_over_a_restart_and_what_is_open_no_more_is_swept() {
    let world = crate::bot::killed(async {
        let bot = bot(ToneVoice, "").await;
        bot.toggle(platform::TELEGRAM, false).await;
        bot.says([text(ANSWER)]);
        let _turn = bot.user(platform::TELEGRAM, "talk").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(left(&bot.send_dir).len(), 1);
        bot
    });
    runtime().block_on(async {
        let send_dir = world.dir.path().join("data/outbound");
        // As a process leaves it that ends after it wrote the file, and before it wrote the intent.
        std::fs::write(send_dir.join(SPOKEN).join("voice-99-0-0.ogg"), "left").unwrap();
        let operations: Vec<Operation> = world
            .journal
            .outbox()
            .await
            .unwrap()
            .into_iter()
            .map(|entry| entry.operation)
            .collect();
        let files = SendDir::new(
            &FilesConfig::default(),
            world.dir.path(),
            None,
            None,
            Rules::all(),
        );
        files.sweep_spoken(operations.iter());
        assert_eq!(left(&send_dir).len(), 1);
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.toggle(platform::TELEGRAM, true).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM)[0], "voice Hey, three words");
        assert_eq!(left(&bot.send_dir), [""; 0]);
        bot.check().await;
    });
}

/// The folder is one that agents may write into.
#[tokio::test(start_paused = true)]
async fn a_link_in_the_place_of_our_folder_leads_nowhere() {
    let bot = bot(ToneVoice, "").await;
    let elsewhere = bot.dir.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, bot.send_dir.join(".voice")).unwrap();
    bot.says([text(ANSWER)]);
    assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing"]);
    let [(OutcomeCode::Failed, why)] = &skips(&bot).await[..] else {
        panic!("it was sent");
    };
    assert!(why.contains("is a link, or goes through one"), "{why}");
    assert_eq!(std::fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn audio_as_voice_makes_audio_files_of_its_message_voice_notes() {
    let bot = bot(ToneVoice, "").await;
    for name in ["a.ogg", "b.txt"] {
        std::fs::write(bot.send_dir.join(name), "sound").unwrap();
    }
    bot.says([text(
        "[[audio_as_voice]]<actions><send-file path=\"a.ogg\" caption=\"Listen\"/>\
             <send-file path=\"b.txt\"/></actions>Done.",
    )]);
    assert_eq!(bot.turn(platform::TELEGRAM, "talk").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["voice ", "Listen", "File b.txt ", "Done."]
    );
    assert!(
        bot.send_dir.join("a.ogg").exists(),
        "a file of the agent's own is not ours to delete"
    );
    bot.says([text("<actions><send-file path=\"a.ogg\"/></actions>")]);
    bot.turn(platform::TELEGRAM, "again").await;
    assert_eq!(bot.screen(platform::TELEGRAM)[4], "Audio a.ogg ");
    bot.check().await;
}

fn auto(mode: &str) -> String {
    let of = |platform: &Platform| {
        format!(
            "[channels.{platform}]\nspeech_auto = \"{mode}\"\n",
            platform = platform.code()
        )
    };
    platform::ALL.iter().map(of).collect()
}

#[tokio::test(start_paused = true)]
async fn answers_are_spoken_after_their_text_as_the_channel_says() {
    let with_sound = |bot: &Bot, platform| {
        let mut message = bot.message(platform, "listen");
        message.files.push(Attachment {
            name: "note.ogg".to_owned(),
            media_type: "Audio/ogg; codecs=opus".to_owned(),
            size: Some(1),
            source: None,
        });
        message
    };
    for (mode, plain, sound) in [
        ("tagged", false, false),
        ("inbound", false, true),
        ("always", true, true),
    ] {
        for platform in platform::ALL
            .iter()
            .filter(|platform| foldback_channels::profile(**platform).voice.is_some())
        {
            let bot = bot(ToneVoice, &auto(mode)).await;
            bot.says([text("**Three** plain words")]);
            assert_eq!(bot.turn(*platform, "hi").await, Terminal::Replied);
            let calls = bot.calls(*platform, OpKind::SendVoice);
            assert_eq!(calls.len(), usize::from(plain), "{platform} {mode}");
            bot.says([text("Three more words")]);
            let message = with_sound(&bot, *platform);
            let turn = bot.engine.submit(message).await.unwrap();
            assert_eq!(turn.ended().await, Some(Terminal::Replied));
            let calls = bot.calls(*platform, OpKind::SendVoice);
            assert_eq!(
                calls.len(),
                usize::from(plain) + usize::from(sound),
                "{platform} {mode}"
            );
            if sound {
                let screen = bot.screen(*platform);
                let last = [
                    screen[screen.len() - 2].as_str(),
                    screen[screen.len() - 1].as_str(),
                ];
                assert_eq!(last, ["Three more words", "voice Three more words"], "{platform}");
            }
            bot.check().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_says_which_answers_are_spoken_before_its_channel() {
    for (channel, session, spoken, directives) in [
        ("tagged", "always", 1, 1),
        ("always", "tagged", 0, 1),
        ("always", "off", 0, 0),
        ("off", "always", 1, 1),
        ("off", "tagged", 0, 1),
        ("always", "default", 1, 1),
    ] {
        let about = format!("{channel}, then {session}");
        let bot = bot(ToneVoice, &auto(channel)).await;
        let command = format!("/tts {session}");
        let terminal = Terminal::Command { name: "tts".into() };
        assert_eq!(bot.turn(platform::TELEGRAM, &command).await, terminal);
        let screen = bot.screen(platform::TELEGRAM);
        assert_eq!(screen, [format!("⚙️ Speech: {session}.")], "{about}");
        let notes = || bot.calls(platform::TELEGRAM, OpKind::SendVoice).len();
        bot.says([text("Three plain words")]);
        bot.turn(platform::TELEGRAM, "hi").await;
        assert_eq!(notes(), spoken, "{about}");
        bot.says([text(ANSWER)]);
        bot.turn(platform::TELEGRAM, "hi").await;
        assert_eq!(notes(), spoken + directives, "{about}");
        assert_eq!(skips(&bot).await.len(), 1 - directives, "{about}");
        let resolved = bot.kinds().await.into_iter().any(|kind| match kind {
            Kind::SettingsResolved { settings } => settings.iter().any(|set| set.setting == "speech"),
            _ => false,
        });
        assert_eq!(resolved, session != "default", "{about}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_speaks_itself_or_is_narration_is_not_spoken_again() {
    let bot = bot(ToneVoice, &auto("always")).await;
    bot.says([text(ANSWER)]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["voice Hey, three words", "And in writing"]
    );
    bot.says([text("I look."), tool("t1"), text("Found it.")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM)[2..],
        ["I look.", "Found it.", "voice Found it."]
    );
    bot.says([text("NO_REPLY")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::SendVoice).len(), 2);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_whose_speech_is_off_says_nothing_aloud() {
    let bot = bot(ToneVoice, &auto("off")).await;
    bot.says([text(ANSWER)]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["And in writing"]);
    assert_eq!(skips(&bot).await[0].0, OutcomeCode::Unsupported);
    bot.check().await;
}

/// A voice that takes its time.
struct Slow(tokio::sync::Notify);

#[async_trait]
impl Voice for Slow {
    fn backend(&self) -> &'static str {
        "slow"
    }

    async fn say(&self, _text: &str) -> Result<Vec<u8>, SpeechError> {
        self.0.notified().await;
        Err(SpeechError::Cancelled)
    }
}

#[test]
fn an_answer_that_a_kill_kept_from_being_spoken_is_spoken_once_afterwards() {
    let config = auto("always");
    let world = killed(async {
        let world = speaking(World::new(), Slow(tokio::sync::Notify::new()));
        let bot = Bot::in_world(world, &config, Rules::all()).await;
        bot.says([text("Three plain words")]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["Three plain words"]);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(speaking(world, ToneVoice), &config, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let spoken = ["Three plain words", "voice Three plain words"];
        assert_eq!(bot.screen(platform::TELEGRAM), spoken);
        let bot = Bot::in_world(speaking(bot.into_world(), ToneVoice), &config, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), spoken);
        bot.check().await;
    });
}
