use super::*;
use crate::listener::connections::{Connections, MOMENT};
use crate::listener::converse;
use std::cell::{Cell, RefCell};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// Sends what is given, and gives the whole answer.
async fn ask(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A body that is refused need not be taken to its end.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

async fn listener() -> (Listener, SocketAddr) {
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.address().unwrap();
    (listener, address)
}

#[tokio::test]
async fn whole_requests_are_handed_over_and_answered() {
    let (listener, address) = listener().await;
    let seen = RefCell::new(Vec::new());
    let serve = listener.serve(async |request, _| {
        let said = String::from_utf8(request.body().to_vec()).unwrap();
        let name = request
            .headers()
            .get("x-name")
            .map(|name| name.to_str().unwrap().to_owned());
        seen.borrow_mut().push((
            request.method().to_string(),
            request.uri().to_string(),
            name,
            said,
        ));
        say(StatusCode::OK, "thanks")
    });
    let asked = async {
        let get = ask(address, b"GET /hook?a=1 HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(
            get.starts_with("HTTP/1.1 200 OK\r\n") && get.ends_with("\r\n\r\nthanks"),
            "{get}"
        );
        assert!(get.contains("connection: close"), "{get}");
        let mut cut = TcpStream::connect(address).await.unwrap();
        cut.write_all(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhi")
            .await
            .unwrap();
        drop(cut);
        ask(
            address,
            b"POST / HTTP/1.1\r\nhost: x\r\nx-name: n\r\ncontent-length: 2\r\n\r\nhi",
        )
        .await;
        let put = ask(address, b"PUT / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(
            put.starts_with("HTTP/1.1 405 ") && put.contains("allow: GET, POST"),
            "{put}"
        );
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = asked => {}
    }
    let (get, post) = (
        ("GET".to_owned(), "/hook?a=1".to_owned(), None, String::new()),
        (
            "POST".to_owned(),
            "/".to_owned(),
            Some("n".to_owned()),
            "hi".to_owned(),
        ),
    );
    assert_eq!(seen.into_inner(), [get, post]);
}

#[tokio::test]
async fn a_body_has_a_limit() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |request, _| say(StatusCode::OK, request.body().len().to_string()));
    let asked = async {
        let post = |len: usize| {
            let head = format!("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: {len}\r\n\r\n");
            [head.as_bytes(), &vec![b'x'; len]].concat()
        };
        let largest = ask(address, &post(MAX_BODY)).await;
        assert!(largest.ends_with("\r\n\r\n4000000"), "{largest}");
        let larger = ask(address, &post(MAX_BODY + 1)).await;
        assert!(
            larger.is_empty() || larger.starts_with("HTTP/1.1 413 "),
            "{larger}"
        );
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = asked => {}
    }
}

/// As many connections as there are places, of as many addresses.
async fn idle(address: SocketAddr) -> Vec<TcpStream> {
    let mut idle = Vec::new();
    for last in 1..=AT_ONCE {
        let socket = TcpSocket::new_v4().unwrap();
        // All of 127/8 is this machine on Linux; elsewhere they come from one address, and half of them are left.
        let _ = socket.bind(SocketAddr::from(([127, 0, 0, u8::try_from(last).unwrap()], 0)));
        idle.push(socket.connect(address).await.unwrap());
    }
    idle
}

#[tokio::test]
async fn a_connection_that_says_nothing_gives_way_to_a_request_and_no_other_does() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |_, _| say(StatusCode::OK, "thanks"));
    let asked = async {
        let mut idle = idle(address).await;
        let answer = ask(address, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(answer.ends_with("thanks"), "{answer}");
        assert_eq!(idle[0].read(&mut [0]).await.unwrap(), 0, "the oldest is cut off");
        let last = idle.last_mut().unwrap();
        last.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        last.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("thanks"), "the latest is not: {answer}");
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = asked => {}
    }
}

#[tokio::test]
async fn a_signed_request_that_is_not_answered_yet_gives_way_to_nobody() {
    let (listener, address) = listener().await;
    let (answers, asked) = (Notify::new(), Notify::new());
    let serve = listener.serve(async |_, peer: Peer| {
        peer.trust();
        asked.notify_one();
        answers.notified().await;
        say(StatusCode::OK, "kept")
    });
    let flood = async {
        let request = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
        let (answer, ()) = tokio::join!(ask(address, request), async {
            asked.notified().await;
            for _ in 0..3 {
                drop(idle(address).await);
            }
            answers.notify_one();
        });
        assert!(answer.ends_with("kept"), "{answer}");
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = flood => {}
    }
}

