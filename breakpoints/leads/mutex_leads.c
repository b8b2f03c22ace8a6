/* Mutexes that nobody waits for, passed without stops (x86-64, glibc). */
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/mutex_leads.h>
#include <fmc/tracer/assert.h>

#include <stddef.h>
#include <string.h>

#define AT	   UINT64_C(0x552000000000) /* a page of code, then the data */
#define CODE_BYTES UINT64_C(4096)
#define DATA	   (AT + CODE_BYTES)
#define TID_OFFSET                                                                                           \
	0x2d0 /* of struct pthread's tid, from the thread pointer: checked before it is relied on */
#define JUMP_BYTES 5
#define FAR_JUMP   14 /* jmp *0(%rip), and where to */

struct name {
	uint64_t mutex;
	uint64_t object;
};

/* Offsets are those in the code below. */
struct data {
	uint64_t passed, let;
	uint64_t low[DOOR_RANGES], size[DOOR_RANGES]; /* whose calls are no operations */
	uint64_t copies[MUTEX_LEADS], doors[MUTEX_LEADS];
	uint64_t reserved[4];
	struct name names[LEAD_NAMES];
	struct passed_call log[LEAD_PASSES];
};

_Static_assert(offsetof(struct data, names) == 128 && offsetof(struct data, log) == 65664 &&
		   sizeof(struct passed_call) == 16 && DOOR_RANGES == 2 && LEAD_NAMES == 1 << 12 &&
		   LEAD_PASSES == 1 << 12,
	       "what the code knows");

/*
 * Before a function with one argument all of rax, rcx, rdx, rsi, r8 to r11 are free. A call counts from the moment at which `passed` has been
 * written; whoever is stopped before that begins anew.
 */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	".macro lead_begin\n"
	"	leaq lead_code + 4096(%rip), %rsi\n"
	"	movq (%rsi), %rcx\n"
	"	cmpq 8(%rsi), %rcx\n"
	"	jae 9f\n"
	"	movq (%rsp), %r11\n"
	"	movq %r11, %rax\n"
	"	subq 16(%rsi), %rax\n"
	"	cmpq 32(%rsi), %rax\n"
	"	jb 9f\n"
	"	movq %r11, %rax\n"
	"	subq 24(%rsi), %rax\n"
	"	cmpq 40(%rsi), %rax\n"
	"	jb 9f\n"
	"	movabsq $0x9e3779b97f4a7c15, %rax\n" /* as mutex_leads_slot() */
	"	imulq %rdi, %rax\n"
	"	shrq $52, %rax\n"
	"	shll $4, %eax\n"
	"	cmpq %rdi, 128(%rsi, %rax)\n"
	"	jne 9f\n"
	"	movl 16(%rdi), %edx\n" /* the kind: the process's own, and normal (said to be so by 0x200) */
	"	andl $~0x200, %edx\n"
	"	jz 8f\n"
	"	cmpl $3, %edx\n" /* or adaptive */
	"	jne 9f\n"
	"8:\n"
	".endm\n"
	".macro lead_log lead\n"
	"	movq 136(%rsi, %rax), %rax\n"
	"	movl %ecx, %edx\n"
	"	andl $4095, %edx\n"
	"	shll $4, %edx\n"
	"	movq %r11, 65664(%rsi, %rdx)\n"
	"	movl %eax, 65672(%rsi, %rdx)\n"
	"	movl $\\lead, 65676(%rsi, %rdx)\n"
	"	incq %rcx\n"
	"	movq %rcx, (%rsi)\n"
	".endm\n"
	"lead_code:\n"
	"	lead_begin\n"
	"	cmpl $0, (%rdi)\n" /* free */
	"	jne 9f\n"
	"	lead_log 0\n"
	"lead_locked:\n"
	"	jmpq *48(%rsi)\n"
	"9:	jmpq *72 + lead_code + 4096(%rip)\n"
	"lead_code_unlock:\n"
	"	lead_begin\n"
	"	cmpl $1, (%rdi)\n" /* held, by itself, and nobody sleeps in the kernel */
	"	jne 9f\n"
	"	movl %fs:0x2d0, %r10d\n"
	"	cmpl 8(%rdi), %r10d\n"
	"	jne 9f\n"
	"	lead_log 1\n"
	"lead_unlocked:\n"
	"	jmpq *56(%rsi)\n"
	"9:	jmpq *80 + lead_code + 4096(%rip)\n"
	"lead_code_try:\n"
	"	lead_begin\n"
	"	cmpl $0, (%rdi)\n"
	"	jne 9f\n"
	"	lead_log 2\n"
	"lead_tried:\n"
	"	jmpq *64(%rsi)\n"
	"9:	jmpq *88 + lead_code + 4096(%rip)\n"
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
	return AT + (uint64_t)(place - lead_code);
}

static uint64_t data_at(size_t offset)
{
	return DATA + offset;
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

static bool make(const struct entries *entries, struct target *target, const size_t slots[MUTEX_LEADS])
{
	const struct reserved code = {.low = AT, .high = DATA, .code = true};
	const struct reserved data = {.low = DATA, .high = DATA + ((sizeof(struct data) + 4095) & ~4095ul)};
	struct data first = {.passed = 0};
	for (size_t i = 0; i < DOOR_RANGES; i++) {
		first.low[i] = entries->contents->own[i].low;
		first.size[i] = entries->contents->own[i].high - first.low[i];
	}
	for (size_t i = 0; i < MUTEX_LEADS; i++) {
		first.copies[i] = entries->traps[slots[i]].copy;
		first.doors[i] = first.copies[i] - DOOR_BYTES;
	}
	return target_reserve(target, &code) && target_reserve(target, &data) &&
	       target_write(target, AT, lead_code, (size_t)(lead_code_end - lead_code)) == STATUS_OK &&
	       target_write(target, DATA, &first, offsetof(struct data, names)) == STATUS_OK;
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
	if (!found || !keeps_number(tracee) || !make(entries, tracee->target, slots))
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
	return target_write(target, data_at(offsetof(struct data, names) + slot * sizeof(name)), &name,
			    sizeof(name));
}

enum status mutex_leads_let(struct target *target, uint64_t calls)
{
	return target_write(target, data_at(offsetof(struct data, let)), &calls, sizeof(calls));
}

enum status mutex_leads_passed(const struct target *target, uint64_t *calls)
{
	return target_read(target, data_at(offsetof(struct data, passed)), calls, sizeof(*calls));
}

enum status mutex_leads_read(const struct target *target, uint64_t first, uint32_t length,
			     struct passed_call at[])
{
	const uint32_t from = first % LEAD_PASSES;
	const uint32_t part = length < LEAD_PASSES - from ? length : LEAD_PASSES - from;
	const uint64_t log = data_at(offsetof(struct data, log));
	enum status status = target_read(target, log + from * sizeof(*at), at, part * sizeof(*at));
	if (status == STATUS_OK && part < length)
		status = target_read(target, log, at + part, (length - part) * sizeof(*at));
	return status;
}

void mutex_leads_step_back(const struct mutex_leads *leads, struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const uint64_t pc = regs ? regs->rip : 0;
	for (size_t i = 0; i < MUTEX_LEADS; i++)
		if (pc >= code_at(ways[i].code) && pc < code_at(ways[i].logged)) {
			tracee_change_regs(tracee)->rip = leads->functions[i];
			return;
		}
}
