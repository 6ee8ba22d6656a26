//! Which files may be sent: those of one folder, and nothing that could be, or become, anything else.

use foldback_channels::{FileRefusal, Folder, Refusal};
use foldback_wire::RefusalCode;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

const MOST: u64 = 10;

struct Place {
    dir: tempfile::TempDir,
    folder: Folder,
}

/// A folder `out` with files, links of every kind, a pipe and a socket; beside it what nobody may have.
fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    std::fs::create_dir_all(out.join("sub/deep")).unwrap();
    let write = |path: &str, text: &str| std::fs::write(dir.path().join(path), text).unwrap();
    write("secret", "s");
    write("out2", "s");
    write("out/a.txt", "hello");
    write("out/sub/b.png", "png");
    write("out/sub/deep/ü ☕.txt", "tea");
    write("out/large", "12345678901");
    write("out/twice", "x");
    write("out/..hidden", "x");
    std::fs::hard_link(out.join("twice"), out.join("once-more")).unwrap();
    std::fs::hard_link(dir.path().join("secret"), out.join("innocent.txt")).unwrap();
    let outside = dir.path().join("secret");
    for (to, name) in [
        (outside.as_path(), "absolute-link"),
        (Path::new("../secret"), "link-out"),
        (Path::new("a.txt"), "link-in"),
        (Path::new("link-out"), "link-to-link"),
        (Path::new("nothing"), "dangling"),
        (Path::new("loop"), "loop"),
        (Path::new(".."), "link-up"),
        (Path::new("sub"), "link-sub"),
        (Path::new("/"), "link-root"),
        (Path::new("/proc/self/environ"), "link-environ"),
        (Path::new("/dev/zero"), "link-zero"),
    ] {
        symlink(to, out.join(name)).unwrap();
    }
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, out.join("pipe"), pipe, 0o600.into(), 0).unwrap();
    drop(std::os::unix::net::UnixListener::bind(out.join("socket")).unwrap());
    let folder = Folder::new(&out, MOST);
    Place { dir, folder }
}

/// Set in a process that may have few descriptors.
const FEW: &str = "FOLDBACK_TEST_FEW_DESCRIPTORS";

/// Runs this test again in a process of its own with few descriptors, so that no other test lacks any.
fn with_few_descriptors(test: &str) {
    let few = Command::new("sh")
        .args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(FEW, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&few.stdout);
    assert!(
        few.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&few.stderr)
    );
}

#[test]
fn a_file_for_which_no_descriptor_is_left_is_known_by_its_name_and_tried_again() {
    if std::env::var_os(FEW).is_none() {
        return with_few_descriptors(
            "folder::a_file_for_which_no_descriptor_is_left_is_known_by_its_name_and_tried_again",
        );
    }
    let Place { dir, folder } = place();
    let identity = folder.identify("sub/b.png").unwrap();
    let mut taken = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        taken.push(file);
    }
    let opened = ["a.txt", "sub/b.png"].map(|path| folder.open_checked(path, identity));
    let known = folder.identify("sub/b.png");
    let others =
        ["link-out", "../secret", "pipe", "twice", "large", "none"].map(|path| folder.identify(path));
    drop(taken);
    for refusal in opened.map(Result::unwrap_err) {
        assert_eq!(refusal.setting(), None, "{refusal}");
        let refusal = Refusal::from(refusal);
        assert_eq!(
            (refusal.code, refusal.unsent, refusal.maybe_done),
            (RefusalCode::Transient, true, false),
            "{refusal}"
        );
    }
    assert_eq!(known.unwrap(), identity);
    let others = others.map(Result::unwrap_err);
    assert!(
        matches!(
            others,
            [
                FileRefusal::Link { .. },
                FileRefusal::Outside { .. },
                FileRefusal::NotRegular { .. },
                FileRefusal::ManyNames { .. },
                FileRefusal::TooLarge { .. },
                FileRefusal::Missing { .. }
            ]
        ),
        "{others:?}"
    );
    assert!(folder.open_checked("sub/b.png", identity).is_ok());
    drop(dir);
}

