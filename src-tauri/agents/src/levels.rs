//! What an agent does with the levels that a run is asked for, so that a level it does not have is refused, or
//! ignored, by name.

use foldback_wire::{Answerer, RunLevel, RunLevels};

/// Most options that a sentence names.
const NAMED: usize = 20;

/// What an agent does with one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelSupport {
    /// Any value is asked for. One that the backend does not have fails the run, in the backend's words.
    Any,
    /// One of these values is taken, from least to most where they have an order.
    Options(Vec<String>),
    /// No value is taken: why, in words, beginning with the backend's name.
    Unsupported(String),
    /// The agent says it once it has started.
    Untold,
}

impl LevelSupport {
    /// The values there are to choose from; none where any value is taken, or none is known.
    pub fn options(&self) -> &[String] {
        match self {
            Self::Options(options) => options,
            Self::Any | Self::Unsupported(_) | Self::Untold => &[],
        }
    }
}

/// What an agent does with each level, for one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelSupports {
    /// Whom it is true of: the backend, and the model that would answer.
    pub answerer: Answerer,
    /// How much it thinks.
    pub think: LevelSupport,
    /// Which model answers.
    pub model: LevelSupport,
    /// Which account or credentials it uses.
    pub profile: LevelSupport,
    /// Where its commands run.
    pub host: LevelSupport,
    /// On which machine its commands run.
    pub node: LevelSupport,
}

/// The category of the option by which an agent of the backend `acp` offers where its commands run. The protocol leaves
/// categories that begin with `_` to whoever needs one.
pub(crate) const HOST_OPTION: &str = "_exec_host";
/// The same for the machine on which they run.
pub(crate) const NODE_OPTION: &str = "_exec_node";

/// Nobody but the agent says where its commands run.
fn decides_itself(backend: &str, option: &str) -> LevelSupport {
    LevelSupport::Unsupported(format!(
        "{backend} decides itself where commands run; it takes an agent of the backend acp that offers an option of the \
         category {option}"
    ))
}

/// A level that an agent does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelRefusal {
    /// Which level.
    pub level: RunLevel,
    /// The value that was asked for.
    pub asked: String,
    /// Why, in a sentence that begins with the backend's name and has the options where there are some.
    pub why: String,
}

impl LevelSupports {
    /// An agent that has none of the levels.
    pub fn none(answerer: Answerer) -> Self {
        let cannot = |what: &str| LevelSupport::Unsupported(format!("{} cannot {what}", answerer.backend));
        Self {
            think: cannot("set a think level"),
            model: cannot("set a model"),
            profile: cannot("choose a profile"),
            host: decides_itself(&answerer.backend, HOST_OPTION),
            node: decides_itself(&answerer.backend, NODE_OPTION),
            answerer,
        }
    }

    /// What is done with a level.
    pub const fn of(&self, level: RunLevel) -> &LevelSupport {
        match level {
            RunLevel::Think => &self.think,
            RunLevel::Model => &self.model,
            RunLevel::Profile => &self.profile,
            RunLevel::Host => &self.host,
            RunLevel::Node => &self.node,
        }
    }

    /// Divides what is asked for into what the agent takes, and what it does not have.
    pub fn divide(&self, asked: &RunLevels) -> (RunLevels, Vec<LevelRefusal>) {
        let mut taken = asked.clone();
        let refusals: Vec<_> = RunLevel::ALL
            .iter()
            .filter_map(|level| self.refusal(*level, asked.asked(*level)?))
            .collect();
        for refusal in &refusals {
            match refusal.level {
                RunLevel::Think => taken.think = None,
                RunLevel::Model => taken.model = None,
                RunLevel::Host => taken.host = None,
                RunLevel::Node => taken.node = None,
                RunLevel::Profile => {
                    if let Some(model) = &mut taken.model {
                        model.profile = None;
                    }
                }
            }
        }
        (taken, refusals)
    }

    /// True where the asked value is one of these.
    fn choose(&self, level: RunLevel, options: &[String], asked: &str) -> bool {
        if level != RunLevel::Model {
            return options.iter().any(|option| option == asked);
        }
        let backend = asked.strip_prefix(self.answerer.backend.as_str());
        let name = backend.and_then(|rest| rest.strip_prefix('/')).unwrap_or(asked);
        choose(options, name).is_some()
    }

