#include "breakpoints/calls/arguments.h"
#include "breakpoints/sites/releasing.h"
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/breakpoints/sampling.h>
#include <fmc/tracer/fdinfo.h>

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

/* Stops of a target: where they are, what the registers hold, who calls. */

struct target_reader {
	struct reader reader; /* first */
	const struct target *target;
};

static enum status read_target(const struct reader *reader, uint64_t address, void *to, size_t size)
{
	return target_read(((const struct target_reader *)(const void *)reader)->target, address, to, size);
}

static struct target_reader reader_of(const struct target *target)
{
	return (struct target_reader){{read_target}, target};
}

enum status object_peek(const struct target *target, const struct entries *entries, enum object_class class,
			uint64_t address, struct object_state *state, pid_t *owner_tid)
{
	const struct target_reader reader = reader_of(target);
	return layout_peek(&reader.reader, entries->musl, class, address, state, owner_tid);
}

/* The integer arguments of a function. */
static void read_arguments(const struct user_regs_struct *regs, uint64_t at[CALL_ARGUMENTS])
{
	const uint64_t arguments[CALL_ARGUMENTS] = {regs->rdi, regs->rsi, regs->rdx,
						    regs->rcx, regs->r8,  regs->r9};
	for (int i = 0; i < CALL_ARGUMENTS; i++)
		at[i] = arguments[i];
}

struct target_memory {
	struct fmc_memory memory; /* first: what a plug-in is given */
	const struct target *target;
};

static bool read_memory(const struct fmc_memory *memory, uint64_t address, void *to, size_t size)
{
	const struct target *target = ((const struct target_memory *)(const void *)memory)->target;
	return target_read(target, address, to, size) == STATUS_OK;
}

static void decode_user(const struct target *target, const uint64_t at[CALL_ARGUMENTS], struct call *call)
{
	const struct target_memory memory = {{read_memory}, target};
	struct fmc_call user = {.object = at[0]};
	_Static_assert((int)FMC_ARGUMENTS <= CALL_ARGUMENTS, "a plug-in gets those that there are");
	for (int i = 0; i < FMC_ARGUMENTS; i++)
		user.arguments[i] = at[i];
	call->user = true;
	if (!plugin_decode((enum op_kind)call->op.kind, &user, &memory.memory)) {
		call->op.kind = OP_NONE;
		return;
	}
	call->object = user.object;
	call->op.arg = user.values[0];
	call->op.arg2 = user.values[1];
	call->op.arg3 = user.values[2];
}

void object_init_user(const struct target *target, enum object_class class, uint64_t address,
		      struct object_state *state)
{
	const struct target_memory memory = {{read_memory}, target};
	plugin_init(class, state->user, address, &memory.memory);
}

static bool is_cxx(const struct entries *entries, uint64_t address)
{
	const struct module *module = modules_find(&entries->modules, address);
	return module && module->kind == MODULE_CXX;
}

/* Where memory is given back for the program, by a call that is promoted. */
static bool is_promoted_call(const struct entries *entries, uint64_t after)
{
	struct module_place place;
	return !entries_is_libc(entries, after) &&
	       entries_place(entries, after - ENTRIES_RELEASE_BYTES, &place) && entries->promoted &&
	       promoted_has(entries->promoted, place.module, place.offset);
}

static enum status decode_release(const struct entries *entries, const struct atomic *atomic,
				  const struct target *target, const struct user_regs_struct *regs,
				  struct call *call)
{
	uint64_t after;
	struct released released;
	atomic_find(atomic, regs, call);
	call->releases = true;
	if (target_read(target, regs->rsp, &after, sizeof(after)) != STATUS_OK)
		return target_gone(target) ? STATUS_GONE : STATUS_OK;
	if (!is_promoted_call(entries, after) ||
	    !releasing_find(target, regs, (enum releasing_size)atomic->size, &released) ||
	    released.bytes == 0 || released.bytes > INT64_MAX)
		return STATUS_OK;
	call->object = released.address;
	call->op.kind = OP_MEMORY_WRITE;
	call->op.flags = OP_INSTRUCTION;
	call->op.place = after;
	call->op.arg = (int64_t)released.bytes;
	call->op.arg2 = (int64_t)call->object;
	return STATUS_OK;
}

/* What a call touches, or the use of its result; *whole: is that all? */
static size_t find_touched(const struct entries *entries, const struct atomic *atomic, struct tracee *tracee,
			   const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST], bool *whole)
{
	const struct memory_caller caller = {.target = tracee->target,
					     .tracee = tracee,
					     .regs = regs,
					     .stack = regs->rsp,
					     .states = entries->states};
	uint8_t state;
	*whole = true;
	if (atomic->kind == ATOMIC_CALL)
		return memory_call_touched(atomic->function, &caller, at, whole);
	if (!memory_call_keeps_result(atomic->function, &state) || !entries->states[state])
		return 0;
	at[0] = (struct touched){.address = entries->states[state], .size = 1};
	return 1;
}

