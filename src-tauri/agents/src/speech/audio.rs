//! Whatever a voice gives, made into what every channel takes: Ogg with Opus, mono, 48 kHz.

use super::{
    ogg,
    pcm::{AudioError, LONGEST, Pcm, RATE},
};
use rubato::{
    Async, FixedAsync, Resampler, SincInterpolationParameters, audioadapter_buffers::direct::InterleavedSlice,
};
use std::{io::Cursor, time::Duration};

/// Samples a second of sound that is taken in.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=192_000;

/// Speech as every channel takes it: Ogg with Opus, mono, 48 kHz.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub bytes: Vec<u8>,
    /// How long it plays.
    pub duration: Duration,
}

impl Note {
    /// Takes a voice's bytes: Ogg/Opus in mono as it is, in stereo and WAV made into it, everything else refused.
    /// Works through all the sound, which takes a moment: not for a thread that others wait on.
    pub fn of(mut bytes: Vec<u8>) -> Result<Self, AudioError> {
        if bytes.starts_with(b"OggS") {
            let stream = ogg::look(&bytes)?;
            if stream.channels == 1 {
                let duration = stream.duration;
                return Ok(Self { bytes, duration });
            }
            return Self::encode(&ogg::decode(&bytes)?);
        }
        if bytes.starts_with(b"RIFF") {
            end_where_it_ends(&mut bytes);
            return Self::encode(&resample(wav(&bytes)?)?);
        }
        Err(if bytes.is_empty() {
            AudioError::Empty
        } else {
            AudioError::Other(name(&bytes).to_owned())
        })
    }

    /// Encodes sound at 48 kHz.
    pub(super) fn encode(pcm: &Pcm) -> Result<Self, AudioError> {
        if pcm.samples.is_empty() {
            return Err(AudioError::Empty);
        }
        let bytes = ogg::encode(pcm)?;
        let duration = ogg::look(&bytes)?.duration;
        Ok(Self { bytes, duration })
    }

    /// The loudest sample of each of `count` equal parts, from 0 to 100: what a player draws.
    pub fn peaks(&self, count: usize) -> Result<Vec<u8>, AudioError> {
        ogg::loudness(&self.bytes, count)
    }
}

/// What bytes are, by their first few, in words.
fn name(bytes: &[u8]) -> &'static str {
    match bytes {
        [b'I', b'D', b'3', ..] | [0xff, 0xe0..=0xff, ..] => "MP3 or AAC",
        [b'f', b'L', b'a', b'C', ..] => "FLAC",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "MP4",
        [b'{' | b'<', ..] => "text",
        _ => "something unknown",
    }
}

/// Puts the length of what came into the header of a WAV file that says more. Programs that write it to a pipe do not know
/// the length beforehand and write the largest that there is, which need not be a whole number of samples.
fn end_where_it_ends(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let mut frame = 1;
    let mut at = 12;
    // Each part of the file has a name and a length, of four bytes each, before it.
    while let (Some(name), Some(told)) = (bytes.get(at..at + 4), number(bytes, at + 4)) {
        let rest = bytes.len() - at - 8;
        match name {
            b"fmt " => frame = number(bytes, at + 20).map_or(1, |both| (both & 0xffff).max(1) as usize),
            b"data" if told as usize > rest => {
                let came = u32::try_from(rest - rest % frame).unwrap_or(u32::MAX);
                bytes[at + 4..at + 8].copy_from_slice(&came.to_le_bytes());
                return;
            }
            _ => {}
        }
        // A part of odd length has a byte behind it that counts to nobody.
        at = at
            .saturating_add(8)
            .saturating_add((told as usize).next_multiple_of(2));
    }
}