#[test]
fn files_of_the_folder_are_opened() {
    let place = place();
    for (path, name, text) in [
        ("a.txt", "a.txt", "hello"),
        ("./a.txt", "a.txt", "hello"),
        ("sub/b.png", "b.png", "png"),
        ("sub//./deep/ü ☕.txt", "ü ☕.txt", "tea"),
        ("..hidden", "..hidden", "x"),
    ] {
        let mut open = place.folder.open(path).unwrap();
        let mut read = String::new();
        open.file.read_to_string(&mut read).unwrap();
        assert_eq!(
            (open.name.as_str(), open.size, read.as_str()),
            (name, text.len() as u64, text)
        );
    }
}

#[test]
fn an_open_file_stays_what_it_was() {
    let place = place();
    let mut open = place.folder.open("a.txt").unwrap();
    let path = place.folder.root().join("a.txt");
    std::fs::remove_file(&path).unwrap();
    symlink("../secret", &path).unwrap();
    let mut read = String::new();
    open.file.read_to_string(&mut read).unwrap();
    assert_eq!(read, "hello");
    assert!(matches!(
        place.folder.open("a.txt"),
        Err(FileRefusal::Link { .. })
    ));
}

#[test]
fn hostile_paths_are_refused_with_their_reason() {
    let place = place();
    let (long, deep) = ("x".repeat(300), "sub/".repeat(2_000) + "a.txt");
    let absolute = place.dir.path().join("out/a.txt");
    let absolute = absolute.to_str().unwrap();
    let (outside, link) = ("not below the folder", "is a link, or goes through one");
    let (irregular, gone) = ("not a regular file", "there is no file");
    let unopened = "cannot be opened";
    let hostile = [
        ("../secret", outside),
        ("../out/a.txt", outside),
        ("..", outside),
        ("../", outside),
        ("sub/..", outside),
        ("sub/../a.txt", outside),
        ("sub/../../secret", outside),
        ("./../secret", outside),
        ("sub/deep/../../../secret", outside),
        ("//etc/passwd", outside),
        ("/etc/passwd", outside),
        ("/", outside),
        ("/proc/self/environ", outside),
        ("/dev/zero", outside),
        (absolute, outside),
        ("link-up/secret", link),
        ("link-up/out/a.txt", link),
        ("link-sub/b.png", link),
        ("link-root/etc/passwd", link),
        ("absolute-link", link),
        ("link-out", link),
        ("link-in", link),
        ("link-to-link", link),
        ("dangling", link),
        ("loop", link),
        ("link-environ", link),
        ("link-zero", link),
        ("link-sub", link),
        ("twice", "2 names"),
        ("once-more", "2 names"),
        ("innocent.txt", "2 names"),
        ("pipe", irregular),
        ("socket", irregular),
        ("sub", irregular),
        ("sub/", irregular),
        ("", irregular),
        (".", irregular),
        ("large", "11 bytes, more than 10 (files.max_size)"),
        ("nothing", gone),
        ("a.txt/b", gone),
        ("a.txt\0.png", unopened),
        ("..\\secret", gone),
        ("%2e%2e/secret", gone),
        ("file:///etc/passwd", gone),
        ("~/.ssh/id_ed25519", gone),
        ("$HOME/.profile", gone),
        ("．．/secret", gone),
        ("A.TXT", gone),
        ("a.txt ", gone),
        (&long, unopened),
        (&deep, gone),
    ];
    assert!(hostile.len() >= 40);
    for (path, reason) in hostile {
        match place.folder.open(path) {
            Ok(open) => panic!("{path:?} was opened as {open:?}"),
            Err(refusal) => {
                let said = refusal.to_string();
                assert!(
                    said.contains(reason),
                    "{path:?}: {said:?} does not say {reason:?}"
                );
            }
        }
    }
}

