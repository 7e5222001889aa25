# Every target sets up what it needs from a bare checkout: Python 3.11 or newer, git and make are enough.
# The set-up is stamped, so that it costs nothing the second time.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
TESTS  ?= tests

.DEFAULT_GOAL := help
.PHONY: help demo test check bench real long descriptions faults walks format docs golden pins clean

help: ## list what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

demo: $(READY) ## the main job from a bare checkout: a batch with one of everything that can go wrong
	$(BIN)/gitsched demo $(DEMO_ARGS)

test: $(READY) ## run the tests in parallel, in random order; `make long` runs the rest
	$(BIN)/python -m pytest -q -n auto --dist worksteal $(TESTS)

check: ## the one gate: everything that CI runs
	.ci/run

bench: $(READY) ## measure, each figure beside its baseline of the same run
	$(BIN)/python -m benchmarks --page docs/reference/performance.md

long: $(READY) ## the tests that show at length what `make test` samples: fleets, restarts, whole demos
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m long $(TESTS)

real: $(READY) ## replay a published package's release as a batch (asks the package registry)
	$(BIN)/python -m pytest -q -rs -m real $(TESTS)

descriptions: ## fetch GitHub's descriptions of its API, which the tests of the fake GitHub are held against
	.ci/descriptions

faults: $(READY) ## kill, break, fill and lose at every call that a driver makes, and kill real processes at random
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m fault $(TESTS)

walks: $(READY) ## 50,000 steps of random walks, of which `make test` takes some 2,000
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m walk --hypothesis-profile=thorough --timeout=3600 $(TESTS)

fleet: $(READY) ## eight drivers on eight clones over smart HTTP, one killed every few seconds, until forty members have landed
	GITSCHED_FLEET=8x40 $(BIN)/python -m pytest -q -m long tests/engine/test_fleet.py

format: $(READY) ## put the code in shape and mend what can be mended by itself
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY) ## write the generated pages of docs/
	$(BIN)/python -m pytest -q tests/house --golden-update

golden: $(READY) ## write all golden files and generated pages; read the difference before committing it
	$(BIN)/python -m pytest -q -n auto --golden-update $(TESTS)

pins: ## take the newest versions that fit pyproject.toml into .ci/*.txt, with their hashes
	.ci/pin $(PYTHON)

clean: ## remove what was made here, the virtual environment too
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*

$(READY): .ci/set-up .ci/constraints.txt pyproject.toml
	.ci/set-up $(PYTHON) $(VENV)
