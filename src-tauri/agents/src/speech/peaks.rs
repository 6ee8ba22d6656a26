//! The shape of a sound, as a player draws it.

/// The loudest sample of each of `count` equal parts, from 0 (silence) to 100 (as loud as can be).
pub(super) fn of(samples: &[i16], count: usize) -> Vec<u8> {
    (0..count)
        .map(|part| {
            let from = samples.len() * part / count;
            let to = samples.len() * (part + 1) / count;
            let loudest = samples[from..to].iter().map(|s| s.unsigned_abs()).max();
            (u32::from(loudest.unwrap_or(0)) * 100 / 32_768) as u8
        })
        .collect()
}
