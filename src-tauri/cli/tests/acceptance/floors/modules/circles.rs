//! Circles between modules, and arrows up against the floors that a crate declares.
//!
//! Modules that stand in one folder, or at the root of a crate, are compared with each other; each stands for all that is
//! inside it. What stands in the file of the folder itself (`mod.rs`, `lib.rs`) is no module among them: it holds what
//! they share, or puts them together.

use super::arrows::Arrows;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
};

/// A module of a folder that uses another one of that folder; both named from the root of the crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    pub(super) from: String,
    pub(super) to: String,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)
    }
}

/// The arrows between the modules of each folder, with an example of each: where it is, and the path that stands there.
pub(super) fn join_arrows(arrows: &Arrows) -> BTreeMap<Arrow, String> {
    let mut joined = BTreeMap::new();
    for ((from, to), path) in arrows {
        let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        if from.len() > shared && to.len() > shared {
            let arrow = Arrow {
                from: from[..=shared].join("::"),
                to: to[..=shared].join("::"),
            };
            joined
                .entry(arrow)
                .or_insert_with(|| format!("{path} in {}", from.join("::")));
        }
    }
    joined
}

/// The arrows that are part of a circle, each with the shortest way back.
pub(super) fn find_circles<'a>(
    arrows: impl IntoIterator<Item = &'a Arrow>,
) -> BTreeMap<&'a Arrow, Vec<&'a str>> {
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let arrows: Vec<&Arrow> = arrows.into_iter().collect();
    for arrow in &arrows {
        used.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let way_back = |arrow: &&'a Arrow| Some((*arrow, shortest_way(&used, &arrow.to, &arrow.from)?));
    arrows.iter().filter_map(way_back).collect()
}

fn shortest_way<'a>(
    used: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    from: &'a str,
    to: &'a str,
) -> Option<Vec<&'a str>> {
    let mut before = BTreeMap::from([(from, from)]);
    let mut next = VecDeque::from([from]);
    while let Some(module) = next.pop_front() {
        if module == to {
            let mut way = vec![to];
            while way[0] != from {
                way.insert(0, before[way[0]]);
            }
            return Some(way);
        }
        for used in used.get(module).into_iter().flatten() {
            if !before.contains_key(used) {
                before.insert(used, module);
                next.push_back(used);
            }
        }
    }
    None
}

/// Declaration of a crate about its modules.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Declaration {
    /// The top modules of the crate, ground floor first; empty where it declares none.
    pub(super) floors: Vec<Vec<String>>,
    /// Arrows of today that are a circle or lead up; each goes with its arrow.
    pub(super) exceptions: BTreeSet<Arrow>,
}

impl Declaration {
    /// Reads lines: `floor a b` for the next floor, `a -> b` for an exception; `#` begins a comment.
    ///
    /// # Errors
    /// With a line that is neither, or that stands there twice.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut declared = Self::default();
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim());
        for line in lines.filter(|line| !line.is_empty()) {
            if let Some(floor) = line.strip_prefix("floor ") {
                declared
                    .floors
                    .push(floor.split_whitespace().map(str::to_owned).collect());
            } else {
                let (from, to) = line
                    .split_once(" -> ")
                    .ok_or_else(|| format!("not understood: {line}"))?;
                let [from, to] = [from, to].map(|name| name.trim().to_owned());
                if !declared.exceptions.insert(Arrow { from, to }) {
                    return Err(format!("twice: {line}"));
                }
            }
        }
        Ok(declared)
    }

    /// Faults of the arrows of a crate, in words: a circle or an arrow up that is no exception, and an exception
    /// that is neither any more.
    pub(super) fn check(&self, modules: &BTreeSet<String>, arrows: &BTreeMap<Arrow, String>) -> Vec<String> {
        let mut wrong = Vec::new();
        let floor_of = |module: &str| {
            self.floors
                .iter()
                .position(|floor| floor.iter().any(|name| name == module))
        };
        if !self.floors.is_empty() {
            let missing = modules.iter().filter(|module| floor_of(module).is_none());
            wrong.extend(missing.map(|module| format!("{module} stands on no floor")));
            let gone = self
                .floors
                .iter()
                .flatten()
                .filter(|name| !modules.contains(*name));
            wrong.extend(gone.map(|name| format!("there is no module {name}: take it from its floor")));
        }
        let leads_up = |arrow: &Arrow| match (floor_of(&arrow.from), floor_of(&arrow.to)) {
            (Some(from), Some(to)) => from < to,
            _ => false,
        };
        // What an arrow up closes is told by that arrow alone.
        let is_new_up = |arrow: &Arrow| leads_up(arrow) && !self.exceptions.contains(arrow);
        let circles = find_circles(arrows.keys().filter(|arrow| !is_new_up(arrow)));
        for (arrow, example) in arrows {
            let excepted = self.exceptions.contains(arrow);
            match circles.get(arrow) {
                _ if excepted => {}
                Some(back) => wrong.push(format!(
                    "{arrow} closes a circle, {} ({example})",
                    back.join(" -> ")
                )),
                None if leads_up(arrow) => wrong.push(format!("{arrow} leads up ({example})")),
                None => {}
            }
        }
        let holds =
            |arrow: &Arrow| arrows.contains_key(arrow) && (circles.contains_key(arrow) || leads_up(arrow));
        let over = self.exceptions.iter().filter(|arrow| !holds(arrow));
        wrong.extend(over.map(|arrow| format!("{arrow} is no exception any more: remove it")));
        wrong
    }
}

