import { getContext, setContext, untrack } from "svelte";
import { ActionRegistry, type Handlers } from "../app/registry";
import type { Alarm, ChannelCard, ChannelId, DeliveryState, FaultDeck, LogLine, Pairings, PendingPermission, Push, ShellLine, Status, TurnId } from "../generated/wire";
import { HostFailure, type Args, type CommandName, type Host, type Result } from "../host/host";
import { Announcer } from "../store/announcer";
import { Selection, type Place } from "../store/selection";
import { Fixtures } from "./fixtures.svelte";
import { Marks } from "./marks.svelte";
import { Prefs } from "./prefs.svelte";
import { Recut } from "./recut.svelte";
import { Theme } from "./theme.svelte";
import { Tour } from "./tour.svelte";
import { Workspaces } from "./workspaces.svelte";

/** A moment of a turn: right after an event, or at a time in milliseconds since it began. */
export type AskedMoment = { readonly turn: TurnId; readonly seq: number } | { readonly turn: TurnId; readonly atMs: number };

export type ViewId = "live" | "turn" | "compose" | "fixtures" | "channels" | "sessions" | "schedules" | "shells" | "settings";

/** In the order of the rail. */
const VIEWS: readonly string[] = ["live", "turn", "compose", "fixtures", "channels", "sessions", "schedules", "shells", "settings"] satisfies ViewId[];

export interface Toast {
  readonly id: number;
  readonly tone: "info" | "ok" | "warn" | "danger" | "leaked";
  readonly title: string;
  readonly hint: string | null;
  /** Where it leads, if anywhere. */
  readonly place: Place | null;
  /** The channel whose outage it tells of. */
  readonly down: ChannelId | null;
}

/** Something that can be done with one thing on the screen, which its title names. */
export interface Offer {
  readonly id: string;
  readonly title: string;
  /** Among what the palette lists it. */
  readonly group: string;
  readonly run: () => void;
}

/** Lines of the app's log the page keeps; the file has them all. */
const LOG_LIMIT = 1000;
/** Alarms the page keeps; the journal has them all. */
const ALARM_LIMIT = 50;
const VIEW_KEY = "foldback.view";

/**
 * What the whole window shares. Views take what they need from here and from nowhere else; anything a view keeps for
 * itself is its own class.
 */
export class Console {
  readonly host: Host;
  /** What it looks at: 0 is the live bot, everything else an open file. */
  readonly workspace: number;
  /** The files that are open beside the live bot; one for the whole window. */
  readonly workspaces: Workspaces;
  readonly prefs: Prefs;
  readonly theme: Theme;
  readonly actions: ActionRegistry;
  readonly fixtures: Fixtures;
  readonly recut: Recut;
  readonly marks = new Marks();
  readonly tour = new Tour(this);
  readonly #selection = new Selection();
  readonly #announcer = new Announcer((text) => (this.announcement = text));
  #toastId = 0;
  /** Channels that are down, and of which somebody said that they know. */
  readonly #waived = new Set<ChannelId>();