#[test]
fn nothing_outside_is_removed() {
    let place = place();
    for path in [
        "../secret",
        "link-up/secret",
        "/etc/hostname",
        "sub/../../secret",
        "",
    ] {
        assert!(place.folder.remove(path, None).is_err(), "{path:?}");
    }
    place.folder.remove("link-out", None).unwrap();
    place.folder.remove("sub/b.png", None).unwrap();
    assert!(place.dir.path().join("secret").exists());
    assert!(matches!(
        place.folder.open("sub/b.png"),
        Err(FileRefusal::Missing { .. })
    ));
}

type Change = fn(&Path);

/// What may happen to `a.txt` between its check and its sending.
fn changes() -> [(&'static str, Change); 3] {
    fn time(path: &Path) -> SystemTime {
        std::fs::metadata(path).unwrap().modified().unwrap()
    }
    fn date(path: &Path, time: SystemTime) {
        std::fs::File::open(path).unwrap().set_modified(time).unwrap();
    }
    [
        ("another one of the same size and time", |path| {
            let new = path.with_extension("new");
            std::fs::write(&new, "HELLO").unwrap();
            date(&new, time(path));
            std::fs::rename(new, path).unwrap();
        }),
        ("written over at the same time", |path| {
            let then = time(path);
            std::fs::write(path, "longer").unwrap();
            date(path, then);
        }),
        ("written over with as many bytes", |path| {
            let then = time(path);
            std::fs::write(path, "HELLO").unwrap();
            date(path, then + Duration::from_nanos(1));
        }),
    ]
}

/// The limit may have become lower since it was written, and nothing of ours stays behind for that.
#[test]
fn what_is_too_large_to_be_sent_is_removed_all_the_same() {
    let place = place();
    let large = place.folder.put(".ours", "large", &[b'x'; 11]).unwrap();
    assert!(matches!(
        place.folder.open_checked(".ours/large", large),
        Err(FileRefusal::TooLarge {
            size: 11,
            limit: MOST,
            ..
        })
    ));
    place.folder.remove(".ours/large", Some(large)).unwrap();
    assert!(!place.dir.path().join("out/.ours/large").exists());
}

#[test]
fn another_file_than_the_checked_one_is_neither_opened_nor_removed() {
    for (what, change) in changes() {
        let place = place();
        let checked = place.folder.open("a.txt").unwrap().identity;
        assert_eq!(place.folder.open_checked("a.txt", checked).unwrap().size, 5);
        change(&place.folder.root().join("a.txt"));
        let refusals = [
            place.folder.open_checked("a.txt", checked).map(drop),
            place.folder.remove("a.txt", Some(checked)),
        ];
        for refusal in refusals.map(Result::unwrap_err) {
            assert!(
                matches!(refusal, FileRefusal::Changed { .. }),
                "{what}: {refusal:?}"
            );
            assert_eq!(
                refusal.to_string(),
                "a.txt was changed after it was checked",
                "{what}"
            );
        }
        let now = place.folder.open("a.txt").unwrap().identity;
        place.folder.remove("a.txt", Some(now)).unwrap();
        assert!(matches!(
            place.folder.open_checked("a.txt", now),
            Err(FileRefusal::Missing { .. })
        ));
    }
}

#[test]
fn a_link_in_the_place_of_the_checked_file_is_refused_as_a_link() {
    let place = place();
    let checked = place.folder.open("a.txt").unwrap().identity;
    let path = place.folder.root().join("a.txt");
    std::fs::rename(&path, place.folder.root().join("moved")).unwrap();
    symlink("moved", &path).unwrap();
    for refusal in [
        place.folder.open_checked("a.txt", checked).map(drop),
        place.folder.remove("a.txt", Some(checked)),
    ] {
        assert!(matches!(refusal, Err(FileRefusal::Link { .. })), "{refusal:?}");
    }
    assert!(path.is_symlink());
}

#[test]
fn a_missing_folder_is_named() {
    let refusal = Folder::new("/no/such/folder", MOST).open("a.txt").unwrap_err();
    assert!(
        refusal.to_string().contains("files.send_dir = /no/such/folder"),
        "{refusal}"
    );
}
