# fmc: `make demo`, `make check`, `make bench`, `make install PREFIX=/usr/local`; variables: CC, SANITIZE=1, BUILD
.DEFAULT_GOAL := all

VERSION := 0.1.0
PREFIX ?= /usr/local
CC ?= cc
BUILD ?= build$(if $(SANITIZE),/sanitize)
PACKAGES := libdw libelf libunwind-ptrace libunwind-generic capstone jansson

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARNINGS) $(CFLAGS) -Iinclude -I. -D_GNU_SOURCE -DFMC_VERSION='"$(VERSION)"' -MMD -MP
LIBS = $(shell pkg-config --libs $(PACKAGES)) -lm
ifdef SANITIZE
ALL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=address,undefined
endif

# The layers in their order: each may use those before it, never those behind it.
LAYERS := tracer breakpoints supervisor replay
tracer_SOURCES := $(wildcard tracer/*.c)
breakpoints_SOURCES := $(wildcard breakpoints/*.c)
supervisor_SOURCES := $(wildcard supervisor/*.c)
replay_SOURCES := $(wildcard replay/*.c)
cli_SOURCES := $(wildcard supervisor/cli/*.c)

objects = $(patsubst %.c,$(BUILD)/%.o,$($(1)_SOURCES))
archive = $(BUILD)/lib$(1).a
ARCHIVES := $(foreach layer,replay supervisor breakpoints tracer,$(call archive,$(layer)))

all: $(BUILD)/fmc

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

define layer_rule
$(call archive,$(1)): $(call objects,$(1))
	@rm -f $$@
	ar rcs $$@ $$^
endef
$(foreach layer,$(LAYERS),$(eval $(call layer_rule,$(layer))))

$(BUILD)/fmc: $(call objects,cli) $(ARCHIVES)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

clean:
	rm -rf build

.PHONY: all clean
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
