# armdyn: `make` builds, `make demo` shows, `make test` tests; `make help` lists the rest.
# On a bare Debian 12 or 13 both `make demo` and `make test` first install what is missing (deploy/dependencies.txt).

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---------------------------------------------------------------- what may be set: make CC=clang, make install PREFIX=/usr
CC           ?= gcc
ifeq ($(origin CC),default)
CC           := gcc
endif
# The newest of a release is not the best known: the one that Debian 12 or 13 calls its own.
CLANG        ?= $(firstword $(foreach one,clang-14 clang-19 clang,$(if $(shell command -v $(one)),$(one))) clang)
PYTHON       ?= /usr/bin/python3
PREFIX       ?= /usr/local
DESTDIR      ?=
BUILD        ?= build
VARIANT      ?= release
FUZZ_SECONDS ?= 600
RELEASE      ?= trixie
ARCHES       ?= amd64
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)

VERSION      := $(shell sed -n 's/.*ARMDYN_VERSION "\(.*\)"/\1/p' lib/include/armdyn/armdyn.h)
SOVERSION    := $(firstword $(subst ., ,$(VERSION)))

# ---------------------------------------------------------------- variants: the same tree built with other flags, each in a folder of its own
# Sanitizers do not see what is read before it was written; what it holds by chance must not be what it should.
PATTERN       := -ftrivial-auto-var-init=pattern
FLAGS_release := -O3 -g -DNDEBUG
FLAGS_asan    := -O2 -g1 $(PATTERN) -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g1 -fsanitize=thread -fno-omit-frame-pointer
FLAGS_fuzz    := -O1 -g1 $(PATTERN) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_arm64   := $(FLAGS_release)
OUT           := $(if $(filter release,$(VARIANT)),$(BUILD),$(BUILD)/$(VARIANT))
ifeq ($(VARIANT),fuzz)
override CC   := $(CLANG)
endif

# Another machine's programs: CROSS is the prefix of Debian's tools for it, SYSROOT the folder that holds a Debian of it, or nothing
# where its libraries lie beside one's own. Of VARIANT=arm64 (deploy/dist/sysroot.py makes the folder) the programs look there for their
# libraries, so that they run here, by qemu.
TRIPLET_arm64 := aarch64-linux-gnu
SYSROOT_arm64  = $(abspath $(BUILD))/sysroot/arm64
TRIPLET       := $(TRIPLET_$(VARIANT))
CROSS         ?= $(TRIPLET:%=%-)
SYSROOT       ?= $(SYSROOT_$(VARIANT))
ifneq ($(CROSS),)
override CC   := $(CROSS)gcc $(SYSROOT:%=--sysroot=%)
PKG_CONFIG    := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(CROSS:%-=%)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
endif
ifneq ($(SYSROOT),)
SYSROOT_LIBS  := $(addprefix $(SYSROOT)/usr/lib/$(TRIPLET),/ /blas /lapack)
SYSROOT_LINK  := -Wl,--disable-new-dtags $(SYSROOT_LIBS:%=-Wl,-rpath,%) $(SYSROOT_LIBS:%=-Wl,-rpath-link,%) -Wl,--dynamic-linker,$(SYSROOT)/lib/ld-linux-aarch64.so.1
endif
PKG_CONFIG    ?= pkg-config

# What listens to a network is hardened; the kernels of lib keep their speed.
HARDEN_release := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
HARDEN_arm64   := $(HARDEN_release)
HARDEN_link    := -Wl,-z,relro,-z,now

# The constants of an enum are what C17 has for integers that are known when it is compiled; clang 19 minds them beside a double.
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(findstring clang-19,$(CC)),-Wno-enum-float-conversion) $(if $(CI),-Werror)
# Multiply and add are fused by the kernels for vector units alone, as on amd64, whose other code has no such instruction: so both
# compute the same numbers.
CONTRACT  := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),fast,off)
CFLAGS    := -std=c17 -fPIC -fno-math-errno -fno-trapping-math -ffp-contract=$(CONTRACT) $(FLAGS_$(VARIANT)) $(WARNINGS)
XML       := -isystem $(patsubst -I%,%,$(firstword $(shell $(PKG_CONFIG) --cflags-only-I libxml-2.0 2>/dev/null) $(SYSROOT)/usr/include/libxml2))
PQ        := -isystem $(SYSROOT)/usr/include/postgresql
CPPFLAGS  := -I. -Ilib/include -include lib/banned.h -D_GNU_SOURCE $(XML) -MMD -MP
LDFLAGS   := $(filter -fsanitize%,$(FLAGS_$(VARIANT))) $(HARDEN_link) $(SYSROOT_LINK)
LIB_LIBS  := -lm
API_LIBS  := $(LIB_LIBS) -lxml2 -lcjson
LIBS      := $(API_LIBS) -lmicrohttpd -lsqlite3 -lpq -lmodbus -lsodium -lcurl -lmosquitto -lgnutls -lnettle -lz -lpthread

