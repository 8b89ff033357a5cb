# Lacis. `make` lists the targets; `make demo` and `make test` set up what they need.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

VENV := .venv
BIN := $(VENV)/bin
export UV_PROJECT_ENVIRONMENT := $(VENV)
# Containers often forbid Python to keep what it compiled: each process of the tests would compile all tests, and each program that they
# start all of Lacis.
unexport PYTHONDONTWRITEBYTECODE
# Most tests wait for OpenSM, so more of them run than there are cores.
WORKERS := $(shell expr `nproc` + 4)
# What is built once gains nothing from incremental compilation, and no debugger looks at it.
ifeq ($(CI),true)
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_DEBUG := 0
endif
# uv: the one on the path, or one of our own, in build/tools.
UV := $(or $(shell command -v uv 2>/dev/null),build/tools/bin/uv)
PYTHON ?= python3
ORACLE_PACKAGES := opensm ibsim-utils infiniband-diags ibutils libsimgrid-dev g++ opa-fastfabric opa-fm prometheus slurmctld slurm-client
BROWSER_PACKAGES := chromium chromium-driver
MPI_PACKAGES := openmpi-bin libopenmpi-dev mpich libmpich-dev
PLUGIN_PACKAGES := libopensm-dev libibumad-dev gcc
COUNT_PACKAGES := valgrind
LINT_PACKAGES := dpkg-dev lintian rpm rpmlint
SHELL_PACKAGES := fish zsh

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## Set up everything and report on a made-up cluster with typical faults
	@mkdir -p build
	@$(BIN)/python scripts/demo-fabric > build/demo.json
	$(BIN)/lacis report build/demo.json -o build/demo.html

.PHONY: build
build: $(BIN)/lacis ## Build .venv/bin/lacis (optimised)