  view = $state<ViewId>("live");
  status = $state.raw<Status | null>(null);
  channels = $state.raw<readonly ChannelCard[]>([]);
  /** Who waits to talk to the bot; asked for by the first who shows it, pushed from then on. */
  pairings = $state.raw<Pairings | null>(null);
  /** Chats that take nothing more, and the budgets of deliveries; asked for by the first who shows it, pushed from then on. */
  deliveries = $state.raw<DeliveryState | null>(null);
  /** What is planned to go wrong; asked for by the first who shows it, pushed from then on. */
  decks = $state.raw<readonly FaultDeck[] | null>(null);
  /** Requests for permission that wait for a person, the oldest first; pushed from the start on. */
  permissions = $state.raw<readonly PendingPermission[]>([]);
  /** The shells that are kept for owners, the oldest first; pushed from the start on. */
  shells = $state.raw<readonly ShellLine[]>([]);
  /** Requests that were answered here, until a push no longer has them. */
  readonly #answered = new Set<string>();
  log = $state.raw<readonly LogLine[]>([]);
  /** The latest alarms, the newest last. */
  alarms = $state.raw<readonly Alarm[]>([]);
  /** How many there were since the window opened. */
  alarmsTotal = $state(0);
  toasts = $state.raw<readonly Toast[]>([]);
  /** The text of the polite live region. */
  announcement = $state("");
  overlay = $state<"palette" | "keys" | "glossary" | null>(null);
  /** A filter another view asks Live to show; Live takes it and clears it. */
  askedFilter = $state<string | null>(null);
  /** Channels is asked to show the fault deck; it does, and clears it. */
  askedDeck = $state(false);
  /** Channels is asked to show the budgets and dead chats; it does, and clears it. */
  askedDeliveries = $state(false);
  /** The fault deck is asked to open its dialog; it does, and clears it. */
  askedPlan = $state(false);
  /** Whoever shows requests for permission is asked to give the oldest the keyboard; it does, and clears it. */
  askedPermission = $state(false);
  /** The Turn view is asked to stand at an event or a time of a turn; it does, and clears it. */
  askedMoment = $state.raw<AskedMoment | null>(null);
  /** The turn whose course is on the screen. */
  openedTurn = $state<TurnId | null>(null);
  /** What can be done with what is on the screen, by name: the palette lists it. */
  offers = $state.raw<readonly Offer[]>([]);
  /** Grows whenever what can be done changed; palette and sheets read it. */
  abilities = $state(0);
  #selected = $state.raw<Place | null>(null);
  #hovered = $state.raw<Place | null>(null);
  #canGoBack = $state(false);
  #canGoForward = $state(false);

