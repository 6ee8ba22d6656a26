//! What a step that said no decided from, the setting behind it with the place that its value comes from, and what would
//! change it: one answer for `why`, for the card of the Turn view and for the dialog.

use crate::gate_decision::GateDecision;
use foldback_directives::HoldReason;
use foldback_pipeline::suppressing_setting;
use foldback_wire::{
    ActionRefusal, ActionRefusalCode, ChannelId, Code, DecidingSetting, DirectiveScope, FileFate, Hold,
    InlineDirectives, Kind, OutcomeCode, PermissionKind, SettingSource, Suppression, rpc::DecisionInput,
    visible,
};
use std::fmt::Display;

/// A step's no, in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StepDecision {
    pub(crate) inputs: Vec<DecisionInput>,
    pub(crate) setting: Option<String>,
    pub(crate) source: Option<SettingSource>,
    pub(crate) change: Option<String>,
}

impl StepDecision {
    /// The decision that an event tells of; `None` where it refuses nothing. `sender` wrote the message.
    pub(crate) fn of(kind: &Kind, sender: Option<&str>) -> Option<Self> {
        Some(match kind {
            Kind::Stopping {
                gate,
                inputs,
                setting,
                source,
                ..
            } => {
                let decision = GateDecision {
                    gate: *gate,
                    inputs,
                    setting: setting.as_deref(),
                };
                stopped(&decision, *source)
            }
            Kind::Evicted { cap, setting, source } => Self {
                setting: Some(setting.clone()),
                source: *source,
                ..Self::default().given("waiting", cap).changed(format!(
                    "Set {setting} to old or new, or let more messages wait with queue.cap."
                ))
            },
            Kind::InlineDirectives(read) if read.scope == DirectiveScope::Refused => refused(read, sender),
            Kind::Gathered {
                media_type,
                bytes,
                fate,
                setting,
                decided_by,
                ..
            } if !fate.reached() => left_out(media_type, *bytes, *fate)
                .set_by(setting.as_deref(), decided_by.as_deref())
                .changed_by(in_general),
            Kind::Skipped {
                outcome,
                setting,
                decided_by,
                ..
            } => {
                let why = outcome.detail.as_deref().unwrap_or_default();
                let told = Self::default().given("outcome", outcome.code).given("why", why);
                let told = told.set_by(setting.as_deref(), decided_by.as_deref());
                match outcome.code {
                    _ if told.setting.is_some() => {
                        told.changed_by(|setting, value| skipped(setting, value, why))
                    }
                    OutcomeCode::Missing => told.changed("The agent names a file that is there."),
                    _ => told,
                }
            }
            Kind::Suppressed {
                message,
                reason,
                decided_by,
            } => {
                let told = Self::default().given("message", message).given("found", reason);
                let told = told.set_by(suppressing_setting(*reason), decided_by.as_deref());
                match reason {
                    Suppression::NoReply | Suppression::SilentToken => told.changed_by(|setting, _| {
                        format!(
                            "The agent writes words instead, or {setting} is without silence: then the marker is text."
                        )
                    }),
                    Suppression::HeartbeatAck if told.setting.is_none() => {
                        told.changed("The agent writes more than HEARTBEAT_OK.")
                    }
                    Suppression::HeartbeatAck => told.changed_by(|setting, _| {
                        format!("The agent writes more than HEARTBEAT_OK, and what {setting} does not match as a whole.")
                    }),
                }
            }
            Kind::Truncated {
                messages,
                bytes,
                decided_by,
                ..
            } => Self::default()
                .given("messages", messages)
                .given("kept back", format_args!("{bytes} B"))
                .set_by(Some("output.max_messages"), decided_by.as_deref())
                .changed_by(|setting, _| format!("Set {setting} to more than {messages}.")),
            Kind::PermissionDecided {
                option,
                by,
                why,
                decided_by,
                ..
            } if is_refusal(option.as_ref().map(|option| option.kind)) => {
                let answer = option.as_ref().map_or("none", |option| option.name.as_str());
                let told = Self::default().given("answer", answer).given("decided by", by);
                let told = told.given("why", why).set_by(None, decided_by.as_deref());
                if told.setting.is_some() {
                    told.changed_by(permitting)
                } else {
                    told.changed("Ask again, and allow it when the agent asks.")
                }
            }
            Kind::Held { hold, .. } => held(hold),
            _ => return Self::of_delivery_or_run(kind, sender),
        })
    }

