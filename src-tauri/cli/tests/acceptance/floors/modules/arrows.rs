//! Arrows between the modules of a crate: from the module in which a path stands to the module that defines what the
//! path names.

use super::source::{ModulePath, Modules};
use std::collections::{BTreeMap, BTreeSet};

/// From a module to one that it uses, with a path that says so.
pub(super) type Arrows = BTreeMap<(ModulePath, ModulePath), String>;

/// All arrows between the modules of a crate. A module that only hands on what modules inside it define does not use
/// them: whoever names it there uses the module that defines it.
pub(super) fn read_arrows(modules: &Modules) -> Arrows {
    let mut arrows = Arrows::new();
    for (from, module) in modules {
        let imported = module.imports.iter().map(|import| (&import.path, import.public));
        for (path, public) in imported.chain(module.paths.iter().map(|path| (path, false))) {
            let mut lookup = Lookup::new(modules);
            let Some(Target::Module(to) | Target::ItemOf(to)) = lookup.resolve(from, path) else {
                continue;
            };
            if public && to.starts_with(from) {
                continue;
            }
            // A module that hands on what is elsewhere is used, too, except by those inside it.
            let through = lookup
                .through
                .into_iter()
                .filter(|module| !from.starts_with(module));
            for to in through.chain([to]).filter(|to| to != from) {
                arrows
                    .entry((from.clone(), to))
                    .or_insert_with(|| path.join("::"));
            }
        }
    }
    arrows
}

/// Target of a path.
enum Target {
    Module(ModulePath),
    /// An item, by the module that defines it.
    ItemOf(ModulePath),
}

/// Follows one path.
struct Lookup<'a> {
    modules: &'a Modules,
    /// The modules through whose imports the path goes.
    through: Vec<ModulePath>,
    /// Names that are being looked up, so that imports in a circle end.
    open: BTreeSet<(ModulePath, String)>,
}

impl<'a> Lookup<'a> {
    const fn new(modules: &'a Modules) -> Self {
        Self {
            modules,
            through: Vec::new(),
            open: BTreeSet::new(),
        }
    }

    /// Follows a path that stands in a module; `None` where it leads out of the crate, or is a local name.
    fn resolve(&mut self, at: &ModulePath, path: &[String]) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Target::Module(Vec::new()),
            "self" => Target::Module(at.clone()),
            "super" => Target::Module(at.split_last()?.1.to_vec()),
            name => self.find_name(at, name)?,
        };
        rest.iter().try_fold(start, |target, name| match target {
            Target::Module(path) if name == "super" => Some(Target::Module(path.split_last()?.1.to_vec())),
            // An item that is not found there is written by a macro of that module.
            Target::Module(path) => self.find_name(&path, name).or(Some(Target::ItemOf(path))),
            // A variant or an associated item.
            Target::ItemOf(path) => Some(Target::ItemOf(path)),
        })
    }

    /// Meaning of a name in a module: a module inside it, an item, or what is imported under that name.
    fn find_name(&mut self, at: &ModulePath, name: &str) -> Option<Target> {
        let module = self.modules.get(at)?;
        let inner = [at.as_slice(), &[name.to_owned()]].concat();
        if self.modules.contains_key(&inner) {
            return Some(Target::Module(inner));
        }
        if module.items.contains(name) {
            return Some(Target::ItemOf(at.clone()));
        }
        if !self.open.insert((at.clone(), name.to_owned())) {
            return None;
        }
        let named = module
            .imports
            .iter()
            .filter(|import| import.name.as_deref() == Some(name));
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        let target = named.chain(globs).find_map(|import| {
            let passed = self.through.len();
            self.through.push(at.clone());
            let target = match self.resolve(at, &import.path) {
                Some(Target::Module(path)) if import.name.is_none() => self.find_name(&path, name),
                Some(_) if import.name.is_none() => None,
                target => target,
            };
            if target.is_none() {
                self.through.truncate(passed);
            }
            target
        });
        self.open.remove(&(at.clone(), name.to_owned()));
        target
    }
}

/// The arrows of a crate of one text, as `from -> to`.
mod tests {
    use super::{super::source::read_text, read_arrows};

    fn arrows(text: &str) -> Vec<String> {
        let arrows = read_arrows(&read_text(text));
        arrows
            .keys()
            .map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::")))
            .collect()
    }

    #[test]
    fn every_leaf_of_a_use_tree_is_an_arrow() {
        let others = "mod b { pub struct B; pub mod inner { pub struct I; } } mod c { pub struct C; } mod d { pub fn d() {} }";
        for (import, expected) in [
            ("use crate::b::B;", vec!["a -> b"]),
            ("use super::b::B;", vec!["a -> b"]),
            (
                "use crate::{b::{self, inner::{I as J}}, c::*, d};",
                vec!["a -> b", "a -> b::inner", "a -> c", "a -> d"],
            ),
            ("use crate::b as other;", vec!["a -> b"]),
            (
                "use super::{b::inner::{self as deep}, c::C as _};",
                vec!["a -> b::inner", "a -> c"],
            ),
            ("pub(crate) use crate::c::C;", vec!["a -> c"]),
            ("fn f() { use crate::d::d; }", vec!["a -> d"]),
            ("use ::b::B; use std::c::C; use self::d;", vec![]),
            (
                "// use crate::b::B;\n/* crate::c::C */ const D: &str = \"crate::d::d\";",
                vec![],
            ),
        ] {
            assert_eq!(
                arrows(&format!("mod a {{ {import} }} {others}")),
                expected,
                "{import}"
            );
        }
    }

