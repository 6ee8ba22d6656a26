//! The password, of which a proof is asked for: <https://core.telegram.org/api/srp>. Written after the description, apart
//! from the arithmetic.

use num_bigint::BigUint;
use ring::digest::{SHA256, digest};
use ring::pbkdf2::{PBKDF2_HMAC_SHA512, derive};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::num::NonZeroU32;

/// The prime that Telegram uses: <https://core.telegram.org/api/srp#checking-the-password-with-srp>, and what servers send.
const PRIME: &str = "c71caeb9c6b1c9048e6c522f70f13f73980d40238e3e21c14934d037563d930f48198a0aa7c14058229493d22530f4dbfa336f6e0ac925139543aed44cce7c3720fd51f69458705ac68cd4fe6b6b13abdc9746512969328454f18faf8c595f642477fe96bb2a941d5bcd1d4ac8cc49880708fa9b378e3c4f3a9060bee67cf9a4a4a695811051907e162753b56b0f6b410dba74d8a84b2a14b3144e0ef1284754fd17ed950d5965b4b9dd46582db1178d169c6bc465b0d6ff9ca3928fef5b9ae4e418fc15e83ebea0f87fa9ff5eed70050ded2849f47bf959d956850ce929851f0d8115f635b105ee2e4e15d04b2454bf6f4fadf034b10403119cd8e3b92fcc5b";
/// The generator.
pub(super) const GENERATOR: i32 = 3;
pub(super) const SALTS: [&[u8]; 2] = [b"first salt of a test", b"second salt of a test"];
const ROUNDS: u32 = 100_000;

/// What the server keeps until the proof comes.
#[derive(Debug, Clone)]
pub(super) struct Challenge {
    /// Its id.
    pub(super) id: i64,
    secret: BigUint,
    verifier: BigUint,
    /// What the client is sent.
    pub(super) sent: Vec<u8>,
}

/// The prime, as it is sent.
pub(super) fn prime() -> Vec<u8> {
    number().to_bytes_be()
}

fn number() -> BigUint {
    BigUint::parse_bytes(PRIME.as_bytes(), 16).unwrap_or_default()
}

fn hash(parts: &[&[u8]]) -> Vec<u8> {
    digest(&SHA256, &parts.concat()).as_ref().to_vec()
}

fn salted(data: &[u8], salt: &[u8]) -> Vec<u8> {
    hash(&[salt, data, salt])
}

/// A number in 256 bytes.
fn padded(number: &BigUint) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    [vec![0; 256_usize.saturating_sub(bytes.len())], bytes].concat()
}

impl Challenge {
    pub(super) fn new(id: i64, password: &str) -> Self {
        let [first, second] = SALTS;
        let once = salted(&salted(password.as_bytes(), first), second);
        let mut slow = [0; 64];
        let rounds = NonZeroU32::new(ROUNDS).unwrap_or(NonZeroU32::MIN);
        derive(PBKDF2_HMAC_SHA512, rounds, first, &once, &mut slow);
        let exponent = BigUint::from_bytes_be(&salted(&slow, second));
        let (prime, generator) = (number(), BigUint::from(GENERATOR as u32));
        let verifier = generator.modpow(&exponent, &prime);
        let mut chance = [0; 256];
        // Without chance the secret is nothing, and no proof fits.
        let _ = SystemRandom::new().fill(&mut chance);
        let secret = BigUint::from_bytes_be(&chance);
        let multiplier = BigUint::from_bytes_be(&hash(&[&padded(&prime), &padded(&generator)]));
        let sent = (multiplier * &verifier + generator.modpow(&secret, &prime)) % &prime;
        Self {
            id,
            secret,
            verifier,
            sent: padded(&sent),
        }
    }

    /// True of the proof that whoever knows the password makes.
    pub(super) fn is_proven(&self, a: &[u8], proof: &[u8]) -> bool {
        let (prime, generator) = (number(), BigUint::from(GENERATOR as u32));
        let a = BigUint::from_bytes_be(a);
        if a == BigUint::default() || a >= prime {
            return false;
        }
        let scramble = BigUint::from_bytes_be(&hash(&[&padded(&a), &self.sent]));
        let base = &a * self.verifier.modpow(&scramble, &prime) % &prime;
        let key = hash(&[&padded(&base.modpow(&self.secret, &prime))]);
        let of_prime = hash(&[&padded(&prime)]);
        let of_generator = hash(&[&padded(&generator)]);
        let both: Vec<_> = of_prime.iter().zip(&of_generator).map(|(p, g)| p ^ g).collect();
        let [first, second] = SALTS;
        proof
            == hash(&[
                &both,
                &hash(&[first]),
                &hash(&[second]),
                &padded(&a),
                &self.sent,
                &key,
            ])
    }
}
