# The commands people type. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
UI := ui
E2E := tests/e2e
# Where scripts/setup puts Rust and Node, where the machine has none or too old ones.
export PATH := $(CURDIR)/.tools/rust/bin:$(CURDIR)/.tools/node/bin:$(PATH)

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

.PHONY: run
run: tools ## Install what is missing, build, open the window (or run the demo headless where there is no display)
	@if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then \
	  $(MAKE) --no-print-directory window ui && $(CARGO) run -p foldback-desktop; \
	else \
	  echo "There is no display here, so no window can open. The same demo runs headless; its events follow (Ctrl+C ends it)." >&2; \
	  $(CARGO) build -p foldback && \
	  FOLDBACK_DATA_DIR="$$(mktemp -d)" $(CARGO) run -q -p foldback -- serve --events; \
	fi

.PHONY: test
test: tools ## Everything: format, clippy, tests, drift, front end, fixtures, the real window
	$(MAKE) --no-print-directory format-check window ui clippy crate-docs
	$(CARGO) test --workspace --no-run
	$(MAKE) --no-print-directory BUILT=1 ui-test rust-test drift fixtures e2e mutants kill-test

.PHONY: check
check: format-check clippy drift ui-check ## What an editor should have told you: format, clippy, drift, types

# Cargo builds a crate again for each set of features that its dependents ask for together. `make test` therefore builds
# the whole workspace once; with BUILT=1 the parts below use what is there. A part alone builds what it needs.
BUILT ?=
GENERATE := $(if $(BUILT),target/debug/generate,$(CARGO) run -q -p foldback-api --bin generate --)
# Rules that tests switch off, and points at which they end the process: one build for both.
FAULTS := --features foldback-directives/mutants,foldback-pipeline/mutants,foldback-replay/mutants,foldback/crash-points

# --- parts ------------------------------------------------------------------------------------------------

.PHONY: tools window
tools:
	@scripts/setup tools
window:
	@scripts/setup window

.PHONY: cli
cli: ## Build the command line; needs no GTK and no WebKit
	$(if $(BUILT),@:,$(CARGO) build -p foldback)

$(UI)/node_modules: $(UI)/package-lock.json
	cd $(UI) && npm ci --no-fund --no-audit
	@touch $@
$(E2E)/node_modules: $(E2E)/package-lock.json
	cd $(E2E) && npm ci --no-fund --no-audit
	@touch $@

.PHONY: ui ui-check ui-test
ui: $(UI)/node_modules ## Build the front end
	cd $(UI) && npm run build
ui-check: $(UI)/node_modules
	cd $(UI) && npm run check
ui-test: cli ui-check ## Type check and unit tests of the front end, which walk the turns of all fixtures
	cd $(UI) && npm test

.PHONY: format-check clippy crate-docs rust-test drift fixtures mutants kill-test
format-check:
	$(CARGO) fmt --all --check
clippy: window
	$(CARGO) clippy --workspace --all-targets -- -D warnings
crate-docs: ## Document the crates, without a warning
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps
rust-test:
	$(CARGO) test $(if $(BUILT),--workspace)
drift: ## Are the generated TypeScript types and the pages docs/{actions,lint,commands,directives,events}.md up to date?
	$(GENERATE) --mode check
generate: ## Write the generated TypeScript types and the pages docs/{actions,lint,commands,directives,events}.md
	$(GENERATE) --mode write
fixtures: cli ## Run all fixtures, with coverage of the rules
	target/debug/foldback replay fixtures --coverage
mutants: ## Switch one rule off at a time; at least one fixture or vector must notice
	$(CARGO) test --workspace $(FAULTS) --test mutants
	$(CARGO) test --workspace $(FAULTS) --test grammar --test pipeline -- mutants:: leaks::
kill-test: ## Kill the bot 710 times with SIGKILL: on simulated platforms, in all modes of the queue, around actions, on the real adapters
	$(CARGO) test --workspace $(FAULTS) --test kill -- --nocapture

.PHONY: at-random
at-random: MESSAGES ?= 100000
at-random: SEED ?= 0
at-random: ## Is every one of 100,000 random messages accounted for? In virtual time
	FOLDBACK_MESSAGES=$(MESSAGES) FOLDBACK_SEED=$(SEED) $(CARGO) test -p foldback-pipeline --test pipeline at_random -- --nocapture

.PHONY: app e2e
app: $(if $(BUILT),,window ui)
	$(if $(BUILT),@:,$(CARGO) build -p foldback-desktop)
e2e: app $(E2E)/node_modules ## Drive the real window under Xvfb
	$(if $(BUILT),@:,$(CARGO) test -p foldback-desktop)
	$(if $(BUILT),@:,$(CARGO) build -p foldback-agents --example openai_server)
	cd $(E2E) && npm test

.PHONY: bench bench-before bench-window
bench: ## Benches; figures are ratios within one run (docs/performance.md)
	$(CARGO) bench -p foldback-directives --bench scan
	$(CARGO) bench -p foldback-directives --bench redact
	$(CARGO) run --release -p foldback-store --example bench
	$(CARGO) run --release -p foldback-api --example long_journal
	$(CARGO) bench -p foldback-pipeline --bench turns
	$(MAKE) --no-print-directory bench-before
	$(CARGO) bench -p foldback-pipeline --bench start
	$(CARGO) bench -p foldback-pipeline --bench limits
	$(MAKE) --no-print-directory bench-window
	$(CARGO) bench -p foldback-pipeline --bench crowd
	$(CARGO) bench -p foldback --bench web_chat
bench-before: PAIRS ?= 5
bench-before: ## Whole turns against the program before directives, commands and queue modes, PAIRS (5) runs of each
	PAIRS=$(PAIRS) scripts/bench-before
bench-window: window ui $(E2E)/node_modules ## The window at 10,000 events a second, against an idle one
	$(CARGO) build --release -p foldback-desktop -p foldback-channels --bins
	cd $(E2E) && npm run -s bench
	$(CARGO) build --release -p foldback-api --example long_journal
	cd $(E2E) && npm run -s bench:long

.PHONY: soak
soak: MINUTES ?= 60
soak: tools ## Is memory steady under mixed load? In real time, for MINUTES (60)
	$(CARGO) bench -p foldback --bench soak -- $(MINUTES)

.PHONY: fuzz
fuzz: MINUTES ?= 5
fuzz: tools ## Fuzz each target for MINUTES, two at a time; the corpora that `make test` replays grow
	scripts/fuzz $(MINUTES)

.PHONY: test-peers
test-peers: ## Opt-in: against real servers and agents of others
	scripts/test-peers

.PHONY: package package-check
package: window ui ## A .deb with the app and the command line
	scripts/package
package-check: ## Install the .deb, start it, remove it (needs root)
	scripts/package-check

.PHONY: clean
clean: ## Remove what was built
	$(CARGO) clean
	rm -rf $(UI)/dist $(UI)/node_modules $(E2E)/node_modules artifacts
