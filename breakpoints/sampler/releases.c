#include "breakpoints/sampler/gates.h"
#include "breakpoints/sites/releasing.h"
#include "breakpoints/symbols/symbols.h"
#include "breakpoints/traps/state.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define COPY_BYTES  64	    /* room for one copy, from the page's end downwards */
#define GUESS_BYTES 0x10000 /* a block of an allocator whose sizes aren't known */

struct search {
	struct releases *releases;
	const struct module *module;
	bool glibc, failed;
};

/* libc's, and those of allocators that take their place. */
static enum release_gives gives_of(const char *name)
{
	static const struct {
		const char *name;
		enum release_gives gives;
	} givers[] = {{"malloc", GIVES_FIRST},	  {"calloc", GIVES_PRODUCT},	   {"realloc", GIVES_SECOND},
		      {"memalign", GIVES_SECOND}, {"aligned_alloc", GIVES_SECOND}, {"valloc", GIVES_FIRST},
		      {"pvalloc", GIVES_FIRST},	  {"posix_memalign", GIVES_THIRD}, {"mmap", GIVES_SECOND},
		      {"mmap64", GIVES_SECOND},	  {"mremap", GIVES_THIRD}};
	for (size_t i = 0; i < sizeof(givers) / sizeof(givers[0]); i++)
		if (strcmp(name, givers[i].name) == 0)
			return givers[i].gives;
	return GIVES_NONE;
}

/* Of memory as the system gives it out. */
static bool gives_pages(const char *name)
{
	return strcmp(name, "mmap") == 0 || strcmp(name, "mmap64") == 0 || strcmp(name, "mremap") == 0;
}

/* libc's own, in a static program, too; *kind: what such a function releases. */
static bool is_seen(const char *name, const struct search *search, bool libc, enum release_kind *kind)
{
	const bool threads = search->module->kind == MODULE_THREADS;
	*kind = RELEASE_MEMORY;
	if ((libc || threads) && strcmp(name, "pthread_exit") == 0)
		*kind = RELEASE_THREAD;
	else if (libc && strcmp(name, "exit") == 0)
		*kind = RELEASE_PROCESS;
	else if (!releasing_is(name, libc))
		*kind = RELEASE_NOTHING;
	return *kind != RELEASE_NOTHING || gives_of(name) != GIVES_NONE;
}

const struct release *releases_find_trap(const struct releases *releases, uint64_t address)
{
	for (size_t i = 0; i < releases->length; i++)
		if (releases->at[i].planted && releases->at[i].trap == address)
			return &releases->at[i];
	return NULL;
}

const struct release *releases_find_at(const struct releases *releases, uint64_t address)
{
	for (size_t i = 0; i < releases->length; i++)
		if (releases->at[i].address == address && releases->at[i].planted)
			return &releases->at[i];
	return NULL;
}

const struct release *releases_find_beside(const struct releases *releases, uint64_t address)
{
	for (size_t i = 0; i < releases->length; i++)
		if (releases->at[i].address == address && releases->at[i].beside)
			return &releases->at[i];
	return NULL;
}

/* One function may have several names: what not all of them are told it doesn't go by. */
static bool is_known(struct releases *releases, const struct module *module, const struct symbol *symbol)
{
	for (size_t i = 0; i < releases->length; i++) {
		struct release *release = &releases->at[i];
		if (release->address != symbol->address)
			continue;
		if (releasing_size(module, symbol->name) != release->size_from)
			release->size_from = RELEASING_FRONT;
		return true;
	}
	return false;
}

static void visit(void *context, const struct symbol *symbol)
{
	struct search *search = context;
	struct releases *releases = search->releases;
	bool libc = search->module->kind == MODULE_LIBC ||
		    (search->module->kind == MODULE_PROGRAM && search->module->is_static);
	enum release_kind kind;
	if (!symbol->function || !is_seen(symbol->name, search, libc, &kind) ||
	    is_known(releases, search->module, symbol))
		return;
	if (!ARRAY_ONE_MORE(releases->at, releases->length)) {
		search->failed = true;
		return;
	}
	releases->at[releases->length++] =
	    (struct release){.address = symbol->address,
			     .size = symbol->size,
			     .kind = kind,
			     .gives = gives_of(symbol->name),
			     .gives_pages = gives_pages(symbol->name),
			     .gives_to = strcmp(symbol->name, "posix_memalign") == 0,
			     .size_from = releasing_size(search->module, symbol->name),
			     .glibc = search->glibc};
}

