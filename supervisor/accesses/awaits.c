#include "supervisor/accesses/accesses.h"
#include "supervisor/accesses/round.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * Loops that wait for memory: while (flag[1 - i] && turn == 1 - i); A thread comes back to an instruction that accesses memory, and
 * since it was there last it has performed nothing but such accesses, and changed none. If it found the same once more, would it come
 * back once more, with the same registers and all memory as it is? That is tried out: what the accesses have found is put in place, the
 * thread is stepped through the round, and then all is put back. So the answer depends on what the thread has seen, and not on what others
 * have done since.
 *
 * If so, a round that finds the same can be left out of any execution. So the thread goes on in it, and where it has found the same
 * up to the last access, that one waits (OP_AWAITS) until somebody changes what any of them has found, be it before or behind the round's
 * others. What others do to memory without an operation, and to what the round reads without one, is seen by comparing (awaits_changed()).
 *
 * A call of a library's function that is an operation (call.calls) and only reads is such an access: what it reads is known, and it is stepped
 * through as a whole.
 *
 * Rounds that count, that call the system but for sched_yield(), or of which it can't be told what they touch, are none of these:
 * retries.c has them.
 */

#define STEPS_MOST 128
#define TRAP_CODE  0xcc
#define LEFT_OVER  4096 /* bytes below a stack that belong to it for sure */

static bool lay_aside(const struct round *round, struct laid_aside *aside, uint64_t address, uint64_t size)
{
	*aside = (struct laid_aside){.address = address, .size = size};
	return size <= sizeof aside->bytes &&
	       target_read(round->process->target, address, aside->bytes, size) == STATUS_OK;
}

/* In this and the next two a death is told by the next wait. */
static void put_back(const struct round *round, const struct laid_aside *aside, uint32_t length)
{
	for (uint32_t i = length; i > 0; i--)
		(void)target_write(round->process->target, aside[i - 1].address, aside[i - 1].bytes,
				   aside[i - 1].size);
}

static bool put_in_place(struct round *round, uint64_t address, const void *bytes, uint64_t size)
{
	uint8_t now[WAITING_BYTES];
	/* What is as it was may be where nobody can write. */
	if (size <= sizeof now && target_read(round->process->target, address, now, size) == STATUS_OK &&
	    memcmp(now, bytes, size) == 0)
		return true;
	if (!lay_aside(round, &round->found[round->finds], address, size))
		return false;
	round->finds++;
	return target_write(round->process->target, address, bytes, size) == STATUS_OK;
}

/* Memory as the thread has last seen it. */
static bool put_what_was_seen(struct round *round)
{
	bool put = true;
	round->finds = 0;
	for (uint32_t i = 0; i < round->length && put; i++) {
		const struct retry *access = &round->seen[i];
		const struct called *called = round->called[i];
		if (!called)
			put = put_in_place(round, access->object, &access->word, access->bytes);
		for (uint32_t k = 0; called && k < called->length && put; k++)
			put = put_in_place(round, called->at[k].address, called->at[k].bytes,
					   called->at[k].size);
	}
	if (!put)
		put_back(round, round->found, round->finds);
	return put;
}

/* What the header of the area has may differ for the same contents. */
#define HEADER_BEGINS 512
#define HEADER_ENDS   576

static bool same_vectors(struct round *round)
{
	size_t size = sizeof round->after;
	return tracee_extended(round->thread->tracee, round->after, &size) == STATUS_OK &&
	       size == round->vectors_size && size > HEADER_ENDS &&
	       memcmp(round->vectors, round->after, HEADER_BEGINS) == 0 &&
	       memcmp(round->vectors + HEADER_ENDS, round->after + HEADER_ENDS, size - HEADER_ENDS) == 0;
}

#define FLAGS 0xcd5 /* carry, parity, adjust, zero, sign, direction, overflow */

static bool same_registers(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	return a->rax == b->rax && a->rbx == b->rbx && a->rcx == b->rcx && a->rdx == b->rdx &&
	       a->rsi == b->rsi && a->rdi == b->rdi && a->rbp == b->rbp && a->rsp == b->rsp &&
	       a->r8 == b->r8 && a->r9 == b->r9 && a->r10 == b->r10 && a->r11 == b->r11 && a->r12 == b->r12 &&
	       a->r13 == b->r13 && a->r14 == b->r14 && a->r15 == b->r15 &&
	       (a->eflags & FLAGS) == (b->eflags & FLAGS) && a->fs_base == b->fs_base &&
	       a->gs_base == b->gs_base;
}

