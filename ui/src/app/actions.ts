/**
 * Everything a person can do, once. The palette, the key sheet, menus, button hints and remapping are rendered from
 * this table; what an action does is bound by whoever can do it at the moment (see `ActionRegistry`).
 */

/**
 * `window`: everywhere, also in a dialog (the key has a modifier). `always`: also while typing, but in no dialog: what is
 * behind one waits until it is answered. `page`: not while typing, nor in dialogs and menus. `view`: as `page`, while its
 * view is shown. `list`: only with a list in focus.
 */
export type When = "window" | "always" | "page" | "view" | "list";

export interface Action {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Keys as tinykeys writes them; `$mod` is Ctrl or Cmd. The first is the one that is shown. */
  readonly keys: readonly string[];
  readonly when: When;
}

const table = [
  ["Go to", [
    ["view.live", "Live", ["1"], "page"],
    ["view.turn", "Turns", ["2"], "page"],
    ["view.compose", "Compose", ["3"], "page"],
    ["view.fixtures", "Fixtures", ["4"], "page"],
    ["view.channels", "Channels", ["5"], "page"],
    ["view.sessions", "Sessions", ["6"], "page"],
    ["view.schedules", "Schedules", ["7"], "page"],
    ["view.shells", "Shells", ["8"], "page"],
    ["view.settings", "Settings", ["9"], "page"],
    ["selection.back", "Back through selections", ["Alt+ArrowLeft"], "always"],
    ["selection.forward", "Forward through selections", ["Alt+ArrowRight"], "always"],
    ["pane.next", "Next pane", ["F6"], "always"],
    ["pane.previous", "Previous pane", ["Shift+F6"], "always"],
  ]],
  ["Console", [
    ["palette", "Search and run", ["$mod+k"], "window"],
    ["keys", "Keys", ["?"], "page"],
    ["glossary", "Glossary", [], "always"],
    ["mute", "Mute or unmute all channels", ["$mod+."], "window"],
    ["report", "Shift report", ["$mod+Shift+r"], "always"],
    ["pause", "Pause or resume the view", ["$mod+Shift+p"], "always"],
    ["drawer", "Show or hide the app's log", ["$mod+j"], "window"],
    ["theme.next", "Next theme", [], "window"],
    ["theme.system", "Theme: follow the system", [], "window"],
    ["theme.dark", "Theme: dark", [], "window"],
    ["theme.light", "Theme: light", [], "window"],
    ["theme.contrast", "Theme: high contrast", [], "window"],
    ["zoom.in", "Zoom in", ["$mod+=", "$mod++"], "window"],
    ["zoom.out", "Zoom out", ["$mod+-"], "window"],
    ["zoom.reset", "Zoom to 100 %", ["$mod+0"], "window"],
    ["rows.density", "Dense or roomy rows", [], "window"],
    ["time.mode", "Absolute or relative times", [], "window"],
  ]],
  ["Files", [
    ["file.open", "Open a file or a link", ["$mod+o"], "always"],
    ["file.example", "Open an example", [], "always"],
    ["file.summary", "What came in of this file", ["$mod+i"], "always"],
    ["file.live", "Back to the live bot", ["$mod+Shift+l"], "always"],
    ["file.close", "Close this file", ["$mod+Shift+w"], "always"],
  ]],
  ["Demo", [
    ["demo.play", "Play the demo", [], "always"],
    ["demo.pause", "Pause the demo", [], "always"],
    ["demo.restart", "Play the demo from its start", [], "always"],
    ["tour", "Take the tour", [], "always"],
  ]],
  ["Lists", [
    ["list.next", "Next row", ["j"], "list"],
    ["list.previous", "Previous row", ["k"], "list"],
    ["list.open", "Open", ["Enter"], "list"],
    ["list.close", "Close, deselect", ["Escape"], "list"],
    ["list.follow", "Pause, resume or follow", ["Space"], "list"],
    ["list.mark", "Mark or unmark the turn", ["m"], "list"],
    ["error.next", "Next error", ["e"], "list"],
    ["error.previous", "Previous error", ["Shift+e"], "list"],
    ["held.next", "Next hold", ["h"], "list"],
    ["held.previous", "Previous hold", ["Shift+h"], "list"],
  ]],
  ["Live", [
    ["live.turns", "Show turns", ["Alt+1"], "view"],
    ["live.decisions", "Show decisions", ["Alt+2"], "view"],
    ["live.everything", "Show everything", ["Alt+3"], "view"],
    ["live.export", "Export the marked turns", ["$mod+Shift+e"], "always"],
    ["live.unmark", "Unmark all turns", [], "always"],
  ]],
  ["Filter", [
    ["filter.focus", "Filter", ["/"], "page"],
    ["filter.clear", "Clear the filter", [], "always"],
    ["filter.save", "Save the filter", [], "always"],
    ["filter.export", "Export the turns of this filter", ["$mod+e"], "always"],
  ]],
  ["Turn", [
    ["turn.chunk.previous", "Previous chunk", [","], "view"],
    ["turn.chunk.next", "Next chunk", ["."], "view"],
    ["turn.byte.previous", "Previous byte", ["Alt+,"], "page"],
    ["turn.byte.next", "Next byte", ["Alt+."], "page"],
    ["turn.decision.previous", "Previous decision", ["["], "view"],
    ["turn.decision.next", "Next decision", ["]"], "view"],
    ["turn.delivery.previous", "Previous delivery", ["{"], "view"],
    ["turn.delivery.next", "Next delivery", ["}"], "view"],
    ["turn.play", "Play or pause the turn", ["Shift+Space"], "view"],
    ["turn.replay", "Replay from the start", ["r"], "view"],
    ["turn.stop", "Cancel the run of the turn", ["s"], "view"],
    ["turn.again", "Run the message again", ["n"], "view"],
    ["turn.fixture", "Make a fixture of this turn", ["t"], "view"],
    ["turn.export", "Export this turn", ["x"], "view"],
    ["turn.why", "Why?", ["y"], "view"],
    ["turn.link", "Copy a link to this moment", ["l"], "view"],
    ["turn.copy", "Copy", ["c"], "view"],
  ]],
  ["Output", [
    ["output.recut", "Re-cut the stream", ["$mod+Shift+x"], "always"],
    ["output.dialects", "Compare settings", ["$mod+Shift+d"], "always"],
  ]],
  ["Compose", [
    ["compose.send", "Send through the channel", ["$mod+Enter"], "always"],
    ["compose.fix", "Apply the fix", ["Alt+Enter"], "always"],
    ["compose.fixAll", "Apply every fix", ["Alt+Shift+Enter"], "always"],
    ["compose.fixHere", "Apply the fix of this finding", ["f"], "list"],
    ["compose.finding.next", "Next finding", ["F8"], "always"],
    ["compose.finding.previous", "Previous finding", ["Shift+F8"], "always"],
    ["compose.template", "Insert a directive", ["$mod+Shift+i"], "always"],
    ["compose.previous", "Previous message sent", ["Alt+ArrowUp"], "always"],
    ["compose.next", "Next message sent", ["Alt+ArrowDown"], "always"],
    ["compose.prepare", "Dry run of the message, up to its prompt", ["$mod+Shift+Enter"], "always"],
    ["compose.lab", "Queue lab", [], "always"],
  ]],
  ["Channels", [
    ["faults.show", "Fault deck", [], "always"],
    ["faults.plan", "Plan a fault", [], "always"],
    ["channels.ledger", "Delivery ledger of all channels", [], "always"],
    ["channel.switch", "Switch the channel on or off", ["o"], "list"],
    ["channel.arm", "Arm the channel, or put it into dry run", ["a"], "list"],
    ["channel.ledger", "Delivery ledger of the channel", ["l"], "list"],
    ["channel.send", "Send what was held on the channel", ["s"], "list"],
  ]],
  ["Sessions", [
    ["session.cancel", "Cancel the run", ["s"], "list"],
    ["session.drop", "Clear the queue", ["Shift+d"], "list"],
    ["session.reset", "Reset the conversation", ["Shift+f"], "list"],
  ]],
  ["Permissions", [
    ["permissions.show", "Answer a request for permission", ["$mod+Shift+a"], "always"],
    ["permission.allow_once", "Allow it this once", ["a"], "list"],
    ["permission.allow_always", "Allow it for ever", ["Shift+a"], "list"],
    ["permission.reject_once", "Reject it this once", ["x"], "list"],
    ["permission.reject_always", "Reject it for ever", ["Shift+x"], "list"],
    ["permission.cancel", "Dismiss: choose none of the answers", ["Shift+c"], "list"],
  ]],
  ["Fixtures", [
    ["fixtures.runAll", "Run all fixtures", ["Shift+r"], "list"],
    ["fixtures.run", "Run the selected fixture", ["r"], "list"],
    ["fixtures.turn", "Open the run on this channel as a turn", ["o"], "list"],
    ["fixtures.cancel", "Stop the run", ["Shift+Escape"], "page"],
    ["fixtures.diff", "Show what differs", ["d"], "list"],
    ["fixtures.accept", "Accept the change", ["a"], "list"],
    ["fixtures.edit", "Edit the fixture", ["i"], "list"],
    ["fixtures.junit", "Save the verdicts as JUnit", [], "always"],
    ["fixtures.save", "Save the fixture", ["$mod+s"], "window"],
  ]],
] as const satisfies readonly (readonly [string, readonly (readonly [string, string, readonly string[], When])[]])[];

export type ActionId = (typeof table)[number][1][number][0];

export const actions: readonly (Action & { readonly id: ActionId })[] = table.flatMap(([group, rows]) =>
  rows.map(([id, title, keys, when]) => ({ id, title, group, keys, when })));

export const actionById: ReadonlyMap<string, Action> = new Map(actions.map((a) => [a.id, a]));
