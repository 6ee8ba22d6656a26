//! `foldback telegram-user`, `doctor` and `serve` with a person's account on Telegram, against a strict server of `MTProto`.

use crate::bot::{Home, is};
use crate::foldback::{Ran, run};
use foldback_strict::mtproto::{Account, MtprotoServer};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const OWN: i64 = 1_001;
const ANA: i64 = 4_711;
const PHONE: &str = "+4915112345678";
const HASH: &str = "app-hash-of-a-test";
const CODE: &str = "31337";
const PASSWORD: &str = "password of a test";

const SCRIPT: &str = "- agent: [\"Hello, **Ana**\"]\n";

struct Place {
    home: Home,
    server: MtprotoServer,
    _runtime: tokio::runtime::Runtime,
}

fn place(password: Option<&str>, settings: &str) -> Place {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let key = [7; 256];
    let account = Account {
        id: OWN,
        phone: PHONE.into(),
        username: "robin_lee".into(),
        api_id: 4_242,
        api_hash: HASH.into(),
        code: CODE.into(),
        password: password.map(str::to_owned),
        key,
        is_signed_in: false,
    };
    let server = runtime.block_on(MtprotoServer::start(account)).unwrap();
    server.open_person(ANA, "Ana", "ana_lima");
    let home = Home::with(&format!(
        "[agent.script]\nfile = \"script.yaml\"\n[channels.telegram_user]\narmed = true\nallow_from = [\"4711\"]\n\
         client_id = \"4242\"\nclient_secret = {{ file = \"hash\" }}\naccount = \"{PHONE}\"\napi_root = \"{}\"\n{settings}",
        server.root()
    ));
    home.write("script.yaml", SCRIPT);
    home.write("hash", HASH);
    Place {
        home,
        server,
        _runtime: runtime,
    }
}

impl Place {
    fn session(&self) -> PathBuf {
        self.home.path("data/telegram_user/telegram_user.json")
    }

    /// Writes a key into the session that the server knows: agreeing on one is what no server but Telegram's can.
    fn agree_on_a_key(&self) {
        let root = self.server.root();
        let address = root.trim_start_matches("tcp://");
        let (_, port) = address.split_once(':').unwrap();
        let hex = [7_u8; 256].iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        });
        let session = json!({
            "phone": PHONE, "root": address, "account": null, "home": 2,
            "centres": [{"id": 2, "ipv4": address, "ipv6": format!("[::1]:{port}"), "auth_key": hex}],
        });
        std::fs::create_dir_all(self.session().parent().unwrap()).unwrap();
        std::fs::write(self.session(), session.to_string()).unwrap();
    }

    fn sign_in(&self, answers: &str) -> Ran {
        let command = self.home.command(&["telegram-user", "sign-in", "telegram_user"]);
        run(command, answers)
    }

    /// What `doctor` found about the session.
    fn found(&self) -> Value {
        let ran = self.home.run(&["doctor", "--format", "json"]);
        let about = |line: &&Value| line["about"] == "channels.telegram_user.account";
        let found = ran.lines();
        found
            .iter()
            .find(about)
            .unwrap_or_else(|| panic!("{}", ran.stdout))
            .clone()
    }
}

const TAKEN: &str = "accept_risk = true\n";

#[test]
fn a_person_signs_in_and_the_bot_answers_as_them() {
    let place = place(Some(PASSWORD), TAKEN);
    place.agree_on_a_key();
    let ran = place.sign_in(&format!("yes\n{CODE}\n{PASSWORD}\n"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("Telegram may end the account"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("signed in as robin_lee"), "{}", ran.stderr);
    for secret in [CODE, PASSWORD, HASH] {
        assert!(!ran.stderr.contains(secret) && !ran.stdout.contains(secret));
    }
    assert_eq!(place.found()["state"], "fine");
    let mut bot = place.home.serve(&["--events", "--commands"]);
    bot.until(|event| is("channel_state")(event) && event["kind"]["to"] == "up");
    place.server.write(ANA, ANA, "Hi");
    bot.until(is("turn_ended"));
    assert_eq!(bot.term(), 0);
    let messages = place.server.messages(ANA);
    let [theirs, ours] = messages.as_slice() else {
        panic!("a question and an answer: {messages:#?}");
    };
    assert_eq!((theirs.from, ours.from), (ANA, OWN));
    assert_eq!(
        (ours.text.as_str(), ours.looks()),
        ("Hello, Ana", vec![("bold", 7, 3)])
    );
    assert_eq!(place.server.broken(), []);
}

#[test]
fn whoever_does_not_take_the_risk_is_not_signed_in() {
    let place = place(None, TAKEN);
    place.agree_on_a_key();
    for answer in ["no\n", "y\n", "\n"] {
        let ran = place.sign_in(answer);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("nobody has signed in"), "{}", ran.stderr);
    }
    assert_eq!(place.server.calls(), 0);
    assert_eq!(place.found()["state"], "wrong", "the session is none yet");
}

#[test]
fn without_the_setting_neither_the_bot_nor_the_sign_in_begins() {
    let place = place(None, "");
    for args in [&["telegram-user", "sign-in", "telegram_user"][..], &["serve"]] {
        let ran = place.home.run(args);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        for said in [
            "channels.telegram_user",
            "accept_risk",
            "Telegram may end the account",
        ] {
            assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
        }
    }
    assert_eq!(place.server.calls(), 0);
}

#[test]
fn three_wrong_codes_are_enough() {
    let place = place(None, TAKEN);
    place.agree_on_a_key();
    let ran = place.sign_in("yes\n1\n2\n3\n4\n");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("the code was another one").count(), 3);
    let cut_off = place.sign_in("yes\n1\n");
    assert_eq!(cut_off.code, 2);
    assert!(cut_off.stderr.contains("stdin ended"), "{}", cut_off.stderr);
}

#[test]
fn a_channel_that_is_none_of_this_kind_is_named() {
    let place = place(None, TAKEN);
    for (channel, says) in [("other", "is no channel"), ("work", "is not of the kind")] {
        if channel == "work" {
            place.home.write(
                "foldback.toml",
                "[channels.work]\nkind = \"loopback\"\nplatform = \"telegram_user\"\n",
            );
        }
        let ran = place.home.run(&["telegram-user", "sign-in", channel]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}