static bool add_store(struct round *round, uint64_t address, uint64_t size)
{
	if (size == 0)
		return true;
	for (uint32_t i = 0; i < round->stores; i++)
		if (round->stored[i].address == address && round->stored[i].size == size)
			return true;
	if (round->stores == STORES_MOST || !lay_aside(round, &round->stored[round->stores], address, size))
		return false;
	round->stores++;
	return true;
}

static bool meets(uint64_t a, uint64_t size_a, uint64_t b, uint64_t size_b)
{
	return a < b + size_b && b < a + size_a;
}

static bool lies_in(uint64_t a, uint64_t size_a, uint64_t b, uint64_t size_b)
{
	return a >= b && a + size_a <= b + size_b;
}

static void is_found(struct round *round, uint64_t address, uint64_t size, uint64_t found, uint64_t bytes,
		     bool *given)
{
	*given |= lies_in(address, size, found, bytes);
	round->unclear |= !*given && meets(address, size, found, bytes);
}

/* Does it find there what the round has put there, or an access has found? In part, that can't be told. */
static bool is_given(struct round *round, uint64_t address, uint64_t size)
{
	bool given = false;
	for (uint32_t i = 0; i < round->stores; i++) {
		const struct laid_aside *store = &round->stored[i];
		given |= lies_in(address, size, store->address, store->size);
		round->unclear |= !given && meets(address, size, store->address, store->size);
	}
	for (uint32_t i = 0; i < round->length; i++) {
		const struct retry *access = &round->seen[i];
		const struct called *called = round->called[i];
		for (uint32_t k = 0; called && k < called->length; k++)
			is_found(round, address, size, called->at[k].address, called->at[k].size, &given);
		if (!called)
			is_found(round, address, size, access->object, access->bytes, &given);
	}
	return given;
}

static void add_read(struct round *round, const struct awaited_load *load)
{
	struct tried_round *reads = &round->reads;
	if (is_given(round, load->address, load->size))
		return;
	if (reads->length == TRIED_READS) {
		round->unclear = true;
		return;
	}
	struct tried_read *read = &reads->reads[reads->length++];
	*read = (struct tried_read){.address = load->address, .size = load->size};
	memcpy(read->bytes, load->bytes, sizeof read->bytes);
}

_Static_assert(TRIED_BYTES == AWAITED_BYTES, "what a round reads is kept as it is");

/* What it goes by. */
static bool add_load(struct round *round, uint64_t address, uint64_t size)
{
	struct awaited *awaited = &round->thread->awaited;
	if (size == 0)
		return true;
	for (uint32_t i = 0; i < awaited->loads_length; i++)
		if (awaited->loads[i].address == address && awaited->loads[i].size >= size)
			return true;
	if (size > AWAITED_BYTES || awaited->loads_length == AWAITED_LOADS)
		return false;
	struct awaited_load *load = &awaited->loads[awaited->loads_length++];
	*load = (struct awaited_load){.address = address, .size = size};
	if (target_read(round->process->target, address, load->bytes, size) != STATUS_OK)
		return false;
	add_read(round, load);
	return true;
}

static bool is_same_access(const struct retry *access, const struct retry *other)
{
	return access->entry == other->entry && access->object == other->object &&
	       access->bytes == other->bytes && access->calls == other->calls;
}

/* An access that is an operation has to be to what the thread has seen. */
static bool add_access(struct round *round, uint64_t entry, const struct call *call)
{
	struct awaited *awaited = &round->thread->awaited;
	bool seen = false;
	for (uint32_t i = 0; i < round->length && !seen; i++)
		seen =
		    round->seen[i].object == call->object && round->seen[i].bytes == (uint64_t)call->op.arg;
	if (!seen || awaited->length == OP_ROUND_MOST)
		return false;
	struct retry *access = &awaited->accesses[awaited->length++];
	*access = (struct retry){
	    .entry = entry, .object = call->object, .bytes = (uint64_t)call->op.arg, .calls = call->calls};
	if (call->calls)
		return true;
	return target_read(round->process->target, access->object, &access->word, access->bytes) == STATUS_OK;
}

/* A call that only reads: all of that is what the round goes by. */
static bool step_over_call(struct round *round, uint64_t address, const struct call *call)
{
	struct awaited *awaited = &round->thread->awaited;
	struct called called;
	const uint64_t word = called_find(round->process, round->thread, call, &called);
	if (round->again || word == 0 || !add_access(round, address, call))
		return false;
	awaited->accesses[awaited->length - 1].word = word;
	for (uint32_t i = 0; i < called.length; i++)
		for (uint64_t done = 0; done < called.at[i].size; done += AWAITED_BYTES) {
			const uint64_t left = called.at[i].size - done;
			if (!add_load(round, called.at[i].address + done,
				      left < AWAITED_BYTES ? left : AWAITED_BYTES))
				return false;
		}
	const bool back = called_run(round->process, round->thread, call);
	round->unclear |= !back;
	return back;
}

