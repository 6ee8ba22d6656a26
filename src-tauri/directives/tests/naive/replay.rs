//! The corpora that the fuzzer found, replayed without it.

use std::{collections::HashSet, path::Path};

use crate::{archive, masking, targets};

/// Fewest entries of a corpus.
const FEWEST: usize = 2_000;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let entries = archive::read(&folder.join(format!("{target}.gz"))).expect("an archive");
    let distinct: HashSet<&[u8]> = entries.iter().map(Vec::as_slice).collect();
    assert!(distinct.len() >= FEWEST, "{target}: {} entries", distinct.len());
    for entry in &entries {
        check(entry);
    }
}

#[test]
fn the_corpus_of_batch_holds() {
    replay("batch", targets::batch);
}

#[test]
fn the_corpus_of_stream_holds() {
    replay("stream", targets::stream);
}

#[test]
fn the_corpus_of_inbound_holds() {
    replay("inbound", targets::inbound);
}

#[test]
fn the_corpus_of_differential_holds() {
    replay("differential", targets::differential);
}

#[test]
fn the_corpus_of_redact_holds() {
    replay("redact", masking::redact);
}

/// Found by fuzzing: repetitions of repetitions in an operator's pattern, which the naive reading tried in every
/// way from every place.
#[test]
fn stars_of_stars_hold() {
    masking::redact(
        b"\x1fsk***************************[a-z]********************************\xFE \
          =V\x87\x90secretooooo\xFF\xFF\xFF\xFF\xFF_livepypi-_y #\xFD*****\xFF*****\xFF***",
    );
}

/// Found by fuzzing: an operator's pattern of many states, whose bound took a look at all of them from each.
#[test]
fn repetitions_of_repetitions_hold() {
    masking::redact(b"passwd\0Ma(`|c){1,9}{1,9}{1,9}d\xFEkeqy 12");
}

/// Found by fuzzing: joined white space of 65,536 bytes, which the naive reading stripped once for each.
#[test]
fn long_joined_white_space_between_tokens_holds() {
    targets::differential(b"\0\0NO_REPLYNO_REPLY[[reply_to:1]]```\n\xFD95</actions>NO_REPLY");
}
