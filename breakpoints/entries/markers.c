#include "breakpoints/entries/slack.h"
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/markers.h>

#include <stdlib.h>
#include <string.h>

/* `push %r11; push %rcx; push %rax; mov $SYS_getppid, %eax; syscall; pop %rax; pop %rcx; pop %r11`; flags stay. */
static const uint8_t prologue[STUB_PROLOGUE] = {0x41, 0x53, 0x51, 0x50, 0xb8, 0x6e, 0,	 0,
						0,    0x0f, 0x05, 0x58, 0x59, 0x41, 0x5b};

#define CODE_BYTES (JUMP_BYTES + DISPLACE_CODE)

struct markers {
	struct entries *entries;
	size_t left_alone;
	bool changed; /* some code isn't as in its file */
};

/* What is left of the areas to put stubs into. */
struct building {
	struct markers *markers;
	const struct target *target;
	struct jump_stubs *jumps;
	struct displacer *displacer;
	uint64_t next[JUMP_AREAS_MOST];
};

static bool add_area(struct building *building, uint64_t low, uint64_t high)
{
	struct jump_stubs *jumps = building->jumps;
	struct jump_area *area = &jumps->areas[jumps->areas_length];
	if (jumps->areas_length == JUMP_AREAS_MOST || high - low > sizeof area->code ||
	    target_read(building->target, low, area->original, high - low) != STATUS_OK)
		return false;
	area->address = low;
	area->size = (uint32_t)(high - low);
	memcpy(area->code, area->original, high - low);
	building->next[jumps->areas_length++] = low;
	return true;
}

/* Code that is there as long as the process is. */
static bool stays(const struct module *module)
{
	return module->kind == MODULE_LIBC || module->kind == MODULE_THREADS ||
	       module->kind == MODULE_LOADER || (module->kind == MODULE_PROGRAM && module->is_static);
}

static bool unchanged(struct building *building, const struct module *module, uint64_t address, size_t size)
{
	const bool same = slack_unchanged(module, building->target, address, size);
	building->markers->changed |= !same;
	return same;
}

static void find_areas(struct building *building)
{
	const struct modules *modules = &building->markers->entries->modules;
	uint64_t low, high;
	for (size_t i = 0; i < modules->length; i++)
		if (stays(&modules->at[i]) && slack_same_file(&modules->at[i], building->target) &&
		    slack_find(&modules->at[i], &low, &high) &&
		    unchanged(building, &modules->at[i], low, high - low))
			add_area(building, low, high);
}

/* Those that a signal handler may rely on to be interruptible anywhere, and one that looks at rax. */
static bool suits(const struct trap *trap)
{
	switch (trap->point->kind) {
	case OP_THREAD_CANCEL:
	case OP_THREAD_TESTCANCEL:
	case OP_THREAD_CANCELSTATE:
	case OP_THREAD_CANCELTYPE:
	case OP_SEM_OPEN:
		return false;
	default:
		return stays(trap->module) && !entry_point_is_own(trap->point) &&
		       !entry_point_is_user(trap->point);
	}
}

/* Those that come first where room is short. */
static bool matters(const struct trap *trap)
{
	switch (trap->point->kind) {
	case OP_MUTEX_INIT:
	case OP_MUTEX_DESTROY:
	case OP_COND_INIT:
	case OP_COND_DESTROY:
	case OP_RWLOCK_INIT:
	case OP_RWLOCK_DESTROY:
	case OP_BARRIER_INIT:
	case OP_BARRIER_DESTROY:
	case OP_SEM_INIT:
	case OP_SEM_DESTROY:
	case OP_SEM_GETVALUE:
	case OP_SPIN_INIT:
	case OP_SPIN_DESTROY:
	case OP_THREAD_DETACH:
		return false;
	default:
		return true;
	}
}

