//! Frames of a list of turns over a journal of 400,000 events, measured in what is read for them.

use super::*;
use foldback_pipeline::TokioClock;
use foldback_store::{Filter, Journal, MemoryJournal, Opening, Scene, View};
use foldback_wire::{Draft, Inbound, Kind, Timestamp};
use std::sync::atomic::{AtomicUsize, Ordering};

const TURNS: u64 = 10_000;
const OF_A_TURN: u64 = 40;

fn in_turn(turn: u64, kind: Kind) -> Draft {
    Draft {
        at: Timestamp(turn as i64),
        turn: Some(TurnId(turn)),
        session: None,
        channel: None,
        kind,
    }
}

fn came(turn: u64) -> Draft {
    let message: Inbound = serde_json::from_value(serde_json::json!({
        "channel": "a", "account": null, "chat": "c", "chat_type": "direct", "thread": null,
        "message": "m", "reply_to": null, "text": "hi", "mentioned": true, "files": [],
        "at": "2026-01-01T00:00:00Z",
        "sender": {"id": "a", "name": "a", "display_name": "A", "is_bot": false},
    }))
    .unwrap();
    let message = Box::new(message);
    in_turn(turn, Kind::Received { message })
}

fn warned(turn: u64) -> Draft {
    let detail = "straw".to_owned();
    in_turn(turn, Kind::Warned { detail })
}

/// Folds a turn from the journal, and counts that.
struct Counting {
    journal: Arc<dyn Journal>,
    read: AtomicUsize,
    /// Times that it was asked.
    asked: AtomicUsize,
}

#[async_trait]
impl SummaryReader for Counting {
    async fn read_summaries(
        &self,
        turns: &[(TurnId, Seq)],
    ) -> Result<BTreeMap<TurnId, TurnSummary>, StoreError> {
        self.read.fetch_add(turns.len(), Ordering::Relaxed);
        self.asked.fetch_add(1, Ordering::Relaxed);
        let last = self.journal.head();
        let mut read = BTreeMap::new();
        for (turn, until) in turns {
            assert!(*until <= last);
            let events = self.journal.select(
                &foldback_store::Selection::ALL,
                Seq((turn.0 - 1) * OF_A_TURN),
                last,
                OF_A_TURN as usize,
            );
            let summary = crate::TurnFold::of(*turn, &events.await?).summary();
            read.extend(summary.map(|summary| (*turn, summary)));
        }
        Ok(read)
    }
}

struct List {
    journal: Arc<dyn Journal>,
    desk: Arc<Desk>,
    reader: Arc<Counting>,
    pushes: mpsc::Receiver<Push>,
}

fn opening() -> Opening {
    Opening {
        now: Timestamp(0),
        scene: Scene::live(),
        max_behind: None,
    }
}

impl List {
    fn open(journal: &Arc<dyn Journal>, filter: &str) -> Self {
        let filter = Filter::parse(filter).unwrap();
        let view = TurnView::open(Arc::clone(journal), &filter, opening());
        Self::of(journal, Listing::Turns(view))
    }

    /// The rows of all events.
    fn of_events(journal: &Arc<dyn Journal>) -> Self {
        let view = View::open(Arc::clone(journal), &Filter::default(), opening());
        Self::of(journal, Listing::Events(view))
    }

    fn of(journal: &Arc<dyn Journal>, listing: Listing) -> Self {
        let desk = Arc::new(Desk::new(listing));
        let reader = Arc::new(Counting {
            journal: Arc::clone(journal),
            read: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
        });
        let clock = Arc::new(TokioClock::at(Timestamp(0)));
        let summaries: Arc<dyn SummaryReader> = Arc::<Counting>::clone(&reader);
        let frames = Frames::new(1, Arc::clone(&desk), clock, summaries);
        let (to, pushes) = mpsc::channel(8);
        tokio::spawn(frames.run(to));
        Self {
            journal: Arc::clone(journal),
            desk,
            reader,
            pushes,
        }
    }

    async fn frame(&mut self) -> Frame {
        let Some(Push::Frame { frame }) = self.pushes.recv().await else {
            panic!("no frame")
        };
        self.desk.ack(frame.serial);
        frame
    }

    /// Turns read since the last time.
    fn read(&self) -> usize {
        self.reader.read.swap(0, Ordering::Relaxed)
    }

    fn look(&self, first: u64, follow: bool) {
        let window = Window {
            view: 1,
            first,
            count: 20,
            follow,
        };
        self.desk.look(&window);
    }
}

fn numbers(frame: &Frame) -> Vec<u64> {
    frame.turns.iter().map(|line| line.turn.0).collect()
}

/// The events of a turn, where [`Counting`] looks for them.
fn whole(turn: u64) -> Vec<Draft> {
    let rest = (1..OF_A_TURN).map(|_| warned(turn));
    [came(turn)].into_iter().chain(rest).collect()
}

fn large() -> Arc<dyn Journal> {
    let journal = MemoryJournal::new();
    for turn in 1..=TURNS {
        journal.append(whole(turn)).unwrap();
    }
    Arc::new(journal)
}

