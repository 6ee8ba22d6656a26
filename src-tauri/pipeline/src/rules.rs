//! Every rule of the stages, with an id that fixtures name. Replay lists the ids that no fixture names;
//! mutation tests switch one rule off at its decision and expect some fixture to notice.

macro_rules! rules {
    ($( $name:ident = $id:literal : $sentence:literal ),+ $(,)?) => {
        /// A rule of the pipeline.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $( #[doc = $sentence] $name, )+ }

        impl Rule {
            /// Every rule, in the order of the stages.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its id: `P`, the stage, a word.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),+ }
            }

            /// Its text.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence),+ }
            }

            /// True where it can be switched off. Two cannot: the dry run is the switchboard's own, and no
            /// build of Foldback, not even a test's, can open a file outside the folder.
            pub const fn can_be_off(self) -> bool {
                !matches!(self, Self::DeliverDryRun | Self::FilesBelow)
            }

            /// The rule of this id.
            pub fn from_id(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|rule| rule.id() == id)
            }
        }
    };
}

rules! {
    FinalizeBreaks = "P.finalize.breaks": "CRLF and CR in a message become LF.",
    FinalizeMedia = "P.finalize.media": "A file without a media type is application/octet-stream.",
    FinalizeEmpty = "P.finalize.empty": "A message with neither text nor files nor a place stops.",
    DedupeClaim = "P.dedupe.claim": "A message that was answered in the last seven days, or is in work, stops as a duplicate.",
    DedupeRelease = "P.dedupe.release": "A failed turn releases its message, so that a redelivery is answered.",
    DedupeAge = "P.dedupe.age": "Where anybody can send a recorded message again, one that is older than the memory of what was answered stops.",
    AuthorizeIds = "P.authorize.ids": "A sender or chat whose id no platform gives stops: a float, an exponent, a sign that looks like another.",
    AuthorizeOwn = "P.authorize.own": "What the bot wrote itself stops.",
    AuthorizeBots = "P.authorize.bots": "Other bots stop, unless the channel lets bots in.",
    AuthorizeCommand = "P.authorize.command": "A command of somebody who may not talk stops like everything else.",
    AuthorizeDirect = "P.authorize.direct": "The policy for direct messages decides who may write directly.",
    AuthorizeGroup = "P.authorize.group": "The policy and the list for groups decide who may write in groups.",
    AuthorizeChats = "P.authorize.chats": "Where the setting groups names chats, other groups stop.",
    AuthorizeClosed = "P.authorize.closed": "A channel with an empty allow list is closed to everybody.",
    AuthorizeDeny = "P.authorize.deny": "A sender who is not on the allow list stops.",
    AuthorizeProvider = "P.authorize.provider": "An entry provider:id names a sender of that provider only.",
    PairingCode = "P.pairing.code": "Somebody unknown who writes directly gets a code, where the policy is pairing.",
    PairingOnce = "P.pairing.once": "A code is told once while it is valid.",
    PairingLimit = "P.pairing.limit": "At most three people wait for an operator on a channel; the oldest request gives way to a newer one.",
    PairingApproved = "P.pairing.approved": "Whom an operator approved may write directly, until that is taken back.",
    ActivationMention = "P.activation.mention": "A message in a group stops unless it mentions the bot, where a mention is required.",
    ActivationReply = "P.activation.reply": "An answer to a message of the bot counts as a mention.",
    ActivationPattern = "P.activation.pattern": "Words that match a pattern of mentions count as one.",
    ActivationBots = "P.activation.bots": "Bots get only so many turns in a row in a chat, until a person writes there.",
    SessionSender = "P.session.sender": "In groups the scope per-sender gives everyone a conversation of their own.",
    SessionThread = "P.session.thread": "A thread is a conversation of its own.",
    SessionMain = "P.session.main": "Where the setting names one, direct chats share a conversation.",
    SessionFresh = "P.session.fresh": "A message to a conversation that is over by itself begins a new one.",
    SessionWord = "P.session.word": "A configured word that is the sender's whole text begins a new conversation.",
    SessionResume = "P.session.resume": "The agent is given the session of its own that it told for the conversation, also after a restart.",
    SessionLost = "P.session.lost": "That the agent lost a conversation is told to the user, unless the setting says otherwise.",
    InlineForwarded = "P.inline.forwarded": "In a message that is passed on no directive and no command is read.",
    InlineOwner = "P.inline.owner": "Only an owner loosens, by a directive, what the agent may do.",
    InlineLevels = "P.inline.levels": "The agent is asked for the level of thinking and the model that the message or its session sets.",
    CommandAccess = "P.command.access": "Directives and commands of a sender who may not use them are text.",
    CommandOwner = "P.command.owner": "Nobody owns the bot but whom the list of owners names.",
    CommandFirst = "P.command.first": "A command is answered by Foldback and never reaches the agent.",
    AbortAlone = "P.abort.alone": "A stop word stops the run only where it is the whole message.",
    SendDeny = "P.send.deny": "Where the session is closed to messages the agent does not run; commands still answer.",
    QueueFifo = "P.queue.fifo": "A message during a run waits its turn, first in, first out.",
    QueueRuns = "P.queue.runs": "No more runs go on at once than the setting allows; a message of another conversation waits for one to end.",
    QueueSender = "P.queue.sender": "What one sender writes within a minute beyond the limit is stopped.",
    QueueCap = "P.queue.cap": "When the cap is reached one message goes, as the setting says, and the journal says so.",
    GatherGiven = "P.gather.given": "A file that came with a message is fetched and given to an agent that takes it.",
    GatherKinds = "P.gather.kinds": "A file of a kind that the settings leave out, or that the agent does not take, is not fetched.",
    GatherSize = "P.gather.size": "A file is not taken if it is larger than the limit, whatever size was told.",
    GatherMany = "P.gather.many": "Of one message only so many files are taken, and so many bytes together.",
    GatherMedia = "P.gather.media": "A file is what its first bytes say; that the platform said otherwise is told.",
    GatherWait = "P.gather.wait": "A turn waits for its files only so long.",
    GatherTold = "P.gather.told": "A file that is not given is named to the agent, with the reason.",
    ThreadOnce = "P.thread.once": "The thread of a message is read in the first turn of a conversation in it, and not again.",
    ThreadAnew = "P.thread.anew": "A conversation that begins anew reads its thread again.",
    ThreadEach = "P.thread.each": "A conversation that goes on in another thread reads that one, too.",
    ThreadMost = "P.thread.most": "Of a thread no more messages are read than the setting says.",
    ThreadAdmitted = "P.thread.admitted": "Of a thread the agent is given what the bot wrote, and what people wrote who may write there.",
    ThreadLeftOut = "P.thread.left_out": "What is left out of a thread does not come in with the message either.",
    ThreadTold = "P.thread.told": "What the agent is told of the group is not told again as the thread.",
    ThreadJoined = "P.thread.joined": "Messages that are answered together are not told again as the thread.",
    ThreadRepeated = "P.thread.repeated": "A directive that the agent repeats from a thread is not carried out.",
    PrepareSender = "P.prepare.sender": "The agent is given the sender context with the message id.",
    PrepareDirectives = "P.prepare.directives": "The agent is taught exactly the directives the channel can do.",
    PrepareNotices = "P.prepare.notices": "What happened in the conversation since the last answer is told to the agent once, as data.",
    DeliveriesOnce = "P.deliveries.once": "A delivery request whose id was accepted before begins no other turn.",
    DeliveriesDepth = "P.deliveries.depth": "At most three delivery turns follow one message.",
    DeliveriesBudget = "P.deliveries.budget": "One person, and all together, have at most so many deliveries within a time.",
    DeliveriesDead = "P.deliveries.dead": "A delivery to a chat that its platform takes nothing more for is refused.",
    DeliveriesReply = "P.deliveries.reply": "The answer of a delivery turn replies to the message that asked for it.",
    DeliveriesRepeated = "P.deliveries.repeated": "A directive that the agent repeats from what was delivered is not carried out.",
    ActionsAccess = "P.actions.access": "An action is carried out only at the word of somebody whom its row lets have it carried out.",
    ActionsChain = "P.actions.chain": "A delivery turn has the rights of whoever wrote the message that led to it; a delivery from outside has none, whoever it names.",
    ActionsOthers = "P.actions.others": "Where others wrote into a run, each of them has to be allowed what its agent asks for.",
    ActionsDepth = "P.actions.depth": "Behind three delivery turns of one message no action of its chain begins.",
    ActionsConfirm = "P.actions.confirm": "What no list allows begins only when a person has confirmed it.",
    ActionsDryRun = "P.actions.dry_run": "In a dry run no action is carried out.",
    ActionsEnd = "P.actions.end": "Of a run that did not end in order no action is carried out.",
    ActionsCorrections = "P.actions.corrections": "Two corrections of an answer are read; then the person is told that something was not done.",
    RunLate = "P.run.late": "Steps of another run are dropped.",
    RunNotice = "P.run.notice": "A failed run says so to the user, after what was said before.",
    RunSilence = "P.run.silence": "A run that says nothing for too long has failed.",
    RunTools = "P.run.tools": "A run is not silent while a tool of it runs.",
    RunMost = "P.run.most": "A run that says more than those messages hold, or is to have one more, is stopped.",
    PermitPolicy = "P.permit.policy": "The lists of kinds, then the policy decide about a request for permission; what is to be rejected is, whatever else is said.",
    PermitKind = "P.permit.kind": "An answer is chosen by what it means, never by name or place; nothing is allowed for ever unless a person says so.",
    PermitTimeout = "P.permit.timeout": "A request that nobody answers in time is rejected.",
    PermitSilence = "P.permit.silence": "A run that waits for a permission is not silent.",
    PermitCancel = "P.permit.cancel": "A request ends with its run: it is cancelled.",
    PermitChat = "P.permit.chat": "Where the setting says so, the sender of the turn is asked in the chat, and may answer there.",
    PermitAsker = "P.permit.asker": "In the chat nobody but the sender of the turn answers.",
    ScanMessage = "P.scan.message": "A tool call or a new message id ends the assistant message; each has its own scanner.",
    ScanHold = "P.scan.hold": "What the scanner holds is not shown, not even for one edit.",
    ScanStrip = "P.scan.strip": "What was read as markup is not shown.",
    ScanNarration = "P.scan.narration": "Text before a tool call is shown or hidden as the narration setting says.",
    RedactText = "P.redact.text": "A secret in an answer is masked before it is shown, also in code.",
    RedactWindow = "P.redact.window": "What may begin a secret waits, at most 512 bytes; what stands before it does not.",
    RedactDirectives = "P.redact.directives": "Captions, spoken text and messages to other chats are masked like the answer.",
    RedactFile = "P.redact.file": "A file with a secret in its name is not sent.",
    RedactJournal = "P.redact.journal": "The journal keeps no secret that is known; raw text keeps its length.",
    RedactInbound = "P.redact.inbound": "A secret in a user's message is read by the agent and masked in the journal, unless the setting says otherwise.",
    PreviewInterval = "P.preview.interval": "A live message is edited no sooner than the edit interval allows; the latest text wins.",
    PreviewCannotEdit = "P.preview.cannot_edit": "Where a channel cannot edit, a message is sent once, when it is complete.",
    PreviewMost = "P.preview.most": "A turn has at most so many messages in its chat; the rest of its text is one file, or is not sent.",
    SplitLimit = "P.split.limit": "No message is longer than the channel's limit, in the channel's unit.",
    SplitRendered = "P.split.rendered": "The limit holds for what is sent too: escaped and rendered for the channel.",
    SplitTable = "P.split.table": "A table that is cut is cut between rows, and its head is repeated.",
    SplitFence = "P.split.fence": "A code fence that is cut is closed and opened again.",
    DispatchOrder = "P.dispatch.order": "Operations of one chat happen in the order of their intents.",
    DeliverClean = "P.deliver.clean": "An operation carries the clean text of the place that it names, and no other.",
    DeliverDirectives = "P.deliver.directives": "Directives run when they are complete, before the text that follows.",
    DeliverUnsupported = "P.deliver.unsupported": "What a channel cannot do is skipped with a warning and never blocks the text.",
    DeliverReaction = "P.deliver.reaction": "A reaction without a message goes to the one that triggered the turn.",
    DeliverReply = "P.deliver.reply": "The reply target applies to the first message sent for the text that carried it.",
    DeliverReplyCurrent = "P.deliver.reply_current": "A reply to the current message answers the one that triggered the turn.",
    DeliverReplyRefused = "P.deliver.reply_refused": "A refused or misformed reply target gives a plain send and a warning.",
    DeliverPlaceholder = "P.deliver.placeholder": "The placeholder of a reply is removed once every part is acknowledged, blanked where that is impossible, left with a warning where that is too.",
    DeliverEmpty = "P.deliver.empty": "An answer with neither text nor directives nor silence gives the empty text.",
    DeliverSilence = "P.deliver.silence": "A suppressed answer sends no text.",
    AsideTools = "P.aside.tools": "Tool calls are shown in the chat as far as the setting says, beside the answer and never as part of it.",
    AsideReasoning = "P.aside.reasoning": "Reasoning is shown in the chat only where the setting says so, beside the answer.",
    DeliverRetry = "P.deliver.retry": "A passing fault is tried again with growing pauses.",
    DeliverRetryAfter = "P.deliver.retry_after": "A rate limit waits at least as long as the platform says.",
    DeliverPatience = "P.deliver.patience": "Directives keep the text waiting for 2 seconds in all; then it goes, and they are sent after it.",
    DeliverUnknown = "P.deliver.unknown": "What may have arrived is not sent again without an idempotency key, a live frame neither; an edit to its final text is, as that changes nothing.",
    DeliverOff = "P.deliver.off": "While a channel is off or not connected its operations are held, and go out in order afterwards.",
    DeliverOld = "P.deliver.old": "What was held longer than the configured age goes out only after a person agrees.",
    DeliverDryRun = "P.deliver.dry_run": "In a dry run everything but the platform call happens.",
    DeliverElsewhere = "P.deliver.elsewhere": "Messages and files to another chat need an allow list entry.",
    SpeechNote = "P.speech.note": "What a voice directive says goes out as a voice note, where speech is configured and the channel has one.",
    SpeechHeader = "P.speech.header": "With `audio_as_voice` the audio files of the message go out as voice notes.",
    FilesBelow = "P.files.below": "A file lies below the configured folder, also after links are followed.",
    FilesRegular = "P.files.regular": "Only regular files are sent.",
    FilesSize = "P.files.size": "A file is at most as large as the setting and the channel allow.",
    FilesCaption = "P.files.caption": "A caption longer than the channel takes follows as text.",
    FilesCleanup = "P.files.cleanup": "A file is deleted after sending only where the configuration allows it.",
    TypingRefresh = "P.typing.refresh": "Typing starts with the run and is refreshed every 6 seconds.",
    TypingEnd = "P.typing.end": "Typing stops when the run is complete and deliveries are idle, or 2 minutes after the last activity.",
}

/// The rules in force: all of them, except in mutation tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    #[cfg(feature = "mutants")]
    off: Option<Rule>,
}

impl Rules {
    /// All rules.
    pub const fn all() -> Self {
        Self {
            #[cfg(feature = "mutants")]
            off: None,
        }
    }

    /// All rules but one.
    #[cfg(feature = "mutants")]
    pub const fn without(rule: Rule) -> Self {
        Self { off: Some(rule) }
    }

    /// True where a rule is in force; asked at the rule's decision.
    #[cfg(feature = "mutants")]
    pub const fn holds(self, rule: Rule) -> bool {
        match self.off {
            Some(off) => off as u32 != rule as u32,
            None => true,
        }
    }

    /// True where a rule is in force; asked at the rule's decision.
    #[cfg(not(feature = "mutants"))]
    pub const fn holds(self, _: Rule) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_sentences_end() {
        let ids: HashSet<_> = Rule::ALL.iter().map(|r| r.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
        assert!(
            Rule::ALL
                .iter()
                .all(|r| r.id().starts_with("P.") && r.sentence().ends_with('.'))
        );
    }
}
