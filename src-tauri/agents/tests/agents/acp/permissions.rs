//! What a person sees of a call that an agent asks for.

use super::{Bench, option, until_asked};
use foldback_wire::{PermissionKind, RunId};

#[tokio::test]
async fn a_call_that_is_asked_for_by_its_id_alone_is_shown_as_it_was_announced() {
    let bench = Bench::new("opencode");
    let mut running = bench.start(1, "terse");
    let (_, asked) = until_asked(&mut running).await;
    let preview = &asked.preview;
    let expected = "Announced earlier under this id: Write motd (edit)\n{\"path\":\"/etc/motd\"}";
    assert_eq!(preview.text.as_deref(), Some(expected));
    assert_eq!(preview.changes[0].diff, "@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(preview.locations, ["/etc/motd"]);
    // A rule that decides without a person still sees a call that says nothing.
    assert_eq!((asked.does.as_str(), &asked.arguments), ("", &None));
    assert_eq!(asked.title, "a tool call that the agent does not describe");
    let once = option(&asked, PermissionKind::AllowOnce);
    bench.agent.decide(RunId(1), &asked.id, Some(once));
    running.rest().await;
    bench.end().await;
}
