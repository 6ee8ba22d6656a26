//! Statements that cross to SQLite's thread together.
//!
//! A crossing there and back wakes a thread twice, which takes longer than most statements here: with one crossing a
//! statement, a transaction of 60 events and three operations took 8 ms, of which SQLite worked 2.

use sqlx::{AssertSqlSafe, Sqlite, SqliteConnection, query, query::Query, sqlite::SqliteArguments};
use std::borrow::Cow;

/// Some statements, in order, with their parameters.
#[derive(Debug, Default)]
pub(super) struct Script<'a> {
    sql: String,
    values: Vec<Value<'a>>,
}

/// A parameter.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Text(Cow<'a, str>),
}

impl<'a> Script<'a> {
    /// Adds a statement with a `?` for each value.
    pub(super) fn add<const COUNT: usize>(&mut self, sql: &str, values: [Value<'a>; COUNT]) {
        self.add_all(sql, values);
    }

    /// Adds a statement with a `?` for each of many values.
    pub(super) fn add_all(&mut self, sql: &str, values: impl IntoIterator<Item = Value<'a>>) {
        self.sql.push_str(sql);
        self.sql.push(';');
        self.values.extend(values);
    }

    /// Executes what was added since the last time. Ends at the first statement that fails.
    pub(super) async fn execute(&mut self, conn: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        if self.sql.is_empty() {
            return Ok(());
        }
        // Not kept prepared: hardly any two are alike.
        let statements = query(AssertSqlSafe(std::mem::take(&mut self.sql))).persistent(false);
        bound(statements, self.values.drain(..))
            .execute(conn)
            .await
            .map(drop)
    }
}

/// Statements with their parameters.
pub(super) fn bound<'q, 'v>(
    statements: Query<'q, Sqlite, SqliteArguments>,
    values: impl IntoIterator<Item = Value<'v>>,
) -> Query<'q, Sqlite, SqliteArguments> {
    values.into_iter().fold(statements, |query, value| match value {
        Value::Null => query.bind(None::<i64>),
        Value::Integer(number) => query.bind(number),
        Value::Text(text) => query.bind(text.into_owned()),
    })
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