    #[test]
    fn a_path_in_code_is_an_arrow_wherever_it_stands() {
        let b = "mod b { pub struct B; pub enum E { One } pub trait T {} pub fn f() -> u8 { 0 } }";
        for code in [
            "fn a() -> u8 { crate::b::f() }",
            "fn a(_: &[super::b::B]) {}",
            "struct A { b: Option<crate::b::B> }",
            "struct A; impl crate::b::T for A {}",
            "fn a<T: crate::b::T>() {}",
            "fn a(e: u8) { match e { _ if matches!(x, crate::b::E::One) => {} _ => {} } }",
            "fn a() { println!(\"{}\", 1 + (super::b::f())); }",
            "macro_rules! a { () => { $crate::b::f() } }",
            "#[derive(crate::b::B)] struct A;",
            "mod inner { fn a() { super::super::b::f(); } }",
        ] {
            let from = if code.starts_with("mod") { "a::inner" } else { "a" };
            assert_eq!(
                arrows(&format!("mod a {{ {code} }} {b}")),
                [format!("{from} -> b")],
                "{code}"
            );
        }
    }

    #[test]
    fn code_for_tests_alone_is_left_out() {
        let b = "mod b { pub fn f() {} }";
        for (code, counts) in [
            ("#[cfg(test)] mod tests { use crate::b::f; }", false),
            ("#[cfg(test)] use crate::b::f;", false),
            ("#[cfg(all(test, unix))] fn a() { crate::b::f() }", false),
            ("#[test] fn a() { crate::b::f() }", false),
            (
                "struct A; #[cfg(test)] impl A { fn a() { crate::b::f() } }",
                false,
            ),
            (
                "struct A; impl A { #[cfg(test)] fn a() { crate::b::f() } }",
                false,
            ),
            (
                "#[cfg(any(test, feature = \"strict\"))] fn a() { crate::b::f() }",
                true,
            ),
            ("#[cfg(not(test))] fn a() { crate::b::f() }", true),
            ("#[cfg(unix)] fn a() { crate::b::f() }", true),
        ] {
            assert_eq!(
                arrows(&format!("mod a {{ {code} }} {b}")).len(),
                usize::from(counts),
                "{code}"
            );
        }
    }

    #[test]
    fn what_a_module_hands_on_belongs_to_the_module_that_defines_it() {
        let text = "pub use b::B; pub use c::*; pub use d::Made;
            mod b { pub struct B; } mod c { pub fn c() {} } mod d { made!(Made); }
            mod e { pub use inner::I; mod inner { pub struct I; } }
            mod f { pub use crate::b::B; }";
        for (code, expected) in [
            ("use crate::B;", vec!["a -> b"]),
            ("fn a() { crate::c() }", vec!["a -> c"]),
            ("use crate::Made;", vec!["a -> d"]),
            ("use crate::e::I;", vec!["a -> e", "a -> e::inner"]),
            ("use crate::f::B;", vec!["a -> b", "a -> f"]),
            (
                "use super::*; fn a(_: B) { c() }",
                vec!["a -> ", "a -> b", "a -> c"],
            ),
        ] {
            let found = arrows(&format!("mod a {{ {code} }} {text}"));
            let from_a: Vec<_> = found.iter().filter(|arrow| arrow.starts_with("a ->")).collect();
            assert_eq!(from_a, expected.iter().collect::<Vec<_>>(), "{code}");
            assert!(!found.iter().any(|arrow| arrow.starts_with(" ->")), "{found:?}");
        }
    }

    #[test]
    fn what_a_module_hands_on_and_uses_itself_is_an_arrow() {
        let used = "mod a { pub use inner::I; mod inner { pub struct I; } fn a(_: I) {} }";
        assert_eq!(arrows(used), ["a -> a::inner"]);
        assert_eq!(
            arrows("mod a { use inner::I; mod inner { pub struct I; } }"),
            ["a -> a::inner"]
        );
    }

    #[test]
    fn imports_in_a_circle_end() {
        assert_eq!(
            arrows("mod a { pub use crate::b::X; } mod b { pub use crate::a::X; }"),
            ["a -> b", "b -> a"]
        );
        assert_eq!(
            arrows("mod a { pub use crate::b::*; fn a() { x() } } mod b { pub use crate::a::*; }"),
            ["a -> b", "b -> a"]
        );
    }
}