/* Does the function jump into what the jump takes the place of? */
static bool lands_inside(const struct building *building, const struct trap *trap, size_t length)
{
	uint8_t *code = malloc(trap->size);
	const bool lands = !code ||
			   target_read(building->target, trap->address, code, trap->size) != STATUS_OK ||
			   jumps_into(building->displacer, code, trap->size, trap->address, length);
	free(code);
	return lands;
}

/* What takes the place of the function's beginning, for execution at `to`. */
struct copy {
	uint8_t bytes[2 * DISPLACE_ROOM];
	uint8_t size, straight, length;
	enum jump_tail tail;
};

/* The last instruction that the jump covers leaves the straight path: it does so from here, too. */
static bool copy_branch(const struct building *building, uint64_t from, const uint8_t *code, uint64_t to,
			struct copy *copy)
{
	struct displaced displaced;
	if (!displace(building->displacer, from, code, to, NULL, NULL, &displaced))
		return false;
	switch (displaced.copy[0]) {
	case 0x0f:
		copy->tail = TAIL_BRANCH;
		break;
	case 0xe9:
		copy->tail = TAIL_JUMP;
		break;
	case 0x68:
		copy->tail = TAIL_CALL;
		break;
	default:
		return false;
	}
	memcpy(copy->bytes + copy->straight, displaced.copy, displaced.size);
	copy->size = (uint8_t)(copy->straight + displaced.size);
	copy->length = (uint8_t)(copy->straight + displaced.length);
	return true;
}

/* As many whole instructions as the jump covers; only the last of them may be a branch. */
static bool copy_beginning(const struct building *building, uint64_t from, const uint8_t code[CODE_BYTES],
			   uint64_t to, struct copy *copy)
{
	struct displaced displaced;
	*copy = (struct copy){.tail = TAIL_BACK};
	for (size_t bytes = 1; bytes <= JUMP_BYTES; bytes = copy->straight + 1u) {
		if (!displace_straight(building->displacer, from, code, bytes, to, &displaced))
			break;
		memcpy(copy->bytes, displaced.copy, displaced.size);
		copy->size = displaced.size;
		copy->straight = copy->length = displaced.length;
	}
	if (copy->length >= JUMP_BYTES)
		return true;
	return copy_branch(building, from + copy->straight, code + copy->straight, to + copy->straight,
			   copy) &&
	       copy->length >= JUMP_BYTES;
}

static bool put_stub(struct building *building, struct trap *trap, const uint8_t first[CODE_BYTES],
		     uint32_t at)
{
	struct jump_stubs *jumps = building->jumps;
	struct jump_area *area = &jumps->areas[at];
	struct jump_stub *stub = &jumps->stubs[jumps->stubs_length];
	const uint64_t address = building->next[at];
	struct copy copy;
	*stub = (struct jump_stub){.address = address, .entry = trap->address};
	if (!copy_beginning(building, trap->address, first, address + STUB_PROLOGUE, &copy) ||
	    !jump_encode(trap->address, address, stub->jump) ||
	    address + STUB_PROLOGUE + copy.size > area->address + area->size ||
	    lands_inside(building, trap, copy.length))
		return false;
	uint8_t *code = area->code + (address - area->address);
	memcpy(code, prologue, STUB_PROLOGUE);
	memcpy(code + STUB_PROLOGUE, copy.bytes, copy.size);
	memcpy(stub->original, first, JUMP_BYTES);
	stub->size = (uint8_t)(STUB_PROLOGUE + copy.size);
	stub->straight = copy.straight;
	stub->copied = copy.length;
	stub->tail = copy.tail;
	building->next[at] += stub->size;
	jumps->stubs_length++;
	trap->stop = address + STUB_MARK;
	trap->by_door = false;
	return true;
}