static bool step_over_access(struct round *round, uint64_t address)
{
	const struct entries *entries = round->process->entries;
	struct tracee *tracee = round->thread->tracee;
	const struct stop stop = {.kind = STOP_TRAP, .tracee = tracee, .address = address};
	struct call call;
	bool performed = false;
	if (entries_decode(entries, &stop, &call) != STATUS_OK || !call.instruction || call.apart ||
	    call.whole_bytes || call.releases || call.op.kind == OP_NONE)
		return false;
	if (call.calls)
		return step_over_call(round, address, &call);
	if (!(round->again ? round_knows_instruction(round) && round_access_again(round, &call)
			   : add_access(round, address, &call)))
		return false;
	/* Where it could wait in a buffer it is seen later. */
	if (call.op.kind == OP_MEMORY_WRITE && call.waits && round->process->options.tso)
		return false;
	if (call.op.kind == OP_MEMORY_WRITE && !add_store(round, call.object, (uint64_t)call.op.arg))
		return false;
	return (round->again || add_load(round, call.object, (uint64_t)call.op.arg)) &&
	       entries_step(entries, tracee, address, &performed) == STATUS_OK && performed &&
	       (!round->again || round_access_left(round));
}

#define SYSCALL_BYTES 2

/* sched_yield() as it is without anybody to yield to: it does nothing, and isn't made. */
static bool step_over_yield(const struct round *round, uint64_t address)
{
	uint8_t code[SYSCALL_BYTES];
	struct tracee *tracee = round->thread->tracee;
	if (target_read(round->process->target, address, code, sizeof code) != STATUS_OK || code[0] != 0x0f ||
	    code[1] != 0x05)
		return false;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs || regs->rax != SYS_sched_yield)
		return false;
	regs->rip = regs->rcx = address + SYSCALL_BYTES;
	regs->r11 = regs->eflags;
	regs->rax = 0;
	return true;
}

/* What an instruction reads and writes without an operation. */
static bool add_private(struct round *round, const struct waiting_store *load,
			const struct waiting_store *store)
{
	if (!round->again)
		return add_load(round, load->address, load->size) &&
		       add_store(round, store->address, store->size);
	return round_knows_instruction(round) &&
	       (load->size == 0 || round_had_before(round, load->address, load->size)) &&
	       (store->size == 0 || round_had_before(round, store->address, store->size)) &&
	       add_store(round, store->address, store->size);
}

/* Loops are not counted while a round is tried out, marks are. */
static bool meets_head(const struct round *round, uint64_t address)
{
	const struct process *process = round->process;
	uint8_t code = TRAP_CODE;
	return entries_is_head_trap(process->entries, address) &&
	       (target_read(process->target, address, &code, sizeof code) != STATUS_OK || code == TRAP_CODE);
}

static bool step(struct round *round, uint64_t address)
{
	struct process *process = round->process;
	struct tracee *tracee = round->thread->tracee;
	struct waiting_store store, load;
	uint8_t code[WAITING_CODE];
	struct stop stop;
	if (entries_is_trap(process->entries, address))
		return step_over_access(round, address);
	if (step_over_yield(round, address))
		return true;
	if (entries_visible_pc(process->entries, address) != address || meets_head(round, address) ||
	    !stores_code(process, tracee, code) ||
	    entries_waiting(process->entries, tracee, code, &store) != WAITING_GOES_ON ||
	    !entries_load(process->entries, tracee, &load) || !add_private(round, &load, &store) ||
	    tracee_perform(tracee, &stop) != STATUS_OK)
		return false;
	round->unclear |= stop.kind != STOP_STEP;
	if (stop.kind != STOP_STEP)
		target_push_back(&stop);
	return stop.kind == STOP_STEP;
}

static bool comes_back(struct round *round)
{
	for (unsigned steps = 0; steps < STEPS_MOST; steps++) {
		const struct user_regs_struct *regs = tracee_regs(round->thread->tracee);
		if (!regs || (steps > 0 && regs->rip == round->entry) || !step(round, regs->rip))
			return regs && steps > 0 && regs->rip == round->entry;
	}
	return false;
}

/* What is below the stack, and may be written by functions that are called, nobody reads before it is written again. */
static bool is_left_over(const struct round *round, const struct laid_aside *store)
{
	const uint64_t below = round->called[0] ? 0 : FRAME_BELOW; /* a call begins a frame of its own */
	const uint64_t end = round->regs.rsp - below;
	return store->address + store->size <= end && end - store->address <= LEFT_OVER;
}

