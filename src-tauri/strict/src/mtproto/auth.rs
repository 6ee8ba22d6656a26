//! Signing in: <https://core.telegram.org/api/auth>.

use super::answers::{CallRefusal, CallResult, answered, refused, wrong};
use super::password::{Challenge, GENERATOR, SALTS, prime};
use super::rules::{APP, CODE, PASSWORD, PHONE};
use super::state::State;
use grammers_tl_types::{enums, functions, types};

/// Chance for a client, which is told that it may mix it with its own: <https://core.telegram.org/api/srp>.
const RANDOM: [u8; 256] = [0x2a; 256];

impl State {
    pub(super) fn check_app(&self, api_id: i32, api_hash: Option<&str>) -> Result<(), CallRefusal> {
        let is_hash = api_hash.is_none_or(|hash| hash == self.account.api_hash);
        if api_id == self.account.api_id && is_hash {
            Ok(())
        } else {
            Err(wrong(APP, 400, "API_ID_INVALID"))
        }
    }

    pub(super) fn send_code(&mut self, asked: &functions::auth::SendCode) -> CallResult {
        self.check_app(asked.api_id, Some(&asked.api_hash))?;
        if asked.phone_number != self.account.phone {
            return Err(wrong(PHONE, 400, "PHONE_NUMBER_INVALID"));
        }
        let phone_code_hash = "hash-of-a-code".to_owned();
        self.code_hash = Some(phone_code_hash.clone());
        let length = self.account.code.len() as i32;
        answered(&enums::auth::SentCode::Code(types::auth::SentCode {
            r#type: types::auth::SentCodeTypeApp { length }.into(),
            phone_code_hash,
            next_type: None,
            timeout: None,
        }))
    }

    pub(super) fn sign_in(&mut self, asked: &functions::auth::SignIn) -> CallResult {
        if asked.phone_number != self.account.phone || Some(&asked.phone_code_hash) != self.code_hash.as_ref()
        {
            return Err(wrong(CODE, 400, "PHONE_CODE_EXPIRED"));
        }
        if asked.phone_code.as_ref() != Some(&self.account.code) {
            return Err(refused(400, "PHONE_CODE_INVALID"));
        }
        if self.account.password.is_some() {
            return Err(refused(401, "SESSION_PASSWORD_NEEDED"));
        }
        self.enter()
    }

    /// The session is the account's from now on.
    fn enter(&mut self) -> CallResult {
        self.account.is_signed_in = true;
        self.code_hash = None;
        let user = self.user(self.account.id);
        let user = user.ok_or_else(|| refused(500, "AUTH_RESTART"))?;
        answered(&enums::auth::Authorization::Authorization(
            types::auth::Authorization {
                setup_password_required: false,
                otherwise_relogin_days: None,
                tmp_sessions: None,
                future_auth_token: None,
                user,
            },
        ))
    }

    pub(super) fn get_password(&mut self, _: &functions::account::GetPassword) -> CallResult {
        let challenge = self
            .account
            .password
            .as_deref()
            .map(|password| Challenge::new(31, password));
        let [salt1, salt2] = SALTS.map(<[u8]>::to_vec);
        let algo = types::PasswordKdfAlgoSha256Sha256Pbkdf2Hmacsha512iter100000Sha256ModPow {
            salt1,
            salt2,
            g: GENERATOR,
            p: prime(),
        };
        let there = challenge.is_some();
        let answer = types::account::Password {
            has_recovery: false,
            has_secure_values: false,
            has_password: there,
            current_algo: there.then(|| algo.into()),
            srp_b: challenge.as_ref().map(|challenge| challenge.sent.clone()),
            srp_id: challenge.as_ref().map(|challenge| challenge.id),
            hint: None,
            email_unconfirmed_pattern: None,
            new_algo: enums::PasswordKdfAlgo::Unknown,
            new_secure_algo: enums::SecurePasswordKdfAlgo::Unknown,
            secure_random: RANDOM.to_vec(),
            pending_reset_date: None,
            login_email_pattern: None,
        };
        self.proof = challenge;
        answered(&enums::account::Password::Password(answer))
    }

    pub(super) fn check_password(&mut self, asked: &functions::auth::CheckPassword) -> CallResult {
        let (Some(challenge), enums::InputCheckPasswordSrp::Srp(proof)) =
            (self.proof.take(), &asked.password)
        else {
            return Err(wrong(PASSWORD, 400, "SRP_ID_INVALID"));
        };
        if proof.srp_id != challenge.id {
            return Err(wrong(PASSWORD, 400, "SRP_ID_INVALID"));
        }
        if !challenge.is_proven(&proof.a, &proof.m1) {
            return Err(refused(400, "PASSWORD_HASH_INVALID"));
        }
        self.enter()
    }

    pub(super) fn get_users(&self, asked: &functions::users::GetUsers) -> CallResult {
        let users: Result<Vec<_>, _> = asked
            .id
            .iter()
            .map(|user| match user {
                enums::InputUser::UserSelf => Ok(self.account.id),
                enums::InputUser::User(user) => {
                    let (user_id, access_hash) = (user.user_id, user.access_hash);
                    self.named(&types::InputPeerUser { user_id, access_hash }.into())
                }
                _ => Err(refused(400, "USER_ID_INVALID")),
            })
            .collect();
        let users: Vec<_> = users?.into_iter().filter_map(|id| self.user(id)).collect();
        answered(&users)
    }

    pub(super) fn log_out(&mut self, _: &functions::auth::LogOut) -> CallResult {
        self.account.is_signed_in = false;
        let out = types::auth::LoggedOut {
            future_auth_token: None,
        };
        answered(&enums::auth::LoggedOut::Out(out))
    }
}
