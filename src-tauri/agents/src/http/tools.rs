//! Tool calls that come in pieces.
//!
//! A call is announced when its name is known and told once more when its arguments are whole, so that a
//! thousand pieces of arguments are two steps. Calls of actions that were offered are answered (`turn`); any other
//! stays `pending`, which is all that is known about it.

use crate::joiner::Joiner;
use foldback_wire::{ToolCall, ToolId, ToolStatus};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Longest name of a tool that is told, in bytes. The APIs take at most 128 characters.
const NAME_BYTES: usize = 512;
/// What an open call takes beside its words, in bytes, rounded up.
const CALL_BYTES: usize = 256;

/// A piece of a call. A protocol gives what it has: a call is known by its id, or else by its index.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    /// More of the arguments, as JSON text. Bytes, because it may end inside a character.
    pub(crate) arguments: Option<Vec<u8>>,
    /// The backend runs the tool itself.
    pub(crate) is_foreign: bool,
    /// Fields that the protocol does not name, which go back with the call.
    pub(crate) unknown: Map<String, Value>,
}

impl Piece {
    /// Bytes that come with it.
    pub(crate) fn bytes(&self) -> usize {
        let words = [&self.id, &self.name].into_iter().flatten().map(String::len);
        let unknown = self.unknown.iter();
        let unknown: usize = unknown
            .map(|(name, value)| name.len() + value.to_string().len())
            .sum();
        words.sum::<usize>() + unknown + self.arguments.as_ref().map_or(0, Vec::len)
    }
}

/// The calls that are open in one answer.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// In the order in which they began; those that have ended are gone.
    open: Vec<Option<Open>>,
    /// Places of the open calls, by id and by index; the last one, where several have it.
    by_id: HashMap<String, usize>,
    by_index: HashMap<u64, usize>,
    begun: usize,
    /// Ids of the answers before. Some endpoints begin them anew with every answer.
    used: HashSet<ToolId>,
}

#[derive(Debug)]
struct Open {
    id: ToolId,
    /// The backend's id, where it gave one.
    given: Option<String>,
    index: Option<u64>,
    name: String,
    arguments: Vec<u8>,
    announced: bool,
    is_foreign: bool,
    unknown: Map<String, Value>,
}

/// A call that is whole.
#[derive(Debug)]
pub(crate) struct WholeCall {
    pub(crate) call: ToolCall,
    /// The backend runs the tool itself.
    pub(crate) is_foreign: bool,
    /// Fields that the protocol does not name.
    pub(crate) unknown: Map<String, Value>,
}

impl Tools {
    /// Behind answers with these calls, whose ids are used: a call without an id of its own is given one.
    pub(crate) fn behind(used: HashSet<ToolId>) -> Self {
        Self {
            begun: used.len(),
            used,
            ..Self::default()
        }
    }

    /// Takes a piece; gives the call when it is to be announced.
    pub(crate) fn take(&mut self, piece: Piece) -> Option<ToolCall> {
        let given = piece.id.filter(|id| !id.is_empty());
        let place = match self.place(piece.index, given.as_deref()) {
            Some(place) => place,
            None => self.begin(piece.index, given),
        };
        let call = self.open[place].as_mut()?;
        call.is_foreign |= piece.is_foreign;
        if let Some(name) = piece.name
            && call.name.is_empty()
        {
            call.name = shortened(name);
        }
        call.arguments.extend(piece.arguments.unwrap_or_default());
        call.unknown.extend(piece.unknown);
        let announce = !call.announced && !call.name.is_empty();
        call.announced |= announce;
        announce.then(|| call.as_call(None))
    }

    /// Ends one call and gives it, whole.
    pub(crate) fn end(&mut self, index: Option<u64>, id: Option<&str>) -> Option<WholeCall> {
        let by_id = id.and_then(|id| self.by_id.get(id));
        let place = *by_id.or_else(|| self.by_index.get(&index?))?;
        let call = self.open[place].take()?;
        if let Some(given) = &call.given
            && self.by_id.get(given) == Some(&place)
        {
            self.by_id.remove(given);
        }
        if let Some(index) = call.index
            && self.by_index.get(&index) == Some(&place)
        {
            self.by_index.remove(&index);
        }
        Some(call.whole())
    }

    /// Ends all open calls and gives them, whole.
    pub(crate) fn finish(&mut self) -> impl Iterator<Item = WholeCall> + use<> {
        self.by_id.clear();
        self.by_index.clear();
        let open = std::mem::take(&mut self.open);
        open.into_iter().flatten().map(Open::whole)
    }

    /// The open call a piece belongs to. An id that is new at its index begins a new call: some endpoints
    /// number every call 0. A piece with neither id nor index goes on with the last call.
    fn place(&self, index: Option<u64>, given: Option<&str>) -> Option<usize> {
        match (given, index) {
            (Some(id), _) => self.by_id.get(id).copied(),
            (None, Some(index)) => self.by_index.get(&index).copied(),
            (None, None) => self.open.len().checked_sub(1),
        }
    }

    /// Calls that have begun since the last time all of them ended.
    pub(crate) fn open_calls(&self) -> usize {
        self.open.len()
    }