bool releases_find(struct releases *releases, const struct entries *entries)
{
	struct search search = {.releases = releases};
	for (size_t i = 0; i < entries->modules.length; i++) {
		search.module = &entries->modules.at[i];
		search.glibc = releasing_is_glibc(search.module);
		if (search.module->kind != MODULE_LOADER && search.module->kind != MODULE_CXX)
			(void)symbols_each(search.module, visit, &search);
	}
	return !search.failed;
}

void releases_free(struct releases *releases)
{
	gates_forget(releases);
	free(releases->at);
	free(releases->giving);
	*releases = (struct releases){0};
}

/* Where its copy goes; 0: there is no room. */
static uint64_t room_for(const struct entries *entries, struct target *target, uint64_t near, size_t number)
{
	uint64_t page = target_near_page(target, near);
	size_t used =
	    sizeof(*entries->contents) + entries->traps_length * sizeof(entries->contents->slots[0]);
	size_t from_end = (number + 1) * COPY_BYTES;
	if (!page || from_end > TARGET_NEAR_BYTES ||
	    (page == entries->page && TARGET_NEAR_BYTES - from_end < used))
		return 0;
	return page + TARGET_NEAR_BYTES - from_end;
}

static bool plant(struct release *release, const struct entries *entries, struct target *target,
		  struct displacer *displacer, size_t number)
{
	uint8_t code[DISPLACE_CODE];
	struct displaced displaced;
	const uint8_t trap = TRAP_INSTRUCTION;
	release->copy = room_for(entries, target, release->address, number);
	if (!release->copy || target_read(target, release->address, code, sizeof(code)) != STATUS_OK ||
	    !displace(displacer, release->address, code, release->copy, NULL, NULL, &displaced))
		return false;
	release->first = code[0];
	release->trap = release->address;
	return target_write(target, release->copy, displaced.copy, displaced.size) == STATUS_OK &&
	       target_write(target, release->address, &trap, 1) == STATUS_OK;
}

/* What new memory is come back with by, beside the copy number `number`. 0: there is no room for it. */
static uint64_t plant_return(const struct entries *entries, struct target *target, uint64_t near,
			     size_t number)
{
	const uint8_t trap = TRAP_INSTRUCTION;
	const uint64_t at = room_for(entries, target, near, number);
	return at && target_write(target, at, &trap, 1) == STATUS_OK ? at : 0;
}

enum status releases_plant(struct releases *releases, const struct releases_plan *plan)
{
	const struct entries *entries = plan->entries;
	struct target *target = plan->target;
	struct displacer *displacer = displacer_new();
	size_t number = 0;
	if (!displacer)
		return STATUS_NO_MEMORY;
	releases->trap = 0;
	releases->unseen = false;
	releases->giving_length = 0;
	for (size_t i = 0; i < releases->length; i++) {
		struct release *release = &releases->at[i];
		const struct atomic *trap = entries_atomic(entries, release->address);
		release->beside = trap && trap->kind == ATOMIC_RELEASE;
		const bool wanted = (plan->giving || release->kind != RELEASE_NOTHING) && !release->beside;
		release->gate = NULL;
		release->planted = wanted && (gates_plant(releases, release, plan, displacer) ||
					      plant(release, entries, target, displacer, number));
		number += release->planted && !release->gate;
		const bool seen = release->planted || release->beside;
		if (plan->giving && seen && release->gives && !releases->trap)
			releases->trap = plant_return(entries, target, release->address, number++);
		releases->unseen |=
		    plan->giving && release->gives && release_is_libc(release) && !(seen && releases->trap);
	}
	displacer_free(displacer);
	return target_gone(target) ? STATUS_GONE : STATUS_OK;
}

void releases_write(const struct releases *releases, struct target *target, bool planted)
{
	const uint8_t trap = TRAP_INSTRUCTION;
	for (size_t i = 0; i < releases->length; i++) {
		const struct release *release = &releases->at[i];
		const struct release_gate *gate = release->gate;
		if (release->planted && gate)
			(void)target_write(target, release->address, planted ? gate->jump : gate->original,
					   RELEASE_JUMP);
		else if (release->planted)
			(void)target_write(target, release->address, planted ? &trap : &release->first, 1);
	}
}

void releases_reveal(const struct releases *releases, uint64_t address, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < releases->length; i++) {
		const struct release *release = &releases->at[i];
		const uint8_t *original = release->gate ? release->gate->original : &release->first;
		for (size_t k = 0; release->planted && k < (release->gate ? RELEASE_JUMP : 1); k++)
			if (release->address + k - address < size)
				bytes[release->address + k - address] = original[k];
	}
}

