# neonsim: every command does its own set-up. It needs python3 (3.11 or newer) with pip, make and, for the native backend,
# a C compiler; everything else goes into .tools and .venv here. A second call costs nothing and needs no network.
# `make help` prints the commands: what stands behind ## in this file.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP     = $(BIN)/python -m pip --disable-pip-version-check --no-input
# Tools of the environment (cmake, ninja) for what is run there, without activating it.
RUN     = PATH="$(CURDIR)/$(BIN):$$PATH"
PYTEST  = $(RUN) $(BIN)/python -m pytest
## PYTEST_ARGS="..."  more arguments for pytest: a folder, -k NAME, -x
PYTEST_ARGS ?=
# Jupyter refuses to run as root (the usual user of a container) unless told so; it listens on this machine only. It
# does not look for news or newer versions of itself, nor ask whether it may: a class room may have no network. Names of
# notebooks are long: the column of dates beside them is left out.
QUIET_LAB := {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}, \
              "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": false}}
LAB_SETTINGS := $(VENV)/share/jupyter/lab/settings/overrides.json
# It breaks printed lines in the middle of words, unless a style of one's own says otherwise.
LAB_CSS := body .jp-OutputArea-output pre { word-break: normal; overflow-wrap: break-word; }
LAB_STYLE := $(CURDIR)/$(VENV)/share/jupyter/lab/custom
## LAB_ARGS="..."     more arguments for JupyterLab: --port 9999
LAB_ARGS ?=
## WHEELS="pure ..."  which of the wheels (all, the usual): `make wheels WHEELS=pure`
WHEELS ?=
## JOBS=2             processes for tests (auto, the usual: as many as processors, eight at most; 0: pytest alone)
JOBS ?= auto
## SITE=main          the main pages of the site alone, in half a minute: `make site SITE=main` (all, the usual)
SITE ?=
## PARTS="nn/ops quant" which parts of `make nightly`, as its table names them (all, the usual)
PARTS ?=

# make's own default for CC is `cc`, which need not exist; a CC the user sets is taken as it is.
ifneq ($(filter default undefined,$(origin CC)),)
CC := $(firstword $(foreach c,cc gcc clang,$(shell command -v $(c) 2>/dev/null)))
endif
export CC
# The tests and the commands start Python hundreds of times: what is compiled once is kept, also where containers say no.
unexport PYTHONDONTWRITEBYTECODE
export PIP_ROOT_USER_ACTION := ignore

NATIVE_SOURCES := $(wildcard native/CMakeLists.txt native/*/*.[chS] native/*/*/*.[chS] native/*/*/*/*.[chS] native/*/*/*/*/*.[chS] native/cmake/* kernels/*/*.[Sh]) \
                  $(wildcard neonsim/quant/winograd/*.py) neonsim/ukernel/kernelgen/winograd_c.py
C_SOURCES      := $(wildcard native/*/*.[ch] native/*/*/*.[ch] native/*/*/*/*.[ch] native/*/*/*/*/*.[ch])
SETTINGS       := pyproject.toml constraints.txt

.PHONY: help instructions headers proofs setup demo test test-masked test-slow notebooks coverage nightly lab native native-check native-threads wasm wheel wheels lint lint-style lint-types lint-js \
        format-check system-packages site playground clean FORCE
.DELETE_ON_ERROR:

help: ## these lines
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1@\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS=@ read -r name what; do \
	  printf '  make %-16s %s\n' "$$name" "$$what"; done; echo; sed -n 's/^## /  /p' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.demo build/native/.built ## the main job on a real layer
	$(BIN)/neonsim demo

QUICK    := -m "not slow and not nightly"
PARALLEL  = -n $(JOBS) --maxprocesses 8 --dist worksteal
test: $(VENV)/.test build/native/.built ## the tests, four minutes
	$(PYTEST) $(QUICK) $(PARALLEL) $(COVER) $(PYTEST_ARGS)

# Of what a processor has the last families of kernels are masked: without AVX-512 and VNNI, then with SSE2 alone.
NATIVE_TESTS := tests/native tests/nn/backends tests/nn/graph tests/nn/ops tests/quant/winograd tests/ukernel/test_native_calls.py
MASKED       := avx512bw,avx512vnni,avxvnni,amxint8 avx512bw,avx512vnni,avxvnni,amxint8,avx2,sse41
test-masked: $(VENV)/.test build/native/.built ## those of the C library, as on processors that have less
	@for features in $(MASKED); do echo "NEONSIM_WITHOUT=$$features"; \
	  NEONSIM_WITHOUT=$$features $(PYTEST) $(QUICK) $(PARALLEL) $(NATIVE_TESTS) $(PYTEST_ARGS) || exit 1; done

