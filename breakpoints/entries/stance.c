/* How a thread stands that was stopped anywhere: in which function of libc's, and does it sleep there? */
#include "breakpoints/symbols/places.h"
#include "breakpoints/traps/state.h"
#include "breakpoints/unwind/unwind.h"
#include <fmc/breakpoints/stance.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* The innermost frames, as far as they are libc's, and whoever called it. */
struct way_out {
	const struct entries *entries;
	bool inside, found;
	uint64_t last; /* in the function that was called */
	struct unwound caller;
};

static bool visit(void *context, const struct unwound *frame)
{
	struct way_out *out = context;
	uint64_t address = frame->pc - frame->is_return;
	if (!entries_is_libc(out->entries, address)) {
		out->found = out->inside && frame->stack;
		out->caller = *frame;
		return false;
	}
	out->inside = true;
	out->last = address;
	return true;
}

static enum status read_target(void *context, uint64_t address, void *to, size_t size)
{
	return target_read(context, address, to, size);
}

static void find_way_out(const struct entries *entries, struct places *places, struct tracee *tracee,
			 const struct user_regs_struct *regs, struct way_out *out)
{
	const struct unwinding unwinding = {
	    .read = read_target, .context = tracee->target, .regs = regs, .pc = regs->rip};
	*out = (struct way_out){.entries = entries};
	places_unwind(places, &unwinding, visit, out);
}

static const struct trap *trap_around(const struct entries *entries, uint64_t address)
{
	for (size_t i = 0; i < entries->traps_length; i++) {
		const struct trap *trap = &entries->traps[i];
		if (address >= trap->address && address < trap->address + trap->size)
			return trap;
	}
	return NULL;
}

/* Where a slot of a procedure linkage table leads to; the address itself if it is none. */
static uint64_t after_plt(const struct target *target, uint64_t address)
{
	static const uint8_t mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	uint8_t code[16];
	size_t at = 0;
	int32_t distance;
	uint64_t function;
	if (target_read(target, address, code, sizeof code) != STATUS_OK)
		return address;
	if (memcmp(code, mark, sizeof mark) == 0)
		at += sizeof mark;
	if (code[at] == 0xf2) /* bnd */
		at++;
	if (code[at] != 0xff || code[at + 1] != 0x25) /* jmp *distance(%rip) */
		return address;
	memcpy(&distance, code + at + 2, sizeof distance);
	uint64_t slot = address + at + 6 + (uint64_t)(int64_t)distance;
	return target_read(target, slot, &function, sizeof function) == STATUS_OK ? function : address;
}

/* What the instruction before a return address calls; 0: it doesn't say. */
static uint64_t called_before(const struct target *target, uint64_t back)
{
	uint8_t code[6];
	int32_t distance;
	uint64_t function;
	if (target_read(target, back - sizeof code, code, sizeof code) != STATUS_OK)
		return 0;
	memcpy(&distance, code + 2, sizeof distance);
	uint64_t there = back + (uint64_t)(int64_t)distance;
	if (code[1] == 0xe8) /* call there */
		return after_plt(target, there);
	if (code[0] == 0xff && code[1] == 0x15 && /* call *there(%rip) */
	    target_read(target, there, &function, sizeof function) == STATUS_OK)
		return function;
	return 0;
}

/* Which operation waits there: known by the function that the thread is in, or by the call that led into libc, where the
 * function has jumped on to one without a name. */
static const struct trap *find_function(const struct entries *entries, const struct target *target,
					const struct way_out *out, bool *known)
{
	const struct trap *trap = trap_around(entries, out->last);
	*known = trap != NULL;
	if (trap || !out->found)
		return trap;
	uint64_t function = called_before(target, out->caller.pc);
	*known = function && entries_is_libc(entries, function);
	return *known ? entries_trap_of(entries, function) : NULL;
}

