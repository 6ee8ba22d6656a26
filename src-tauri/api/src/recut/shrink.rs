//! The smallest cut that still changes something.

/// Leaves out places of `cut` as long as it `fails` without them, half of them at once first. No single place
/// can be left out of the answer, unless `most` tries were not enough.
pub(super) fn smallest(
    mut cut: Vec<usize>,
    most: u64,
    mut fails: impl FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    let mut tries = 0;
    let mut size = (cut.len() / 2).max(1);
    loop {
        let mut shrunk = false;
        let mut at = 0;
        while at < cut.len() {
            if tries == most {
                return cut;
            }
            tries += 1;
            let mut fewer = cut.clone();
            fewer.drain(at..(at + size).min(cut.len()));
            if fails(&fewer) {
                cut = fewer;
                shrunk = true;
            } else {
                at += size;
            }
        }
        if size == 1 && !shrunk {
            return cut;
        }
        size = (size / 2).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let needs = |wanted: &'static [usize]| move |cut: &[usize]| wanted.iter().all(|at| cut.contains(at));
        let all: Vec<usize> = (1..1_000).collect();
        assert_eq!(smallest(all.clone(), 4_096, needs(&[17])), [17]);
        assert_eq!(smallest(all.clone(), 4_096, needs(&[3, 500, 998])), [3, 500, 998]);
        assert_eq!(smallest(vec![4], 4_096, needs(&[4])), [4]);
    }

    #[test]
    fn it_tries_no_more_than_it_may() {
        let mut tries = 0;
        let cut = smallest((1..1_000).collect(), 10, |_| {
            tries += 1;
            false
        });
        assert_eq!((tries, cut.len()), (10, 999));
    }
}