    /// The decision behind a delivery that did not arrive, an action, or a run that failed.
    fn of_delivery_or_run(kind: &Kind, sender: Option<&str>) -> Option<Self> {
        Some(match kind {
            Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::DryRun => Self::default()
                .given("outcome", outcome.code)
                .given("why", outcome.detail.as_deref().unwrap_or_default())
                .set_by(None, outcome.decided_by.as_deref())
                .changed_by(|setting, _| format!("Arm the channel on its card, or set {setting} to true.")),
            Kind::MessageEnded {
                message,
                narration: true,
                decided_by: decided_by @ Some(_),
                ..
            } => Self::default()
                .given("message", message)
                .set_by(None, decided_by.as_deref())
                .changed_by(|setting, _| format!("Set {setting} to show.")),
            Kind::RunFailed {
                fault,
                detail,
                decided_by,
            } => Self::default()
                .given("fault", fault)
                .given("why", detail)
                .set_by(None, decided_by.as_deref())
                .changed_by(failing),
            Kind::ActionRefused(refusal) => action_refused(refusal, sender),
            Kind::Diagnosed { diagnostic, .. } if diagnostic.code == Code::ActionsNotRead => Self::default()
                .set_by(Some("output.dialects"), None)
                .changed_by(|setting, _| {
                    format!("Add json to {setting} (or to the channel's own dialects), or give the agent its actions as tools.")
                }),
            _ => return None,
        })
    }

    /// Adds a value that the decision was made from; an empty one says nothing.
    pub(crate) fn given(mut self, name: &str, value: impl Display) -> Self {
        let value = value.to_string();
        if !value.is_empty() {
            let name = name.to_owned();
            self.inputs.push(DecisionInput { name, value });
        }
        self
    }

    fn changed(mut self, change: impl Into<String>) -> Self {
        self.change = Some(change.into());
        self
    }

    /// Adds the setting: with its value and source where they are known, else its name alone.
    pub(crate) fn set_by(self, setting: Option<&str>, known: Option<&DecidingSetting>) -> Self {
        let Some(known) = known else {
            let setting = setting.map(str::to_owned).or(self.setting);
            return Self { setting, ..self };
        };
        Self {
            setting: Some(known.setting.clone()),
            source: Some(known.source),
            ..self.given(&known.setting, &known.value)
        }
    }

    /// Adds what would change the decision, in words about its setting and its value, where that is known.
    fn changed_by(self, change: impl FnOnce(&str, Option<&str>) -> String) -> Self {
        let Some(setting) = &self.setting else {
            return self;
        };
        let value = self.inputs.iter().find(|input| input.name == *setting);
        let change = change(setting, value.map(|input| input.value.as_str()));
        self.changed(change)
    }
}

/// The setting behind a wait of a delivery or a message that has one of its own.
pub(crate) fn waiting_setting(reason: HoldReason, channel: &ChannelId) -> Option<String> {
    match reason {
        HoldReason::Debounce => Some(format!("channels.{channel}.debounce")),
        HoldReason::HumanDelay => Some(format!("channels.{channel}.blocks.delay")),
        _ => None,
    }
}

/// A sentence that says what would end such a wait sooner.
pub(crate) fn waiting_change(reason: HoldReason, setting: Option<&str>) -> String {
    match (reason, setting) {
        (HoldReason::Debounce, Some(setting)) => {
            format!("It goes on by itself when nothing more comes; set {setting} to 0 to wait for nothing.")
        }
        (HoldReason::HumanDelay, Some(setting)) => {
            format!("It goes out by itself; set {setting} to off to send at once.")
        }
        (HoldReason::RateLimited, _) => "It goes out by itself when the platform takes it.".to_owned(),
        (HoldReason::ChannelCannotEdit, _) => "It goes out when the whole text is there.".to_owned(),
        (HoldReason::ChannelOff, Some(setting)) if setting.ends_with(".enabled") => {
            format!("Switch the channel on, or set {setting} to true.")
        }
        (HoldReason::ChannelOff, Some(_)) => {
            "Let it go out, or give it up, on the channel's card.".to_owned()
        }
        (HoldReason::ChannelOff, None) => {
            "It goes out when the channel is on, connected and not muted.".to_owned()
        }
        _ => "It goes out by itself when its time has come.".to_owned(),
    }
}

fn is_refusal(answer: Option<PermissionKind>) -> bool {
    !matches!(
        answer,
        Some(PermissionKind::AllowOnce | PermissionKind::AllowAlways)
    )
}

fn refused(read: &InlineDirectives, sender: Option<&str>) -> StepDecision {
    let told = sender.map_or_else(StepDecision::default, |sender| {
        StepDecision::default().given("sender", sender)
    });
    let told = read.directives.iter().fold(told, |told, directive| {
        let value = match directive.value.as_str() {
            "" => "asked",
            value => value,
        };
        told.given(&format!("/{}", directive.name), visible(value))
    });
    told.set_by(read.setting.as_deref(), read.decided_by.as_deref())
        .changed_by(|setting, _| format!("Add {} to {setting}.", sender.unwrap_or("the sender")))
}

