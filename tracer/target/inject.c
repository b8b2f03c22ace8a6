#include "tracer/target/standing.h"
#include "tracer/target/target.h"
#include "tracer/tracee/call_registers.h"

#include <fmc/tracer/maps.h>

#include <errno.h>
#include <linux/mman.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls that a tracee is made to perform, and the pages that fmc needs in the target. */

enum status inject_run(struct tracee *tracee, const struct user_regs_struct *from, uint64_t trap,
		       struct user_regs_struct *end)
{
	struct stop stop;
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	const struct user_regs_struct saved = *regs;
	tracee->target->mapping_calls++;
	*regs = *from;
	enum status status = run_to_stop(tracee, STOP_TRAP, &stop);
	if (status == STATUS_OK && stop.address != trap)
		status = STATUS_BUG;
	regs = status == STATUS_OK ? tracee_change_regs(tracee) : NULL;
	if (!regs)
		return status == STATUS_OK ? STATUS_GONE : status;
	*end = *regs;
	*regs = saved;
	return STATUS_OK;
}

static enum status perform(struct tracee *tracee, uint64_t gadget, long number, const uint64_t arguments[6],
			   int64_t *result)
{
	const struct user_regs_struct *own = tracee_regs(tracee);
	if (!own)
		return STATUS_GONE;
	struct user_regs_struct regs = *own;
	call_registers(&regs, gadget, number, arguments);
	const enum status status = inject_run(tracee, &regs, gadget + 2, &regs);
	*result = (int64_t)regs.rax;
	return status;
}

/* A signal that has been kept back for the tracee stays so, a stop that has been given back, and the rest of a call. */
static enum status syscall_from(struct tracee *tracee, uint64_t gadget, long number,
				const uint64_t arguments[6], int64_t *result)
{
	const int held = tracee->deferred_signal;
	const bool pushed_back = tracee->target->has_pushed_back;
	const struct cut_call cut = tracee->cut_call;
	struct standing standing;
	uint64_t mask;
	tracee->cut_call.goes_on = false;
	enum status status = standing_take(tracee, &standing);
	if (status == STATUS_OK)
		status = tracee_block_signals(tracee, &mask);
	tracee->deferred_signal = 0;
	tracee->target->has_pushed_back = false;
	if (status == STATUS_OK)
		status = perform(tracee, gadget, number, arguments, result);
	if (status == STATUS_OK)
		status = standing_restore(tracee, &standing);
	if (status == STATUS_OK)
		status = tracee_unblock_signals(tracee, mask);
	tracee->deferred_signal = held;
	tracee->cut_call = cut;
	tracee->target->has_pushed_back = pushed_back;
	return status;
}

enum status tracee_syscall(struct tracee *tracee, long number, const uint64_t arguments[6], int64_t *result)
{
	return syscall_from(tracee, GADGET_SYSCALL, number, arguments, result);
}

/*
 * The first page is mapped by a `syscall; int3` that stands for a moment where the tracee is stopped. Nothing
 * of the target runs there meanwhile: it has only this thread.
 */
enum status inject_gadget_page(struct tracee *tracee)
{
	static const uint8_t call[] = {0x0f, 0x05, 0xcc};
	static const uint8_t returning[] = {0x0f, 0x05, 0xc3};
	uint8_t page_code[GADGET_CALL - GADGET_PAGE + sizeof returning] = {0x0f, 0x05, 0xcc};
	uint8_t original[sizeof call];
	const uint64_t arguments[6] = {
	    GADGET_PAGE,	   GADGET_PAGE_SIZE,
	    PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
	    (uint64_t)-1,	   0};
	struct target *target = tracee->target;
	struct user_regs_struct *regs = tracee_regs(tracee);
	int64_t result = 0;
	if (!regs)
		return STATUS_GONE;
	uint64_t here = regs->rip;
	enum status status = target_read(target, here, original, sizeof original);
	if (status == STATUS_OK)
		status = target_write(target, here, call, sizeof call);
	if (status == STATUS_OK)
		status = syscall_from(tracee, here, SYS_mmap, arguments, &result);
	if (status == STATUS_OK)
		status = target_write(target, here, original, sizeof original);
	if (status != STATUS_OK)
		return status;
	if ((uint64_t)result != GADGET_PAGE)
		return STATUS_UNSUPPORTED;
	memset(page_code + 3, 0xcc, sizeof page_code - 3);
	memcpy(page_code + GADGET_CALL - GADGET_PAGE, returning, sizeof returning);
	status = target_write(target, GADGET_PAGE, page_code, sizeof page_code);
	return status == STATUS_OK ? inject_clones_code(target) : status;
}

/* The highest hole below `near` that takes a near page and a guard page on either side; 0 if there is none.
 */
static uint64_t find_hole(const struct target *target, uint64_t near)
{
	const uint64_t need = NEAR_PAGE_SIZE + 2 * 4096, reach = UINT64_C(1) << 30;
	struct maps maps;
	uint64_t last_end = 0x10000, best = 0;
	if (maps_of(target->pid, &maps) != STATUS_OK)
		return 0;
	for (size_t i = 0; i < maps.length && last_end <= near; i++) {
		if (maps.at[i].low >= last_end + need)
			best = maps.at[i].low - NEAR_PAGE_SIZE - 4096;
		last_end = maps.at[i].high;
	}
	maps_release(&maps);
	return best && near - best < reach ? best & ~UINT64_C(0xfff) : 0;
}

uint64_t target_near_page(struct target *target, uint64_t near)
{
	for (size_t i = 0; i < target->near_pages_length; i++) {
		uint64_t page = target->near_pages[i];
		if ((page > near ? page - near : near - page) < (UINT64_C(1) << 30))
			return page;
	}
	struct tracee *tracee = target_tracee(target, 0);
	uint64_t hole = target->near_pages_length < NEAR_PAGES_MAX ? find_hole(target, near) : 0;
	int64_t result = 0;
	const uint64_t arguments[6] = {hole,
				       NEAR_PAGE_SIZE,
				       PROT_READ | PROT_EXEC,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				       (uint64_t)-1,
				       0};
	if (!hole || tracee_syscall(tracee, SYS_mmap, arguments, &result) != STATUS_OK ||
	    (uint64_t)result != hole)
		return 0;
	target->near_pages[target->near_pages_length++] = hole;
	return hole;
}

bool tracee_code_at(struct tracee *tracee, uint64_t address)
{
	const uint64_t arguments[6] = {address,
				       NEAR_CODE_SIZE,
				       PROT_READ | PROT_WRITE | PROT_EXEC,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				       (uint64_t)-1,
				       0};
	int64_t result = 0;
	return tracee_syscall(tracee, SYS_mmap, arguments, &result) == STATUS_OK &&
	       (uint64_t)result == address;
}

uint64_t tracee_near_code(struct tracee *tracee, uint64_t near)
{
	uint64_t hole = find_hole(tracee->target, near);
	return hole && tracee_code_at(tracee, hole) ? hole : 0;
}