mod tests {
    use super::*;

    /// The arrows of a picture such as `a -> b -> c, x::y -> x::z`.
    fn picture(text: &str) -> BTreeMap<Arrow, String> {
        let mut arrows = Arrows::new();
        for chain in text.split(", ") {
            let names: Vec<Vec<String>> = chain
                .split(" -> ")
                .map(|name| name.split("::").map(str::to_owned).collect())
                .collect();
            for pair in names.windows(2) {
                arrows.insert((pair[0].clone(), pair[1].clone()), "path".to_owned());
            }
        }
        join_arrows(&arrows)
    }

    fn check(declaration: &str, text: &str) -> Vec<String> {
        let arrows = picture(text);
        let top = arrows
            .keys()
            .flat_map(|arrow| [&arrow.from, &arrow.to])
            .filter(|name| !name.contains(':'));
        Declaration::read(declaration)
            .unwrap()
            .check(&top.cloned().collect(), &arrows)
    }

    #[test]
    fn modules_of_a_folder_stand_for_what_is_inside_them() {
        let arrows =
            picture("a::x -> b::y::z, a::x -> a::w, a::x::p -> a::w::q, a::x -> a, a -> a::x, b -> a");
        let arrows: Vec<_> = arrows.keys().map(Arrow::to_string).collect();
        assert_eq!(arrows, ["a -> b", "a::x -> a::w", "b -> a"]);
    }

    #[test]
    fn every_arrow_of_a_circle_is_named_with_the_way_back() {
        assert_eq!(check("", "a -> b -> c, a -> c, x -> a"), [""; 0]);
        assert_eq!(
            check("", "a -> b -> c -> a, x -> a, c -> y"),
            [
                "a -> b closes a circle, b -> c -> a (path in a)",
                "b -> c closes a circle, c -> a -> b (path in b)",
                "c -> a closes a circle, a -> b -> c (path in c)",
            ]
        );
        assert_eq!(
            check("", "a::x::i -> a::y, a::y -> a::x"),
            [
                "a::x -> a::y closes a circle, a::y -> a::x (path in a::x::i)",
                "a::y -> a::x closes a circle, a::x -> a::y (path in a::y)",
            ]
        );
    }

    #[test]
    fn an_exception_covers_its_own_arrow_only_and_goes_when_the_circle_does() {
        let known = "# Two that know each other.\na -> b # one\nb -> a\n";
        assert_eq!(check(known, "a -> b -> a"), [""; 0]);
        assert_eq!(
            check(known, "a -> b -> a, b -> c -> a"),
            [
                "b -> c closes a circle, c -> a -> b (path in b)",
                "c -> a closes a circle, a -> b -> c (path in c)",
            ]
        );
        assert_eq!(
            check(known, "a -> b"),
            [
                "a -> b is no exception any more: remove it",
                "b -> a is no exception any more: remove it",
            ]
        );
    }

    #[test]
    fn an_arrow_up_is_named_unless_it_is_an_exception() {
        let floors = "floor low\nfloor middle beside\nfloor high\n";
        let down = "high -> middle -> low, high -> low, middle -> beside";
        assert_eq!(check(floors, down), [""; 0]);
        let up = "high -> middle -> low, beside -> high";
        assert_eq!(check(floors, up), ["beside -> high leads up (path in beside)"]);
        assert_eq!(check(&format!("{floors}beside -> high\n"), up), [""; 0]);
        assert_eq!(
            check(&format!("{floors}beside -> high\n"), down),
            ["beside -> high is no exception any more: remove it"]
        );
        assert_eq!(
            check(
                floors,
                "low -> high -> middle -> low, high -> low, middle -> beside"
            ),
            ["low -> high leads up (path in low)"]
        );
        assert_eq!(
            check("floor low\nfloor gone\n", "high -> low"),
            [
                "high stands on no floor",
                "there is no module gone: take it from its floor",
            ]
        );
    }

    #[test]
    fn a_declaration_that_cannot_be_read_says_which_line() {
        for (text, why) in [
            ("a => b\n", "not understood: a => b"),
            ("a -> b\na -> b # again\n", "twice: a -> b"),
        ] {
            assert_eq!(Declaration::read(text), Err(why.to_owned()));
        }
    }
}
