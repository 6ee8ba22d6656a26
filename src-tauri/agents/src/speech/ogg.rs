//! Ogg with Opus (RFC 7845), the one form in which speech leaves this crate.

use super::{
    pcm::{AudioError, LONGEST, Pcm, RATE},
    peaks,
};
use ::ogg::{PacketReader, PacketWriteEndInfo, PacketWriter};
use ropus::{Application, Bitrate, Channels, DecodeMode, Decoder, Encoder};
use std::{io::Cursor, time::Duration};

/// Samples of a packet: 20 ms, as every platform's own recorder writes them.
const FRAME: usize = 960;
/// Bits a second: speech is clear, and a minute is a quarter of a megabyte.
const BITRATE: u32 = 32_000;
/// Longest packet of one frame, in bytes (RFC 6716, section 3.4).
const PACKET: usize = 1_275;
/// Samples of the longest packet, 120 ms.
const LONGEST_PACKET: usize = 5_760;
/// Packets of a page: one second, so that a player can seek.
const PAGE: usize = 50;
/// The stream's number. There is only one in the file.
const SERIAL: u32 = 0x666f_6c64;

/// What an Ogg/Opus file is, by its headers and its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stream {
    /// Channels, 1 or 2.
    pub(super) channels: u8,
    /// How long it plays.
    pub(super) duration: Duration,
}

/// Reads the headers and the length of an Ogg/Opus file without decoding it. Every page's checksum is right.
pub(super) fn look(bytes: &[u8]) -> Result<Stream, AudioError> {
    let (head, packets) = open(bytes)?;
    Ok(Stream {
        channels: head.channels,
        duration: duration(packets.samples),
    })
}

/// Decodes an Ogg/Opus file to one channel.
pub(super) fn decode(bytes: &[u8]) -> Result<Pcm, AudioError> {
    let broken = |error: &dyn std::fmt::Display| AudioError::Broken(error.to_string());
    let (head, Packets { packets, samples }) = open(bytes)?;
    let mut decoder = Decoder::new(RATE, Channels::Mono).map_err(|error| broken(&error))?;
    let mut all = Vec::new();
    let mut frame = [0_i16; LONGEST_PACKET];
    for packet in &packets {
        let count = decoder
            .decode(packet, &mut frame, DecodeMode::Normal)
            .map_err(|error| broken(&error))?;
        all.extend_from_slice(frame.get(..count).unwrap_or_default());
    }
    // What the encoder needed to begin is not part of the sound, and neither is what fills the last packet.
    let begin = usize::from(head.pre_skip).min(all.len());
    let end = begin.saturating_add(samples as usize).min(all.len());
    Ok(Pcm {
        samples: all[begin..end].to_vec(),
        rate: RATE,
    })
}

/// Encodes sound at 48 kHz.
pub(super) fn encode(pcm: &Pcm) -> Result<Vec<u8>, AudioError> {
    let broken = |error: &dyn std::fmt::Display| AudioError::Broken(error.to_string());
    let mut encoder = Encoder::builder(RATE, Channels::Mono, Application::Voip)
        .bitrate(Bitrate::Bits(BITRATE))
        .build()
        .map_err(|error| broken(&error))?;
    let lookahead = encoder.lookahead() as usize;
    let mut file = PacketWriter::new(Vec::new());
    let mut put = |packet: Vec<u8>, end, granule| {
        file.write_packet(packet, SERIAL, end, granule)
            .map_err(|error| AudioError::Broken(error.to_string()))
    };
    put(opus_head(lookahead as u16), PacketWriteEndInfo::EndPage, 0)?;
    put(opus_tags(), PacketWriteEndInfo::EndPage, 0)?;
    let total = lookahead + pcm.samples.len();
    let frames = total.div_ceil(FRAME).max(1);
    let mut packet = [0; PACKET];
    for index in 0..frames {
        let mut frame = [0_i16; FRAME];
        let from = pcm.samples.iter().skip(index * FRAME);
        frame.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        let length = encoder
            .encode(&frame, &mut packet)
            .map_err(|error| broken(&error))?;
        let end = if index + 1 == frames {
            PacketWriteEndInfo::EndStream
        } else if (index + 1) % PAGE == 0 {
            PacketWriteEndInfo::EndPage
        } else {
            PacketWriteEndInfo::NormalPacket
        };
        let granule = ((index + 1) * FRAME).min(total) as u64;
        put(packet.get(..length).unwrap_or_default().to_vec(), end, granule)?;
    }
    Ok(file.into_inner())
}

