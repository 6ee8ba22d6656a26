//! Actions: what an agent may ask for beside its words.
//!
//! An action is declared once, as an [`ActionRow`]: name, schema of its payload, who may, in which turns, with which
//! confirmation and limits. An [`ActionInterface`] carries it out and hands over what came of it; it reaches no channel.
//! The [`ActionTable`] is what a bot has of both: it reads what an agent wrote, refuses with a reason that the agent can
//! act on, and has the rest carried out.

mod command_line;
pub mod event;
mod interface;
mod known;
mod results;
mod row;
mod schema;
mod table;
pub mod terminal;

pub use command_line::written_command;
pub use interface::{
    ActionAsker, ActionCircumstances, ActionDecision, ActionInterface, ActionOrder, NamedRefusal,
};
pub use known::{KnownAction, known_action_names, known_actions};
pub use results::{ActionResult, ResultReceiver, ResultSink};
pub use row::{ActionLimits, ActionRow, MOST_PAYLOAD_BYTES, payload_schema};
pub use table::{ActionTable, CheckedAction, MOST_ACTIONS, TableError, nearest_name};
