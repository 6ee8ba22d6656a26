//! Tool calls that come in pieces.
//!
//! A call is announced when its name is known and told once more when its arguments are whole, so that a
//! thousand pieces of arguments are two steps. Foldback does not run these calls (it offers no tools): they
//! stay `pending`, which is all that is known about them.

use super::chunk::{Bytes, FunctionDelta, ToolDelta};
use crate::joiner::Joiner;
use foldback_wire::{ToolCall, ToolId, ToolStatus};

/// The calls that are open in one answer.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    open: Vec<Open>,
    begun: usize,
}

#[derive(Debug)]
struct Open {
    index: Option<u64>,
    given: Option<String>,
    id: ToolId,
    name: String,
    arguments: Vec<u8>,
    announced: bool,
}

impl Tools {
    /// Takes a piece; gives the call when it is to be announced.
    pub(crate) fn take(&mut self, piece: ToolDelta) -> Option<ToolCall> {
        let given = piece.id.map(|id| id.0).filter(|id| !id.is_empty());
        let place = match self.place(piece.index, given.as_deref()) {
            Some(place) => place,
            None => self.begin(piece.index, given),
        };
        let call = &mut self.open[place];
        let FunctionDelta { name, arguments } = piece.function.unwrap_or_default();
        if let Some(name) = name
            && call.name.is_empty()
        {
            call.name = name;
        }
        if let Some(Bytes(bytes)) = arguments {
            call.arguments.extend(bytes);
        }
        let announce = !call.announced && !call.name.is_empty();
        call.announced |= announce;
        announce.then(|| call.as_call(None))
    }

    /// Ends all open calls and gives them, whole.
    pub(crate) fn finish(&mut self) -> impl Iterator<Item = ToolCall> + use<> {
        std::mem::take(&mut self.open).into_iter().map(|call| {
            let mut joiner = Joiner::default();
            let arguments = joiner.push(&call.arguments) + joiner.finish();
            call.as_call(Some(arguments))
        })
    }

    /// The open call a piece belongs to. An id that is new at its index begins a new call: some endpoints
    /// number every call 0. A piece with neither id nor index goes on with the last call.
    fn place(&self, index: Option<u64>, given: Option<&str>) -> Option<usize> {
        let by_id = |id: &str| {
            self.open
                .iter()
                .rposition(|call| call.given.as_deref() == Some(id))
        };
        match (given, index) {
            (Some(id), _) => by_id(id),
            (None, Some(index)) => self.open.iter().rposition(|call| call.index == Some(index)),
            (None, None) => self.open.len().checked_sub(1),
        }
    }

    fn begin(&mut self, index: Option<u64>, given: Option<String>) -> usize {
        self.begun += 1;
        let id = match &given {
            Some(id) => ToolId::new(id.clone()),
            None => ToolId::new(format!("call-{}", self.begun)),
        };
        self.open.push(Open {
            index,
            given,
            id,
            name: String::new(),
            arguments: Vec::new(),
            announced: false,
        });
        self.open.len() - 1
    }
}

impl Open {
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

    fn take(tools: &mut Tools, json: &str) -> Option<ToolCall> {
        tools.take(serde_json::from_str(json).expect("a piece"))
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
        told(tools.finish())
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
        assert_eq!(told(tools.finish()), [whole("c1", "find", r#"{"q":"é"}"#)]);
        assert_eq!(told(tools.finish()), [], "told once");
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
}