/// The loudest sample of each of `count` equal parts, 0 to 100: what a player draws.
pub(super) fn loudness(bytes: &[u8], count: usize) -> Result<Vec<u8>, AudioError> {
    Ok(peaks::of(&decode(bytes)?.samples, count))
}

struct Head {
    channels: u8,
    pre_skip: u16,
}

struct Packets {
    packets: Vec<Vec<u8>>,
    /// Samples that are to be heard.
    samples: u64,
}

/// The headers and the packets of the file's first and only stream.
fn open(bytes: &[u8]) -> Result<(Head, Packets), AudioError> {
    let broken = |error: ::ogg::OggReadError| AudioError::Broken(error.to_string());
    let mut reader = PacketReader::new(Cursor::new(bytes));
    let mut next = || reader.read_packet().map_err(broken);
    let first = next()?.ok_or(AudioError::Empty)?;
    let head = head(&first.data)?;
    let serial = first.stream_serial();
    let tags = next()?.ok_or(AudioError::Empty)?;
    if !tags.data.starts_with(b"OpusTags") {
        return Err(AudioError::Broken("the second packet is no OpusTags".to_owned()));
    }
    let (mut packets, mut decoded, mut granule) = (Vec::new(), 0_u64, 0);
    while let Some(packet) = next()? {
        if packet.stream_serial() != serial {
            return Err(AudioError::Broken("it holds more than one stream".to_owned()));
        }
        decoded += samples(&packet.data)? as u64;
        if decoded > LONGEST.as_secs() * u64::from(RATE) {
            return Err(AudioError::TooLong);
        }
        granule = packet.absgp_page();
        packets.push(packet.data);
    }
    if packets.is_empty() {
        return Err(AudioError::Empty);
    }
    // The last position says where the sound ends, but never after what the packets hold.
    let samples = granule.min(decoded).saturating_sub(u64::from(head.pre_skip));
    if samples == 0 {
        return Err(AudioError::Empty);
    }
    Ok((head, Packets { packets, samples }))
}

/// The identification header (RFC 7845, section 5.1).
fn head(packet: &[u8]) -> Result<Head, AudioError> {
    let [
        b'O',
        b'p',
        b'u',
        b's',
        b'H',
        b'e',
        b'a',
        b'd',
        version,
        channels,
        low,
        high,
        _,
        _,
        _,
        _,
        _,
        _,
        family,
        ..,
    ] = *packet
    else {
        return Err(AudioError::Other("Ogg, but not with Opus".to_owned()));
    };
    if version & 0xf0 != 0 || family != 0 || !matches!(channels, 1 | 2) {
        return Err(AudioError::Other(format!(
            "Opus of version {version} with {channels} channels in family {family}"
        )));
    }
    Ok(Head {
        channels,
        pre_skip: u16::from_le_bytes([low, high]),
    })
}

/// How many samples a packet gives, at 48 kHz (RFC 6716, section 3.1 and 3.2).
fn samples(packet: &[u8]) -> Result<usize, AudioError> {
    let empty = || AudioError::Broken("an empty packet".to_owned());
    let toc = *packet.first().ok_or_else(empty)?;
    let configuration = usize::from(toc >> 3);
    let frame = match configuration {
        0..12 => [480, 960, 1_920, 2_880][configuration % 4],
        12..16 => [480, 960][configuration % 2],
        _ => [120, 240, 480, 960][configuration % 4],
    };
    let frames = match toc & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => usize::from(packet.get(1).ok_or_else(empty)? & 0x3f),
    };
    match frame * frames {
        0 | 5_761.. => Err(AudioError::Broken("a packet of no possible length".to_owned())),
        samples => Ok(samples),
    }
}

fn opus_head(pre_skip: u16) -> Vec<u8> {
    let mut head = b"OpusHead\x01\x01".to_vec();
    head.extend_from_slice(&pre_skip.to_le_bytes());
    head.extend_from_slice(&RATE.to_le_bytes());
    head.extend_from_slice(&[0, 0, 0]);
    head
}

fn opus_tags() -> Vec<u8> {
    let vendor = b"foldback";
    let mut tags = b"OpusTags".to_vec();
    tags.extend_from_slice(&(vendor.len() as u32).to_le_bytes());
    tags.extend_from_slice(vendor);
    tags.extend_from_slice(&[0; 4]);
    tags
}

fn duration(samples: u64) -> Duration {
    Duration::from_micros(samples.saturating_mul(1_000_000) / u64::from(RATE))
}