# ---------------------------------------------------------------- the rooms
LIB_SRC    := $(sort $(wildcard lib/*/*.c))
API_SRC    := $(sort $(wildcard api/*.c api/*/*.c))
SERVER_SRC := $(filter-out server/main.c,$(sort $(wildcard server/*/*.c)))
LIB_OBJ    := $(LIB_SRC:%.c=$(OUT)/obj/%.o)
WEB        ?= build/web
API_OBJ    := $(API_SRC:%.c=$(OUT)/obj/%.o) $(OUT)/obj/api/contract.o
SERVER_OBJ := $(SERVER_SRC:%.c=$(OUT)/obj/%.o) $(OUT)/obj/server/web/pages.o
MAIN_OBJ   := $(OUT)/obj/server/main.o
ROOMS      := $(OUT)/libserver.a $(OUT)/libapi.a $(OUT)/liblib.a

# Goals that people type side by side (`make lint` beside `make test`) need the same objects: one builds them, the other waits.
LOCK = mkdir -p $(BUILD) && flock $(BUILD)/lock

# A newcomer without the libraries learns what is missing before the compiler stumbles; a goal that installs them first says so itself.
.PHONY: all build
all:
	$(if $(CROSS),,@deploy/deps --check build)
	@$(LOCK) $(MAKE) build
build: $(if $(wildcard server/main.c),$(OUT)/armdyn) $(OUT)/libarmdyn.so $(OUT)/libarmdyn.a $(ROOMS)

# Other flags than last time rebuild everything.
COMMAND := $(CC) $(CPPFLAGS) $(CFLAGS) $(HARDEN_$(VARIANT))
$(OUT)/obj/flags: always
	@mkdir -p $(@D)
	@echo '$(COMMAND)' | cmp -s - $@ || echo '$(COMMAND)' >$@
.PHONY: always
always:

# These say themselves what stands in a vector; GCC's own vectors in between cost single calls a third of their time. Under
# AddressSanitizer a third of the time to compile them is spent on the last tenth of their speed.
$(OUT)/obj/lib/dynamics/lanes_%.o: CFLAGS += -fno-tree-vectorize $(if $(filter asan,$(VARIANT)),-O1)
$(addprefix $(OUT)/obj/lib/,dynamics/lanes_neon.o math/band_neon.o math/triangle.o): CFLAGS += -ffp-contract=fast

$(API_OBJ) $(SERVER_OBJ) $(MAIN_OBJ): HARDEN := $(HARDEN_$(VARIANT))
$(SERVER_OBJ): CPPFLAGS += $(PQ)
$(OUT)/obj/%.o: %.c $(OUT)/obj/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDEN) -c $< -o $@

# Migrations are built into the store (.incbin).
$(OUT)/generated/server/store/migrations.h: server/store/migrations.py $(wildcard migrations/*.sql migrations/*/*.sql)
	@mkdir -p $(@D)
	$(PYTHON) server/store/migrations.py $(@D)
$(OUT)/obj/server/store/migrations.o: CPPFLAGS += -I$(OUT)/generated
$(OUT)/obj/server/store/migrations.o: $(OUT)/generated/server/store/migrations.h

# So is the controller's program, for `armdyn registers`.
$(OUT)/obj/server/cmd/structured_text.o: examples/controllers/controller.st

# And what is new, for GET /v1/version and `armdyn upgrade --check`.
$(OUT)/obj/server/release/notes.o: CHANGELOG.md

# GET /v1/version tells what it was built from; a build without the history is told by COMMIT=, or says "unknown".
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
$(OUT)/obj/commit: always
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
$(OUT)/obj/server/routes/system.o: $(OUT)/obj/commit
$(OUT)/obj/server/routes/system.o: HARDEN += -DARMDYN_COMMIT='"$(COMMIT)"'

# Lists of the C code that the contract and the pages repeat.
$(BUILD)/lists: always
	@mkdir -p $(@D)
	@$(PYTHON) api/lists.py $@

# The contract, bundled into one file that the binary carries.
$(OUT)/openapi.json: api/bundle.py api/lists.py api/limits.py api/limits.h $(BUILD)/lists api/openapi.yaml api/results.yaml api/webhooks.yaml $(wildcard api/paths/*.yaml api/schemas/*.yaml)
	@mkdir -p $(@D)
	$(PYTHON) api/bundle.py $@
$(OUT)/generated/api/calls.h: $(OUT)/openapi.json api/calls.py
	@mkdir -p $(@D)
	$(PYTHON) api/calls.py $< $@ $(@D)/read_only.h
# What is ignored of a body that is put: rows of these tables.
READ_ONLY := $(addprefix $(OUT)/obj/,$(addprefix api/codec/,carried.o cell.o controller.o robot.o webhook.o) api/dataset/mapping.o \
               $(addprefix server/routes/,aliases.o controller_part.o))
$(READ_ONLY): CPPFLAGS += -I$(OUT)/generated
$(READ_ONLY): | $(OUT)/generated/api/calls.h
# What the service says in the language of the pages, for its reports.
$(OUT)/generated/api/report/sentences_table.h: api/report/sentences.py api/report/sentences.zh.json
	@mkdir -p $(@D)
	$(PYTHON) api/report/sentences.py $@
$(OUT)/obj/api/report/sentences.o: CPPFLAGS += -I$(OUT)/generated
$(OUT)/obj/api/report/sentences.o: $(OUT)/generated/api/report/sentences_table.h
$(OUT)/generated/api/limits_table.h: api/limits.py api/limits.h
	@mkdir -p $(@D)
	$(PYTHON) api/limits.py $@
$(OUT)/obj/server/routes/limits.o: CPPFLAGS += -I$(OUT)/generated
$(OUT)/obj/server/routes/limits.o: $(OUT)/generated/api/limits_table.h
$(OUT)/obj/server/routes/routes.o: CPPFLAGS += -I$(OUT)/generated
$(OUT)/obj/server/routes/routes.o: $(OUT)/generated/api/calls.h
$(OUT)/clients/armdyn.py: $(OUT)/openapi.json api/client.py api/client_head.py api/calls.py
	@mkdir -p $(@D)
	$(PYTHON) api/client.py $< $@
$(OUT)/obj/api/contract.o: api/contract.S $(OUT)/openapi.json $(OUT)/clients/armdyn.py
	@mkdir -p $(@D)
	$(CC) -DCONTRACT='$(OUT)/openapi.json' -DCLIENT='$(OUT)/clients/armdyn.py' -c $< -o $@

# The pages, made once for all variants and compilers, and carried by the binary. Without Node.js or what npm fetches it has
# none and says so at /; `make pages` tries again.
WEB_SRC := $(wildcard server/web/*.* server/web/src/*.* server/web/src/*/*.* tests/data/robots/*.json) server/web/build api/report/sentences.zh.json
$(WEB)/pages.S: $(WEB_SRC) $(BUILD)/lists
	@server/web/build $(abspath $(WEB))
$(OUT)/obj/server/web/pages.o: $(WEB)/pages.S
	@mkdir -p $(@D)
	$(CC) -c $< -o $@

$(OUT)/liblib.a: $(LIB_OBJ)
$(OUT)/libapi.a: $(API_OBJ)
$(OUT)/libserver.a: $(SERVER_OBJ)
$(ROOMS):
	@rm -f $@
	$(CROSS)ar rcs $@ $^

# What is installed is a guest in programs that have names of their own: those by which rooms of lib call each other get a
# prefix.
$(OUT)/libarmdyn.a: $(OUT)/liblib.a
	$(CROSS)nm -g --defined-only -P $< | awk 'NF > 1 && $$1 !~ /^armdyn_/ { print $$1, "armdyn_internal_" $$1 }' | sort -u >$(OUT)/obj/internal
	$(CROSS)objcopy --redefine-syms=$(OUT)/obj/internal $< $@

$(OUT)/libarmdyn.so: $(LIB_OBJ) lib/armdyn.map
	$(CC) -shared -Wl,-soname,libarmdyn.so.$(SOVERSION) -Wl,--version-script=lib/armdyn.map $(LDFLAGS) $(LIB_OBJ) $(LIB_LIBS) -o $@

$(OUT)/armdyn: $(MAIN_OBJ) $(ROOMS) server/exported.map
	$(CC) $(LDFLAGS) -Wl,--version-script=server/exported.map $(MAIN_OBJ) $(ROOMS) $(LIBS) -o $@

# ---------------------------------------------------------------- programs of tests: one for every file
# tests/unit/<room>/test_<subject>.c (Criterion) · tests/tsan/<subject>.c (plain main) · tests/fuzz/fuzz_<target>.c (libFuzzer)
# tests/bench/bench_<subject>.c (prints "name value unit better" lines)
UNIT_SRC  := $(sort $(wildcard tests/unit/*/test_*.c))
TSAN_SRC  := $(sort $(wildcard tests/tsan/*.c))
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/bench_*.c tests/bench/peer_*.c tests/bench/client_*.c))
comma     := ,
programs   = $(patsubst %.c,$(OUT)/%,$(1))

# To compile a unit test takes longer than to run its own code; but those of identify simulate their logs themselves.
UNIT_FLAGS_release := -O1
UNIT_FLAGS_arm64   := -O1
UNIT_FLAGS_asan    := -O0
$(call programs,$(filter-out tests/unit/identify/%,$(UNIT_SRC))): TEST_FLAGS := $(UNIT_FLAGS_$(VARIANT))

NO_CERTIFICATES := $(OUT)/obj/tests/support/no_certificates.o
$(call programs,$(UNIT_SRC)):  $(NO_CERTIFICATES)
$(call programs,$(UNIT_SRC)):  TEST_LIBS := $(NO_CERTIFICATES) $(addprefix -Wl$(comma)--export-dynamic-symbol=mbedtls_x509_crt_parse_,file path) -lcriterion
$(call programs,$(FUZZ_SRC)):  TEST_LIBS := -fsanitize=fuzzer
# LAPACK is the judge of lib/math, and of nothing else.
$(OUT)/tests/unit/math/test_lapack: TEST_LIBS += -llapacke

# The peer of bench_dynamics.c is C++: everything of it stays in one object.
$(OUT)/tests/bench/bench_dynamics: TEST_LIBS += $(OUT)/obj/kdl.o -lorocos-kdl -lstdc++
$(OUT)/tests/bench/bench_dynamics: $(OUT)/obj/kdl.o
# IPOPT is a yardstick of bench_ipopt.c, and of nothing else.
$(OUT)/tests/bench/bench_ipopt: TEST_LIBS += -lipopt
$(OUT)/tests/bench/bench_ipopt: CPPFLAGS += -isystem /usr/include/coin
# OMPL's verdicts are in tests/data/ways; nothing builds this by itself.
$(OUT)/ompl_ways: tests/support/ompl_ways.cpp
	$(CXX) -std=c++17 -O2 -Wall -Wextra -isystem /usr/include/ompl-1.5 -isystem /usr/include/eigen3 $< -lompl -o $@
$(OUT)/obj/kdl.o: tests/bench/kdl.cpp tests/bench/kdl.h $(OUT)/obj/flags
	$(CXX) -std=c++17 -Wall -Wextra $(FLAGS_$(VARIANT)) -I. -Ilib/include -isystem /usr/include/eigen3 -c $< -o $@

# Compiled apart from linking, so that a compiler cache (ccache before it in PATH) knows the tests too.
TEST_OBJ := $(patsubst %.c,$(OUT)/obj/%.o,$(UNIT_SRC) $(TSAN_SRC) $(FUZZ_SRC) $(BENCH_SRC))
.SECONDARY: $(TEST_OBJ)
$(TEST_OBJ): $(OUT)/obj/tests/%.o: tests/%.c $(OUT)/obj/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(CFLAGS)) $(TEST_FLAGS) -c $< -o $@

# A program is started anew for each of its tests: so it loads what it needs, and no more. They are many: the quick linker where it is.
TEST_LINK := -Wl,--as-needed $(if $(CROSS),,$(if $(shell command -v ld.lld),-fuse-ld=lld))
$(OUT)/tests/%: $(OUT)/obj/tests/%.o $(ROOMS)
	@mkdir -p $(@D)
	$(CC) $< $(LDFLAGS) $(TEST_LINK) $(ROOMS) $(TEST_LIBS) $(LIBS) -o $@

.PHONY: unit-programs tsan-programs fuzz-programs bench-programs
unit-programs:  $(call programs,$(UNIT_SRC))
tsan-programs:  $(call programs,$(TSAN_SRC))
fuzz-programs:  $(call programs,$(FUZZ_SRC))
bench-programs: $(call programs,$(BENCH_SRC))

# ---------------------------------------------------------------- what people type
help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 18

deps: ## install every package that building, testing, linting, measuring and the image need
	@deploy/deps build web demo test lint bench image

pages: ## build the pages again, fetching what is missing
	@rm -f $(WEB)/pages.S
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build

demo: ## start the service and a simulated controller, compute a motion, play it, stay up (DEMO_EXIT=1: end)
	@deploy/deps build web demo
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build
	@$(PYTHON) deploy/demo.py $(OUT)/armdyn

demo-cluster: ## two nodes and two worker nodes at a PostgreSQL of its own, of which a worker node and then the one that serves are killed (DEMO_EXIT=1: end)
	@deploy/deps build web test
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build
	@$(PYTHON) deploy/demo_cluster.py $(OUT)/armdyn

test: ## every test, quick versions (16 to 20 minutes on 2 cores, longer when nothing is compiled yet)
	@deploy/deps build web test
	@$(LOCK) $(MAKE) -j$(JOBS) --silent test-builds
	@$(PYTHON) tests/run.py

# Of the tests that any service must pass, those that come by every table.
ON_POSTGRESQL := $(addprefix tests/contract/test_,named_lists.py idempotency.py audit.py aliases.py activity.py keys.py jobs.py)
test-postgresql: ## tests of the store in PostgreSQL, and of the service on it
	@deploy/deps build test
	@$(LOCK) $(MAKE) build
	@ARMDYN_TEST_STORE=postgresql $(PYTHON) -m pytest -q tests/postgresql $(ON_POSTGRESQL)

test-other: ## build and test in the other Debian, made in build/other by mmdebstrap (SUITES="http-release fuzz" or all; OTHER_CC=clang-19)
	@deploy/deps other
	@$(PYTHON) tests/other.py --cc $(or $(OTHER_CC),gcc) $(SUITES)

test-bare: ## make demo in a Debian with make and git alone, in build/other (RELEASE=bookworm; GOALS="demo test": half an hour and more)
	@deploy/deps other
	@$(PYTHON) tests/other.py --bare --release $(RELEASE) $(GOALS)

test-arm64: ## cross-build for arm64, and test that by qemu (SUITES="unit-arm64 gateway-arm64"; without: units, contract, gateway)
	@deploy/deps build web test arm64
	@$(PYTHON) deploy/dist/sysroot.py $(BUILD)/sysroot/arm64
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build
	@$(LOCK) $(MAKE) -j$(JOBS) --silent VARIANT=arm64 build unit-programs
	@$(PYTHON) tests/run.py $(or $(SUITES),unit-arm64 contract-arm64 gateway-arm64)

check: ## what a small change needs, within a minute when the tree is built: units of its rooms, contract smoke, quick lint (BASE=main)
	@deploy/deps build test lint
	@$(PYTHON) tests/check.py $(or $(BASE),main)

mutants: ## do the tests notice wrong code? MUTANTS=400 seeded mutants (SEED=1), spread over the rooms; hours
	@deploy/deps build web test
	@$(PYTHON) tests/mutants.py

unit: ## the unit tests of this variant alone
	@$(LOCK) $(MAKE) -j$(JOBS) unit-programs
	@$(PYTHON) tests/run.py unit-$(VARIANT)

lint: ## formatting, static analysis, room walls, contract, documents
	@deploy/deps build web test lint
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build
	@$(PYTHON) tests/lint.py

bench: ## measure, print a table, write build/bench.json
	@deploy/deps build web test bench
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build bench-programs
	@$(PYTHON) tests/bench/run.py

soak: ## the long versions of the tests (ARMDYN_SOAK=1); with ARM64=1 also test-arm64
	@deploy/deps build web test soak
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build unit-programs
	@ARMDYN_SOAK=1 $(PYTHON) tests/run.py unit-release processes web
	$(if $(ARM64),@$(MAKE) --no-print-directory test-arm64)

fuzz: ## fuzz every target FUZZ_SECONDS long (default 600)
	@deploy/deps build web test
	@$(LOCK) $(MAKE) -j$(JOBS) --silent VARIANT=fuzz fuzz-programs
	@FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTHON) tests/run.py fuzz

image: ## build the OCI image localhost/armdyn with buildah or docker
	@deploy/image/build

image-test: ## build the image without a Docker daemon, run it, write, restart, stop
	@deploy/deps image
	@$(PYTHON) tests/run.py image

dist: ## packages, images, SBOM, manual and sums of what is committed, for hosts without a network, in build/dist (KEY=... signs; ARCHES=amd64,arm64)
	@deploy/deps dist $(if $(findstring arm64,$(ARCHES)),arm64)
	@rm -rf $(BUILD)/dist
	@$(PYTHON) deploy/dist/make.py --release $(RELEASE) --architectures $(ARCHES) $(if $(KEY),--key $(KEY)) $(BUILD)/dist

dist-test: ## make dist twice to the same bits, and use it where there is no network; a quarter of an hour on 2 cores
	@deploy/deps build web test image soak dist $(if $(findstring arm64,$(ARCHES)),arm64)
	@$(LOCK) $(MAKE) -j$(JOBS) --silent build
	@RELEASE=$(RELEASE) ARCHES=$(ARCHES) $(PYTHON) tests/run.py dist bundle

clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help deps pages demo demo-cluster test test-other test-bare test-arm64 check mutants unit lint bench soak fuzz image image-test dist dist-test clean test-builds install uninstall

test-builds:
	@$(MAKE) --no-print-directory build unit-programs
	@$(MAKE) --no-print-directory VARIANT=asan build unit-programs
	@$(MAKE) --no-print-directory VARIANT=tsan build tsan-programs
	@$(MAKE) --no-print-directory VARIANT=fuzz fuzz-programs

# ---------------------------------------------------------------- install
BIN       := $(DESTDIR)$(PREFIX)/bin
LIBDIR    ?= $(PREFIX)/lib
LIBS_IN   := $(DESTDIR)$(LIBDIR)
INCLUDE   := $(DESTDIR)$(PREFIX)/include/armdyn
DOC       := $(DESTDIR)$(PREFIX)/share/doc/armdyn
UNITS     := $(DESTDIR)$(PREFIX)/lib/systemd/system
MAN       := $(DESTDIR)$(PREFIX)/share/man/man1
DOCUMENTS := README.md LICENSE THIRD-PARTY.md $(wildcard deploy/doc/*.md deploy/doc/*.svg)
EXAMPLES  := $(wildcard examples/*.*)
PROGRAMS  := $(wildcard examples/controllers/*)
ORDERS    := $(wildcard examples/orders/*.*)

install: all ## into DESTDIR/PREFIX: command, library, headers, armdyn.pc, examples, manual, man page, systemd unit
	install -d $(BIN) $(LIBS_IN)/pkgconfig $(INCLUDE) $(DOC)/examples $(UNITS) $(MAN)
	install -m 755 $(OUT)/armdyn $(BIN)/armdyn
	install -m 644 $(OUT)/libarmdyn.a $(LIBS_IN)/libarmdyn.a
	install -m 755 $(OUT)/libarmdyn.so $(LIBS_IN)/libarmdyn.so.$(VERSION)
	ln -sf libarmdyn.so.$(VERSION) $(LIBS_IN)/libarmdyn.so.$(SOVERSION)
	ln -sf libarmdyn.so.$(SOVERSION) $(LIBS_IN)/libarmdyn.so
	install -m 644 $(wildcard lib/include/armdyn/*.h) $(INCLUDE)
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIB_LIBS)|' deploy/armdyn.pc.in >$(LIBS_IN)/pkgconfig/armdyn.pc
	sed 's|@PREFIX@|$(PREFIX)|' deploy/armdyn.service >$(UNITS)/armdyn.service
	$(PYTHON) deploy/manpage.py $(OUT)/armdyn $(PREFIX)/share/doc/armdyn $(MAN)/armdyn.1 && chmod 644 $(MAN)/armdyn.1
	install -m 644 $(DOCUMENTS) $(DOC)
	$(if $(EXAMPLES),install -m 644 $(EXAMPLES) $(DOC)/examples)
	install -d $(DOC)/examples/controllers $(DOC)/examples/orders
	install -m 644 $(PROGRAMS) $(DOC)/examples/controllers
	install -m 644 $(ORDERS) $(DOC)/examples/orders

uninstall: ## what install put there
	rm -rf $(INCLUDE) $(DOC)
	rm -f $(BIN)/armdyn $(LIBS_IN)/libarmdyn.a $(LIBS_IN)/libarmdyn.so* $(LIBS_IN)/pkgconfig/armdyn.pc $(UNITS)/armdyn.service $(MAN)/armdyn.1

-include $(shell find $(OUT)/obj $(OUT)/tests -name '*.d' 2>/dev/null)