static bool leaves_memory(const struct round *round)
{
	for (uint32_t i = 0; i < round->stores; i++) {
		struct laid_aside now;
		if (is_left_over(round, &round->stored[i]))
			continue;
		if (!lay_aside(round, &now, round->stored[i].address, round->stored[i].size) ||
		    memcmp(now.bytes, round->stored[i].bytes, now.size) != 0)
			return false;
	}
	return true;
}

/* As if the thread hadn't gone. */
static void go_back(struct round *round)
{
	struct tracee *tracee = round->thread->tracee;
	struct user_regs_struct *regs = tracee->life == TRACEE_STOPPED ? tracee_change_regs(tracee) : NULL;
	put_back(round, round->stored, round->stores);
	if (regs)
		*regs = round->regs;
	if (regs && !same_vectors(round))
		(void)tracee_set_extended(tracee, round->vectors, round->vectors_size);
}

static bool try_out(struct round *round)
{
	struct tracee *tracee = round->thread->tracee;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	round->vectors_size = sizeof round->vectors;
	if (!regs || tracee_extended(tracee, round->vectors, &round->vectors_size) != STATUS_OK ||
	    !put_what_was_seen(round)) {
		round->unclear = true;
		return false;
	}
	round->regs = *regs;
	regs->rip = round->entry;
	const bool back = comes_back(round);
	regs = back ? tracee_regs(tracee) : NULL;
	/* Scratch where functions are called (psABI). */
	if (regs && round->called[0])
		round->regs.r11 = regs->r11;
	const bool same =
	    regs && same_registers(regs, &round->regs) && same_vectors(round) && leaves_memory(round);
	go_back(round);
	put_back(round, round->found, round->finds);
	return same;
}

/* Which registers aren't what they were when the round just gone began. */
static uint32_t changed_registers(const struct round *round, const struct user_regs_struct *regs)
{
	uint64_t registers[RETRY_REGISTERS];
	uint32_t changed = ((regs->eflags ^ round->frame->flags) & FLAGS) ? 1u << RETRY_REGISTERS : 0;
	retries_note_registers(regs, registers);
	for (unsigned i = 0; i < RETRY_REGISTERS; i++)
		changed |= (registers[i] != round->seen[0].registers[i] ? 1u : 0u) << i;
	return changed;
}

/* Has the round just gone, too, left all as it was, but for registers that nothing reads? */
static bool was_vain(struct round *round)
{
	const struct process_thread *thread = round->thread;
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	round->frame = &thread->frames[(thread->retries.length - round->length) % RETRIES_ROOM];
	if (!regs || !entries_are_dead(round->process->entries, round->process->target, round->entry,
				       changed_registers(round, regs)))
		return false;
	round->again = true;
	const bool vain = try_out(round) && round->next == round->length;
	round->again = false;
	round->stores = 0;
	return vain;
}

/* The thread stands there as the program knows it, without traps of anybody's but the entries'. */
static bool try_out_unseen(struct round *round, bool *vain)
{
	struct process *process = round->process;
	const struct process_pilot *pilot = process->options.pilot;
	if (pilot)
		pilot->plant(pilot->context, process->target, false);
	look_hide(process, process->target);
	/* A death is told by the next wait. */
	(void)entries_show_loops(process->entries, process->target, process->counting.bits, false);
	const bool same = try_out(round);
	round->stores = 0;
	*vain = same && was_vain(round);
	(void)entries_show_loops(process->entries, process->target, process->counting.bits, true);
	look_show(process, process->target);
	if (pilot)
		pilot->plant(pilot->context, process->target, true);
	return same;
}

/* Has the thread just gone this very round? */
static bool was_gone(const struct round *round)
{
	const struct awaited *awaited = &round->thread->awaited;
	bool same = round->length == awaited->length;
	for (uint32_t i = 0; i < round->length && same; i++)
		same = is_same_access(&round->seen[i], &awaited->accesses[i]);
	return same;
}

/* A single access is all that a round needs to know; of several the last one may be looked for only so far back. */
static bool find_in(struct round *round, bool *vain)
{
	struct awaited *awaited = &round->thread->awaited;
	const struct user_regs_struct *regs = tracee_regs(round->thread->tracee);
	const bool found = regs && try_out_unseen(round, vain) && (awaited->length == 1 || was_gone(round));
	awaited->span = round->length;
	awaited->next = 0;
	if (!found) {
		awaited->length = 0;
		return false;
	}
	retries_note_registers(regs, awaited->registers);
	awaited->flags = regs->eflags & FLAGS;
	return true;
}

