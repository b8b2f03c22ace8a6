/* Mutexes that nobody waits for, passed without stops (x86-64, glibc). */
#include "breakpoints/leads/passes.h"
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/mutex_leads.h>
#include <fmc/tracer/assert.h>

#include <stddef.h>
#include <string.h>

#define TID_OFFSET                                                                                           \
	0x2d0 /* of struct pthread's tid, from the thread pointer: checked before it is relied on */
#define JUMP_BYTES 5
#define FAR_JUMP   14 /* jmp *0(%rip), and where to */

struct name {
	uint64_t mutex;
	uint64_t object;
};

/* Offsets are those in the code below, from the control's address. */
struct known {
	uint64_t low[DOOR_RANGES], size[DOOR_RANGES]; /* whose calls are no operations */
	uint64_t copies[MUTEX_LEADS], doors[MUTEX_LEADS];
};

_Static_assert(PASSES_CONTROL - PASSES_MUTEX_CODE == 8192 && PASSES_CONTROL - PASSES_KNOWN == 5120 &&
		   PASSES_NAMES - PASSES_CONTROL == 4096 && PASSES_TOLD - PASSES_CONTROL == 135168 &&
		   offsetof(struct passes_control, mutexes) == 0 && offsetof(struct passes, log) == 64 &&
		   sizeof(struct passed_call) == 16 && DOOR_RANGES == 2 && LEAD_NAMES == 1 << 12 &&
		   LEAD_PASSES == 1 << 12 && sizeof(struct name) == 16,
	       "what the code knows");

/*
 * Before a function with one argument all of rax, rcx, rdx, rsi, r8 to r11 are free. A call counts from the moment at which `passed` has been
 * written; whoever is stopped before that begins anew.
 */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	".macro lead_begin\n"
	"	leaq lead_code + 8192(%rip), %rsi\n"
	"	movq 135168(%rsi), %rcx\n"
	"	cmpq (%rsi), %rcx\n"
	"	jae 9f\n"
	"	movq (%rsp), %r11\n"
	"	movq %r11, %rax\n"
	"	subq -5120(%rsi), %rax\n"
	"	cmpq -5104(%rsi), %rax\n"
	"	jb 9f\n"
	"	movq %r11, %rax\n"
	"	subq -5112(%rsi), %rax\n"
	"	cmpq -5096(%rsi), %rax\n"
	"	jb 9f\n"
	"	movabsq $0x9e3779b97f4a7c15, %rax\n" /* as mutex_leads_slot() */
	"	imulq %rdi, %rax\n"
	"	shrq $52, %rax\n"
	"	shll $4, %eax\n"
	"	cmpq %rdi, 4096(%rsi, %rax)\n"
	"	jne 9f\n"
	"	movl 16(%rdi), %edx\n" /* the kind: the process's own, and normal (said to be so by 0x200) */
	"	andl $~0x200, %edx\n"
	"	jz 8f\n"
	"	cmpl $3, %edx\n" /* or adaptive */
	"	jne 9f\n"
	"8:\n"
	".endm\n"
	".macro lead_log lead\n"
	"	movq 4104(%rsi, %rax), %rax\n"
	"	movl %ecx, %edx\n"
	"	andl $4095, %edx\n"
	"	shll $4, %edx\n"
	"	movq %r11, 135232(%rsi, %rdx)\n"
	"	movl %eax, 135240(%rsi, %rdx)\n"
	"	movl $\\lead, 135244(%rsi, %rdx)\n"
	"	incq %rcx\n"
	"	movq %rcx, 135168(%rsi)\n"
	".endm\n"
	"lead_code:\n"
	"	lead_begin\n"
	"	cmpl $0, (%rdi)\n" /* free */
	"	jne 9f\n"
	"	lead_log 0\n"
	"lead_locked:\n"
	"	jmpq *-5088(%rsi)\n"
	"9:	jmpq *lead_code + 3128(%rip)\n"
	"lead_code_unlock:\n"
	"	lead_begin\n"
	"	cmpl $1, (%rdi)\n" /* held, by itself, and nobody sleeps in the kernel */
	"	jne 9f\n"
	"	movl %fs:0x2d0, %r10d\n"
	"	cmpl 8(%rdi), %r10d\n"
	"	jne 9f\n"
	"	lead_log 1\n"
	"lead_unlocked:\n"
	"	jmpq *-5080(%rsi)\n"
	"9:	jmpq *lead_code + 3128 + 8(%rip)\n"
	"lead_code_try:\n"
	"	lead_begin\n"
	"	cmpl $0, (%rdi)\n"
	"	jne 9f\n"
	"	lead_log 2\n"
	"lead_tried:\n"
	"	jmpq *-5072(%rsi)\n"
	"9:	jmpq *lead_code + 3128 + 16(%rip)\n"
	"lead_code_end:\n"
	".purgem lead_begin\n"
	".purgem lead_log\n"
	".popsection\n");
/* clang-format on */

