//! Logs whose entries form a tree: the conversation is the way from the root to the current leaf; the rest was abandoned.

use std::collections::{HashMap, HashSet};

/// An entry's place in the tree.
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
}

/// The entries on the way to the leaf, by index. A parent that is missing ends the way, and so does a circle.
pub(crate) fn main_path(nodes: &[Node], leaf: &str) -> HashSet<usize> {
    let index: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.id.as_str(), index))
        .collect();
    let mut path = HashSet::new();
    let mut next = index.get(leaf).copied();
    while let Some(at) = next {
        if !path.insert(at) {
            break;
        }
        next = nodes[at]
            .parent
            .as_deref()
            .and_then(|parent| index.get(parent).copied());
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_ends_at_a_missing_parent_and_at_a_circle() {
        let node = |id: &str, parent: &str| Node {
            id: id.to_owned(),
            parent: Some(parent.to_owned()),
        };
        let nodes = [
            node("a", "gone"),
            node("b", "a"),
            node("c", "a"),
            node("x", "y"),
            node("y", "x"),
        ];
        assert_eq!(main_path(&nodes, "c"), HashSet::from([0, 2]));
        assert_eq!(main_path(&nodes, "y"), HashSet::from([3, 4]));
        assert_eq!(main_path(&nodes, "gone"), HashSet::new());
    }
}
