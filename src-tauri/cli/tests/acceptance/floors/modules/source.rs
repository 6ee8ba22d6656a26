//! Reads the modules of a crate: what each one defines, what it imports, and which paths its code names. What is
//! compiled for tests alone is left out.

use proc_macro2::{TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use syn::{
    Attribute, ImplItem, Item, ItemMod, ItemUse, Meta, Token, UseTree, Visibility,
    ext::IdentExt as _,
    punctuated::Punctuated,
    visit::{self, Visit},
};

/// The names of a module from the root of its crate; the root itself has none.
pub(super) type ModulePath = Vec<String>;

/// The modules of a crate.
pub(super) type Modules = BTreeMap<ModulePath, Module>;

/// Content of a module.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Names of the items it defines.
    pub(super) items: BTreeSet<String>,
    pub(super) imports: Vec<Import>,
    /// Paths in its code, as written.
    pub(super) paths: BTreeSet<Vec<String>>,
}

/// One leaf of a `use` item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// The name it has here; `None` for a glob.
    pub(super) name: Option<String>,
    /// The whole path, as written.
    pub(super) path: Vec<String>,
    /// Others can name it through this module.
    pub(super) public: bool,
}

/// Reads a crate from the file of its root on.
pub(super) fn read_crate(root: &Path) -> Modules {
    let mut modules = Modules::new();
    read_file(&mut modules, Vec::new(), root, root.parent().unwrap());
    modules
}

/// Reads a crate of a single text.
pub(super) fn read_text(text: &str) -> Modules {
    let mut modules = Modules::new();
    read_items(
        &mut modules,
        Vec::new(),
        &syn::parse_file(text).unwrap().items,
        Path::new(""),
    );
    modules
}

/// Reads a file; `folder` is where the files of its modules are.
fn read_file(modules: &mut Modules, path: ModulePath, file: &Path, folder: &Path) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    read_items(modules, path, &parsed.items, folder);
}

fn read_items(modules: &mut Modules, path: ModulePath, items: &[Item], folder: &Path) {
    let mut reader = Reader::default();
    for item in items {
        reader.visit_item(item);
    }
    for inner in reader.inner {
        let name = inner.ident.unraw().to_string();
        let path = [path.as_slice(), std::slice::from_ref(&name)].concat();
        let below = folder.join(&name);
        if let Some((_, items)) = &inner.content {
            read_items(modules, path, items, &below);
        } else {
            let file = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
            let file = file.iter().find(|file| file.exists());
            let file = file.unwrap_or_else(|| panic!("{path:?} has no file in {}", folder.display()));
            read_file(modules, path, file, &below);
        }
    }
    modules.insert(path, reader.module);
}

#[derive(Default)]
struct Reader<'a> {
    module: Module,
    inner: Vec<&'a ItemMod>,
}

impl<'a> Visit<'a> for Reader<'a> {
    fn visit_item(&mut self, item: &'a Item) {
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Mod(item) => (&item.attrs, None),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::TraitAlias(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Use(item) => (&item.attrs, None),
            _ => return,
        };
        if !attributes.iter().any(is_for_tests) {
            self.module
                .items
                .extend(name.map(|name| name.unraw().to_string()));
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'a ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        if !attributes.iter().any(is_for_tests) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        self.inner.push(item);
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        // A path that begins with `::` is one of another crate.
        if item.leading_colon.is_none() {
            let public = !matches!(item.vis, Visibility::Inherited);
            add_imports(&item.tree, &mut Vec::new(), public, &mut self.module.imports);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            let names = path
                .segments
                .iter()
                .map(|segment| segment.ident.unraw().to_string());
            self.module.paths.insert(names.collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.visit_path(&call.path);
        add_paths_of_tokens(&call.tokens, &mut self.module.paths);
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if let Meta::List(list) = &attribute.meta {
            add_paths_of_tokens(&list.tokens, &mut self.module.paths);
        }
    }

    /// The module that a name is visible in is none that is used.
    fn visit_visibility(&mut self, _: &'a Visibility) {}
}

/// True for `#[test]`, and for a `#[cfg(…)]` that only a build for tests can fulfil.
fn is_for_tests(attribute: &Attribute) -> bool {
    fn needs_test(condition: &Meta) -> bool {
        let parts = |list: &syn::MetaList| {
            list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .unwrap_or_default()
        };
        match condition {
            Meta::Path(path) => path.is_ident("test"),
            Meta::List(list) if list.path.is_ident("all") => parts(list).iter().any(needs_test),
            Meta::List(list) if list.path.is_ident("any") => parts(list).iter().all(needs_test),
            _ => false,
        }
    }
    attribute.path().is_ident("test")
        || attribute.path().is_ident("cfg")
            && attribute
                .parse_args()
                .is_ok_and(|condition| needs_test(&condition))
}

fn add_imports(tree: &UseTree, above: &mut Vec<String>, public: bool, imports: &mut Vec<Import>) {
    let mut add = |name: Option<String>, last: Option<String>| {
        let mut path = above.clone();
        path.extend(last);
        imports.push(Import { name, path, public });
    };
    match tree {
        UseTree::Path(path) => {
            above.push(path.ident.unraw().to_string());
            add_imports(&path.tree, above, public, imports);
            above.pop();
        }
        UseTree::Name(name) if name.ident == "self" => add(above.last().cloned(), None),
        UseTree::Name(name) => {
            let name = name.ident.unraw().to_string();
            add(Some(name.clone()), Some(name));
        }
        UseTree::Rename(renamed) => {
            let last = renamed.ident.unraw().to_string();
            add(
                Some(renamed.rename.unraw().to_string()),
                (last != "self").then_some(last),
            );
        }
        UseTree::Glob(_) => add(None, None),
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(tree, above, public, imports);
            }
        }
    }
}

/// Adds the paths of at least two names in tokens whose grammar is a macro's own.
fn add_paths_of_tokens(tokens: &TokenStream, paths: &mut BTreeSet<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in tokens.clone() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Ident(name) => {
                if colons != 2 {
                    add_path(&mut path, paths);
                }
                path.push(name.unraw().to_string());
            }
            TokenTree::Group(group) => {
                add_path(&mut path, paths);
                add_paths_of_tokens(&group.stream(), paths);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => add_path(&mut path, paths),
        }
        colons = 0;
    }
    add_path(&mut path, paths);
}

fn add_path(path: &mut Vec<String>, paths: &mut BTreeSet<Vec<String>>) {
    let path = std::mem::take(path);
    if path.len() > 1 {
        paths.insert(path);
    }
}
