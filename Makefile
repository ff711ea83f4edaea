# armdyn: `make` builds, `make demo` shows, `make test` tests; `make help` lists the rest.
# On a bare Debian 12 both `make demo` and `make test` first install what is missing (deploy/dependencies.txt).

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

CC        ?= gcc
ifeq ($(origin CC),default)
CC        := gcc
endif
PYTHON    ?= /usr/bin/python3
PREFIX    ?= /usr/local
DESTDIR   ?=
BUILD     ?= build
VARIANT   ?= release
VERSION   := $(shell sed -n 's/.*ARMDYN_VERSION "\(.*\)"/\1/p' lib/include/armdyn/armdyn.h)

# Every variant is the same tree built with other flags, in a folder of its own.
FLAGS_release := -O3 -g -DNDEBUG
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
OUT           := $(if $(filter release,$(VARIANT)),$(BUILD),$(BUILD)/$(VARIANT))

WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(CI),-Werror)
CFLAGS    := -std=c17 -fPIC -fvisibility=default -fno-math-errno -fno-trapping-math $(FLAGS_$(VARIANT)) $(WARNINGS)
CPPFLAGS  := -I. -Ilib/include -include lib/banned.h -D_GNU_SOURCE -MMD -MP
LDFLAGS   := $(filter -fsanitize%,$(FLAGS_$(VARIANT)))
PACKAGES  := libmicrohttpd sqlite3 libmodbus libsodium
API_LIBS  := -lm
LIBS      := $(API_LIBS) -lmicrohttpd -lsqlite3 -lmodbus -lsodium -lpthread

LIB_SRC    := $(sort $(wildcard lib/*/*.c))
API_SRC    := $(sort $(wildcard api/*.c api/*/*.c))
SERVER_SRC := $(filter-out server/main.c,$(sort $(wildcard server/*/*.c)))
LIB_OBJ    := $(LIB_SRC:%.c=$(OUT)/obj/%.o)
API_OBJ    := $(API_SRC:%.c=$(OUT)/obj/%.o)
SERVER_OBJ := $(SERVER_SRC:%.c=$(OUT)/obj/%.o)
MAIN_OBJ   := $(OUT)/obj/server/main.o

.PHONY: all
all: $(OUT)/armdyn $(OUT)/libarmdyn.so

$(OUT)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(OUT)/libarmdyn.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(OUT)/libarmdyn.so: $(LIB_OBJ)
	$(CC) -shared -Wl,-soname,libarmdyn.so.0 $(LDFLAGS) $^ -lm -o $@

# The API's codecs and the server, as archives that the tests link too.
$(OUT)/libapi.a: $(API_OBJ)
	@rm -f $@
	ar rcs $@ $^
$(OUT)/libserver.a: $(SERVER_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(OUT)/armdyn: $(MAIN_OBJ) $(OUT)/libserver.a $(OUT)/libapi.a $(OUT)/libarmdyn.a
	$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

# One Criterion program for every file of tests/unit/<room>/: test_<subject>.c.
UNIT_SRC := $(sort $(wildcard tests/unit/*/*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(OUT)/tests/unit/%)
$(OUT)/tests/unit/%: tests/unit/%.c $(OUT)/libserver.a $(OUT)/libapi.a $(OUT)/libarmdyn.a Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(CFLAGS)) $< $(LDFLAGS) $(OUT)/libserver.a $(OUT)/libapi.a $(OUT)/libarmdyn.a -lcriterion $(LIBS) -o $@

.PHONY: unit
unit: $(UNIT_BIN)
	@set -e; for t in $(UNIT_BIN); do echo "$$t"; $$t -j2; done

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)