test-slow: $(VENV)/.slow build/native/.built ## one long test of every package, with oracles and Chromium
	$(PYTEST) -m "slow and not nightly" $(PARALLEL) $(PYTEST_ARGS)

notebooks: $(VENV)/.test build/native/.built ## every notebook from top to bottom, each in a kernel of its own
	$(PYTEST) -m nightly $(PARALLEL) tests/notebooks -k runs_alone $(PYTEST_ARGS)

# The same tests, once, and the lines they ran. Of the processor's time they take three quarters more under Python 3.11. Those of
# threads are left out: eight threads that are traced line by line take minutes.
COVERED := build/coverage/report.json
coverage: COVER := --cov --cov-report=json:$(CURDIR)/$(COVERED) --ignore=tests/common/test_threads.py
coverage: test ## the tests, the share of lines that they ran, the rooms least covered
	@$(BIN)/python tests/covered.py $(COVERED)

nightly: $(VENV)/.nightly build/native/.built ## all that is longer: oracles, sweeps, wheels, masks, benchmarks; goes on where it ended
	$(RUN) $(BIN)/python -m tests.nightly $(PARTS)

# A copy, so that work in it changes nothing here; what was changed in it is kept, also when it is made again.
lab: $(VENV)/.lab build/native/.built ## JupyterLab on a copy of the notebooks, build/course
	@mkdir -p $(dir $(LAB_SETTINGS)) && echo '$(QUIET_LAB)' > $(LAB_SETTINGS)
	@mkdir -p $(LAB_STYLE) && echo '$(LAB_CSS)' > $(LAB_STYLE)/custom.css
	@$(BIN)/neonsim lab build/course --copy-only
	$(RUN) $(BIN)/jupyter lab build/course --ServerApp.default_url=/lab/tree/notebooks --LabApp.extra_labextensions_path=neonsim/learn/notebook/labextensions --custom-css --ServerApp.tornado_settings='{"static_custom_path": ["$(LAB_STYLE)"]}' $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_ARGS)

lint: lint-style lint-types lint-js format-check ## ruff, wording, spelling, mypy, TypeScript and Biome for the JavaScript, clang-format

lint-style: $(VENV)/.test ## ruff and the checks of wording and spelling alone
	$(BIN)/ruff check .
	$(BIN)/python -m tests.wording
	$(BIN)/codespell README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs neonsim notebooks

lint-types: $(VENV)/.test ## mypy alone
	$(BIN)/mypy

# The JavaScript is shipped as it is written: types stand in its comments, and only the checks need Node.js.
lint-js: ## TypeScript and Biome alone
	@if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then \
	  echo "No Node.js with npm here: the JavaScript is not checked (on Debian and Ubuntu: apt-get install nodejs npm)."; \
	else $(MAKE) --no-print-directory --silent $(NODE_MODULES)/.installed && \
	  $(NODE_MODULES)/.bin/tsc -p tests/browser && \
	  $(NODE_MODULES)/.bin/biome lint --config-path=tests/browser --error-on-warnings neonsim/render/static neonsim/learn/notebook/labextensions native/wasm; fi

format-check: $(VENV)/.test ## clang-format on native/ (to write it: .venv/bin/clang-format -i FILE)
	@$(BIN)/clang-format --style=file --dry-run --Werror $(sort $(C_SOURCES))

# Exact versions stand in package.json; a lock file would only record where they were fetched from.
NODE_MODULES := tests/browser/node_modules
$(NODE_MODULES)/.installed: tests/browser/package.json
	@echo "Setting up $(NODE_MODULES): once, a few seconds, from the network"
	cd tests/browser && npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

site: $(VENV)/.site build/native/.built ## the documentation as a site, in build/site/html
	$(RUN) $(BIN)/python -m docs.website $(addprefix --,$(SITE))

playground: $(VENV)/.site build/native/.built ## the page that assembles, runs and steps what is typed, on http://127.0.0.1:8765
	$(RUN) $(BIN)/python -m docs.website.play