static uint64_t given_bytes(enum release_gives gives, const struct user_regs_struct *regs)
{
	switch (gives) {
	case GIVES_FIRST:
		return regs->rdi;
	case GIVES_SECOND:
		return regs->rsi;
	case GIVES_THIRD:
		return regs->rdx;
	case GIVES_PRODUCT:
		return regs->rdi * regs->rsi;
	case GIVES_NONE:
		break;
	}
	return 0;
}

void release_enter(struct releases *releases, const struct release *release, struct target *target,
		   const struct user_regs_struct *regs, uint32_t thread)
{
	struct giving giving = {.thread = thread,
				.slot = regs->rsp,
				.function = release,
				.size = given_bytes(release->gives, regs),
				.to = release->gives_to ? regs->rdi : 0,
				.kept = release->kind == RELEASE_MEMORY ? regs->rdi : 0};
	if (!releases->trap || !release->gives ||
	    target_read(target, giving.slot, &giving.after, sizeof(giving.after)) != STATUS_OK ||
	    !ARRAY_DOUBLE(releases->giving, releases->giving_length) ||
	    target_write(target, giving.slot, &releases->trap, sizeof(releases->trap)) != STATUS_OK)
		return;
	releases->giving[releases->giving_length++] = giving;
}

/* The memory at an address, of which `front` bytes are there, of so many that were asked for. Without it what was there before stays. */
static void find_given(const struct gate_gives *gives, uint64_t front, struct touched *touched)
{
	*touched = (struct touched){.address = gives->address, .gives = true};
	if (gives->address == 0 || gives->address == UINT64_MAX) {
		/* It couldn't be made larger. */
		touched->address = gives->kept;
		touched->room = gives->kept ? gives->size : 0;
		return;
	}
	touched->size = gives->size;
	touched->room = front > gives->size ? front : gives->size;
}

void release_logged_new(const struct gate_gives *gives, struct touched *touched)
{
	bool mapped;
	find_given(gives, releasing_front(gives->front, &mapped), touched);
}

static void find_returned(const struct giving *giving, const struct target *target,
			  const struct user_regs_struct *regs, struct touched *touched)
{
	bool mapped;
	struct gate_gives gives = {.address = regs->rax, .size = giving->size, .kept = giving->kept};
	if (giving->to && (regs->rax || target_read(target, giving->to, &gives.address,
						    sizeof(gives.address)) != STATUS_OK))
		gives.address = 0;
	const bool block =
	    giving->function->glibc && !giving->function->gives_pages && gives.address != UINT64_MAX;
	find_given(&gives, block ? releasing_block(target, gives.address, &mapped) : 0, touched);
}

uint64_t release_come_back(struct releases *releases, struct target *target, struct user_regs_struct *regs,
			   uint32_t thread, struct touched *touched)
{
	for (size_t i = releases->giving_length; i-- > 0;) {
		const struct giving giving = releases->giving[i];
		if (giving.thread != thread || giving.slot != regs->rsp - sizeof(giving.after))
			continue;
		/* Below is nothing of the thread's any more. */
		(void)target_write(target, giving.slot, &giving.after, sizeof(giving.after));
		releases->giving[i] = releases->giving[--releases->giving_length];
		find_returned(&giving, target, regs, touched);
		regs->rip = giving.function->address;
		regs->rsp = giving.slot;
		return giving.after;
	}
	return 0;
}

/* Of `size` bytes; 0: that isn't known. */
static void find_released(const struct releases *releases, uint64_t address, uint64_t size, bool vanishes,
			  struct touched *touched)
{
	*touched = (struct touched){
	    .address = address, .size = size ? size : GUESS_BYTES, .write = size > 0, .frees = true};
	/* Where memory is gone an access can't be missed; what is given out unseen may be anybody's. */
	touched->lingers = touched->write && !vanishes && !releases->unseen;
}

bool release_touched(const struct releases *releases, const struct release *release,
		     const struct target *target, const struct user_regs_struct *regs,
		     struct touched *touched)
{
	struct released released;
	if (!releasing_find(target, regs, release->size_from, &released))
		return false;
	find_released(releases, released.address, release_knows_size(release) ? released.bytes : 0,
		      released.vanishes || !release_knows_size(release), touched);
	return true;
}

bool release_logged(const struct releases *releases, const struct gate_frees *frees, struct touched *touched)
{
	const struct release *release = releases_find_at(releases, frees->function);
	bool vanishes = true;
	if (!release || !release->gate)
		return false;
	const uint64_t size =
	    release->size_from == RELEASING_FRONT ? releasing_front(frees->size, &vanishes) : frees->size;
	find_released(releases, frees->address, size, vanishes, touched);
	return true;
}