#[tokio::test]
async fn a_signed_request_that_has_come_is_read_before_its_connection_gives_way() {
    let (listener, address) = listener().await;
    for (is_signed, said) in [(true, "kept"), (false, "")] {
        let mut client = TcpStream::connect(address).await.unwrap();
        let (stream, from) = listener.accept().await.unwrap();
        client
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            .await
            .unwrap();
        stream.readable().await.unwrap();
        let mut connections = Connections::new(AT_ONCE);
        let came = Instant::now();
        let (_, peer) = connections.add(from.ip(), came);
        connections.drop_oldest(came + MOMENT, |_| true);
        let answer = async |_, peer: Peer| {
            if is_signed {
                peer.trust();
            }
            // The receiver of an event does not answer at once.
            tokio::task::yield_now().await;
            say(StatusCode::OK, "kept")
        };
        converse(stream, peer, RULES, &answer).await;
        let mut answer = String::new();
        let _ = client.read_to_string(&mut answer).await;
        assert!(
            answer.ends_with(said) && answer.is_empty() == said.is_empty(),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn a_crowd_of_whole_requests_is_answered_whole() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |_, peer: Peer| {
        peer.trust();
        say(StatusCode::OK, "thanks")
    });
    let crowd = async {
        let request = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi";
        let answers = (0..4 * AT_ONCE).map(|_| ask(address, request));
        for answer in futures::future::join_all(answers).await {
            assert!(answer.ends_with("thanks"), "{answer:?}");
        }
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = crowd => {}
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_too_slow_is_cut_off() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |_, _| std::future::pending().await);
    let slow = async {
        for (request, seconds, said) in [
            ("", 5, ""),
            ("POST / HTTP", 5, ""),
            (
                "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nh",
                5,
                "HTTP/1.1 408 ",
            ),
            ("GET / HTTP/1.1\r\nhost: x\r\n\r\n", 20, ""),
        ] {
            let start = Instant::now();
            let answer = ask(address, request.as_bytes()).await;
            assert!(
                answer.starts_with(said) && answer.is_empty() == said.is_empty(),
                "{request:?}: {answer}"
            );
            assert_eq!(start.elapsed().as_secs(), seconds, "{request:?}");
        }
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = slow => {}
    }
}

/// Sends what is given, closes its sending side, and gives the whole answer.
async fn ask_and_shut(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

#[tokio::test]
async fn a_request_is_answered_whose_sender_closes_its_half_of_the_connection() {
    let (listener, address) = listener().await;
    let processed = Cell::new(0);
    let serve = listener.serve(async |request, _| {
        // The receiver of an event takes a while, in which the closed half is seen.
        sleep(Duration::from_millis(50)).await;
        processed.set(processed.get() + request.body().len());
        say(StatusCode::OK, "thanks")
    });
    let asked = async {
        for request in [
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi",
            "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
        ] {
            let answer = ask_and_shut(address, request.as_bytes()).await;
            assert!(answer.ends_with("\r\n\r\nthanks"), "{request:?}: {answer:?}");
        }
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = asked => {}
    }
    assert_eq!(processed.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_other_half_is_closed_ends_in_time() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |_, _| std::future::pending().await);
    let halves = async {
        for (request, seconds, said) in [
            ("", 0, ""),
            ("POST / HTTP", 0, ""),
            (
                "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nh",
                0,
                "HTTP/1.1 400 ",
            ),
            ("GET / HTTP/1.1\r\nhost: x\r\n\r\n", 20, ""),
        ] {
            let start = Instant::now();
            let answer = ask_and_shut(address, request.as_bytes()).await;
            assert!(
                answer.starts_with(said) && answer.is_empty() == said.is_empty(),
                "{request:?}: {answer:?}"
            );
            assert_eq!(start.elapsed().as_secs(), seconds, "{request:?}");
        }
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = halves => {}
    }
}

/// The error of accepting while the process has no descriptor left.
fn no_descriptor() -> io::Error {
    rustix::io::Errno::MFILE.into()
}

#[tokio::test(start_paused = true)]
async fn a_process_without_descriptors_asks_for_connections_ever_more_rarely() {
    let (asked, start) = (Cell::new(0), Instant::now());
    let accept = async || {
        asked.set(asked.get() + 1);
        Err(no_descriptor())
    };
    let refusal = serve(accept, async |_, _| say(StatusCode::OK, "")).await;
    assert!(refusal.detail.contains("can no longer be received"), "{refusal}");
    assert_eq!((asked.get(), start.elapsed().as_secs()), (10, 25));
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_taken_again_once_there_is_a_descriptor() {
    let (listener, address) = listener().await;
    let failures = Cell::new(3);
    let accept = async || {
        failures.set(failures.get() - 1);
        if failures.get() < 0 {
            listener.accept().await
        } else {
            Err(no_descriptor())
        }
    };
    tokio::select! {
        refusal = serve(accept, async |_, _| say(StatusCode::OK, "thanks")) => panic!("{refusal}"),
        answer = ask(address, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n") => assert!(answer.ends_with("thanks"), "{answer}"),
    }
}

#[tokio::test]
async fn a_port_that_cannot_be_had_is_said_with_what_to_do() {
    let (taken, address) = listener().await;
    let refusal = Listener::bind(address).await.unwrap_err();
    assert!(refusal.detail.contains("choose another port"), "{refusal}");
    drop(taken);
    assert!(Listener::bind(address).await.is_ok());
    let elsewhere = Listener::bind("192.0.2.1:8090".parse().unwrap())
        .await
        .unwrap_err();
    assert!(elsewhere.detail.contains("no such address"), "{elsewhere}");
}

#[test]
fn signatures_are_those_of_the_message_and_the_secret() {
    // RFC 4231, test case 2: <https://www.rfc-editor.org/rfc/rfc4231#section-4.3>
    let (secret, message) = (Secret::new("Jefe"), b"what do ya want for nothing?");
    let good = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert!(is_signed(&secret, message, good));
    assert!(is_signed(&secret, message, &good.to_uppercase()));
    let longer = format!("{good}00");
    let foreign = good.replace('5', "５");
    let off = good.replacen('5', "4", 1);
    for wrong in [&off, &longer, &foreign, &good[..62], &good[..63], "", "zz"] {
        assert!(!is_signed(&secret, message, wrong), "{wrong}");
    }
    assert!(!is_signed(&secret, b"what do ya want for nothing!", good));
    // What everybody could sign with: the empty message under the empty secret.
    let anybodys = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
    assert!(!is_signed(&Secret::new(""), b"", anybodys));
}
