//! The settings under which each scene is played.

/// The tables of a scene, on top of the embedded configuration.
pub(super) fn of(scene: &str) -> &'static str {
    match scene {
        "strangers" => {
            "[channels.telegram]\nallow_from = [\"telegram:alice\"]\n[channels.slack]\nallow_from = []\n[channels.discord]\nallow_from = [\"bob\"]\n"
        }
        "doors" => {
            "[channels.telegram]\ndm_policy = \"open\"\nallow_from = []\ngroups = [\"-1\"]\ngroup_allow_from = [\"*\"]\n[channels.slack]\nallow_from = [\"bob\"]\n"
        }
        "unknown" => "[channels.telegram]\ndm_policy = \"pairing\"\nallow_from = []\n",
        "meant" => {
            "[channels.telegram]\nallow_from = [\"*\"]\nallow_bots = true\nbot_turns = 1\nmention_patterns = [\"foldback\"]\n"
        }
        "words" => {
            "[channels.telegram]\nallow_from = [\"*\"]\n[commands]\nowner_allow_from = [\"bob\"]\nallow_from = { \"*\" = [\"alice\", \"bob\"] }\n"
        }
        "permissions" => {
            "[agent]\nidle_timeout = \"1m\"\n[agent.permissions]\nallow_once = [\"read\"]\ntimeout = \"10m\"\n"
        }
        "in the chat" => "[agent.permissions]\nin_chat = true\n",
        "over" => "[session]\nmain = \"home\"\nreset_words = [\"anew\"]\n[session.reset]\nidle = \"30m\"\n",
        "threads" => {
            "[session]\nscope = \"global\"\n[channels.slack]\nallow_from = [\"alice\", \"bob\"]\nthread_history = 3\ngroup_history = 5\ndebounce = \"2s\"\n"
        }
        "work" => "[output]\ntools = \"full\"\nreasoning = \"show\"\n",
        "crowd" => {
            "[queue]\nmode = \"followup\"\ndrop = \"new\"\ncap = 1\nper_sender = 3\n\n[agent]\nmax_runs = 1\n"
        }
        "actions" => {
            "[session]\nscope = \"global\"\n[queue]\nmode = \"collect\"\n[commands]\nowner_allow_from = [\"alice\"]\n[output]\ndialects = [\"json\"]\n\
             [agent.permissions]\ntimeout = \"10m\"\n"
        }
        "results" => "[deliveries]\nper_requester = 3\n",
        "cannot" => "[channels.telegram]\ndisable = [\"react\"]\n",
        "runaway" => "[output]\nmax_messages = 1\n",
        "files" => "[files]\nmax_size = \"2B\"\n",
        "attached" => {
            "[attachments]\nkinds = [\"image\", \"document\"]\nmax_size = \"9B\"\nmax_files = 5\ntimeout = \"2s\"\n"
        }
        "placeholder" => "[output]\nplaceholder = \"…\"\n",
        "off" | "lost" | "old" | "faults" => "[output]\ndisable = [\"preview\"]\n",
        _ => "",
    }
}
