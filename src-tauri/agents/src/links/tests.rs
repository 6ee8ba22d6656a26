//! Against a server on this machine.

use super::{LinkError, LinkReader, Reach};
use axum::{
    Router,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Redirect},
    routing::get,
};
use reqwest::Url;
use tokio::net::TcpListener;

async fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    let page = "<html><head><title>T</title><script>steal()</script></head><body><h1>Tides</h1><p>High at <b>10:12</b>.</p></body></html>";
    let router = Router::new()
        .route("/page", get(move || async move { Html(page) }))
        .route(
            "/json",
            get(|| async { ([(header::CONTENT_TYPE, "application/json")], "{\"a\": 1}").into_response() }),
        )
        .route(
            "/picture",
            get(|| async { ([(header::CONTENT_TYPE, "image/png")], vec![1_u8; 9]).into_response() }),
        )
        .route("/long", get(|| async { "x".repeat(20_000) }))
        .route("/longer", get(|| async { "x".repeat(60_000) }))
        .route(
            "/deep",
            get(|| async { Html(format!("{}bottom", "<div><b>".repeat(100_000))) }),
        )
        .route("/gone", get(|| async { StatusCode::GONE }))
        .route("/on", get(|| async { Redirect::temporary("/page") }))
        .route("/around", get(|| async { Redirect::temporary("/around") }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    root
}

async fn read(reader: &LinkReader, link: &str) -> Result<String, LinkError> {
    reader
        .read(&Url::parse(link).unwrap())
        .await
        .map(|read| read.text)
}

#[tokio::test]
async fn text_is_read_within_bounds_and_nothing_else_is() {
    let root = server().await;
    let reader = LinkReader::fetching(50_000, Reach::Anywhere).unwrap();
    for path in ["/page", "/on"] {
        let text = read(&reader, &format!("{root}{path}")).await.unwrap();
        assert!(text.contains("Tides") && text.contains("10:12"), "{text}");
        assert!(!text.contains('<') && !text.contains("steal"), "{text}");
    }
    assert_eq!(
        read(&reader, &format!("{root}/json")).await.unwrap(),
        "{\"a\": 1}"
    );
    let long = reader
        .read(&Url::parse(&format!("{root}/long")).unwrap())
        .await
        .unwrap();
    assert_eq!((long.text.len(), long.bytes), (16 * 1024, 20_000));
    for (path, error) in [
        ("/picture", LinkError::NoText("image/png".to_owned())),
        ("/longer", LinkError::TooLarge(50_000)),
        ("/gone", LinkError::Status(410)),
        ("/around", LinkError::Redirects(3)),
    ] {
        assert_eq!(
            read(&reader, &format!("{root}{path}")).await,
            Err(error),
            "{path}"
        );
    }
    let port_of_nobody = "http://127.0.0.1:1/";
    assert!(matches!(
        read(&reader, port_of_nobody).await,
        Err(LinkError::Unreachable(_))
    ));
}

#[tokio::test]
async fn nothing_that_is_not_public_is_reached() {
    let root = server().await;
    let port = root.rsplit(':').next().unwrap();
    let reader = LinkReader::fetching(50_000, Reach::Public).unwrap();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",
        "0x7f.1",
        "169.254.169.254",
    ] {
        let read = read(&reader, &format!("http://{host}:{port}/page")).await;
        assert!(matches!(read, Err(LinkError::NotPublic(_))), "{host}: {read:?}");
    }
}

#[tokio::test]
async fn a_program_is_given_the_link_and_its_output_is_the_text() {
    let reader = |command: &[&str], most| {
        LinkReader::of_program(command.iter().map(|part| (*part).to_owned()).collect(), most)
    };
    let link = "https://a.example/$(id);x";
    assert_eq!(
        read(&reader(&["echo", "of", "{url}!"], 100), link).await.unwrap(),
        "of https://a.example/$(id);x!"
    );
    assert_eq!(read(&reader(&["echo"], 100), link).await.unwrap(), link);
    assert_eq!(
        read(&reader(&["echo"], 5), link).await,
        Err(LinkError::TooLarge(5))
    );
    let failed = read(&reader(&["sh", "-c", "echo no >&2; exit 3"], 99), link).await;
    assert!(
        matches!(&failed, Err(LinkError::Program(why)) if why.contains('3') && why.contains("no")),
        "{failed:?}"
    );
    assert!(matches!(
        read(&reader(&["/no/such/program"], 99), link).await,
        Err(LinkError::Program(_))
    ));
}

#[tokio::test]
async fn markup_without_a_bottom_ends_nothing_but_its_own_reading() {
    let root = server().await;
    let reader = LinkReader::fetching(1_000_000, Reach::Anywhere).unwrap();
    let text = read(&reader, &format!("{root}/deep")).await;
    assert!(
        text.is_ok_and(|text| text.starts_with("<div><b>")),
        "it is read as it is"
    );
}