/* It isn't a round that waits. */
static void keep_answer(struct process *process, const struct round *round, uint64_t key)
{
	if (!process->tried)
		process->tried = calloc(1, sizeof *process->tried);
	struct tried_rounds *tried = process->tried;
	if (!tried || round->unclear || tried->length == TRIED_MOST)
		return;
	tried->at[tried->length] = round->reads;
	tried->keys[tried->length++] = key;
}

static uint64_t key_of(const struct round *round, const struct call *call)
{
	const struct user_regs_struct *regs = tracee_regs(round->thread->tracee);
	uint64_t registers[RETRY_REGISTERS] = {0};
	if (regs)
		retries_note_registers(regs, registers);
	return retries_key(&round->thread->retries, round->length, call, registers);
}

/* *vain: it is found, and the one just gone was such a round already. */
static void find_round(struct process *process, struct process_thread *thread, const struct call *call,
		       bool *vain)
{
	struct retries *retries = &thread->retries;
	const uint32_t length =
	    call->instruction && !call->apart && !call->whole_bytes ? retries_since(retries, call) : 0;
	if (length == 0 || apart_interrupted(process, thread) || retries->tries++ >= RETRIES_TRIED)
		return;
	struct round *round = calloc(1, sizeof *round);
	if (!round)
		return;
	round->process = process;
	round->thread = thread;
	round->entry = call->entry;
	round->length = length;
	thread->awaited.loads_length = 0;
	for (uint32_t i = 0; i < length; i++) {
		const uint32_t at = (retries->length - length + i) % RETRIES_ROOM;
		round->seen[i] = retries->at[at];
		round->called[i] = retries->at[at].calls ? &thread->called[at] : NULL;
	}
	const uint64_t key = key_of(round, call);
	if (find_in(round, vain)) {
		retries->tries = 0;
	} else {
		*vain = false;
		keep_answer(process, round, key);
	}
	free(round);
}

/* Has the thread found what it found in the round before, and come to what came next there? */
static bool goes_on(const struct process_thread *thread, const struct call *call)
{
	const struct awaited *awaited = &thread->awaited;
	const struct retries *retries = &thread->retries;
	const uint32_t next = awaited->next;
	const struct retry *before = &awaited->accesses[(next + awaited->length - 1) % awaited->length];
	const struct retry *last = &retries->at[(retries->length - 1) % RETRIES_ROOM];
	const struct retry now = {.entry = call->entry,
				  .object = call->object,
				  .bytes = (uint64_t)call->op.arg,
				  .calls = call->calls};
	return retries->length > 0 && is_same_access(before, last) && before->word == last->word &&
	       is_same_access(&awaited->accesses[next], &now);
}

/* It is where the round begins, having gone it, and nothing that the round goes by has changed meanwhile. */
static bool has_gone(const struct process *process, const struct process_thread *thread)
{
	const struct awaited *awaited = &thread->awaited;
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	uint64_t registers[RETRY_REGISTERS];
	if (!regs || awaited->next != 0 || (regs->eflags & FLAGS) != awaited->flags)
		return false;
	retries_note_registers(regs, registers);
	return memcmp(registers, awaited->registers, sizeof registers) == 0 &&
	       !awaits_changed(process, (uint32_t)(thread - process->threads));
}

bool awaits_round(struct process *process, struct process_thread *thread, struct call *call)
{
	struct awaited *awaited = &thread->awaited;
	bool vain = false;
	if (awaited->length > 0 && !goes_on(thread, call))
		awaited->length = 0;
	if (awaited->length > 0)
		vain = has_gone(process, thread);
	else
		find_round(process, thread, call, &vain);
	if (awaited->length == 0)
		return false;
	if (vain && !call->op.arg3) {
		call->op.flags |= OP_VAIN;
		call->op.arg3 = awaited->span;
	}
	awaited->next = (awaited->next + 1) % awaited->length;
	if (awaited->next != 0)
		return true;
	call->op.flags |= OP_AWAITS;
	call->op.arg3 = awaited->span;
	awaited->span = awaited->length;
	thread->retries.in_row = 0;
	return true;
}

bool awaits_changed(const struct process *process, uint32_t thread)
{
	const struct awaited *awaited = &process->threads[thread].awaited;
	for (uint32_t i = 0; i < awaited->loads_length; i++) {
		uint8_t now[AWAITED_BYTES];
		const struct awaited_load *load = &awaited->loads[i];
		if (target_read(process->target, load->address, now, load->size) == STATUS_OK &&
		    memcmp(now, load->bytes, load->size) != 0)
			return true;
	}
	return false;
}
