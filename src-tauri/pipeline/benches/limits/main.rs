//! Whether a crowd is answered on platforms that limit calls: `cargo bench -p foldback-pipeline --bench limits`. The
//! figures are explained in docs/performance.md.
//!
//! 1,000 people write at once, each once, on every platform in memory: with its published limits and honest refusals,
//! then with refusals that name no time, a front end that fails for a minute and a reset of every tenth connection.
//! Time is virtual, so that the figures are the same on every machine.

#[path = "../../tests/pipeline/limited/mod.rs"]
mod limited;

use foldback_channels::platform;
use foldback_wire::Platform;
use limited::{Conduct, Crowd, crowd};
use std::error::Error;
use tokio::runtime::Builder;

const PEOPLE: usize = 1_000;

/// Most calls that an honest platform may refuse, in percent.
const MOST: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    println!("| platform | refusals | answered once | twice | unknown | calls | refused % | minutes |");
    println!("| :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for conduct in [Conduct::Honest, Conduct::Dishonest] {
        for platform in platform::ALL {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()?;
            let crowd = runtime.block_on(crowd(*platform, PEOPLE, conduct))?;
            report(*platform, conduct, &crowd)?;
        }
    }
    Ok(())
}

/// A row of the table; an error where somebody went without an answer, or had it twice.
fn report(platform: Platform, conduct: Conduct, crowd: &Crowd) -> Result<(), Box<dyn Error + Send + Sync>> {
    let Crowd {
        met,
        answers,
        unknown,
        replied,
        took,
    } = crowd;
    let had = |times| answers.iter().filter(|had| **had == times).count();
    let (none, once) = (had(0), had(1));
    let twice = answers.len() - none - once;
    let refused = met.refused as f64 * 100.0 / met.calls as f64;
    println!(
        "| {platform} | {conduct:?} | {once} | {twice} | {unknown} | {} | {refused:.2} | {:.1} |",
        met.calls,
        took.as_secs_f64() / 60.0
    );
    // Without a key that tells a repetition, a turn whose call was reset ends as unknown, though its answer arrived.
    let told = match conduct {
        Conduct::Honest => *replied == PEOPLE,
        Conduct::Dishonest => *replied + *unknown >= PEOPLE,
    };
    if none > 0 || twice > 0 || !told || refused > MOST {
        return Err(
            format!("{platform}: {none} got nothing, {twice} twice, {unknown} unknown, {met:?}").into(),
        );
    }
    Ok(())
}
