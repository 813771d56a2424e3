# Every command of the project; `make help` lists them. What they need they install: see .ci/bootstrap.
.PHONY: help setup demo weights test test-sqlite test-postgres test-firefox test-weights lint types layers django-checks check format \
  screenshots bench bench-blinding bench-scoring bench-review bench-peers bench-rollouts bench-media chaos chaos-generation audit validate lock clean
.NOTPARALLEL:
.DEFAULT_GOAL := help

APPS := fartbench generation blinding review judging measuring scoring operations rounds web api authoring simulation
PY := .venv/bin/python
UV ?= uv
# What one's own shell sets for Python and Django must not reach these commands. Without kept bytecode every process,
# and the tests start many, would compile all of the project again.
unexport DJANGO_SETTINGS_MODULE PYTHONPATH PYTHONHOME PYTEST_ADDOPTS PYTHONDONTWRITEBYTECODE

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## Make .venv with all that running, testing and changing the project needs
	@sh .ci/bootstrap dev

# SERVE=0 only makes it, PORT=8001 serves elsewhere, PROVIDERS=standin also buys every configuration
# from stand-ins, ROLLOUTS=1 also makes a small round of long rollouts.
demo: ## Make a finished and an open round, and serve them
	@sh .ci/bootstrap runtime
	$(if $(PORT),BASE_URL=http://127.0.0.1:$(PORT) )$(PY) manage.py demo$(if $(filter 0,$(SERVE)), --no-serve)$(if \
	  $(PROVIDERS), --providers $(PROVIDERS))$(if $(ROLLOUTS), --rollouts)

weights: ## Make .venv-weights: what .venv has, and PyTorch for the metrics that take a model
	@sh .ci/bootstrap runtime
	@sh .ci/bootstrap weights

test: setup ## Run all tests on SQLite, and those of the database on PostgreSQL too
	$(PY) -m tests.engines

test-sqlite: setup ## Run all tests on SQLite
	$(PY) -m pytest -p no:cacheprovider --engine=sqlite

test-postgres: setup ## Run the tests of the database on PostgreSQL
	$(PY) -m pytest -p no:cacheprovider --engine=postgres

test-firefox: ## Run the player's journeys in Firefox
	@sh .ci/bootstrap firefox
	$(PY) -m pytest -p no:cacheprovider --firefox

test-weights: setup ## Run the tests of the models in PyTorch, on tiny random weights (needs 1 GB, or 6 GB with CUDA)
	@sh .ci/bootstrap weights
	.venv-weights/bin/python -m pytest -p no:cacheprovider --weights tests/weights

lint: setup ## Check style and formatting of Python and templates
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	find templates -name '*.html' -exec .venv/bin/djade --check {} +

types: setup ## Check types
	$(PY) -m mypy $(APPS) manage.py

layers: setup ## Check that the apps import only what is below them
	.venv/bin/lint-imports

django-checks: setup ## Check for missing migrations and for settings unfit for service
	sh .ci/django-checks

check: lint types layers django-checks ## All checks but the tests

format: setup ## Rewrite Python and templates in the house's format
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	find templates -name '*.html' -exec .venv/bin/djade {} +

screenshots: setup ## Write pictures of the main pages to docs/screenshots
	DATA_DIR=var/screenshots $(PY) manage.py demo --rollouts --no-serve
	DATA_DIR=var/screenshots $(PY) -m tests.screenshots

bench: setup ## Run all benchmarks, beside other programs, and write docs/benchmarks.md (BENCH_FLAGS=--quick)
	$(PY) -m tests.bench.report $(BENCH_FLAGS)

bench-blinding: setup ## Time blind copies beside cp, mat2 and exiftool
	$(PY) -m tests.bench.bench_blinding

bench-scoring: setup ## Time agreement beside the krippendorff package, and whole releases
	$(PY) -m tests.bench.bench_scoring
	$(PY) -m tests.bench.bench_rounds

bench-review: setup ## Time drafts and locks, alone and with 200 reviewers at once (BENCH_FLAGS=--quick for a short run)
	$(PY) -m tests.bench.bench_review $(BENCH_FLAGS)

chaos: setup ## Let 20 people review a whole round while everything fails; prints its ledger (SEED=7, CHAOS_FLAGS=--minutes=1)
	$(PY) -m tests.chaos.rounds --seed=$(or $(SEED),1) $(CHAOS_FLAGS)

bench-peers: setup ## Time saving and handing in on Label Studio and Potato, which it installs as tools
	$(PY) -m tests.bench.peers_review --install

bench-rollouts: setup ## Time the measurement of a three-minute rollout
	$(PY) -m tests.bench.bench_rollouts

bench-media: setup ## Count which of 1200 odd clips are copied, normalised, refused (MATRIX_FLAGS=--quick: 500)
	$(PY) -m tests.media_matrix.table $(MATRIX_FLAGS)

chaos-generation: setup ## Kill workers and servers at random while 100 clips are bought; prints its ledger
	$(PY) -m tests.chaos.generation

audit: setup ## Look up known vulnerabilities of every locked package (needs network, and says so without)
	sh .ci/audit

validate: setup ## Show by simulation that intervals cover what they promise
	$(PY) -m tests.bench.validate

lock: ## Resolve the dependencies in pyproject.toml anew (needs uv; add UV_FLAGS=--upgrade for newer versions)
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --python-version 3.11 $(UV_FLAGS) \
	  --output-file requirements.lock pyproject.toml
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --python-version 3.11 $(UV_FLAGS) \
	  --constraint requirements.lock --group dev --output-file requirements-dev.lock pyproject.toml
# What PyTorch takes besides, on a platform whose build brings no CUDA along; of itself see .ci/bootstrap.
	sed -n 's/^weights = \[\(.*\)\]$$/\1/p' pyproject.toml | tr -d '" ' | tr , '\n' | MACOSX_DEPLOYMENT_TARGET=14.0 $(UV) pip compile --quiet \
	  --generate-hashes --no-header --no-annotate --python-version 3.11 --python-platform aarch64-apple-darwin $(UV_FLAGS) \
	  --constraint requirements-dev.lock --no-emit-package torch --output-file requirements-weights.lock -

clean: ## Remove .venv and all caches; data stay
	rm -rf .venv .venv-weights .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
