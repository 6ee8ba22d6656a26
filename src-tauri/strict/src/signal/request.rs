//! Requests as they come.

use super::rules::{ID, LINE, PARAMS, STRING, TYPE, VERSION};
use super::server::{Refused, refuse};
use crate::Rule;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Longest string that is read, in characters.
const STRING_LIMIT: usize = 20_000_000;

/// A request that can be carried out.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Params,
}

/// A line that is none.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) rule: Rule,
    /// What is answered, under which id; nothing where the connection is closed.
    pub(super) answer: Option<(Value, Refused)>,
}

impl Request {
    pub(super) fn read(line: &[u8]) -> Result<Self, Box<Unreadable>> {
        let unreadable = |id: Value, rule: Rule, code: i64, message: &str| {
            let answer = Some((id, refuse(rule, code, message)));
            Box::new(Unreadable { rule, answer })
        };
        if line.trim_ascii().is_empty() {
            return Err(unreadable(Value::Null, LINE, -32_700, "Empty input line"));
        }
        let value: Value = serde_json::from_slice(line)
            .map_err(|e| unreadable(Value::Null, LINE, -32_700, &format!("Unrecognized token: {e}")))?;
        if is_longer(&value) {
            return Err(Box::new(Unreadable {
                rule: STRING,
                answer: None,
            }));
        }
        let Value::Object(mut fields) = value else {
            return Err(unreadable(Value::Null, LINE, -32_600, "unexpected type"));
        };
        let id = fields.remove("id").unwrap_or_default();
        let wrong = |rule: Rule, message: &str| Err(unreadable(id.clone(), rule, -32_600, message));
        if !matches!(id, Value::Number(_) | Value::String(_)) {
            return Err(unreadable(
                Value::Null,
                ID,
                -32_600,
                "a request without an id is not answered",
            ));
        }
        if fields.remove("jsonrpc") != Some("2.0".into()) {
            return wrong(VERSION, "only jsonrpc version 2.0 is supported");
        }
        let Some(Value::String(method)) = fields.remove("method") else {
            return wrong(VERSION, "method field must be set");
        };
        let params = match fields.remove("params").unwrap_or_default() {
            Value::Null => Map::new(),
            Value::Object(params) => params,
            _ => return wrong(PARAMS, "Problem deserializing property 'params'"),
        };
        if let Some(name) = fields.keys().next() {
            return wrong(VERSION, &format!("Unrecognized field \"{name}\""));
        }
        Ok(Self {
            id,
            method,
            params: Params(params),
        })
    }
}

fn is_longer(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().count() > STRING_LIMIT,
        Value::Array(values) => values.iter().any(is_longer),
        Value::Object(fields) => fields.values().any(is_longer),
        _ => false,
    }
}

/// The parameters of a call.
#[derive(Debug)]
pub(super) struct Params(pub(super) Map<String, Value>);

impl Params {
    /// Refuses what is no parameter of the method.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Refused> {
        let known: BTreeSet<_> = known.iter().copied().collect();
        match self.0.keys().find(|name| !known.contains(name.as_str())) {
            Some(name) => Err(refuse(PARAMS, -32_602, &format!("unknown parameter {name}"))),
            None => Ok(()),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Refused> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(refuse(TYPE, -32_603, &format!("{name} must be a string"))),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Refused> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(is_set)) => Ok(*is_set),
            Some(_) => Err(refuse(TYPE, -32_603, &format!("{name} must be true or false"))),
        }
    }

    /// A moment in milliseconds.
    pub(super) fn moment(&self, name: &str) -> Result<Option<i64>, Refused> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => as_moment(value, name).map(Some),
        }
    }

    /// One value, or several.
    pub(super) fn list(&self, name: &str) -> Result<Vec<&str>, Refused> {
        let wrong = || refuse(TYPE, -32_603, &format!("{name} must be strings"));
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(one)) => Ok(vec![one]),
            Some(Value::Array(all)) => all.iter().map(|one| one.as_str().ok_or_else(wrong)).collect(),
            Some(_) => Err(wrong()),
        }
    }

    /// The same of moments.
    pub(super) fn moments(&self, name: &str) -> Result<Vec<i64>, Refused> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(all)) => all.iter().map(|one| as_moment(one, name)).collect(),
            Some(one) => Ok(vec![as_moment(one, name)?]),
        }
    }
}

fn as_moment(value: &Value, name: &str) -> Result<i64, Refused> {
    value
        .as_i64()
        .ok_or_else(|| refuse(TYPE, -32_603, &format!("{name} must be an integer")))
}