/// Reads a WAV file to one channel.
fn wav(bytes: &[u8]) -> Result<Pcm, AudioError> {
    let broken = |error: hound::Error| AudioError::Broken(error.to_string());
    let mut reader = hound::WavReader::new(Cursor::new(bytes)).map_err(broken)?;
    let spec = reader.spec();
    let channels = usize::from(spec.channels);
    if channels == 0 || !RATES.contains(&spec.sample_rate) {
        return Err(AudioError::Other(format!(
            "WAV with {channels} channels at {} Hz",
            spec.sample_rate
        )));
    }
    let most = LONGEST.as_secs() as usize * spec.sample_rate as usize * channels;
    let samples: Vec<i16> = match spec.sample_format {
        hound::SampleFormat::Float => reader
            .samples::<f32>()
            .map_while(Result::ok)
            .take(most + 1)
            .map(to_i16)
            .collect(),
        hound::SampleFormat::Int => {
            let scale = 1.0 / f32::powi(2.0, i32::from(spec.bits_per_sample) - 1);
            reader
                .samples::<i32>()
                .map_while(Result::ok)
                .take(most + 1)
                .map(|sample| to_i16(sample as f32 * scale))
                .collect()
        }
    };
    if samples.len() > most {
        return Err(AudioError::TooLong);
    }
    let mono = |frame: &[i16]| {
        let sum: i32 = frame.iter().copied().map(i32::from).sum();
        (sum / frame.len() as i32) as i16
    };
    Ok(Pcm {
        samples: samples.chunks_exact(channels).map(mono).collect(),
        rate: spec.sample_rate,
    })
}

/// Brings sound to 48 kHz.
fn resample(pcm: Pcm) -> Result<Pcm, AudioError> {
    if pcm.rate == RATE || pcm.samples.is_empty() {
        return Ok(pcm);
    }
    let broken = |error: &dyn std::fmt::Display| AudioError::Broken(error.to_string());
    let ratio = f64::from(RATE) / f64::from(pcm.rate);
    let parameters = SincInterpolationParameters {
        sinc_len: 128,
        ..SincInterpolationParameters::default()
    };
    let mut resampler = Async::<f32>::new_sinc(ratio, 1.0, &parameters, 1_024, 1, FixedAsync::Input)
        .map_err(|error| broken(&error))?;
    let given: Vec<f32> = pcm.samples.iter().map(|s| f32::from(*s) / 32_768.0).collect();
    let from = InterleavedSlice::new(&given, 1, given.len()).map_err(|error| broken(&error))?;
    let room = resampler.process_all_needed_output_len(given.len());
    let mut made = vec![0.0; room];
    let mut to = InterleavedSlice::new_mut(&mut made, 1, room).map_err(|error| broken(&error))?;
    let (_, count) = resampler
        .process_all_into_buffer(&from, &mut to, given.len(), None)
        .map_err(|error| broken(&error))?;
    made.truncate(count);
    Ok(Pcm {
        samples: made.into_iter().map(to_i16).collect(),
        rate: RATE,
    })
}