# What is kept in build/proofs is not proved again: after any end, or when a kernel has changed, the rest is minutes.
proofs: $(VENV)/.nightly build/native/.built ## docs/proofs.md: every kernel proved beside the plain one of its contract, again
	$(BIN)/neonsim prove catalogue --output-dir build/proofs --page docs/proofs.md || test $$? = 1

instructions: $(VENV)/.test ## count the table of docs/instructions.md again
	$(BIN)/python tests/instruction_table.py

headers: $(VENV)/.test ## what the C library knows of contracts and roundings, written again from neonsim
	$(BIN)/python -m neonsim.ukernel.kernelgen.contracts_c
	$(BIN)/python -m neonsim.ukernel.kernelgen.roundings_c native/src/contracts/scalar/roundings.h

native: build/native/.built ## build the C library again

# ---- set-up ---------------------------------------------------------------------------------------------------------

setup: $(VENV)/.setup build/native/.built ## what `make lint` and all commands of tests and of the site need, in one go

# A virtual environment without the venv module: Debian's python3 is externally managed and may lack ensurepip.
$(BIN)/python: | constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "neonsim needs Python 3.11 or newer; $(PYTHON) is older. Use: make PYTHON=/path/to/python3 ..."; exit 1; }
	@$(PYTHON) -m pip --version >/dev/null || \
	  { echo "$(PYTHON) has no pip. On Debian and Ubuntu: apt-get install python3-pip"; exit 1; }
	@echo "Setting up $(VENV): once, half a minute to two, from the network"
	$(PYTHON) -m pip --disable-pip-version-check install --quiet --upgrade --target .tools -c constraints.txt virtualenv
	PYTHONPATH=.tools $(PYTHON) -m virtualenv --quiet $(VENV)

# The build tools live in the environment (no isolated build), so that the C library can be built again without a network.
$(VENV)/.tools: $(BIN)/python $(SETTINGS)
	$(PIP) install --quiet -c constraints.txt scikit-build-core cmake ninja
	@touch $@

# One editable install for each set of extras. Python compiles the modules that are used when they are used: all of them take longer
# than fetching them.
EXTRAS_demo :=
EXTRAS_test := [test,lab,browser]
EXTRAS_lab  := [lab]
EXTRAS_site := [test,lab,models,site]
EXTRAS_wheels := [wheels]
EXTRAS_slow := [test,lab,browser,oracle,outside]
EXTRAS_setup := [test,lab,browser,models,site,oracle,outside]
EXTRAS_nightly := [test,lab,browser,hosts,oracle,outside,digits,wheels,site]
ENVIRONMENTS := $(addprefix $(VENV)/.,demo test lab site wheels slow setup nightly)
# The library is built before: an editable install builds it as well, and finds it done then.
$(ENVIRONMENTS): $(VENV)/.tools $(VENV)/.modules | build/native/.built
	$(PIP) install --quiet --no-compile -c constraints.txt --no-build-isolation -e '.$(EXTRAS_$(@F:.%=%))'
	@touch $(if $(filter .setup,$(@F)),$(addprefix $(VENV)/.,demo test lab site slow)) $@

# An editable install remembers which modules there were: after a pull that adds or renames one it is made again.
$(VENV)/.modules: FORCE | $(BIN)/python
	@$(BIN)/python -c "from pathlib import Path; p, s = Path('$@'), '\n'.join(sorted(map(str, Path('neonsim').rglob('*.py')))); \
	  p.exists() and p.read_text() == s or p.write_text(s)"
FORCE:

# The library is built here and not left to pip, so that an error in C stops make and an edit is never forgotten.
# Without a compiler no stamp is left, so that one that arrives later is found (--fresh: what CMake remembers is wrong then).
build/native/.built: $(NATIVE_SOURCES) $(VENV)/.tools
	@if [ -z "$(CC)" ]; then \
	  echo "No C compiler found: going on without the native backend (on Debian and Ubuntu: apt-get install gcc)."; \
	else \
	  $(RUN) cmake $(if $(wildcard $@),,--fresh) -S native -B build/native -G Ninja -DCMAKE_BUILD_TYPE=Release \
	    -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" --log-level=WARNING >/dev/null && \
	  $(RUN) cmake --build build/native --target neonsim -- --quiet && touch $@; \
	fi