  /** The console of the live bot, or of an open file beside it: both have the person's choices and keys in common. */
  constructor(host: Host, file: { readonly number: number; readonly live: Console } | null = null) {
    this.host = host;
    this.workspace = file?.number ?? 0;
    this.prefs = file?.live.prefs ?? new Prefs();
    this.theme = file?.live.theme ?? new Theme(this.prefs);
    this.actions = file?.live.actions ?? new ActionRegistry();
    this.fixtures = file?.live.fixtures ?? new Fixtures(host);
    this.recut = new Recut(host);
    this.workspaces = file?.live.workspaces ?? new Workspaces(this, (number) => new Console(host.workspace(number), { number, live: this }));
    if (file !== null) this.view = "turn";
    const stored = sessionStorage.getItem(this.storeKey(VIEW_KEY));
    if (isView(stored) && this.hasView(stored)) this.view = stored;
    // Bound inside effects: what counts must not become what they depend on.
    this.actions.listen(() => untrack(() => (this.abilities += 1)));
    if (file === null) this.actions.remap(this.prefs.get("keys"));
    this.#selection.listen(() => {
      this.#selected = this.#selection.current;
      this.#hovered = this.#selection.hovered;
      this.#canGoBack = this.#selection.canGoBack;
      this.#canGoForward = this.#selection.canGoForward;
    });
  }

  /** Subscribes, then asks for what there is already: in this order nothing falls between. */
  connect(): () => void {
    // A file is looked at again: its lines come again, too.
    this.log = [];
    const unsubscribe = this.host.subscribe({ topic: "app" }, (push) => this.#hear(push));
    void this.try("status", {}).then((status) => status && this.takeStatus(status));
    void this.try("channels", {}).then((cards) => cards && (this.channels = cards));
    void this.try("log_tail", {}).then((lines) => lines && (this.log = [...lines, ...this.log].slice(-LOG_LIMIT)));
    return unsubscribe;
  }

  /** Performs a command. A failure becomes a toast with its hint, and the answer is `undefined`. */
  async try<K extends CommandName>(name: K, args: Args<K>): Promise<Result<K> | undefined> {
    try {
      return await this.host.call(name, args);
    } catch (thrown) {
      this.fail(thrown);
      return undefined;
    }
  }

  /** Says what went wrong, and what to do about it. */
  fail(thrown: unknown): void {
    const { message, hint } = HostFailure.from(thrown);
    this.toast("danger", message, hint);
  }

  /** Takes over actions for as long as the component lives. Call inside an effect and return the answer. */
  bind(handlers: Handlers): () => void {
    return this.actions.bind(handlers);
  }

  /** Offers deeds in the palette for as long as the component lives. Call inside an effect and return the answer. */
  offer(group: string, deeds: readonly Omit<Offer, "group">[]): () => void {
    const offers = deeds.map((deed) => ({ ...deed, group }));
    untrack(() => (this.offers = [...this.offers, ...offers]));
    return () => (this.offers = untrack(() => this.offers).filter((offer) => !offers.includes(offer)));
  }

  /** The name under which the page keeps something of this workspace. */
  storeKey(name: string): string {
    return this.workspace === 0 ? name : `${name}.${this.workspace}`;
  }

  /** Whether there is anything to see in a view: a file has no channels that could be switched, no sessions at work, no clock and no shells. */
  hasView(view: ViewId): boolean {
    return this.workspace === 0 || (view !== "channels" && view !== "sessions" && view !== "schedules" && view !== "shells");
  }

  // --- where one is -------------------------------------------------------------------------------------------

  go(view: ViewId): void {
    if (!this.hasView(view)) return;
    this.view = view;
    sessionStorage.setItem(this.storeKey(VIEW_KEY), view);
  }

  /** The selection all panes share. */
  get selected(): Place | null {
    return this.#selected;
  }

  get hovered(): Place | null {
    return this.#hovered;
  }

  get canGoBack(): boolean {
    return this.#canGoBack;
  }

  get canGoForward(): boolean {
    return this.#canGoForward;
  }

  select(place: Place): void {
    this.#selection.select(place);
  }

  /** Selects without a step in the history: for scrubbing. */
  scrub(place: Place): void {
    this.#selection.replace(place);
  }

  hover(place: Place | null): void {
    this.#selection.hover(place);
  }

  back(): void {
    this.#selection.back();
  }

  forward(): void {
    this.#selection.forward();
  }

  /** Shows a place: its turn, or else its event. */
  show(place: Place): void {
    if (place.turn !== undefined) return this.openTurn(place.turn, place.seq);
    // The event may be one that only Everything shows.
    this.prefs.set("depth", "everything");
    this.select(place);
    this.go("live");
  }

  /** Selects a turn and shows it. */
  openTurn(turn: number, seq?: number): void {
    this.select({ turn, seq });
    this.askedMoment = seq === undefined ? null : { turn, seq };
    this.go("turn");
  }

  /** Shows a turn at a time of it, or at its end. */
  openMoment(turn: number, atMs: number | null): void {
    this.select({ turn });
    this.askedMoment = atMs === null ? null : { turn, atMs };
    this.go("turn");
  }

  /** Shows what is planned to go wrong. */
  showDeck(): void {
    this.askedDeck = true;
    this.go("channels");
  }

  /** Shows the budgets of deliveries, and the chats that take none. */
  showDeliveries(): void {
    this.askedDeliveries = true;
    this.go("channels");
  }

  /** Asks what is to go wrong, from anywhere. */
  planFault(): void {
    this.askedPlan = true;
    this.showDeck();
  }

  /** Gives the oldest request for permission the keyboard: of the turn on the screen, else of all. */
  answerPermission(): void {
    if (this.permissions.length === 0) return this.toast("info", "No request for permission waits.");
    this.askedPermission = true;
    if (this.view !== "turn" || !this.permissions.some(({ turn }) => turn === this.openedTurn)) this.go("sessions");
  }

  /** Shows the events behind a figure. */
  showEvents(filter: string): void {
    // A figure counts events, whatever Live hid so far.
    this.prefs.set("depth", "everything");
    this.askedFilter = filter;
    this.go("live");
  }

  // --- what one is told ---------------------------------------------------------------------------------------

  toast(tone: Toast["tone"], title: string, hint: string | null = null, place: Place | null = null, down: ChannelId | null = null): void {
    const id = (this.#toastId += 1);
    // The same thing said again is said once.
    const others = this.toasts.filter((toast) => toast.title !== title || toast.hint !== hint);
    this.toasts = [...others.slice(-3), { id, tone, title, hint, place, down }];
    this.announce(hint ? `${title} ${hint}` : title);
    // What went wrong stays until it is dismissed; a failed turn stays among the alarms in the top bar.
    if (isPassing({ tone })) setTimeout(() => this.dismiss(id), 6000);
    else if (tone === "danger" && place !== null) setTimeout(() => this.dismiss(id), 12_000);
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }

  /** A person read it: of the same outage there is none any more until the channel was up again. */
  waive({ id, down }: Toast): void {
    if (down !== null) this.#waived.add(down);
    this.dismiss(id);
  }

  /** Tells a screen reader, politely. */
  announce(text: string): void {
    this.#announcer.announce(text);
  }

  /** Takes in the figures, and says when sending was muted or resumed: here, in the tray, or at the command line. */
  takeStatus(status: Status): void {
    const before = this.status?.muted ?? status.muted;
    this.status = status;
    this.tour.hear(status);
    if (before === status.muted) return;
    if (status.muted) this.toast("info", "Sending is muted.", "Deliveries wait in the outbox, in order.");
    else this.toast("ok", "Sending resumed.");
  }

  channel(id: string | null): ChannelCard | undefined {
    return this.channels.find((card) => card.channel === id);
  }

  /** Takes in a changed card. */
  updateChannel(card: ChannelCard): void {
    if (card.state === "up") this.#waived.delete(card.channel);
    this.channels = this.channels.some((c) => c.channel === card.channel)
      ? this.channels.map((c) => (c.channel === card.channel ? card : c))
      : [...this.channels, card];
  }

  #hear(push: Push): void {
    switch (push.push) {
      case "status":
        this.takeStatus(push.status);
        break;
      case "channel":
        this.updateChannel(push.card);
        break;
      case "pairings":
        this.pairings = push.pairings;
        break;
      case "deliveries":
        this.deliveries = push.deliveries;
        break;
      case "permissions":
        this.#asked(push.permissions);
        break;
      case "shells":
        this.shells = push.shells;
        break;
      case "faults":
        this.decks = push.decks;
        break;
      case "open":
        this.workspaces.openTargets(push.targets);
        break;
      case "log":
        this.log = [...this.log, ...push.lines].slice(-LOG_LIMIT);
        break;
      case "fixtures":
        this.fixtures.hear(push.progress);
        break;
      case "recut":
        this.recut.hear(push.progress);
        break;
      case "alarm":
        this.#alarm(push.alarm);
        break;
      case "frame":
        break; // Frames go to their view.
    }
  }

  /** A request was answered: it waits no more, whatever is still on its way about it. */
  answered(number: string): void {
    this.#answered.add(number);
    this.permissions = this.permissions.filter((waiting) => waiting.number !== number);
  }

  #asked(told: readonly PendingPermission[]): void {
    for (const number of this.#answered) if (!told.some((waiting) => waiting.number === number)) this.#answered.delete(number);
    const permissions = told.filter(({ number }) => !this.#answered.has(number));
    for (const { number, sender, channel, request } of permissions)
      if (!this.permissions.some((known) => known.number === number)) this.announce(`Permission asked, for ${sender} on ${channel}: ${request.title}`);
    this.permissions = permissions;
  }

  /** The channel of an outage: its sentence begins with it. */
  #channelOf(message: string): ChannelId | null {
    return this.channels.find(({ channel }) => message.startsWith(`${channel} `))?.channel ?? null;
  }

  #alarm(alarm: Alarm): void {
    this.alarms = [...this.alarms, alarm].slice(-ALARM_LIMIT);
    this.alarmsTotal += 1;
    const down = alarm.kind === "channel_down" ? this.#channelOf(alarm.message) : null;
    if (down !== null && this.#waived.has(down)) return;
    // What the open turn shows by itself needs no box over it; only a leak is too bad to be overlooked.
    if (alarm.kind !== "leak" && alarm.turn !== null && alarm.turn === this.openedTurn) return this.announce(alarm.message);
    const place = { seq: alarm.seq, turn: alarm.turn ?? undefined };
    this.toast(alarm.kind === "leak" ? "leaked" : "danger", alarm.message, null, place, down);
  }
}

/** Whether a toast only confirms: it is gone in seconds, and needs no answer. */
export const isPassing = ({ tone }: Pick<Toast, "tone">): boolean => tone === "info" || tone === "ok";

function isView(text: string | null): text is ViewId {
  return text !== null && VIEWS.includes(text);
}

const KEY = Symbol("console");

export const provideConsole = (console: Console): Console => setContext(KEY, console);
/** The window's console; call while a component is being created. */
export const useConsole = (): Console => getContext<Console>(KEY);
