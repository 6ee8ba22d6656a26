//! Open files and connections that the process may have.

/// Enough for every connection of a large bot, and few enough for programs that go through all of them when they
/// start: an agent inherits the limit.
#[cfg(unix)]
const WANTED: u64 = 65_536;

/// Raises the limit of open descriptors as far as the system lets an ordinary process. Most systems start a process
/// with 1,024 (macOS with 256) and let it have more; see `getrlimit(2)`.
#[cfg(unix)]
pub(super) fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(WANTED, |most| most.min(WANTED));
    // No limit at all is `None`.
    if current.is_none_or(|now| now >= wanted) {
        return;
    }
    let limit = Rlimit {
        current: Some(wanted),
        maximum,
    };
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => tracing::debug!(wanted, "the limit of open files is raised"),
        Err(error) => tracing::warn!(%error, wanted, "the limit of open files cannot be raised"),
    }
}

/// There is no such limit.
#[cfg(not(unix))]
pub(super) const fn raise_limit() {}
