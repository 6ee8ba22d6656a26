use super::*;
use std::cell::RefCell;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

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
    let serve = listener.serve(async |request| {
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
async fn a_body_has_a_limit_and_so_have_connections() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |request| say(StatusCode::OK, request.body().len().to_string()));
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
        let mut idle = Vec::new();
        for _ in 0..AT_ONCE {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        let mut waits = std::pin::pin!(ask(address, &[]));
        assert!(timeout(Duration::from_millis(50), &mut waits).await.is_err());
        drop(idle);
        ask(address, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        answer = asked => assert!(answer.ends_with('0'), "{answer}"),
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_too_slow_is_cut_off() {
    let (listener, address) = listener().await;
    let serve = listener.serve(async |_| std::future::pending().await);
    let slow = async {
        for request in ["", "POST / HTTP", "GET / HTTP/1.1\r\nhost: x\r\n\r\n"] {
            assert_eq!(ask(address, request.as_bytes()).await, "", "{request:?}");
        }
    };
    tokio::select! {
        refusal = serve => panic!("{refusal}"),
        () = slow => {}
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
