//! Addresses of the public internet, by the special-purpose registries of IANA (RFC 6890 and its updates).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// True for an address that belongs to the public internet: not this machine's, not of a private, link-local, shared,
/// documentation, benchmark, multicast or reserved network, also where such a one is wrapped in an IPv6 address.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        // This network, private, loopback, multicast and reserved.
        (0 | 10 | 127 | 224.., ..)
            // Shared by customers of a provider.
            | (100, 64..=127, _)
            | (169, 254, _)
            | (192, 168, _)
            | (172, 16..=31, _)
            // IETF protocols, documentation, relays of 6to4, benchmarks.
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, .., high, low] = address.segments();
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    match (first, second) {
        // An IPv4 address behind a translator.
        (0x64, 0xff9b) => address.segments()[2..6] == [0; 4] && is_public_v4(Ipv4Addr::new(a, b, c, d)),
        // IETF protocols, documentation, 6to4.
        (0x2001, 0..=0x01ff | 0x0db8) | (0x2002, _) | (0x3fff, 0..=0x0fff) => false,
        // Global unicast is all of this, and nothing else.
        (0x2000..=0x3fff, _) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_this_machine_reaches_is_not_public() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().expect(address)), "{address}");
        }
    }

    #[test]
    fn the_public_internet_is() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.1.0.1",
            "198.20.0.1",
            "223.255.255.1",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(address.parse().expect(address)), "{address}");
        }
    }
}