    /// Why a value of a level is not taken.
    fn refusal(&self, level: RunLevel, asked: &str) -> Option<LevelRefusal> {
        let why = match self.of(level) {
            LevelSupport::Any | LevelSupport::Untold => return None,
            LevelSupport::Options(options) if self.choose(level, options, asked) => return None,
            LevelSupport::Options(options) => {
                let name = match level {
                    RunLevel::Think => "think level",
                    RunLevel::Model => "model",
                    RunLevel::Profile => "profile",
                    RunLevel::Host => "host for commands",
                    RunLevel::Node => "machine for commands",
                };
                format!(
                    "{} has no {name} {asked}; it has {}",
                    self.answerer,
                    listed(options)
                )
            }
            LevelSupport::Unsupported(why) => why.clone(),
        };
        let asked = asked.to_owned();
        Some(LevelRefusal { level, asked, why })
    }
}

/// The option that a person means: the one of this name, or the only one whose name, or its part behind the last `/`,
/// differs from it in case alone.
pub(crate) fn choose<'a>(options: &'a [String], asked: &str) -> Option<&'a str> {
    if let Some(same) = options.iter().find(|option| *option == asked) {
        return Some(same);
    }
    let is_meant = |option: &&String| {
        let last = option.rsplit('/').next().unwrap_or_default();
        option.eq_ignore_ascii_case(asked) || last.eq_ignore_ascii_case(asked)
    };
    let mut meant = options.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Options in a sentence, not too many of them.
pub(crate) fn listed(options: &[String]) -> String {
    let named = options.iter().take(NAMED).map(String::as_str);
    let listed = named.collect::<Vec<_>>().join(", ");
    match options.len().checked_sub(NAMED) {
        None | Some(0) => listed,
        Some(more) => format!("{listed} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{ModelOverride, ThinkLevel};

    fn supports(think: LevelSupport, model: LevelSupport) -> LevelSupports {
        let answerer = Answerer {
            backend: "openai".to_owned(),
            model: Some("gpt-5".to_owned()),
        };
        LevelSupports {
            think,
            model,
            ..LevelSupports::none(answerer)
        }
    }

    fn asked(think: ThinkLevel, model: &str) -> RunLevels {
        RunLevels {
            think: Some(think),
            model: ModelOverride::parse(model),
            ..RunLevels::default()
        }
    }

    #[test]
    fn what_is_not_there_is_refused_by_name_and_with_the_options() {
        let low = LevelSupport::Options(vec!["low".to_owned(), "high".to_owned()]);
        let (taken, refused) = supports(low, LevelSupport::Any).divide(&asked(ThinkLevel::Max, "m@work"));
        assert_eq!(taken.think, None);
        assert_eq!(
            taken.model,
            ModelOverride::parse("m"),
            "the model without the profile"
        );
        let why: Vec<_> = refused.iter().map(|refusal| refusal.why.as_str()).collect();
        assert_eq!(
            why,
            [
                "openai gpt-5 has no think level max; it has low, high",
                "openai cannot choose a profile"
            ]
        );
    }

    #[test]
    fn what_is_there_or_not_known_is_taken() {
        let high = LevelSupport::Options(vec!["high".to_owned()]);
        let all = asked(ThinkLevel::High, "m");
        assert_eq!(
            supports(high, LevelSupport::Untold).divide(&all),
            (all, Vec::new())
        );
        assert_eq!(
            supports(LevelSupport::Any, LevelSupport::Any)
                .divide(&RunLevels::default())
                .1,
            []
        );
    }

    #[test]
    fn a_model_is_meant_by_its_last_part_where_that_is_one() {
        let options: Vec<String> = ["a/Small", "b/large", "c/large"].map(str::to_owned).into();
        assert_eq!(choose(&options, "small"), Some("a/Small"));
        assert_eq!(choose(&options, "b/large"), Some("b/large"));
        assert_eq!(choose(&options, "large"), None, "two are called so");
        let supports = supports(LevelSupport::Any, LevelSupport::Options(options));
        let refused = |model| supports.divide(&asked(ThinkLevel::Low, model)).1.len();
        assert_eq!(
            (refused("openai/small"), refused("large"), refused("acp/small")),
            (0, 1, 1)
        );
    }

    #[test]
    fn a_long_list_of_options_is_cut() {
        let options: Vec<String> = (0..25).map(|number| format!("m{number}")).collect();
        assert!(listed(&options).ends_with("m19 and 5 more"));
        assert_eq!(listed(&options[..2]), "m0, m1");
    }
}