size_t entries_touched(const struct entries *entries, struct tracee *tracee, uint64_t address,
		       struct touched at[TOUCHED_MOST], bool *at_once)
{
	const struct atomic *atomic = entries_atomic(entries, address);
	const struct user_regs_struct *regs = tracee_regs(tracee);
	bool whole;
	*at_once = false;
	if (!atomic || !regs || (atomic->kind != ATOMIC_CALL && atomic->kind != ATOMIC_RESULT))
		return 0;
	*at_once = memory_call_at_once(atomic->function);
	return find_touched(entries, atomic, tracee, regs, at, &whole);
}

bool entries_copies_string(const struct entries *entries, uint64_t address, bool *to_end, bool *room)
{
	static const struct {
		const char *name;
		bool to_end, room;
	} names[] = {{"strcpy", false, false},
		     {"stpcpy", true, false},
		     {"__strcpy_chk", false, true},
		     {"__stpcpy_chk", true, true}};
	const struct atomic *atomic = entries_atomic(entries, address);
	for (size_t i = 0; atomic && atomic->kind == ATOMIC_CALL && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(memory_call_name(atomic->function), names[i].name) == 0) {
			*to_end = names[i].to_end;
			*room = names[i].room;
			return true;
		}
	return false;
}

static bool is_state(const struct entries *entries, uint64_t address)
{
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (entries->states[i] == address)
			return true;
	return false;
}

bool entries_only_reads(const struct entries *entries, struct tracee *tracee, uint64_t address,
			struct touched at[TOUCHED_MOST], size_t *length)
{
	const struct atomic *atomic = entries_atomic(entries, address);
	const struct user_regs_struct *regs = tracee_regs(tracee);
	bool reads = false;
	if (!atomic || !regs || atomic->kind != ATOMIC_CALL)
		return false;
	*length = find_touched(entries, atomic, tracee, regs, at, &reads);
	for (size_t i = 0; i < *length; i++)
		reads &= !at[i].write && !at[i].locked && !at[i].frees && !at[i].gives &&
			 !is_state(entries, at[i].address);
	return reads && *length > 0;
}

/* The range that it is named by: what libc keeps to itself, if there is such, and what is written before what is read. */
static size_t name_of(const struct entries *entries, const struct touched at[TOUCHED_MOST], size_t length)
{
	size_t named = SIZE_MAX;
	for (size_t i = 0; i < length; i++)
		if (is_state(entries, at[i].address) &&
		    (named == SIZE_MAX || (at[i].write && !at[named].write)))
			named = i;
	return named == SIZE_MAX ? 0 : named;
}

/*
 * One operation about all that the function touches. Where that is one range which its arguments alone tell it is about that; else about any
 * memory, since strings may have another length when its turn comes.
 */
static void decode_library_call(const struct entries *entries, const struct atomic *atomic,
				struct tracee *tracee, const struct user_regs_struct *regs, struct call *call)
{
	struct touched at[TOUCHED_MOST];
	bool whole, write = false;
	const size_t length = find_touched(entries, atomic, tracee, regs, at, &whole);
	atomic_find(atomic, regs, call);
	for (size_t i = 0; i < length; i++)
		write |= at[i].write;
	const size_t named = name_of(entries, at, length);
	const bool fixed = atomic->kind == ATOMIC_RESULT || memory_call_is_fixed(atomic->function);
	const bool all = !fixed || !whole || length > 1;
	call->calls = true;
	call->object = length ? at[named].address : regs->rsp;
	call->op.kind = write ? OP_MEMORY_WRITE : OP_MEMORY_READ;
	call->op.flags = OP_INSTRUCTION;
	call->op.arg = all ? MEMORY_ALL : length ? (int64_t)at[0].size : 1;
	call->op.arg2 = all ? 0 : (int64_t)call->object;
}

/* Which memory is about to be accessed; two places of what a call touches. */
static void decode_scout(const struct entries *entries, const struct atomic *atomic, struct tracee *tracee,
			 const struct user_regs_struct *regs, struct call *call)
{
	struct touched at[TOUCHED_MOST];
	bool whole;
	atomic_find(atomic, regs, call);
	call->scouts = true;
	if (atomic->kind == ATOMIC_COPY) {
		call->object = regs->rdi;
		call->object2 = copy_kind_of(atomic->copies) == COPY_FILL ? 0 : regs->rsi;
	} else if (atomic->kind == ATOMIC_CALL) {
		const size_t length = find_touched(entries, atomic, tracee, regs, at, &whole);
		call->object = length > 0 ? at[0].address : 0;
		call->object2 = length > 1 ? at[1].address : 0;
	}
}