static bool add_stub(struct building *building, struct trap *trap)
{
	struct jump_stubs *jumps = building->jumps;
	uint8_t first[CODE_BYTES];
	if (jumps->stubs_length == JUMP_STUBS_MOST || trap->size < JUMP_BYTES ||
	    trap->address % 4096 > 4096 - JUMP_BYTES || !slack_same_file(trap->module, building->target) ||
	    !unchanged(building, trap->module, trap->address, JUMP_BYTES) ||
	    target_read(building->target, trap->address, first, sizeof first) != STATUS_OK)
		return false;
	for (uint32_t i = 0; i < jumps->areas_length; i++)
		if (put_stub(building, trap, first, i))
			return true;
	return false;
}

/* Only what is needed of an area is written. */
static void cut_areas(struct building *building)
{
	for (uint32_t i = 0; i < building->jumps->areas_length; i++) {
		struct jump_area *area = &building->jumps->areas[i];
		area->size = (uint32_t)(building->next[i] - area->address);
	}
}

static void build(struct building *building)
{
	struct entries *entries = building->markers->entries;
	find_areas(building);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < entries->traps_length; i++) {
			struct trap *trap = &entries->traps[i];
			if (!suits(trap) || matters(trap) != (pass == 0))
				continue;
			trap->stop = 0;
			building->markers->left_alone += !add_stub(building, trap);
		}
	cut_areas(building);
}

struct markers *markers_new(struct target *target, struct jump_stubs *jumps)
{
	bool changed;
	struct markers *markers = calloc(1, sizeof *markers);
	struct building building = {.markers = markers, .target = target, .jumps = jumps};
	building.displacer = displacer_new();
	if (markers)
		markers->entries = entries_new();
	jumps->pid = target_pid(target);
	jumps->stubs_length = jumps->areas_length = 0;
	bool good = building.displacer && markers && markers->entries &&
		    modules_update(&markers->entries->modules, target_pid(target), &changed) == STATUS_OK &&
		    entries_discover(markers->entries) == STATUS_OK;
	if (good) {
		build(&building);
		good = entries_hash(markers->entries);
	}
	displacer_free(building.displacer);
	if (good)
		return markers;
	markers_free(markers);
	return NULL;
}

void markers_free(struct markers *markers)
{
	if (!markers)
		return;
	entries_free(markers->entries);
	free(markers);
}

bool markers_changed(const struct markers *markers)
{
	return markers->changed;
}

size_t markers_left_alone(const struct markers *markers)
{
	return markers->left_alone;
}

/* The registers as the caller of the function has left them. */
static bool undo_prologue(struct tracee *tracee, struct user_regs_struct *regs)
{
	uint64_t saved[3];
	if (target_read(tracee->target, regs->rsp, saved, sizeof saved) != STATUS_OK)
		return false;
	regs->rax = saved[0];
	regs->rcx = saved[1];
	regs->r11 = saved[2];
	regs->rsp += STUB_SAVED;
	return true;
}

enum status markers_decode(const struct markers *markers, const struct jump_stubs *jumps,
			   struct tracee *tracee, const struct foreign_event *event, struct call *call)
{
	const bool marked = jump_stubs_at(jumps, event->rip) != NULL;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	const struct user_regs_struct own = *regs;
	struct stop stop = {.kind = marked ? STOP_TRAP : STOP_SYSCALL,
			    .tracee = tracee,
			    .address = event->rip,
			    .number = event->number};
	if (marked && !undo_prologue(tracee, &tracee->regs))
		return STATUS_GONE;
	const enum status status = entries_decode(markers->entries, &stop, call);
	tracee->regs = own;
	if (!marked && op_class(call->op.kind) == CLASS_FUTEX)
		call->libc_own =
		    entries_is_libc(markers->entries, event->rip); /* it waits and wakes by futex(2), too */
	return status;
}

enum status markers_peek(const struct markers *markers, const struct target *target, enum object_class class,
			 uint64_t address, struct object_state *state, pid_t *owner_tid)
{
	return object_peek(target, markers->entries, class, address, state, owner_tid);
}
