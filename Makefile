# fmc: `make demo`, `make check`, `make check-long`, `make check-quick`, `make check-sanitized`, `make bench`, `make tables`, `make programs`, `make programs-inside`, `make fuzz`,
# `make install PREFIX=/usr/local DESTDIR=`, `make uninstall`, `make deb`, `make clean`. Variables: CC, CXX, CFLAGS, BUILD (folder), SANITIZE=1 (address and undefined
# behaviour sanitizers), TABLES (which of `make tables`), PROGRAMS (which of `make programs` and `make programs-inside`).
.DEFAULT_GOAL := all

VERSION := 0.1.0
PREFIX ?= /usr/local
CXX ?= c++
BUILD ?= build$(if $(SANITIZE),/sanitize)
PACKAGES := libdw libelf libunwind-generic capstone jansson

WARNINGS := -Wall -Wextra -Werror -Wshadow
C_WARNINGS := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(C_WARNINGS) $(CPPFLAGS) $(CFLAGS) -Iinclude -I. -D_GNU_SOURCE -DFMC_VERSION='"$(VERSION)"' -MMD -MP
# libstdc++ for the names of C++ functions: referred to weakly, so it has to be asked for.
LIBS = $(eval LIBS := $(shell pkg-config --libs $(PACKAGES)) -lm -Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state)$(LIBS)
CHECK_LIBS = $(eval CHECK_LIBS := $(shell pkg-config --libs check))$(CHECK_LIBS)
# A hundred tests are linked: by a linker that takes half of the time, where there is one.
TEST_LDFLAGS := $(if $(shell command -v ld.gold),-fuse-ld=gold)
ALL_LDFLAGS = $(LDFLAGS)
ifdef SANITIZE
ALL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=address,undefined
endif

