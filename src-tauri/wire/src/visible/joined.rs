//! Characters beside which a joiner or a variation selector has an effect, so that it is no hidden one.

/// True for a pictograph, which a variation selector turns into text or into an emoji and a zero-width joiner combines with
/// another one: `Extended_Pictographic`, by blocks beyond the first plane
/// (<https://www.unicode.org/reports/tr51/#def_level1_emoji>).
pub fn is_pictograph(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2194}'..='\u{2199}' | '\u{21a9}'..='\u{21aa}' | '\u{231a}'..='\u{231b}' | '\u{2328}'
            | '\u{23cf}' | '\u{23e9}'..='\u{23f3}' | '\u{23f8}'..='\u{23fa}' | '\u{24c2}'
            | '\u{25aa}'..='\u{25ab}' | '\u{25b6}' | '\u{25c0}' | '\u{25fb}'..='\u{25fe}'
            | '\u{2600}'..='\u{2604}' | '\u{260e}' | '\u{2611}' | '\u{2614}'..='\u{2615}' | '\u{2618}'
            | '\u{261d}' | '\u{2620}' | '\u{2622}'..='\u{2623}' | '\u{2626}' | '\u{262a}'
            | '\u{262e}'..='\u{262f}' | '\u{2638}'..='\u{263a}' | '\u{2640}' | '\u{2642}'
            | '\u{2648}'..='\u{2653}' | '\u{265f}'..='\u{2660}' | '\u{2663}' | '\u{2665}'..='\u{2666}'
            | '\u{2668}' | '\u{267b}' | '\u{267e}'..='\u{267f}' | '\u{2692}'..='\u{2697}' | '\u{2699}'
            | '\u{269b}'..='\u{269c}' | '\u{26a0}'..='\u{26a1}' | '\u{26a7}' | '\u{26aa}'..='\u{26ab}'
            | '\u{26b0}'..='\u{26b1}' | '\u{26bd}'..='\u{26be}' | '\u{26c4}'..='\u{26c5}' | '\u{26c8}'
            | '\u{26ce}'..='\u{26cf}' | '\u{26d1}' | '\u{26d3}'..='\u{26d4}' | '\u{26e9}'..='\u{26ea}'
            | '\u{26f0}'..='\u{26f5}' | '\u{26f7}'..='\u{26fa}' | '\u{26fd}' | '\u{2702}' | '\u{2705}'
            | '\u{2708}'..='\u{270d}' | '\u{270f}' | '\u{2712}' | '\u{2714}' | '\u{2716}' | '\u{271d}'
            | '\u{2721}' | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274c}'
            | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2764}'
            | '\u{2795}'..='\u{2797}' | '\u{27a1}' | '\u{27b0}' | '\u{27bf}' | '\u{2934}'..='\u{2935}'
            | '\u{2b05}'..='\u{2b07}' | '\u{2b1b}'..='\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '\u{3030}'
            | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1f0ff}'
            | '\u{1f170}'..='\u{1f171}' | '\u{1f17e}'..='\u{1f17f}' | '\u{1f18e}'
            | '\u{1f191}'..='\u{1f19a}' | '\u{1f201}'..='\u{1f20f}' | '\u{1f21a}' | '\u{1f22f}'
            | '\u{1f232}'..='\u{1f23a}' | '\u{1f250}'..='\u{1f251}' | '\u{1f300}'..='\u{1f3fa}'
            | '\u{1f400}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}' | '\u{1f7e0}'..='\u{1f7ff}'
            | '\u{1f900}'..='\u{1faff}'
    )
}

/// True for a colour of skin, which stands behind its emoji.
pub fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// True for a character of a script in which joiners change the shape of letters: Arabic and its neighbours, those of
/// India and Southeast Asia, Mongolian, Adlam.
pub fn is_of_joining_script(c: char) -> bool {
    matches!(
        c,
        '\u{600}'..='\u{dff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{18af}'
            | '\u{1900}'..='\u{194f}'
            | '\u{1a20}'..='\u{1aaf}'
            | '\u{1b00}'..='\u{1c4f}'
            | '\u{a800}'..='\u{a82f}'
            | '\u{a840}'..='\u{a8ff}'
            | '\u{a930}'..='\u{a9ff}'
            | '\u{aa00}'..='\u{aadf}'
            | '\u{abc0}'..='\u{abff}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{10fff}'
            | '\u{11000}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    )
}