    /// What the open calls take beside their words, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.open.len() * CALL_BYTES
    }

    fn begin(&mut self, index: Option<u64>, given: Option<String>) -> usize {
        self.begun += 1;
        let place = self.open.len();
        let id = given.as_deref().map(ToolId::new);
        let id = id.filter(|id| !self.used.contains(id));
        let id = id.unwrap_or_else(|| self.own_id());
        self.by_id.extend(given.clone().map(|id| (id, place)));
        self.by_index.extend(index.map(|index| (index, place)));
        self.open.push(Some(Open {
            id,
            given,
            index,
            name: String::new(),
            arguments: Vec::new(),
            announced: false,
            is_foreign: false,
            unknown: Map::new(),
        }));
        place
    }

    /// An id that no call of the turn has.
    fn own_id(&mut self) -> ToolId {
        loop {
            let id = ToolId::new(format!("call-{}", self.begun));
            if !self.used.contains(&id) && !self.by_id.contains_key(id.as_str()) {
                return id;
            }
            self.begun += 1;
        }
    }
}

/// A tool's name as it is told.
pub(crate) fn shortened(mut name: String) -> String {
    if name.len() > NAME_BYTES {
        name.truncate(name.floor_char_boundary(NAME_BYTES));
        name.push('…');
    }
    name
}

impl Open {
    fn whole(self) -> WholeCall {
        let mut joiner = Joiner::default();
        let arguments = joiner.push(&self.arguments) + joiner.finish();
        WholeCall {
            call: self.as_call(Some(arguments)),
            is_foreign: self.is_foreign,
            unknown: self.unknown,
        }
    }

    fn as_call(&self, arguments: Option<String>) -> ToolCall {
        ToolCall {
            id: self.id.clone(),
            name: self.name.clone(),
            status: ToolStatus::Pending,
            arguments,
            result: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::ToolDelta;

    fn take(tools: &mut Tools, json: &str) -> Option<ToolCall> {
        tools.take(serde_json::from_str::<ToolDelta>(json).expect("a piece").into())
    }

    fn told(calls: impl IntoIterator<Item = ToolCall>) -> Vec<(String, String, Option<String>)> {
        calls
            .into_iter()
            .map(|call| (call.id.to_string(), call.name, call.arguments))
            .collect()
    }

    fn told_of(pieces: &[&str]) -> Vec<(String, String, Option<String>)> {
        let mut tools = Tools::default();
        for piece in pieces {
            take(&mut tools, piece);
        }
        told(tools.finish().map(|whole| whole.call))
    }

    fn whole(id: &str, name: &str, arguments: &str) -> (String, String, Option<String>) {
        (id.to_owned(), name.to_owned(), Some(arguments.to_owned()))
    }

    #[test]
    fn pieces_become_one_announcement_and_one_call() {
        let mut tools = Tools::default();
        let begun = take(
            &mut tools,
            r#"{"index":0,"id":"c1","function":{"name":"find","arguments":""}}"#,
        );
        assert_eq!(told(begun), [("c1".to_owned(), "find".to_owned(), None)]);
        for piece in ["{\\\"q\\\":", "\\\"é", "\\\"}"] {
            let json = format!(r#"{{"index":0,"function":{{"arguments":"{piece}"}}}}"#);
            assert_eq!(take(&mut tools, &json), None);
        }
        assert_eq!(
            told(tools.finish().map(|whole| whole.call)),
            [whole("c1", "find", r#"{"q":"é"}"#)]
        );
        assert_eq!(told(tools.finish().map(|whole| whole.call)), [], "told once");
    }

    #[test]
    fn calls_are_told_apart_however_they_are_numbered() {
        let by_index = [
            r#"{"index":0,"id":"a","function":{"name":"x","arguments":"1"}}"#,
            r#"{"index":1,"id":"b","function":{"name":"y","arguments":"2"}}"#,
            r#"{"index":0,"function":{"arguments":"3"}}"#,
        ];
        assert_eq!(told_of(&by_index), [whole("a", "x", "13"), whole("b", "y", "2")]);
        let all_zero = [
            r#"{"index":0,"id":"a","function":{"name":"x","arguments":"1"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"y","arguments":"2"}}"#,
            r#"{"index":0,"function":{"arguments":"3"}}"#,
        ];
        assert_eq!(told_of(&all_zero), [whole("a", "x", "1"), whole("b", "y", "23")]);
        let no_index = [
            r#"{"id":0,"function":{"name":"x","arguments":"1"}}"#,
            r#"{"function":{"arguments":"2"}}"#,
        ];
        assert_eq!(told_of(&no_index), [whole("0", "x", "12")]);
        let no_id = [
            r#"{"index":4,"function":{"name":"x","arguments":"1"}}"#,
            r#"{"index":5,"id":"","function":{"name":"y"}}"#,
            r#"{"index":4,"id":null,"function":{"arguments":"2"}}"#,
        ];
        assert_eq!(
            told_of(&no_id),
            [whole("call-1", "x", "12"), whole("call-2", "y", "")]
        );
    }

    #[test]
    fn a_long_name_is_cut_and_counted() {
        let mut tools = Tools::default();
        let piece = Piece {
            id: Some("a".to_owned()),
            name: Some("é".repeat(NAME_BYTES)),
            ..Piece::default()
        };
        assert_eq!(piece.bytes(), 1 + 2 * NAME_BYTES);
        let told = tools.take(piece).expect("announced").name;
        assert_eq!((told.len(), told.ends_with('…')), (NAME_BYTES + 3, true));
        assert_eq!(
            tools.finish().map(|whole| whole.call.name).collect::<Vec<_>>(),
            [told]
        );
    }
}