.PHONY: wheel
wheel: | cargo uv ## Build a wheel in build/wheel, for other machines with this C library or a newer one
	@rm -rf build/wheel
	$(UV) tool run --quiet 'maturin>=1.9,<2' build --quiet --release --out build/wheel
	@ls build/wheel/*.whl

# Zig has the C libraries of old distributions and of other processors; the profile is that of `make wheel`, compiled once more.
.PHONY: manylinux
manylinux: export CARGO_TARGET_DIR := build/manylinux
manylinux: | cargo uv ## Build a wheel in build/manylinux/wheel for every distribution since 2018 (glibc 2.28); ARCH=aarch64: for Arm
	@rm -f build/manylinux/wheel/*_$(or $(ARCH),$(shell uname -m)).whl
	@$(if $(ARCH),rustup target add $(ARCH)-unknown-linux-gnu 2>/dev/null || { echo "no Rust for $(ARCH): rustup target add $(ARCH)-unknown-linux-gnu" >&2; exit 2; })
	bash scripts/with-news $(UV) tool run --quiet --with 'ziglang>=0.13' --from 'maturin>=1.9,<2' maturin build --quiet --release \
	  --zig --compatibility manylinux_2_28 $(if $(ARCH),--target $(ARCH)-unknown-linux-gnu) --out build/manylinux/wheel
	@ls build/manylinux/wheel/*.whl

.PHONY: mpi
mpi: ## Build build/mpi/lacis-mpi, the MPI benchmark, with the mpicc on the path
	@$(MAKE) --no-print-directory -C mpi OUT=$(CURDIR)/build/mpi

.PHONY: opensm-plugin
opensm-plugin: | cargo ## Build build/libosmlacis.so, Lacis' engines inside OpenSM
	@bash scripts/debian-packages --optional $(PLUGIN_PACKAGES)
	@bash opensm/build

# Property tests draw the same cases each time here; plain `cargo test` draws new ones. What compiles in target/debug goes beside the
# extension, in target/release, and what needs it: linking, linters, sphinx and callgrind use one core each.
.PHONY: test
test: export PROPTEST_RNG_SEED ?= 1
test: oracle | cargo uv ## Set up everything and run all tests
	@bash scripts/debian-packages --optional $(PLUGIN_PACKAGES) $(COUNT_PACKAGES) $(SHELL_PACKAGES) $(LINT_PACKAGES)
	@$(MAKE) --no-print-directory test-crates lint-crates document-crates & beside=$$!; \
	  $(MAKE) --no-print-directory docs test-plugin lint-python test-stub test-counts || { kill $$beside 2>/dev/null; exit 2; }; wait $$beside
	$(BIN)/pytest -n $(WORKERS) --max-worker-restart 0 --durations=30 --durations-min=5

.PHONY: test-crates test-plugin test-counts test-stub
test-crates:
	cargo test --workspace --quiet
test-plugin:
	@$(MAKE) --no-print-directory opensm-plugin || [ "$${CI:-}" != true ]
test-counts: build
	$(BIN)/python -m benchmarks.counts --check
test-stub: build
	MYPYPATH=python $(BIN)/stubtest lacis._core --concise --allowlist tests/stubtest.allow

# Quick: what is left out here, make test does. Documentation of crates and the stub of the engine change seldom, and both take as
# long to look at as all else of this.
.PHONY: check
check: lint-crates lint-python ## Lint the sources, and the tests that need no OpenSM and are not slow (a minute after a build)
	cargo test --workspace --lib --quiet
	$(BIN)/pytest -n auto -q -m 'not slow and not oracle' tests/unit tests/cli tests/mpi

.PHONY: soak
soak: build oracle opensm-plugin ## All comparisons with the real OpenSM, also with the plugin, and all draws of the reproduction (an hour)
	LACIS_SOAK=1 $(BIN)/pytest -n $(WORKERS) tests/oracle tests/mpi/test_orders.py tests/cli/test_reproduce.py \
	  tests/package/test_wheel.py

.PHONY: lint
lint: lint-crates lint-python document-crates test-stub ## Formatting, clippy, ruff, mypy --strict, documentation of crates, stubtest

.PHONY: lint-crates lint-python document-crates
lint-crates:
	@{ cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1 || rustup component add rustfmt clippy
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
document-crates:
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --quiet
lint-python: build
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

.PHONY: lint-packaging
lint-packaging: tools ## Lint the recipes in packaging/ with the tools of Debian and RPM too
	@bash scripts/debian-packages $(LINT_PACKAGES)
	$(BIN)/pytest -q -rs tests/package/test_packaging.py

.PHONY: format
format: build ## Rewrite the sources in the house style
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: bench
bench: build oracle ## Run the benchmarks beside their peers; tables in build/bench
	$(BIN)/python -m benchmarks

.PHONY: documents
documents: build ## Write the JSON Schemas and the tables of docs/reference/json.md, from python/lacis/documents
	@$(BIN)/python -m lacis.documents.schemas
	@$(BIN)/python -m lacis.documents.reference docs/reference/json.md

.PHONY: bench-count
bench-count: build ## Count the instructions of the core's work, and keep them in benchmarks/counts/counts.json
	@bash scripts/debian-packages $(COUNT_PACKAGES)
	$(BIN)/python -m benchmarks.counts

.PHONY: docs
docs: tools ## Build the documentation in docs/_build
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

# What documents and packages are checked with, beside what a build needs.
.PHONY: tools
tools: build
	@$(UV) sync --quiet --locked --all-groups

.PHONY: man
man: build ## Write the manual pages into build/man/man1
	$(BIN)/python -m lacis.cli._man build/man/man1
	@echo 'man -M build/man lacis'

FUZZ_SECONDS ?= 600
.PHONY: fuzz
fuzz: ## Fuzz every reader for FUZZ_SECONDS (needs cargo-fuzz)
	@command -v cargo-fuzz >/dev/null || { echo "make fuzz needs cargo-fuzz: cargo install cargo-fuzz"; exit 2; }
	cd fuzz; for target in $$(cargo fuzz list); do \
	  mkdir -p corpus/$$target; \
	  RUSTC_BOOTSTRAP=1 cargo fuzz run -s none $$target corpus/$$target ../tests/fabrics/*/ -- -max_total_time=$(FUZZ_SECONDS) -timeout=20 -print_final_stats=1; done

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf $(VENV) build target docs/_build

# --- set-up ------------------------------------------------------------------------------------

SOURCES := $(shell find crates python -name '*.rs' -o -name 'Cargo.toml' 2>/dev/null)

$(BIN)/lacis: pyproject.toml uv.lock Cargo.toml Cargo.lock $(SOURCES) | cargo uv
	bash scripts/with-news $(UV) sync --locked --quiet --compile-bytecode --group dev
	@$(BIN)/python -m compileall -q python
	@touch $@

.PHONY: cargo
cargo:
	@command -v cargo >/dev/null || { echo "Lacis needs Rust (cargo) 1.88 or newer: https://rustup.rs, or your distribution's package" >&2; exit 2; }
	@command -v cc >/dev/null || bash scripts/debian-packages gcc libc6-dev

.PHONY: uv
uv:
	@command -v $(UV) >/dev/null || { \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Lacis needs Python 3.11 or newer" >&2; exit 2; }; \
	  $(PYTHON) -c 'import ensurepip' 2>/dev/null || bash scripts/debian-packages python3-venv; \
	  $(PYTHON) -m venv build/tools && build/tools/bin/python -m pip install --quiet uv; }

.PHONY: oracle
oracle:
	@bash scripts/debian-packages --optional $(ORACLE_PACKAGES) $(BROWSER_PACKAGES) $(MPI_PACKAGES)