extern const uint8_t lead_code[], lead_locked[], lead_code_unlock[], lead_unlocked[], lead_code_try[],
    lead_tried[], lead_code_end[];

static const struct {
	const char *function;
	const uint8_t *code, *logged; /* from there on the call counts */
} ways[MUTEX_LEADS] = {
    [LEAD_LOCK] = {"pthread_mutex_lock", lead_code, lead_locked},
    [LEAD_UNLOCK] = {"pthread_mutex_unlock", lead_code_unlock, lead_unlocked},
    [LEAD_TRYLOCK] = {"pthread_mutex_trylock", lead_code_try, lead_tried},
};

static uint64_t code_at(const uint8_t *place)
{
	return PASSES_MUTEX_CODE + (uint64_t)(place - lead_code);
}

/* Calls of both that the program makes come through a door, to the present version of the name. */
static bool find(const struct entries *entries, const char *name, size_t *slot)
{
	const struct entry_point *point = entry_point_find(name);
	for (size_t i = 0; point && i < entries->traps_length; i++) {
		const struct trap *trap = &entries->traps[i];
		*slot = i;
		if (trap->point == point && trap->is_default)
			return trap->by_door;
	}
	return false;
}

/* Does the thread have its number where the code looks for it? */
static bool keeps_number(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	int32_t tid = 0;
	return regs &&
	       target_read(tracee->target, regs->fs_base + TID_OFFSET, &tid, sizeof(tid)) == STATUS_OK &&
	       tid == tracee_number(tracee);
}

static bool write_code(const struct entries *entries, struct target *target, const size_t slots[MUTEX_LEADS])
{
	struct known known;
	for (size_t i = 0; i < DOOR_RANGES; i++) {
		known.low[i] = entries->contents->own[i].low;
		known.size[i] = entries->contents->own[i].high - known.low[i];
	}
	for (size_t i = 0; i < MUTEX_LEADS; i++) {
		known.copies[i] = entries->traps[slots[i]].copy;
		known.doors[i] = known.copies[i] - DOOR_BYTES;
	}
	const size_t size = (size_t)(lead_code_end - lead_code);
	FMC_ASSERT(PASSES_MUTEX_CODE + size <= PASSES_KNOWN);
	return target_write(target, PASSES_MUTEX_CODE, lead_code, size) == STATUS_OK &&
	       target_write(target, PASSES_KNOWN, &known, sizeof(known)) == STATUS_OK;
}

/* The function's jump to its door goes to the code, by way of what is free in the slot. */
static bool divert(const struct entries *entries, struct target *target, size_t slot, uint64_t to)
{
	const struct trap *trap = &entries->traps[slot];
	const uint64_t way = trap->copy + (offsetof(struct slot, reserved) - offsetof(struct slot, copy));
	uint8_t jump[JUMP_BYTES], far[FAR_JUMP] = {0xff, 0x25};
	_Static_assert(sizeof(far) <= sizeof(((struct slot *)NULL)->reserved), "it fits a slot");
	memcpy(far + 6, &to, sizeof(to));
	return jump_encode(trap->address, way, jump) &&
	       target_write(target, way, far, sizeof(far)) == STATUS_OK &&
	       target_write(target, trap->address, jump, sizeof(jump)) == STATUS_OK;
}

bool mutex_leads_plant(const struct entries *entries, struct tracee *tracee, struct mutex_leads *leads)
{
	size_t slots[MUTEX_LEADS];
	bool found = !entries->musl && entries->page;
	for (size_t i = 0; i < MUTEX_LEADS && found; i++)
		found = find(entries, ways[i].function, &slots[i]);
	if (!found || !keeps_number(tracee) || !write_code(entries, tracee->target, slots))
		return false;
	for (size_t i = 0; i < MUTEX_LEADS; i++) {
		leads->functions[i] = entries->traps[slots[i]].address;
		leads->stops[i] = entries->traps[slots[i]].stop;
	}
	for (size_t i = 0; i < MUTEX_LEADS && found; i++)
		found = divert(entries, tracee->target, slots[i], code_at(ways[i].code));
	return found;
}

uint32_t mutex_leads_slot(uint64_t mutex)
{
	return (uint32_t)(mutex * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

enum status mutex_leads_name(struct target *target, uint32_t slot, uint64_t mutex, uint32_t object)
{
	const struct name name = {mutex, object};
	FMC_ASSERT(slot < LEAD_NAMES);
	return target_write(target, PASSES_NAMES + slot * sizeof(name), &name, sizeof(name));
}

void mutex_leads_step_back(const struct mutex_leads *leads, struct passes *passes, struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const uint64_t pc = regs ? regs->rip : 0;
	for (size_t i = 0; i < MUTEX_LEADS; i++) {
		const uint64_t logged = code_at(ways[i].logged);
		if (pc < code_at(ways[i].code) || pc > logged)
			continue;
		passes->mutexes -= pc == logged;
		tracee_change_regs(tracee)->rip = leads->functions[i];
		return;
	}
}
