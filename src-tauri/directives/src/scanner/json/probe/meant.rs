//! The probe of an object that names an action of the host and is not written as an action by itself.

use super::super::alone::Head;
use super::super::named::{Search, Searched};
use super::super::state::{AT_ITS_KEYS, State};
use super::{Found, Probe};
use crate::Span;
use crate::lex::Source;

impl Probe {
    /// The place as one in a value that is known to be actions.
    pub(super) fn within(&self) -> Option<State> {
        match self.state {
            State::Head(Head::Colon | Head::Brace) if self.is_named => Some(AT_ITS_KEYS),
            state => state.within(),
        }
    }

    /// Notes whether the name that ends before `next` is one of these.
    pub(super) fn note_name(&mut self, next: State, source: &Source, names: &[String]) {
        match (self.state, next) {
            (State::Head(Head::Quote), State::Head(Head::Name(_))) => self.name = self.at + 1,
            (State::Head(Head::Name(_)), State::Head(Head::Comma)) => {
                let name = source.str(Span::new(self.name, self.at));
                source.spend(name.len());
                self.is_named = names.iter().any(|known| known == name);
            }
            _ => {}
        }
    }

    /// The state after `b`, which does not go on the head of an action by itself, in an object that names an action.
    pub(super) fn unlike(&mut self, head: Head, b: u8) -> Result<State, Found> {
        match head {
            Head::Key(read) => self.search(Search::Key { read, escape: false }, b),
            Head::Colon | Head::Brace => {
                self.is_unreadable = true;
                Ok(self.go_on(b, 1, false, false))
            }
            _ => Err(Found::Text),
        }
    }

    pub(super) fn search(&mut self, search: Search, b: u8) -> Result<State, Found> {
        match search.after(b) {
            Searched::On(search) => Ok(State::Search(search)),
            Searched::Payload => {
                self.is_unreadable = true;
                Ok(AT_ITS_KEYS)
            }
            Searched::Text => Err(Found::Text),
        }
    }
}