fn to_i16(sample: f32) -> i16 {
    // A cast of a float never leaves the type's range.
    (sample * 32_767.0) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A WAV file of a tone of 440 Hz, with this many samples in each of these channels.
    fn wav_file(rate: u32, channels: u16, samples: usize) -> Vec<u8> {
        let spec = hound::WavSpec {
            channels,
            sample_rate: rate,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let mut file = Cursor::new(Vec::new());
        let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
        for at in 0..samples {
            let time = at as f32 / rate as f32;
            let sample = (16_000.0 * (std::f32::consts::TAU * 440.0 * time).sin()) as i16;
            (0..channels).for_each(|_| writer.write_sample(sample).unwrap());
        }
        writer.finalize().unwrap();
        file.into_inner()
    }

    /// How often a tone crosses zero upwards in a second.
    fn pitch(pcm: &Pcm) -> f64 {
        let ups = pcm.samples.windows(2).filter(|two| two[0] < 0 && two[1] >= 0);
        ups.count() as f64 * f64::from(pcm.rate) / pcm.samples.len() as f64
    }

    #[test]
    fn wav_of_every_rate_and_both_channels_becomes_mono_opus_of_its_length_and_pitch() {
        for (rate, channels) in [(8_000, 1), (16_000, 2), (22_050, 1), (44_100, 2), (48_000, 1)] {
            let samples = rate as usize * 3 / 2;
            let note = Note::of(wav_file(rate, channels, samples)).unwrap();
            assert!(
                note.duration.abs_diff(Duration::from_millis(1_500)) < Duration::from_millis(2),
                "{rate}: {:?}",
                note.duration
            );
            assert_eq!(&note.bytes[..4], b"OggS");
            assert_eq!(ogg::look(&note.bytes).unwrap().channels, 1);
            let decoded = ogg::decode(&note.bytes).unwrap();
            let seconds = decoded.samples.len() as f64 / f64::from(RATE);
            assert!((seconds - note.duration.as_secs_f64()).abs() < 0.001, "{seconds}");
            assert!(
                (pitch(&decoded) - 440.0).abs() < 5.0,
                "{rate}: {}",
                pitch(&decoded)
            );
            // What is mono Opus already stays as it is, byte for byte.
            assert_eq!(Note::of(note.bytes.clone()).unwrap(), note);
        }
    }

    /// As espeak-ng (the first), ffmpeg and sox write it to a pipe: the lengths in the header are as large as can be, also
    /// where that is no whole number of samples.
    #[test]
    fn a_header_that_does_not_know_the_length_is_no_lie() {
        for channels in [1, 2] {
            for length in [0x7fff_f000_u32, 0x7fff_ffff, u32::MAX, u32::MAX - 36] {
                let mut file = wav_file(22_050, channels, 22_050);
                file[4..8].copy_from_slice(&length.saturating_add(36).to_le_bytes());
                file[40..44].copy_from_slice(&length.to_le_bytes());
                let note = Note::of(file).unwrap_or_else(|error| panic!("{length:#x}: {error}"));
                assert!(note.duration.abs_diff(Duration::from_secs(1)) < Duration::from_millis(2));
            }
        }
    }

    #[test]
    fn what_is_no_speech_is_refused_with_words() {
        for (bytes, said) in [
            (Vec::new(), "empty"),
            (wav_file(22_050, 1, 0), "empty"),
            (b"ID3\x04mp3".to_vec(), "MP3"),
            (b"{\"error\":1}".to_vec(), "text"),
            (b"\0\0\0 ftypM4A ".to_vec(), "MP4"),
            (b"RIFF\xff\xff\xff\xffWAVE".to_vec(), "broken"),
            (b"OggS but no more".to_vec(), "broken"),
        ] {
            let error = Note::of(bytes.clone()).unwrap_err().to_string();
            assert!(error.contains(said), "{bytes:?}: {error}");
        }
    }

    #[test]
    fn ogg_with_anything_else_and_half_a_file_are_refused() {
        let mut vorbis = ::ogg::PacketWriter::new(Vec::new());
        let end = ::ogg::PacketWriteEndInfo::EndStream;
        vorbis.write_packet(b"\x01vorbis".to_vec(), 1, end, 0).unwrap();
        let error = Note::of(vorbis.into_inner()).unwrap_err();
        assert_eq!(error, AudioError::Other("Ogg, but not with Opus".to_owned()));

        let whole = Note::of(wav_file(48_000, 1, 48_000)).unwrap().bytes;
        let mut flipped = whole.clone();
        let last = flipped.len() - 1;
        flipped[last] ^= 1;
        assert!(
            matches!(Note::of(flipped), Err(AudioError::Broken(_))),
            "a checksum is wrong"
        );
    }

    #[test]
    fn the_shape_has_its_parts_and_silence_has_none() {
        let mut samples = vec![0; 48_000];
        samples[24_000..].fill(16_384);
        assert_eq!(super::super::peaks::of(&samples, 4), [0, 0, 50, 50]);
        assert_eq!(super::super::peaks::of(&[i16::MIN], 3), [0, 0, 100]);
        assert_eq!(super::super::peaks::of(&[], 2), [0, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever a service sends: words, and no end of the process.
        #[test]
        fn no_bytes_end_the_process(
            at in 0_usize..1_000, with in any::<u8>(), cut in 0_usize..1_000, wav in any::<bool>()
        ) {
            let sound = wav_file(16_000, 1, 800);
            let mut bytes = if wav { sound } else { Note::of(sound).unwrap().bytes };
            let length = bytes.len();
            bytes[at % length] = with;
            bytes.truncate(length - cut % length);
            if let Ok(note) = Note::of(bytes) {
                let _ = note.peaks(16);
            }
        }
    }
}
