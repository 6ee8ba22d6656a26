//! The proof of a password: <https://core.telegram.org/api/srp>. The number that stays secret is drawn here: what the server
//! offers for it is known to the server.

use super::sign_in::TelegramSignIn;
use crate::Refusal;
use foldback_wire::{RefusalCode, Secret};
use grammers_client::tl;
use grammers_crypto::two_factor_auth::{calculate_2fa, check_p_and_g};
use ring::rand::{SecureRandom as _, SystemRandom};

type Algorithm = tl::types::PasswordKdfAlgoSha256Sha256Pbkdf2Hmacsha512iter100000Sha256ModPow;

/// The numbers that a generator may be: <https://core.telegram.org/api/srp#checking-the-password-with-srp>.
const GENERATORS: std::ops::RangeInclusive<i32> = 2..=7;

impl TelegramSignIn {
    /// Proves that the password is known, for what the server asked.
    pub(super) fn proof(
        asked: &tl::types::account::Password,
        password: &Secret,
    ) -> Result<tl::types::InputCheckPasswordSrp, Refusal> {
        let strange = |why: &str| {
            Refusal::new(
                RefusalCode::Rejected,
                format!("Telegram asks for a password {why}"),
            )
        };
        let Some(tl::enums::PasswordKdfAlgo::Sha256Sha256Pbkdf2Hmacsha512iter100000Sha256ModPow(algorithm)) =
            &asked.current_algo
        else {
            return Err(strange("in a way that is not known here"));
        };
        let Algorithm { salt1, salt2, g, p } = algorithm;
        let (Some(sent), Some(srp_id)) = (&asked.srp_b, asked.srp_id) else {
            return Err(strange("and does not say for which account"));
        };
        if sent.len() > 256 || !GENERATORS.contains(g) || !check_p_and_g(p, g) {
            return Err(strange("with numbers that would give it away"));
        }
        let mut secret = [0; 256];
        let chance = SystemRandom::new().fill(&mut secret);
        chance.map_err(|_| Refusal::new(RefusalCode::Transient, "the system has no chance to draw from"))?;
        let (proof, shown) = calculate_2fa(
            salt1,
            salt2,
            p,
            g,
            sent.clone(),
            secret.to_vec(),
            password.expose(),
        );
        Ok(tl::types::InputCheckPasswordSrp {
            srp_id,
            a: shown.to_vec(),
            m1: proof.to_vec(),
        })
    }
}
