//! The words a directive takes, each with the other words that mean it.

use crate::closed::closed_set;

/// One value: its name and what else is read as it. Case does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The name under which the value is stored and printed.
    pub canonical: &'static str,
    /// Other words that mean the same.
    pub aliases: &'static [&'static str],
    /// What it does, for a person.
    pub about: &'static str,
}

impl Word {
    /// Whether `text` is this value, in any ASCII case.
    pub(super) fn is(&self, text: &str) -> bool {
        let names = std::iter::once(&self.canonical).chain(self.aliases);
        names.into_iter().any(|name| name.eq_ignore_ascii_case(text))
    }
}

macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $variant:ident = $word:literal [ $($alias:literal)* ] : $about:literal ),+ $(,)?
        }
    ) => {
        closed_set! {
            $(#[$meta])*
            pub enum $name { $($variant = $word: $about),+ }
        }

        impl $name {
            /// The words of every value, in the order of [`Self::ALL`].
            pub const WORDS: &'static [Word] = &[
                $(Word { canonical: $word, aliases: &[$($alias),*], about: $about }),+
            ];
        }
    };
}

words! {
    /// How much the model thinks before it answers.
    pub enum Think {
        Off = "off" ["none" "0"]: "Not at all.",
        Minimal = "minimal" ["min"]: "As little as the model can.",
        Low = "low" ["on"]: "A little.",
        Medium = "medium" ["med" "mid"]: "Some.",
        High = "high" []: "Much.",
        Xhigh = "xhigh" ["extra-high"]: "Very much.",
        Max = "max" []: "As much as the model can.",
        Default = "default" []: "Clears what was set: the default counts again.",
    }
}

words! {
    /// How much of the agent's work is told.
    pub enum Verbose {
        Off = "off" ["no" "0" "false"]: "The answer only.",
        On = "on" ["yes" "1" "true"]: "Tools are named.",
        Full = "full" ["all"]: "Tools are named with what they gave.",
    }
}

words! {
    /// Whether the agent's reasoning is shown.
    pub enum Reasoning {
        Off = "off" ["hide"]: "Not shown.",
        On = "on" ["show"]: "Shown with the answer.",
        Stream = "stream" []: "Shown while it is written.",
    }
}

words! {
    /// What the agent may do outside its sandbox.
    pub enum Elevated {
        Off = "off" []: "Nothing.",
        On = "on" []: "What is approved; the same as ask.",
        Ask = "ask" []: "What is approved, each time.",
        Full = "full" ["auto"]: "Everything, unasked.",
    }
}

words! {
    /// Where commands run.
    pub enum ExecHost {
        Sandbox = "sandbox" []: "In the sandbox.",
        Gateway = "gateway" []: "On the machine of the gateway.",
        Node = "node" []: "On a paired machine, see `node`.",
        Auto = "auto" []: "Wherever the command fits.",
    }
}

words! {
    /// Which commands may run.
    pub enum ExecSecurity {
        Deny = "deny" []: "None.",
        Allowlist = "allowlist" []: "Those on the allow-list.",
        Full = "full" []: "All.",
    }
}

words! {
    /// When a person is asked before a command runs.
    pub enum ExecAsk {
        Off = "off" []: "Never.",
        OnMiss = "on-miss" []: "When the allow-list lacks it.",
        Always = "always" []: "Each time.",
    }
}

words! {
    /// What happens to a message that comes while a run is active.
    pub enum QueueMode {
        Steer = "steer" ["steering" "queue" "queued"]: "Into the running agent, else afterwards.",
        Followup = "followup" ["follow-up" "followups" "follow-ups"]: "Afterwards, one by one.",
        Collect = "collect" ["coalesce"]: "Afterwards, all in one run.",
        Interrupt = "interrupt" ["interrupts" "abort"]: "Ends the run and starts anew.",
        SteerBacklog = "steer-backlog" ["steer_backlog" "steer+backlog"]: "Into the running agent and afterwards too.",
    }
}

words! {
    /// Which message goes when the queue is full.
    pub enum QueueDrop {
        Old = "old" ["oldest"]: "The oldest one.",
        New = "new" ["newest"]: "The one that comes.",
        Summarize = "summarize" ["summarise" "summary"]: "The oldest one; a summary stays.",
    }
}