/* Registers as they are when it enters the system call that it stands before; false: it doesn't. */
static bool about_to_call(struct tracee *tracee, struct user_regs_struct *regs)
{
	uint8_t code[2];
	if (tracee->at_syscall) {
		regs->rip -= 2;
		regs->rax = regs->orig_rax;
		return true;
	}
	return target_read(tracee->target, regs->rip, code, sizeof code) == STATUS_OK && code[0] == 0x0f &&
	       code[1] == 0x05;
}

/* Would this futex call sleep? */
static bool sleeps(const struct tracee *tracee, const struct user_regs_struct *regs, struct stance *stance)
{
	uint32_t now;
	int command = (int)regs->rsi & FUTEX_CMD_MASK;
	bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
	stance->inherits = command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
	if (regs->rax != SYS_futex || !(waits || stance->inherits) ||
	    target_read(tracee->target, regs->rdi, &now, sizeof now) != STATUS_OK)
		return false;
	stance->word = regs->rdi;
	stance->expected = (uint32_t)regs->rdx;
	stance->until = regs->r10;
	stance->until_real = command == FUTEX_LOCK_PI || (regs->rsi & FUTEX_CLOCK_REALTIME);
	return stance->inherits ? (now & FUTEX_TID_MASK) != 0 : now == stance->expected;
}

/* Is that the word which the kernel clears at another thread's end? Then it joins that one, whatever the function is called. */
static bool joins(const struct tracee *tracee, const struct stance *stance)
{
	for (uint32_t i = 0; !stance->until && i < target_tracees(tracee->target); i++)
		if (target_tracee(tracee->target, i)->clear_tid == stance->word)
			return true;
	return false;
}

bool stance_sleeps(struct tracee *tracee)
{
	struct stance stance;
	const struct user_regs_struct *now = tracee_regs(tracee);
	struct user_regs_struct regs = now ? *now : (struct user_regs_struct){0};
	return now && about_to_call(tracee, &regs) && sleeps(tracee, &regs, &stance);
}

static struct user_regs_struct registers_of(const struct unwound *caller)
{
	return (struct user_regs_struct){.rip = caller->pc,
					 .rsp = caller->stack,
					 .rbx = caller->rbx,
					 .rbp = caller->rbp,
					 .r12 = caller->r12,
					 .r13 = caller->r13,
					 .r14 = caller->r14,
					 .r15 = caller->r15};
}

enum status stance_find(const struct entries *entries, struct places *places, struct tracee *tracee,
			struct stance *stance)
{
	struct way_out out;
	bool known;
	const struct user_regs_struct *now = tracee_regs(tracee);
	*stance = (struct stance){.kind = STANCE_FREE};
	if (!now)
		return STATUS_GONE;
	struct user_regs_struct regs = *now;
	bool asleep = about_to_call(tracee, &regs) && sleeps(tracee, &regs, stance);
	stance->kind = asleep && stance->inherits ? STANCE_UNKNOWN : STANCE_FREE;
	find_way_out(entries, places, tracee, &regs, &out);
	/* At an entry it has done nothing yet: it meets the trap. */
	if (!out.inside || entries_trap_of(entries, regs.rip))
		return STATUS_OK;
	const struct trap *trap = find_function(entries, tracee->target, &out, &known);
	if (!trap && asleep && joins(tracee, stance)) {
		stance->function = OP_THREAD_JOIN;
		stance->caller = registers_of(&out.caller);
		return STATUS_OK;
	}
	if (!trap) {
		if (asleep && !known && out.found)
			stance->kind = STANCE_UNKNOWN;
		return STATUS_OK;
	}
	stance->function = trap->point->kind;
	stance->entry = trap->address;
	stance->inner = regs.rsp;
	stance->caller = registers_of(&out.caller);
	stance->return_slot = out.caller.stack - 8;
	if (!out.found)
		stance->kind = STANCE_UNKNOWN;
	else if (!asleep)
		stance->kind = STANCE_INSIDE;
	else if (op_rewinds(stance->function))
		stance->kind = STANCE_WAITS;
	return STATUS_OK;
}