# ---- the rest -------------------------------------------------------------------------------------------------------

native-threads: $(VENV)/.tools ## those of threads, with TSan
	$(RUN) cmake -S native -B build/sanitized-threads -G Ninja -DNEONSIM_SANITIZE_THREADS=ON --log-level=WARNING
	$(RUN) cmake --build build/sanitized-threads --target neonsim_driver
	$(RUN) ctest --test-dir build/sanitized-threads --output-on-failure -R 'networks|threads'

wasm: build/wasm/neonsim.wasm ## the C library as WebAssembly with SIMD128 (docs/families.md)

build/wasm/neonsim.wasm: $(NATIVE_SOURCES) $(VENV)/.tools
	@for tool in clang wasm-ld; do command -v $$tool >/dev/null 2>&1 || { \
	  echo "No $$tool here. On Debian and Ubuntu: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32"; exit 1; }; done
	@echo '#include <stdlib.h>' | clang --target=wasm32-wasi -E - >/dev/null 2>&1 || { \
	  echo "No C library for WASI here. On Debian and Ubuntu: apt-get install wasi-libc"; exit 1; }
	$(RUN) cmake $(if $(wildcard $@),,--fresh) -S native -B build/wasm -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
	  -DCMAKE_TOOLCHAIN_FILE="$(CURDIR)/native/cmake/wasm32-wasi.cmake" --log-level=WARNING >/dev/null
	$(RUN) cmake --build build/wasm -- --quiet
	@touch $@

native-check: $(VENV)/.tools ## its own tests, with ASan and UBSan
	$(RUN) cmake -S native -B build/sanitized -G Ninja -DNEONSIM_SANITIZE=ON --log-level=WARNING
	$(RUN) cmake --build build/sanitized
	$(RUN) ctest --test-dir build/sanitized --output-on-failure

wheel: $(VENV)/.test ## wheel and sdist into dist/
	$(BIN)/python -m build --no-isolation --outdir dist .

wheels: $(VENV)/.wheels ## wheels for other machines too, into dist/ (Linux, Windows, macOS, pure Python: native/wheels/README.md)
	$(RUN) $(BIN)/python -m native.wheels $(WHEELS)

# Cross compilers and QEMU user mode judge the kernels, Chromium the pages, llvm-mca stands beside the cost models. Without them their tests are skipped, and say so.
# Node.js is for `make lint`; where it is there from elsewhere, Debian's would be in its way.
SYSTEM_COMMANDS := qemu-aarch64 qemu-arm aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc chromium clang valgrind \
                   llvm-mca wasm-ld node npm
SYSTEM_PACKAGES := qemu-user gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf libc6-dev-arm64-cross libc6-dev-armhf-cross \
                   binutils-aarch64-linux-gnu binutils-arm-linux-gnueabihf chromium fonts-dejavu-core \
                   clang valgrind llvm lld wasi-libc libclang-rt-dev-wasm32 $(if $(shell command -v npm 2>/dev/null),,nodejs npm)
system-packages: ## what the tests like to find (apt)
	@missing=; for c in $(SYSTEM_COMMANDS); do command -v $$c >/dev/null 2>&1 || missing="$$missing $$c"; done; \
	if [ -z "$$missing" ]; then echo "system packages: nothing is missing"; exit 0; fi; \
	echo "missing:$$missing"; \
	if ! command -v apt-get >/dev/null 2>&1; then \
	  echo "No apt-get here. Install what corresponds to: $(SYSTEM_PACKAGES)"; \
	  echo "(QEMU user mode, GCC for aarch64 and armhf Linux, Clang, LLVM's tools and linker, a C library for WASI, Valgrind, Chromium, the DejaVu fonts, Node.js with npm). Tests that need them are skipped."; \
	  exit 1; fi; \
	sudo=; [ "$$(id -u)" = 0 ] || { sudo=sudo; command -v sudo >/dev/null 2>&1 || \
	  { echo "As root, please: apt-get install $(SYSTEM_PACKAGES)"; exit 1; }; }; \
	$$sudo apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $(SYSTEM_PACKAGES)

clean: ## forget .venv, .tools, node_modules and build, but for work in build/course
	rm -rf $(VENV) .tools $(filter-out build/course,$(wildcard build/* build/.[!.]*)) dist $(NODE_MODULES)