#[tokio::test(start_paused = true)]
async fn the_first_frame_has_the_true_count_and_reads_what_is_on_the_screen() {
    let journal = large();
    let mut list = List::open(&journal, "");
    list.look(0, true);
    let first = list.frame().await;
    assert_eq!((first.length, first.total, first.scanning), (TURNS, TURNS, false));
    assert!(numbers(&first).into_iter().eq(TURNS - 19..=TURNS));
    assert!(first.rows.is_empty());
    assert_eq!(list.read(), 20);
    assert_eq!(
        list.reader.asked.load(Ordering::Relaxed),
        1,
        "once for all of them"
    );
    // Any other window costs as much; what both have is not read twice.
    list.look(100, false);
    assert!(numbers(&list.frame().await).into_iter().eq(101..=120));
    assert_eq!(list.read(), 20);
    list.look(105, false);
    assert!(numbers(&list.frame().await).into_iter().eq(106..=125));
    assert_eq!(list.read(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_goes_on_is_read_again_and_no_other() {
    let journal = large();
    let mut list = List::open(&journal, "");
    list.look(0, true);
    list.frame().await;
    list.read();
    // Its line is as before, so that there is nothing to push: the next frame is that of the new turn.
    list.journal.append(vec![warned(TURNS)]).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(list.read(), 1);
    list.journal.append(vec![warned(3), came(TURNS + 1)]).unwrap();
    let grown = list.frame().await;
    assert_eq!((grown.length, grown.total), (TURNS + 1, TURNS + 1));
    assert_eq!(numbers(&grown).last(), Some(&(TURNS + 1)));
    assert_eq!(list.read(), 1, "the third turn is not on the screen");
}

#[tokio::test(start_paused = true)]
async fn a_filtered_list_says_of_how_many() {
    let journal = large();
    let mut list = List::open(&journal, "turn:#7,9000");
    let frame = list.frame().await;
    assert_eq!(
        (numbers(&frame), frame.length, frame.total),
        (vec![7, 9_000], 2, TURNS)
    );
    assert_eq!(list.read(), 2);
}

/// Frames in a second in which so many turns come every 5 ms, of a window of 20 lines, each drawn at once.
async fn frames_of_turns(turns_in_5_ms: u64) -> usize {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let mut list = List::open(&journal, "");
    list.look(0, true);
    assert_eq!(list.frame().await.length, 0);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begin = tokio::time::Instant::now();
    let mut frames = 0;
    let mut next = 1;
    while begin.elapsed() < Duration::from_secs(1) {
        let turns = next..next + turns_in_5_ms;
        journal.append(turns.flat_map(whole).collect()).unwrap();
        next += turns_in_5_ms;
        tokio::time::sleep(Duration::from_millis(5)).await;
        while let Ok(Push::Frame { frame }) = list.pushes.try_recv() {
            list.desk.ack(frame.serial);
            frames += 1;
        }
    }
    frames
}

#[tokio::test(start_paused = true)]
async fn a_list_changes_as_often_however_many_of_its_lines_change() {
    for turns in [1, 20] {
        let frames = frames_of_turns(turns).await;
        assert!(
            (38..=51).contains(&frames),
            "{frames} frames in a second, {turns} turns in 5 ms"
        );
    }
}

/// Frames in each of two seconds in which so many events come every 5 ms, of a window of 20 rows that follows the end, each
/// drawn at once.
async fn frames_at(events_in_5_ms: u64) -> [usize; 2] {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    journal.append((1..=100).map(warned).collect()).unwrap();
    let mut list = List::of_events(&journal);
    list.look(0, true);
    list.frame().await;
    let mut frames = [0; 2];
    for counted in &mut frames {
        let begin = tokio::time::Instant::now();
        while begin.elapsed() < Duration::from_secs(1) {
            journal.append((0..events_in_5_ms).map(warned).collect()).unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
            while let Ok(Push::Frame { frame }) = list.pushes.try_recv() {
                list.desk.ack(frame.serial);
                *counted += 1;
            }
        }
    }
    frames
}

#[tokio::test(start_paused = true)]
async fn rows_come_fifty_times_a_second_while_some_stay_and_ten_times_once_none_has_for_long() {
    for frames in frames_at(1).await {
        assert!((38..=50).contains(&frames), "{frames} frames in a second");
    }
    let [at_first, then] = frames_at(50).await;
    assert!(
        (20..=26).contains(&at_first),
        "{at_first} frames in the first second"
    );
    assert!((9..=11).contains(&then), "{then} frames in the second");
}

#[tokio::test(start_paused = true)]
async fn a_window_that_goes_elsewhere_does_not_wait_for_rows_that_nobody_reads() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    journal.append((1..=1_000).map(warned).collect()).unwrap();
    let mut list = List::of_events(&journal);
    list.look(0, true);
    list.frame().await;
    journal.append((1..=1_000).map(warned).collect()).unwrap();
    tokio::time::sleep(FRAME).await;
    assert_eq!(list.frame().await.first, 1_980, "all of them others");
    let begin = tokio::time::Instant::now();
    for first in [100, 200, 300] {
        list.look(first, false);
        assert_eq!(list.frame().await.first, first);
    }
    assert!(begin.elapsed() <= 3 * FRAME, "{:?}", begin.elapsed());
}
