//! Which cuts are tried: all of them where they are few, else a choice that is the same every time.

use foldback_wire::rpc::{CutCount, CutFamily};

/// Most cuts of a text: all of one with 13 characters.
const MOST: u64 = 4_096;
/// Least cuts, also of a long text.
const LEAST: u64 = 64;
/// Bytes read in all, about: some seconds.
const BYTES: u64 = 64 * 1024 * 1024;
/// Places up to which every two of them are tried: 2,016 pairs.
const PAIRED: u64 = 64;
/// Longest piece of the family `sizes`, in characters.
const LONGEST_SIZE: u64 = 32;

/// The cuts to try of a text.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    raw: &'a str,
    /// The places between two characters, in bytes.
    places: Vec<usize>,
    /// Those that are tried alone.
    alone: Vec<usize>,
    families: Vec<CutCount>,
    affordable: u64,
}

impl<'a> Plan<'a> {
    /// For this text.
    pub fn of(raw: &'a str) -> Self {
        let places: Vec<usize> = raw.char_indices().map(|(at, _)| at).skip(1).collect();
        let affordable = (BYTES / (raw.len() as u64).max(1)).clamp(LEAST, MOST);
        let mut plan = Self {
            raw,
            alone: Vec::new(),
            families: Vec::new(),
            affordable,
            places,
        };
        plan.choose();
        plan
    }

    fn choose(&mut self) {
        let places = self.places.len() as u64;
        if places < u64::from(MOST.ilog2()) + 1 {
            return self.add(CutFamily::All, 1 << places, Some(1 << places));
        }
        self.alone = alone(self.raw, &self.places, (self.affordable / 4) as usize);
        self.add(CutFamily::Single, self.alone.len() as u64, Some(places));
        if places <= PAIRED && self.affordable == MOST {
            let pairs = places * (places - 1) / 2;
            self.add(CutFamily::Pairs, pairs, Some(pairs));
        }
        let sizes = (LONGEST_SIZE.min(places) - 1).min(self.affordable / 4);
        self.add(CutFamily::Sizes, sizes, Some(sizes));
        self.add(CutFamily::Characters, 1, Some(1));
        let left = self.affordable - self.total().min(self.affordable);
        self.add(CutFamily::Random, left, None);
    }

    fn add(&mut self, family: CutFamily, cuts: u64, of: Option<u64>) {
        self.families.push(CutCount { family, cuts, of });
    }

    /// The text.
    pub const fn raw(&self) -> &'a str {
        self.raw
    }

    /// What is tried, in this order.
    pub fn families(&self) -> &[CutCount] {
        &self.families
    }

    /// Cuts in all.
    pub fn total(&self) -> u64 {
        self.families.iter().map(|family| family.cuts).sum()
    }

    /// Readings of the whole text that one may wait for.
    pub(super) const fn affordable(&self) -> u64 {
        self.affordable
    }

    /// Every cut, by family and number.
    pub(super) fn cuts(&self) -> impl Iterator<Item = (CutFamily, u64)> {
        self.families
            .iter()
            .flat_map(|count| (0..count.cuts).map(|index| (count.family, index)))
    }

    /// Writes the places of a cut into `cut`.
    pub(super) fn cut(&self, family: CutFamily, index: u64, cut: &mut Vec<usize>) {
        cut.clear();
        let places = self.places.iter().copied();
        match family {
            CutFamily::All => cut.extend(
                places
                    .enumerate()
                    .filter(|(bit, _)| index >> bit & 1 == 1)
                    .map(|(_, at)| at),
            ),
            CutFamily::Single => cut.extend(self.alone.get(index as usize)),
            CutFamily::Pairs => cut.extend(self.pair(index)),
            CutFamily::Sizes => {
                let size = index as usize + 2;
                cut.extend(places.skip(size - 1).step_by(size));
            }
            CutFamily::Characters => cut.extend(places),
            CutFamily::Random => self.random(index, cut),
        }
    }

    /// The two places of a pair; pairs are counted by their first place, then by their second.
    fn pair(&self, mut index: u64) -> impl Iterator<Item = usize> {
        let mut first = 0;
        while first < self.places.len() {
            let row = (self.places.len() - 1 - first) as u64;
            if index < row {
                break;
            }
            index -= row;
            first += 1;
        }
        [first, first + 1 + index as usize]
            .into_iter()
            .filter_map(|place| self.places.get(place).copied())
    }

    /// Pieces of 1 to 4, 1 to 16 or 1 to 64 characters, by the seed.
    fn random(&self, seed: u64, cut: &mut Vec<usize>) {
        let longest = [4, 16, 64][(seed % 3) as usize];
        let mut state = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut place = 0;
        loop {
            // Xorshift: the same cuts on every machine.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            place += 1 + (state >> 33) as usize % longest;
            match self.places.get(place - 1) {
                Some(at) => cut.push(*at),
                None => return,
            }
        }
    }
}