static enum status decode_atomic(const struct entries *entries, const struct stop *stop, struct call *call)
{
	const struct atomic *atomic = entries_atomic(entries, stop->address);
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (!atomic || !regs)
		return atomic ? STATUS_GONE : STATUS_NOT_FOUND;
	if (atomic->scout) {
		decode_scout(entries, atomic, stop->tracee, regs, call);
		return STATUS_OK;
	}
	if (atomic->kind == ATOMIC_RELEASE)
		return decode_release(entries, atomic, stop->tracee->target, regs, call);
	if (atomic->kind == ATOMIC_CALL || atomic->kind == ATOMIC_RESULT) {
		decode_library_call(entries, atomic, stop->tracee, regs, call);
		return STATUS_OK;
	}
	const bool told = atomic_is_told(atomic);
	call->unwatched = entries->atomics_use != ATOMICS_SWITCHED || !told;
	call->counts_references = call->unwatched && told && is_cxx(entries, atomic->address);
	if (call->unwatched)
		atomic_find(atomic, regs, call);
	else
		atomic_decode(atomic, regs, call);
	return STATUS_OK;
}

static enum status decode_trap(const struct entries *entries, const struct stop *stop, struct call *call)
{
	const struct trap *trap = entries_trap(entries, stop->address);
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (!trap && entries_answered(entries, stop->address)) {
		call->answered = true;
		call->entry = stop->address;
		return STATUS_OK;
	}
	if (!trap)
		return decode_atomic(entries, stop, call);
	if (!regs)
		return STATUS_GONE;
	const struct entry_point *point = trap->point;
	const struct target *target = stop->tracee->target;
	enum status status = STATUS_OK;
	if (trap->by_door)
		call->return_address = regs->r11;
	else
		status = target_read(target, regs->rsp, &call->return_address, sizeof(call->return_address));
	if (status != STATUS_OK)
		return status;
	call->op.kind = point->kind;
	call->op.place = call->return_address;
	call->entry = trap->stop;
	call->c11 = point->c11;
	call->timeout_argument = point->timeout;
	uint64_t at[CALL_ARGUMENTS];
	read_arguments(regs, at);
	if (point->timeout >= 0 && at[point->timeout] == 0)
		call->op.kind = point->untimed;
	else if (point->timeout >= 0)
		call->op.flags |= OP_TIMED;
	const struct target_reader reader = reader_of(target);
	status = arguments_decode(&reader.reader, entries->musl, point, at, call);
	if (entry_point_is_user(point))
		decode_user(target, at, call);
	/*
	 * A call as the last thing of a libc function is a jump: the return address is then the program's,
	 * but the lock is still libc's. What a plug-in describes is the program's, be it as a start routine.
	 */
	call->libc_own =
	    !call->user && (entries_is_libc(entries, call->op.place) ||
			    (entry_point_takes_object(point) && entries_is_libc(entries, call->object)));
	return status;
}

static bool is_blocking(const struct target *target, int descriptor)
{
	unsigned flags;
	return fdinfo_flags(target_pid(target), descriptor, &flags) && !(flags & O_NONBLOCK);
}

/* The kernel would compare the moment with its own clock. */
static void decode_queue(const struct target *target, const struct user_regs_struct *regs, long number,
			 struct call *call)
{
	if (regs->r8 && is_blocking(target, (int)regs->rdi))
		decode_wait(number, true, call);
}

static enum status decode_call(const struct stop *stop, const struct user_regs_struct *regs,
			       struct call *call)
{
	const struct target *target = stop->tracee->target;
	const struct target_reader reader = reader_of(target);
	const uint64_t at[CALL_ARGUMENTS] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	if (stop->number == SYS_mq_timedsend || stop->number == SYS_mq_timedreceive) {
		decode_queue(target, regs, stop->number, call);
		return STATUS_OK;
	}
	return decode_syscall(&reader.reader, at, stop->number, call);
}

enum status entries_decode(const struct entries *entries, const struct stop *stop, struct call *call)
{
	*call = (struct call){.op = {.object = NO_OBJECT, .object2 = NO_OBJECT}};
	if (stop->kind == STOP_TRAP)
		return decode_trap(entries, stop, call);
	if (stop->kind != STOP_SYSCALL)
		return STATUS_OK;
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (!regs)
		return STATUS_GONE;
	call->return_address = regs->rip;
	call->op.place = regs->rip;
	return decode_call(stop, regs, call);
}
