//! What every journal promises, read as the specification and run against each of them.

mod durations;
mod outbox;
mod outlines;
mod reading;
mod words;
mod writing;

use foldback_store::{Journal, MemoryJournal, SqliteJournal};
use std::sync::Arc;

/// Where a journal lives, so that a test can leave it and come back.
trait House: Sized {
    fn new() -> Self;
    /// Opens it; closes it in order first, where it is open.
    async fn enter(&mut self) -> Arc<dyn Journal>;
}

struct Memory(Arc<MemoryJournal>);

impl House for Memory {
    fn new() -> Self {
        Self(Arc::new(MemoryJournal::new()))
    }

    async fn enter(&mut self) -> Arc<dyn Journal> {
        Arc::<MemoryJournal>::clone(&self.0)
    }
}

struct Sqlite {
    folder: tempfile::TempDir,
    open: Option<Arc<SqliteJournal>>,
}

impl House for Sqlite {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            open: None,
        }
    }

    async fn enter(&mut self) -> Arc<dyn Journal> {
        if let Some(journal) = self.open.take() {
            journal.close().await.unwrap();
        }
        let path = self.folder.path().join("journal.sqlite");
        let journal = Arc::new(SqliteJournal::open(path).await.unwrap());
        self.open = Some(Arc::clone(&journal));
        journal
    }
}

/// Makes one test of every promise for every journal.
macro_rules! contract {
    ($($about:ident { $($promise:ident),+ $(,)? })+) => {
        mod memory {
            // Paused, as in a replay: a journal that waits for time or for a thread would show here.
            $($(#[tokio::test(start_paused = true)]
            async fn $promise() {
                crate::$about::$promise(<crate::Memory as crate::House>::new()).await;
            })+)+
        }

        mod sqlite {
            $($(#[tokio::test]
            async fn $promise() {
                crate::$about::$promise(<crate::Sqlite as crate::House>::new()).await;
            })+)+
        }
    };
}

contract! {
    writing {
        places_grow_by_one_in_the_order_of_the_calls,
        places_stay_whole_when_many_write_at_once,
        what_is_flushed_is_read_back_unchanged,
        the_head_wakes_who_watches,
        an_event_before_a_confirmed_intent_is_there_too,
        a_refused_change_leaves_no_event,
        numbers_are_free_and_stay_free,
        sessions_are_kept,
        chats_are_known_until_too_many_are_newer,
        the_agents_session_is_kept_until_it_is_forgotten,
        after_the_end_nothing_is_taken,
    }
    reading {
        reading_starts_and_stops_where_asked,
        a_turn_is_read_whole_and_alone,
        a_selection_is_what_it_admits,
        events_are_picked_by_their_places,
        a_message_is_found_by_its_name,
        a_start_finds_what_is_open_and_what_processes_told,
        a_conversation_is_read_backwards_and_alone,
        the_tokens_of_a_session_are_summed_until_a_reset,
        turns_in_doubt_are_found_until_a_person_looked,
    }
    durations {
        a_hold_is_as_long_at_its_beginning_as_at_its_end,
        a_wait_is_over_when_what_waited_goes_on,
        what_was_open_at_a_start_ends_after_it,
    }
    outlines {
        an_outline_has_what_a_line_tells_and_leaves_the_rest_out,
        a_turn_of_which_an_outline_would_not_tell_all_has_none,
    }
    outbox {
        an_intended_operation_stays_until_it_is_settled,
        what_is_written_ahead_is_there_with_what_is_confirmed_after_it,
        what_is_changed_together_comes_to_its_end,
        what_follows_from_an_outcome_takes_its_place,
        what_was_begun_is_told_from_what_was_not,
        the_outbox_keeps_the_order_of_intention,
        an_operation_is_intended_once,
        operations_that_are_intended_together_are_all_there_or_none_is,
        an_operation_that_is_not_in_the_outbox_is_refused,
        a_start_tells_what_is_safe_to_send,
    }
}
