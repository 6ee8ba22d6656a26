//! `foldback why`: the first gate that said no, in words.

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    journal,
    places::Place,
    plain::plain,
    running::{failed, runtime},
};
use foldback_api::explain;
use foldback_pipeline::NamedSettings;
use foldback_store::has_writer;
use foldback_wire::rpc::{Why, WhyStep};
use std::{
    io::{self, Write},
    sync::Arc,
};

/// Say why the bot did, or did not, say something
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A turn's number, such as `#12`, or a platform's message id
    #[arg(value_name = "TURN_OR_MESSAGE")]
    about: String,

    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    place: Place,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let answer = runtime()?.block_on(async {
        let path = args.place.journal()?;
        let journal = journal::open(&path).await?;
        // A journal that is named alone may be another bot's.
        let setup = (!args.place.names_journal()).then(|| args.place.setup());
        let setup = setup.and_then(Result::ok);
        let settings = setup.map(|setup| NamedSettings::new(Arc::new(setup.config)));
        explain(&journal, &args.about, settings.as_ref(), || has_writer(&path))
            .await
            .map_err(failed)
    })?;
    let mut out = stdout();
    match args.format {
        Format::Json => json_line(&mut out, &answer)?,
        Format::Text => text(&mut out, &answer)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

/// The answer, then the way there, with what said no marked.
fn text(out: &mut impl Write, why: &Why) -> io::Result<()> {
    writeln!(out, "#{} {}", why.turn, plain(&why.answer))?;
    for step in &why.steps {
        let WhyStep {
            seq, stage, no, text, ..
        } = step;
        let mark = if *no { '✗' } else { '·' };
        writeln!(out, "  {mark} {seq:>6}  {stage:<10} {}", plain(text))?;
        decided_from(out, step)?;
    }
    Ok(())
}

/// What a step that said no decided from, the setting with the place that its value comes from, and what would change it.
fn decided_from(out: &mut impl Write, step: &WhyStep) -> io::Result<()> {
    let mut line = |name: &str, value: &str| writeln!(out, "{:21}{name:<9} {}", "", plain(value));
    let inputs = step.inputs.iter();
    let inputs: Vec<_> = inputs
        .map(|input| format!("{} = {}", input.name, input.value))
        .collect();
    if !inputs.is_empty() {
        line("inputs", &inputs.join(", "))?;
    }
    match (&step.setting, step.source) {
        (Some(setting), Some(source)) => line("setting", &format!("{setting} ({source})"))?,
        (Some(setting), None) if step.no => line("setting", setting)?,
        _ => {}
    }
    match &step.change {
        Some(change) => line("change", change),
        None => Ok(()),
    }
}