# The layers in their order, and the rooms of each in theirs: each may use those before it, never those after it.
LAYERS := tracer breakpoints supervisor replay
tracer_ROOMS := proc kept tracee target contents answers copy snapshot held image_file foreign origin inside beside
breakpoints_ROOMS := op symbols unwind instructions stubs effects sites names expression calls traps entries leads sampler waits python reach inspect
supervisor_ROOMS := state objects memory threads model trace policy certificate order tree dpor search execution finding process uses drive way signals before accesses lives calls run handlers perform starts engine temporal property foreign diagnosis
replay_ROOMS := text schedule certificate minimize export timeline backwards packets gdb picture
# The commands are at the root of all: they put the layers together.
cli_ROOMS := output options session verdict watch kept workers explore phases check attach commands
ROOMS := $(foreach layer,$(LAYERS),$($(layer)_ROOMS:%=$(layer)/%)) $(cli_ROOMS:%=supervisor/cli/%)
$(foreach layer,$(LAYERS),$(eval $(layer)_SOURCES := $(foreach room,$($(layer)_ROOMS),$(wildcard $(layer)/$(room)/*.c))))
cli_SOURCES := $(foreach room,$(cli_ROOMS),$(wildcard supervisor/cli/$(room)/*.c))

objects = $(patsubst %.c,$(BUILD)/%.o,$($(1)_SOURCES))
archive = $(BUILD)/lib$(1).a
ARCHIVES := $(foreach layer,replay supervisor breakpoints tracer,$(call archive,$(layer)))

all: $(BUILD)/fmc $(BUILD)/libfmc-tsan.a
archives: $(ARCHIVES)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

# The assembler puts these into the program, which the compiler's dependencies don't tell.
$(BUILD)/replay/picture/page.o: $(wildcard replay/picture/page/*)

define layer_rule
$(call archive,$(1)): $(call objects,$(1))
	@rm -f $$@
	ar qcs $$@ $$^
endef
$(foreach layer,$(LAYERS),$(eval $(call layer_rule,$(layer))))

# In libcapstone's tables the loader has 77,000 pointers to fill in each time that fmc starts, which takes longer than all else until then. Without
# a distribution's own options (LDFLAGS) the library is put into fmc where it can be, and fmc is linked for one place, so that there are none.
CAPSTONE := $(if $(LDFLAGS)$(SANITIZE),,$(wildcard $(shell $(CC) -print-file-name=libcapstone.a)))
$(BUILD)/fmc: $(call objects,cli) $(ARCHIVES)
	$(CC) $(ALL_LDFLAGS) $(if $(CAPSTONE),-no-pie) $^ $(if $(CAPSTONE),$(subst -lcapstone,$(CAPSTONE),$(LIBS)),$(LIBS)) -o $@

# For programs that are compiled to tell of their accesses to memory: nothing of fmc's is in it.
POINTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard breakpoints/points/*.c))
$(POINTS): $(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) -O2 -fPIC -mcx16 -fno-builtin -fno-stack-protector -Iinclude -MMD -MP -c $< -o $@
$(BUILD)/libfmc-tsan.a: $(POINTS)
	@rm -f $@
	ar qcs $@ $^

# The agent: what is to run inside of targets, where there is no libc of its own. Its core is built from the same sources as fmc's, and it is
# linked for the one place where it is mapped. Of floating point and vector registers it uses none: they are the program's. gcc improves it as a whole,
# which makes an execution a fifth quicker; what has code of its own for the assembler, and what stands for the compiler's calls, stay apart. It is made of
# small functions, so more of them are put into each other than is usual; and without vectors the compiler's ways to copy and to clear are slow to begin.
AGENT_ADDRESS := 0x200000000000
comma := ,
AGENT_FLAGS = -std=gnu11 $(C_WARNINGS) $(CPPFLAGS) -O3 -g -Iinclude -I. -D_GNU_SOURCE -MMD -MP -ffreestanding -fPIE \
    -mgeneral-regs-only -mno-red-zone -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -U_FORTIFY_SOURCE $(AGENT_LTO)
AGENT_LTO := $(if $(findstring clang,$(CC)),,-flto --param max-inline-insns-auto=40 --param inline-unit-growth=100 \
    $(foreach call,memset memcpy,-m$(call)-strategy=unrolled_loop:320:noalign$(comma)libcall:-1:noalign))
AGENT_LINK = $(filter-out -MMD -MP,$(AGENT_FLAGS)) $(if $(AGENT_LTO),-flto-partition=none -flinker-output=pie) -nostdlib -static -no-pie -Wl,-Ttext-segment=$(AGENT_ADDRESS),-z,noexecstack,--build-id=none,--fatal-warnings
AGENT_CORE := $(wildcard $(patsubst %,supervisor/%/*.c,state objects memory threads model agent)) supervisor/trace/trace.c \
    supervisor/trace/good_ends.c breakpoints/op/op.c breakpoints/calls/result.c $(filter-out %/probability.c %/random_profile.c,$(wildcard supervisor/policy/*.c)) \
    $(filter-out %/states.c %/standstill.c,$(wildcard supervisor/execution/*.c))
agent_objects = $(patsubst %.c,$(BUILD)/agent/%.o,$(1))
$(BUILD)/agent/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(AGENT_FLAGS) -c $< -o $@
# These are what the compiler would otherwise make of their own loops.
$(BUILD)/agent/supervisor/agent/memory.o: AGENT_FLAGS += -fno-lto -fno-builtin -fno-tree-loop-distribute-patterns
$(BUILD)/agent/supervisor/inside/go.o: AGENT_FLAGS += -fno-lto
$(BUILD)/agent.image: $(call agent_objects,$(AGENT_CORE) $(wildcard supervisor/inside/*.c) breakpoints/calls/arguments.c breakpoints/calls/layout.c breakpoints/calls/decode_syscall.c breakpoints/sites/atomic.c tracer/proc/call_traits.c)
	@mkdir -p $(@D)
	$(CC) $(AGENT_LINK) -Wl,-e,agent_table $^ -o $@
# The assembler puts it into fmc.
$(BUILD)/supervisor/engine/image.o: $(BUILD)/agent.image
$(BUILD)/supervisor/engine/image.o: CPPFLAGS += -DAGENT_IMAGE='"$(BUILD)/agent.image"'
$(BUILD)/tests/agent.image: $(call agent_objects,$(AGENT_CORE) tests/agent/run_table.c tests/table/table.c)
	@mkdir -p $(@D)
	$(CC) $(AGENT_LINK) -Wl,-e,agent_enter $^ -o $@

# Samples, and the targets of unit tests: programs to be supervised, built as anybody's are.
TARGET_FLAGS := -Og -g -pthread -D_GNU_SOURCE
# C++20 where it is needed: to read its headers takes half as long again.
CXX_STANDARD = c++$(if $(filter $(NEED_CXX20),$<),20,17)
NEED_CXX20 := samples/atomic_wait.cc samples/cpp_semaphore.cc tests/targets/classes.cc tests/targets/unordered_cxx.cc
SAMPLES := $(patsubst %,$(BUILD)/%,$(basename $(wildcard samples/*.c samples/*.cc)))
COMPILED := $(patsubst %.c,$(BUILD)/%,$(shell grep -l '^ \* fmc-compiled:' samples/*.c))
SAMPLES += $(COMPILED:=.compiled) $(if $(shell command -v clang),$(COMPILED:=.compiled-clang))
SAMPLES += $(patsubst %.c,$(BUILD)/%.static,$(shell grep -l '^ \* fmc-static: yes' samples/*.c))
TARGET_HEADERS := $(wildcard tests/targets/*.h)
TARGETS := $(patsubst tests/targets/%.c,$(BUILD)/targets/%,$(wildcard tests/targets/*.c))
# Linked statically, too, where a test names it so.
TARGETS += $(filter $(TARGETS:=.static),$(addprefix $(BUILD)/targets/,$(sort $(shell grep -rhoE '[a-z0-9_]+\.static' tests/unit tests/*.sh))))
TARGETS += $(patsubst tests/targets/%.cc,$(BUILD)/targets/%,$(filter-out %/unordered_cxx.cc,$(wildcard tests/targets/*.cc)))
# Where variables are depends on how much the compiler improves.
IMPROVED := O0 O2
TARGETS += $(foreach level,$(IMPROVED),$(BUILD)/targets/members.$(level) $(BUILD)/targets/classes.$(level) \
	$(BUILD)/targets/spots.$(level))
TARGETS += $(BUILD)/targets/guards.O2 $(BUILD)/targets/frames.O2 $(BUILD)/targets/element.O2 $(BUILD)/targets/ahead.O2 $(BUILD)/targets/lingers.O2
TARGETS += $(foreach level,$(IMPROVED),$(BUILD)/targets/unordered.$(level) $(BUILD)/targets/unordered_cxx.$(level))
# The same without symbols, and with another libc where there is a compiler for it.
TARGETS += $(BUILD)/targets/waits.stripped $(BUILD)/targets/waits.static.stripped $(BUILD)/targets/members.stripped
TARGETS += $(BUILD)/targets/homemade.static.stripped
TARGETS += $(BUILD)/targets/unordered.stripped $(BUILD)/targets/unordered.static.stripped
TARGETS += $(BUILD)/targets/frames.stripped $(BUILD)/targets/frames.static.stripped
TARGETS += $(if $(shell command -v musl-gcc),$(BUILD)/targets/waits.musl)
# By the compiler whose debug information has no table of what covers which addresses.
TARGETS += $(if $(shell command -v clang),$(BUILD)/targets/members.clang)

# Plug-ins that describe operations of samples.
PLUGINS := $(patsubst samples/ops/%.c,$(BUILD)/samples/%.so,$(wildcard samples/ops/*.c))

samples: $(SAMPLES) $(PLUGINS)

PLUGIN_FLAGS := -Wno-unused-parameter -O2 -g -Iinclude -fPIC -shared
$(BUILD)/samples/%.so: samples/ops/%.c include/fmc/ops.h Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(PLUGIN_FLAGS) $< -o $@
$(BUILD)/tests/ops/%.so: tests/ops/%.c include/fmc/ops.h Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(PLUGIN_FLAGS) $< -o $@

$(BUILD)/samples/%: samples/%.c Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(TARGET_FLAGS) $< -o $@
$(BUILD)/samples/%: samples/%.cc Makefile
	@mkdir -p $(@D)
	$(CXX) -std=$(CXX_STANDARD) $(WARNINGS) $(TARGET_FLAGS) $< -o $@
$(BUILD)/samples/%.static: samples/%.c Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(TARGET_FLAGS) -static $< -o $@
# Compiled to tell of their accesses, as fmc-check(1) has it.
TELLS := -fsanitize=thread
WRAPS := -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset
$(BUILD)/samples/%.compiled: samples/%.c $(BUILD)/libfmc-tsan.a Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(TARGET_FLAGS) $(TELLS) -c $< -o $@.o
	$(CC) -pthread $@.o -L$(BUILD) -lfmc-tsan $(WRAPS) -o $@
$(BUILD)/samples/%.compiled-clang: samples/%.c $(BUILD)/libfmc-tsan.a Makefile
	@mkdir -p $(@D)
	clang -std=gnu11 $(C_WARNINGS) $(TARGET_FLAGS) $(TELLS) -mllvm -tsan-instrument-read-before-write=1 -c $< -o $@.o
	clang -pthread $@.o -L$(BUILD) -lfmc-tsan $(WRAPS) -o $@
$(BUILD)/targets/%: tests/targets/%.c $(TARGET_HEADERS) Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(WARNINGS) $(TARGET_FLAGS) $< -o $@
$(BUILD)/targets/%.static: tests/targets/%.c $(TARGET_HEADERS) Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(WARNINGS) $(TARGET_FLAGS) -static $< -o $@

$(BUILD)/targets/%: tests/targets/%.cc $(TARGET_HEADERS) Makefile
	@mkdir -p $(@D)
	$(CXX) -std=$(CXX_STANDARD) $(WARNINGS) $(TARGET_FLAGS) $< -o $@
define improved_rules
$(BUILD)/targets/%.$(1): tests/targets/%.c $(TARGET_HEADERS) Makefile
	@mkdir -p $$(@D)
	$(CC) -std=gnu11 $(WARNINGS) $(TARGET_FLAGS) -$(1) $$< -o $$@
$(BUILD)/targets/%.$(1): tests/targets/%.cc $(TARGET_HEADERS) Makefile
	@mkdir -p $$(@D)
	$(CXX) -std=$$(CXX_STANDARD) $(WARNINGS) $(TARGET_FLAGS) -$(1) $$< -o $$@
endef
$(foreach level,$(IMPROVED),$(eval $(call improved_rules,$(level))))

$(BUILD)/targets/%.stripped: $(BUILD)/targets/%
	strip -o $@ $<
$(BUILD)/targets/%.clang: tests/targets/%.c $(TARGET_HEADERS) Makefile
	@mkdir -p $(@D)
	clang -std=gnu11 $(WARNINGS) $(TARGET_FLAGS) $< -o $@
# The kernel's headers are among those of the system's libc.
$(BUILD)/targets/%.musl: tests/targets/%.c Makefile
	@mkdir -p $(@D)
	musl-gcc -std=gnu11 $(TARGET_FLAGS) -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu $< -o $@

# Unit tests: a program a file, in a folder for the layer that is tested, linked with that layer's archive and those below. The commands' objects without main() come as one more
# archive, the table machine (tests/table) as another.
units_of = $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard tests/unit/$(1)/test_*.c)))
UNITS := $(foreach part,$(LAYERS) cli,$(call units_of,$(part)))
TABLE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/table/*.c))
CLI_OBJECTS := $(filter-out $(BUILD)/supervisor/cli/commands/main.o,$(call objects,cli))

units: $(UNITS) $(TARGETS) $(BUILD)/tests/agent.image

$(BUILD)/tests/libcommands.a: $(CLI_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	ar qcs $@ $^
$(BUILD)/tests/libtable.a: $(TABLE_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	ar qcs $@ $^
unit_tracer := $(call archive,tracer)
unit_breakpoints := $(call archive,breakpoints) $(unit_tracer)
unit_supervisor := $(BUILD)/tests/libtable.a $(call archive,supervisor) $(unit_breakpoints)
unit_replay := $(BUILD)/tests/libtable.a $(ARCHIVES)
unit_cli := $(BUILD)/tests/libtable.a $(BUILD)/tests/libcommands.a $(ARCHIVES)
define unit_rule
$(call units_of,$(1)): $(BUILD)/tests/test_%: $(BUILD)/tests/unit/$(1)/test_%.o $(unit_$(1))
	$$(CC) $$(ALL_LDFLAGS) $$(TEST_LDFLAGS) $$^ $$(LIBS) $$(CHECK_LIBS) -o $$@
endef
$(foreach part,$(LAYERS) cli,$(eval $(call unit_rule,$(part))))
# The compiler takes half of the time for it, and what tests do in their own code is little.
$(BUILD)/tests/unit/%: ALL_CFLAGS += -Og

# Tools of the test scripts.
$(BUILD)/tests/json: tests/json.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(CFLAGS) -D_GNU_SOURCE $< $(shell pkg-config --libs jansson) -o $@
$(BUILD)/tests/debug_registers: tests/debug_registers.c tests/unit/debug_registers.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(CFLAGS) -D_GNU_SOURCE -I . $< -o $@
$(BUILD)/tests/early_ticks: tests/early_ticks.c $(BUILD)/libtracer.a
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(CFLAGS) -D_GNU_SOURCE -I include $^ -o $@
$(BUILD)/tests/perturb.so: tests/perturb.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) -Wno-missing-prototypes $(CFLAGS) -D_GNU_SOURCE -fPIC -shared $< -ldl -o $@
$(BUILD)/tests/peak: tests/peak.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(CFLAGS) -D_GNU_SOURCE $< -o $@
$(BUILD)/tests/bare: tests/bench/bare.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(CFLAGS) -D_GNU_SOURCE $< -o $@
$(BUILD)/tests/asleep $(BUILD)/tests/steps $(BUILD)/tests/dirty $(BUILD)/tests/touched $(BUILD)/tests/accesses $(BUILD)/tests/requests: $(BUILD)/tests/%: tests/bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(C_WARNINGS) $(TARGET_FLAGS) $< -o $@

$(BUILD)/tests/image: $(BUILD)/tests/bench/image.o $(BUILD)/libtracer.a
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(BUILD)/tests/search: $(BUILD)/tests/bench/search.o $(BUILD)/tests/libtable.a $(ARCHIVES)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(BUILD)/tests/walk $(BUILD)/tests/back $(BUILD)/tests/unwind $(BUILD)/tests/watched: $(BUILD)/tests/%: $(BUILD)/tests/bench/%.o $(ARCHIVES)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

tools: $(BUILD)/tests/json $(BUILD)/tests/debug_registers $(BUILD)/tests/early_ticks $(BUILD)/tests/peak $(BUILD)/tests/perturb.so $(patsubst tests/ops/%.c,$(BUILD)/tests/ops/%.so,$(wildcard tests/ops/*.c))

# Each layer alone, with only the archives that it may use: an upward call is an undefined reference.
lower_replay := supervisor breakpoints tracer
lower_supervisor := breakpoints tracer
lower_breakpoints := tracer
lower_tracer :=
link-%: $(ARCHIVES)
	@mkdir -p $(BUILD)/tests
	echo 'int main(void) { return 0; }' | $(CC) $(ALL_LDFLAGS) -x c - -x none -Wl,--whole-archive \
	    $(call archive,$*) -Wl,--no-whole-archive $(foreach layer,$(lower_$*),$(call archive,$(layer))) $(LIBS) \
	    -o $(BUILD)/tests/link-$*

# Which room uses which, as measured from the objects: man/rooms.svg, which README shows.
graph: check-rooms
	tests/rooms.py draw $(BUILD) $(ROOMS) >$(BUILD)/rooms.dot
	dot -Tsvg $(BUILD)/rooms.dot -o man/rooms.svg
rooms:
	@echo $(ROOMS)
check-rooms: all
	@tests/rooms.py check $(BUILD) $(ROOMS)

# Fuzzing: FUZZ_SECONDS each, on a copy of the corpus. What is tested is built once, by the compiler that has the fuzzer, but for the agent. The
# stand-alone programs run the corpus once, in `make check`.
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 20
SOURCES = $(foreach layer,$(LAYERS),$($(layer)_SOURCES))

$(BUILD)/tests/corpus_%: tests/fuzz/fuzz_%.c tests/fuzz/corpus.c $(BUILD)/tests/libtable.a $(ARCHIVES)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(BUILD)/tests/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/tests/libtable.a $(ARCHIVES)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
fuzz:
	@$(MAKE) --no-print-directory -s BUILD=build/fuzz build/fuzz/agent.image
	@$(MAKE) --no-print-directory -s BUILD=build/fuzz SANITIZE=1 CC=clang CFLAGS='$(CFLAGS) -fsanitize=fuzzer-no-link' $(addprefix build/fuzz/tests/,$(FUZZERS))
	@for name in $(FUZZERS); do \
	    rm -rf build/fuzz/corpus.$$name && mkdir build/fuzz/corpus.$$name && \
	    build/fuzz/tests/$$name -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -verbosity=0 \
	        -artifact_prefix=build/fuzz/ build/fuzz/corpus.$$name tests/fuzz/corpus/$${name#fuzz_} || exit 1; \
	done

# All sources as another compiler reads them, with its warnings, which clang gives without making code.
SYNTAX := $(patsubst %,syntax-%,$(SOURCES) $(cli_SOURCES) $(wildcard breakpoints/points/*.c supervisor/agent/*.c supervisor/inside/*.c))
SYNTAX_TESTS := $(patsubst %,syntax-%,$(wildcard tests/agent/*.c tests/unit/*/*.c tests/table/*.c tests/bench/*.c tests/fuzz/*.c))
SYNTAX_TARGETS := $(patsubst %,syntax-%,$(wildcard samples/*.c samples/*.cc tests/targets/*.c tests/targets/*.cc))
SYNTAX_PLUGINS := $(patsubst %,syntax-%,$(wildcard samples/ops/*.c tests/ops/*.c))
syntax: $(SYNTAX) $(SYNTAX_TESTS) $(SYNTAX_TARGETS) $(SYNTAX_PLUGINS)
$(SYNTAX) $(SYNTAX_TESTS): syntax-%:
	@$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -fsyntax-only $*
$(SYNTAX_TARGETS): syntax-%:
	@case $* in \
	*.cc) $(CXX) -std=c++20 $(WARNINGS) $(TARGET_FLAGS) -fsyntax-only $* ;; \
	tests/*) $(CC) -std=gnu11 $(WARNINGS) $(TARGET_FLAGS) -fsyntax-only $* ;; \
	*) $(CC) -std=gnu11 $(C_WARNINGS) $(TARGET_FLAGS) -fsyntax-only $* ;; \
	esac
$(SYNTAX_PLUGINS): syntax-%:
	@$(CC) -std=gnu11 $(C_WARNINGS) $(filter-out -shared,$(PLUGIN_FLAGS)) -fsyntax-only $*

# What a person types. Each sees to the packages that it needs.
demo:
	@tests/setup.sh build
	@$(MAKE) --no-print-directory -s all $(BUILD)/samples/checksum
	@BUILD=$(BUILD) tests/demo.sh

check:
	@tests/setup.sh build check
	@MAKE="$(MAKE)" tests/run-check.sh

# The same with what is made at random or repeated in greater numbers.
check-long:
	@$(MAKE) --no-print-directory check FMC_TEST_LONG=1 REPEAT=25 SEEDS=20

# Its part that takes less than two minutes; tests/run-check.sh lists it.
check-quick:
	@tests/setup.sh build check
	@MAKE="$(MAKE)" tests/run-check.sh quick

# The unit tests with the sanitizers, which takes several times as long.
check-sanitized:
	@tests/setup.sh build check
	@$(MAKE) --no-print-directory -s SANITIZE=1 all units samples $(addprefix build/sanitize/tests/corpus_,$(FUZZERS:fuzz_%=%))
	@BUILD=build/sanitize tests/run-units.sh

bench:
	@tests/setup.sh build check bench
	@$(MAKE) --no-print-directory -s all samples tools $(BUILD)/tests/bare $(BUILD)/tests/steps $(BUILD)/tests/asleep $(BUILD)/tests/dirty $(BUILD)/tests/search $(BUILD)/tests/walk $(BUILD)/tests/back $(BUILD)/tests/unwind $(BUILD)/tests/watched $(BUILD)/tests/touched $(BUILD)/tests/accesses \
	    $(BUILD)/tests/image $(BUILD)/tests/requests $(BUILD)/targets/stood
	@BUILD=$(BUILD) tests/bench/run.sh
	@BUILD=$(BUILD) tests/bench/servers.sh

# Programs as they are shipped, in a table: SEEDS, CHECK (seconds), PROGRAMS (which ones).
programs:
	@tests/setup.sh build programs
	@$(MAKE) --no-print-directory -s all
	@tests/programs/run.py $(BUILD)/fmc $(PROGRAMS)

# How much of what they do is run inside of them, without stops: CHECK (seconds), ENGINE, PROGRAMS.
programs-inside:
	@tests/setup.sh build programs
	@$(MAKE) --no-print-directory -s all
	@tests/programs/inside.py $(BUILD)/fmc $(PROGRAMS)

tables:
	@tests/setup.sh build check
	@$(MAKE) --no-print-directory -s all samples tools
	@BUILD=$(BUILD) tests/tables/run.sh $(TABLES)

# What is installed: FILE:PLACE, the place below PREFIX. Beside the program for its users' programs: headers, and where they are for
# pkg-config; completion in shells.
ZSH_FUNCTIONS ?= share/zsh/site-functions
INSTALLED := $(BUILD)/fmc:bin/fmc $(BUILD)/libfmc-tsan.a:lib/libfmc-tsan.a $(BUILD)/fmc-tsan.pc:share/pkgconfig/fmc-tsan.pc
INSTALLED += replay/gdb/fmc.py:share/fmc/fmc.py $(BUILD)/fmc.pc:share/pkgconfig/fmc.pc
INSTALLED += $(BUILD)/completion.bash:share/bash-completion/completions/fmc $(BUILD)/completion.zsh:$(ZSH_FUNCTIONS)/_fmc
INSTALLED += $(foreach header,ops points,include/fmc/$(header).h:include/fmc/$(header).h)
INSTALLED += $(foreach page,$(wildcard man/*.[1-9]),$(page):share/man/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page)))
places = $(foreach file,$(INSTALLED),$(DESTDIR)$(PREFIX)/$(lastword $(subst :, ,$(file))))

# Where it will be is known when it is installed.
$(BUILD)/fmc.pc $(BUILD)/fmc-tsan.pc: $(BUILD)/%.pc: include/%.pc.in always
	@sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< >$@

$(BUILD)/completion.%: $(BUILD)/fmc
	$(BUILD)/fmc completion $* >$@

install: all $(BUILD)/fmc.pc $(BUILD)/fmc-tsan.pc $(BUILD)/completion.bash $(BUILD)/completion.zsh
	@set -e; for file in $(INSTALLED); do \
	    place=$${file#*:}; \
	    case $$place in bin/*) mode=755 ;; *) mode=644 ;; esac; \
	    echo "$(DESTDIR)$(PREFIX)/$$place"; \
	    install -D -m $$mode "$${file%%:*}" "$(DESTDIR)$(PREFIX)/$$place"; \
	done

uninstall:
	rm -f $(places)
	-rmdir $(DESTDIR)$(PREFIX)/share/fmc $(DESTDIR)$(PREFIX)/include/fmc 2>/dev/null

# A Debian package, in build/deb: of a copy of the sources, where what .debian/ has is debian/.
# DEB_FROM: a folder of what has been compiled, to be packed as it is.
DEB := build/deb/fmc-$(VERSION)
deb:
	@tests/setup.sh build deb
	rm -rf build/deb
	mkdir -p $(DEB)
	tar -c --exclude='./build*' --exclude=./.git --exclude='*.sched' . | tar -x -C $(DEB)
	mv $(DEB)/.debian $(DEB)/debian
	[ -z "$(DEB_FROM)" ] || tar -c -C "$(DEB_FROM)" --exclude=./tests --exclude=./fmc --exclude=./targets --exclude=./samples --exclude=./check* \
	    --exclude=./deb --exclude=./clang . | (mkdir $(DEB)/build && tar -x -C $(DEB)/build)
	cd $(DEB) && env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u CFLAGS dpkg-buildpackage --build=binary --no-sign $(if $(DEB_FROM),--no-pre-clean)
	rm -rf $(DEB)
	@ls build/deb/*.deb

clean:
	rm -rf build

always:
.PHONY: syntax $(SYNTAX) $(SYNTAX_TESTS) $(SYNTAX_TARGETS) $(SYNTAX_PLUGINS) graph rooms check-rooms all always archives samples units tools fuzz demo check check-long check-quick check-sanitized bench programs programs-inside tables install uninstall deb clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