/// At most `most` of the places. Those that touch punctuation come first: markup is made of it.
fn alone(raw: &str, places: &[usize], most: usize) -> Vec<usize> {
    let bytes = raw.as_bytes();
    let mark = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_punctuation() || *b == b'\n')
    };
    let (touching, rest): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|at| mark(**at) || mark(**at - 1));
    let mut chosen = sample(&touching, most);
    chosen.extend(sample(&rest, most - chosen.len()));
    chosen
}

/// At most `most`, evenly.
fn sample(places: &[usize], most: usize) -> Vec<usize> {
    if places.len() <= most {
        return places.to_vec();
    }
    (0..most)
        .filter_map(|n| places.get(n * places.len() / most).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn cuts(raw: &str) -> Vec<(CutFamily, Vec<usize>)> {
        let plan = Plan::of(raw);
        let mut cut = Vec::new();
        let mut all = Vec::new();
        for (family, index) in plan.cuts() {
            plan.cut(family, index, &mut cut);
            all.push((family, cut.clone()));
        }
        assert_eq!(all.len() as u64, plan.total());
        all
    }

    #[test]
    fn a_short_text_is_cut_in_every_way_there_is() {
        for (raw, ways) in [
            ("", 1),
            ("a", 1),
            ("ab", 2),
            ("thirteen char", 4_096),
            ("ünïcödé", 64),
        ] {
            let all = cuts(raw);
            let different: BTreeSet<_> = all.iter().map(|(_, cut)| cut.clone()).collect();
            assert_eq!((all.len(), different.len()), (ways, ways), "{raw:?}");
        }
    }

    #[test]
    fn a_longer_one_is_cut_at_every_place_and_at_every_two() {
        let raw = "A sentence of forty-two letters, or nearly";
        let all = cuts(raw);
        assert_eq!(all.len() as u64, MOST);
        let of = |family| -> BTreeSet<Vec<usize>> {
            all.iter()
                .filter(|(f, _)| *f == family)
                .map(|(_, cut)| cut.clone())
                .collect()
        };
        assert_eq!(of(CutFamily::Single).len(), raw.len() - 1);
        assert_eq!(of(CutFamily::Pairs).len(), (raw.len() - 1) * (raw.len() - 2) / 2);
        assert_eq!(
            of(CutFamily::Characters).first().map(Vec::len),
            Some(raw.len() - 1)
        );
        assert!(of(CutFamily::Random).len() > 1_000, "they differ");
    }

    #[test]
    fn every_cut_rises_and_lies_between_two_characters() {
        for raw in ["Grüße 👍 <react emoji=\"👍\"/> ".repeat(3), "x".repeat(70_000)] {
            for (family, cut) in cuts(&raw) {
                assert!(cut.windows(2).all(|pair| pair[0] < pair[1]), "{family}");
                assert!(
                    cut.iter()
                        .all(|at| raw.is_char_boundary(*at) && (1..raw.len()).contains(at)),
                    "{family}"
                );
            }
        }
    }

    #[test]
    fn a_long_text_costs_no_more_time_and_its_markup_comes_first() {
        let raw = format!(
            "{}<react emoji=\"x\"/>{}",
            "word ".repeat(20_000),
            "word ".repeat(20_000)
        );
        let plan = Plan::of(&raw);
        assert!(
            plan.total() * raw.len() as u64 <= BYTES + raw.len() as u64,
            "{}",
            plan.total()
        );
        let mut cut = Vec::new();
        plan.cut(CutFamily::Single, 0, &mut cut);
        assert_eq!(cut, [100_000], "the first place that touches markup");
    }
}
