//! The actions that a turn's agent may ask for, and the form in which it asks.

use crate::{
    context::TurnContext,
    pending::{JoinedMessage, Pending},
    ports::Port,
    stages::{
        act::{AskerContext, first_asker_of},
        command_access::AccessContext,
        offered::ActionOffer,
    },
};
use foldback_actions::{ActionAsker, ActionRow, ActionTable};
use foldback_agents::{Agent, OfferedAction};
use foldback_directives::Dialect;
use foldback_store::StoreError;
use foldback_wire::{Inbound, Platform};

/// The facts from which the rights of whoever asks for actions in a turn are read.
pub(crate) fn asker_context<'a>(
    context: &'a TurnContext,
    pending: &'a Pending,
    platform: Platform,
) -> AskerContext<'a> {
    let ports = &context.ports;
    AskerContext {
        access: AccessContext {
            rules: context.rules,
            platform,
            config: &ports.config.commands,
            settings: ports.settings(&pending.message.channel),
        },
        senders: &ports.config.actions.senders,
        turn: pending.id,
        message: &pending.message,
        cause: &pending.cause,
    }
}

/// The actions that a turn's agent may ask for.
pub(crate) struct BriefActions<'a> {
    table: &'a ActionTable,
    /// None where no action is on.
    asker: Option<ActionAsker>,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Nothing reads them.
    Off,
    /// JSON in the agent's text.
    Text,
    /// Tools of the agent.
    Tools,
}

impl<'a> BriefActions<'a> {
    pub(crate) async fn of(
        context: &'a TurnContext,
        pending: &Pending,
        joined: &[JoinedMessage],
        port: &Port,
        agent: &dyn Agent,
    ) -> Result<Self, StoreError> {
        let form = if context.ports.config.actions.tools && agent.takes_actions() {
            Form::Tools
        } else if port.output.dialects.contains(&Dialect::Json) {
            Form::Text
        } else {
            Form::Off
        };
        let table = context.actions.as_ref();
        let asker = if table.is_empty() || form == Form::Off {
            None
        } else {
            let joining: Vec<&Inbound> = joined.iter().map(|other| &other.pending.message).collect();
            let asker = asker_context(context, pending, port.can.platform);
            Some(first_asker_of(asker, &joining, &pending.recorder).await?)
        };
        Ok(Self { table, asker, form })
    }

    /// The rows of those at the word of the sender, by name.
    pub(crate) fn rows(&self) -> Vec<&'a ActionRow> {
        let offered = self.asker.map(|asker| self.table.offered(asker));
        offered.into_iter().flatten().collect()
    }

    /// The part of the prompt about these rows.
    pub(crate) const fn offer<'b>(&self, rows: &'b [&'b ActionRow]) -> ActionOffer<'b> {
        match self.form {
            Form::Text if !rows.is_empty() => ActionOffer::Text(rows),
            Form::Tools if !rows.is_empty() => ActionOffer::Tools,
            Form::Off | Form::Text | Form::Tools => ActionOffer::Nothing,
        }
    }

    /// The rows as tools, where the agent has them as such.
    pub(crate) fn tools(&self) -> Vec<OfferedAction> {
        if self.form != Form::Tools {
            return Vec::new();
        }
        let permitted: Vec<&str> = self.rows().into_iter().map(|row| row.name.as_str()).collect();
        let offered = |row: &ActionRow| OfferedAction {
            name: row.name.clone(),
            about: row.about.clone(),
            payload: row.payload.clone(),
            is_permitted: permitted.contains(&row.name.as_str()),
        };
        self.table.rows().map(offered).collect()
    }
}
