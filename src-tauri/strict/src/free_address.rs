//! Addresses for programs that are told where to listen.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// The ports: below those that systems give to connections by themselves (Linux from 32,768 on).
const FIRST: u32 = 20_000;
const PORTS: u32 = 12_000;
/// Ports of one process before those of the next.
const OF_A_PROCESS: u32 = 64;

/// An address of this machine at which nothing listens. A port that the system would choose can be given to the connection
/// of another test before the program has it, which then waits for it, maybe for hours.
///
/// # Errors
/// Where none is free.
pub fn free_address() -> io::Result<SocketAddr> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let own = process::id().wrapping_mul(OF_A_PROCESS);
    for _ in 0..PORTS {
        let place = own.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % PORTS;
        let port = u16::try_from(FIRST + place).map_err(io::Error::other)?;
        if let Ok(free) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            return free.local_addr();
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}
