# Everything needs Python >= 3.11 and make; what is installed goes into .venv. The tests want a browser, node,
# Asciidoctor and Hunspell as well: .ci/programs installs them where they are missing and it may.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: site test test-all test-hard bench bench-scale bench-guard outputs docs audit release lock clean help

site: $(VENV)/.installed ## compile content/ into public/
	$(BIN)/kismet build content --out public
	@echo
	@echo "The site is $(CURDIR)/public/index.html: open it in a browser, or serve it with"
	@echo "    $(PYTHON) -m http.server --directory public 8000"
	@echo "and look at http://127.0.0.1:8000/"

test: $(VENV)/.test-installed ## check style and types, run all tests, slow tests on a sample
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	.ci/programs
	@echo "Running all tests; this takes ten to twenty minutes on two processors."
	$(BIN)/pytest -n 2 --dist worksteal

# In `test`, the commit chooses the sample of a slow test (tests/sample.py); here, random examples differ in each run.
test-all: export KISMET_WHOLE := 1
test-all: test ## the same with slow tests on every case, in full Chromium

# It takes three quarters of an hour. `python -m tests.hard NAME` runs one part, `python -m tests.hard.faults --times 10` fewer faults.
test-hard: $(VENV)/.test-installed ## kill, damage, fill, grow, load and fuzz, and print one table; takes long
	-$(PIP) --require-hashes --requirement .ci/requirements-fuzz.txt
	$(BIN)/python -m tests.hard

bench: $(VENV)/.test-installed ## measure how long the command takes, and how many questions search answers
	$(BIN)/python -m benchmarks.bench
	$(BIN)/python -m benchmarks.search_answers

# Hugo must be installed; Eleventy and MkDocs with Material come from npm and PyPI. A missing peer is left out and named.
bench-scale: $(VENV)/.test-installed ## measure 1,000 and 10,000 pages beside other programs; takes long
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.scale --records 5000

# `git rev-parse BASE` must know the commit.
BASE ?= HEAD
bench-guard: $(VENV)/.test-installed ## compare the processor time of builds with that of the commit BASE
	$(BIN)/python -m benchmarks.guard $(BASE)

outputs: $(VENV)/.test-installed ## compare all files of all libraries with those of the commit BASE
	$(BIN)/python -m tests.output_digests $(BASE)

docs: $(VENV)/.test-installed ## write content/docs/reference from code and schemas
	$(BIN)/python -m release.reference

audit: $(VENV)/.test-installed ## look for known vulnerabilities of the locked packages
	$(BIN)/python -m release.audit

# The time of the commit is that of the files in the archives, so that everybody makes the same bytes.
release: audit ## make wheel, source archive and SBOM in dist/, from a clean checkout
	@test -z "$$(git status --porcelain)" || { echo "commit or remove first what git status shows" >&2; exit 1; }
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --no-isolation
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m release.sbom dist

clean: ## remove what the other targets made
	rm -rf $(VENV) public build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/kismet-build/npm"

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The versions in .ci, checked by hash. `make UNLOCKED=1` takes any that pyproject.toml allows, such as those of a folder of wheels.
# Editable, so that a change of the code needs no new install; one of pyproject.toml does.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
    --custom-compile-command 'make lock'

$(VENV)/.installed: pyproject.toml .ci/requirements.txt | $(BIN)/pip
ifdef UNLOCKED
	$(PIP) --editable .
else
	$(PIP) --require-hashes --requirement .ci/requirements.txt
	$(PIP) --no-deps --no-build-isolation --editable .
endif
	@touch $@

$(VENV)/.test-installed: pyproject.toml .ci/requirements-test.txt | $(BIN)/pip
	@echo "Installing $$(grep -c '==' .ci/requirements-test.txt) Python packages into $(VENV): about a minute."
	@echo "For the tests, .ci/programs then installs Chromium, node, Java, Asciidoctor and Hunspell where they are missing: some minutes."
ifdef UNLOCKED
	$(PIP) --editable '.[test]'
else
	$(PIP) --require-hashes --requirement .ci/requirements-test.txt
	$(PIP) --no-deps --no-build-isolation --editable .
endif
	@touch $@ $(VENV)/.installed

# Lighthouse needs packages that ask for the tag `latest` of others. `npm ci` would ask the registry which version that is
# today, and refuse another.
lock: | $(BIN)/pip ## write the newest versions that pyproject.toml and .ci/package.json allow, with hashes, to .ci
	$(PIP) uv
	printf 'hatchling\neditables\n' | $(LOCK) pyproject.toml - --output-file .ci/requirements.txt
	printf 'hatchling\neditables\n' | $(LOCK) --extra test pyproject.toml - --output-file .ci/requirements-test.txt
	rm -f .ci/package-lock.json
	npm install --prefix .ci --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund
	sed -i.old 's/: "latest"/: "*"/' .ci/package-lock.json && rm .ci/package-lock.json.old
	printf 'atheris>=3.0,<3.1\n' | $(LOCK) - --output-file .ci/requirements-fuzz.txt

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "kismet-build needs Python 3.11 or later; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	    || { rm -rf $(VENV); \
	         echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu install python3-venv" >&2; exit 1; }