/// An action that was refused.
fn action_refused(refusal: &ActionRefusal, sender: Option<&str>) -> StepDecision {
    use ActionRefusalCode as R;
    let told = StepDecision::default()
        .given("action", visible(&refusal.name))
        .given("refused", refusal.code)
        .set_by(refusal.setting.as_deref(), refusal.decided_by.as_deref());
    match refusal.code {
        R::Denied => told.changed_by(|setting, _| {
            format!("Take the pattern that matches out of {setting}, if the command may run.")
        }),
        R::NotPermitted => {
            told.changed_by(|setting, _| format!("Add {} to {setting}.", sender.unwrap_or("the sender")))
        }
        R::DryRun => told.changed("Arm the channel on its card; in a dry run nothing is carried out."),
        R::DepthLimit | R::TooMany => told.changed("Ask for it in another message."),
        R::Rejected => told.changed("Ask again, and confirm it."),
        R::Unconfirmed => told.changed("Ask again, and confirm it in time."),
        R::TurnNotPermitted => told.changed("Ask for it in a turn of a kind in which it may be carried out."),
        R::UnknownAction if told.setting.is_some() => told.changed_by(in_general),
        R::Unreadable | R::UnknownAction | R::PayloadTooLarge | R::PayloadMalformed | R::PayloadInvalid => {
            told.changed("The agent writes it as the reason says.")
        }
    }
}

fn left_out(media_type: &str, bytes: Option<u64>, fate: FileFate) -> StepDecision {
    let told = StepDecision::default()
        .given("fate", fate)
        .given("type", visible(media_type));
    match bytes {
        Some(bytes) => told.given("size", format_args!("{bytes} B")),
        None => told,
    }
}

fn skipped(setting: &str, value: Option<&str>, why: &str) -> String {
    match why.split_once(" is not in ") {
        Some((target, _)) if setting.ends_with("allow_targets") => format!("Add {target} to {setting}."),
        _ if setting == "files.send_dir" => {
            format!("Put the file into the folder that {setting} names, or name another one there.")
        }
        _ => in_general(setting, value),
    }
}

fn permitting(setting: &str, value: Option<&str>) -> String {
    match setting.rsplit('.').next() {
        Some("reject") => format!("Take its kind of tool out of {setting}."),
        Some("timeout") => {
            let than = value.map_or_else(String::new, |value| format!(" than {value}"));
            format!("Answer in time, or set {setting} to longer{than}.")
        }
        _ => format!("Set {setting} to ask or allow_once, or allow its kind of tool in agent.permissions."),
    }
}

/// What would let a run go well that failed.
fn failing(setting: &str, value: Option<&str>) -> String {
    match setting.rsplit('.').next() {
        Some("api_key") => format!("Set {setting} to a key that the server takes."),
        Some("base_url") => format!("Set {setting} to the address at which the server answers."),
        Some("model") => format!("Set {setting} to a model that the server has."),
        Some("command") => format!("Set {setting} to a program that can be started here."),
        _ => in_general(setting, value),
    }
}

/// The decision of a gate that stopped a message.
fn stopped(decision: &GateDecision<'_>, source: Option<SettingSource>) -> StepDecision {
    let told = StepDecision::default().changed(decision.what_changes_it());
    let told = decision
        .inputs
        .iter()
        .fold(told, |told, (name, value)| told.given(name, value));
    StepDecision {
        setting: decision.setting.map(str::to_owned),
        source,
        ..told
    }
}

/// What would change the work of a bound, a list or a switch.
fn in_general(setting: &str, value: Option<&str>) -> String {
    let than = value.map_or_else(String::new, |value| format!(" than {value}"));
    match setting.rsplit('.').next().unwrap_or_default() {
        "enabled" => format!("Set {setting} to true."),
        key if key.ends_with("timeout") => format!("Set {setting} to longer{than}."),
        "kinds" => format!("Add its kind to {setting}."),
        key if key.starts_with("max_") => format!("Set {setting} to more{than}."),
        _ => format!("Change {setting}."),
    }
}

/// The dialect of the output by which text is held for a reason; `None` for a reason that stands whatever is read.
const fn dialect(reason: HoldReason) -> Option<&'static str> {
    match reason {
        HoldReason::MaybeCode
        | HoldReason::PartialTag
        | HoldReason::OpenBlock
        | HoldReason::OpenDirective => Some("actions"),
        HoldReason::HeaderOpen => Some("header"),
        HoldReason::PartialToken | HoldReason::GuardOpen => Some("guard"),
        HoldReason::JsonOpen => Some("json"),
        _ => None,
    }
}

/// The setting behind a hold of the scanner, where there is one.
fn holding_setting(reason: HoldReason) -> Option<&'static str> {
    match reason {
        HoldReason::RedactionWindow => Some("redact.enabled"),
        HoldReason::MaybeMarker => Some("output.dialects"),
        reason => dialect(reason).map(|_| "output.dialects"),
    }
}

fn held(hold: &Hold) -> StepDecision {
    let told = StepDecision::default()
        .given("held", format_args!("{} B", hold.span.len()))
        .given("reason", hold.reason)
        .given("rule", &hold.rule);
    told.set_by(holding_setting(hold.reason), None)
        .changed_by(|setting, _| match (hold.reason, dialect(hold.reason)) {
            (HoldReason::RedactionWindow, _) => format!("With {setting} = false nothing is masked."),
            (_, Some(dialect)) => format!("Without {dialect} in {setting} it would be text."),
            _ => format!("Without the dialects of {setting} that have such a marker it would be text."),
        })
}
