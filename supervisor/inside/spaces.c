/*
 * Memory that the program maps in the course of executions, and its heap as far as that grows in them. The kernel says where it goes; it stays mapped
 * when the program gives it back or the execution is over, so that the next execution, which asks for the same, is given the same without the
 * kernel. Rights that aren't those that the program has asked for are put right before its code goes on.
 */
#include "supervisor/inside/agent.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define CALLS_MOST 1024
#define ARGUMENTS  4

/* What was asked of the kernel that decides where it maps next, from the beginning of an execution on, and what it said. */
struct mapping_call {
	uint64_t number, arguments[ARGUMENTS];
	int64_t result;
};

static struct {
	struct mapping_call at[CALLS_MOST];
	uint32_t length;
} calls;

static struct space spaces[AGENT_SPACES];
static uint32_t spaces_length;
static uint64_t heap_top; /* as the kernel has it; 0: it hasn't grown */
static bool changed;	  /* some rights may not be as wanted */

static uint64_t page_up(uint64_t address)
{
	return (address + PAGE - 1) & ~(PAGE - 1);
}

static int64_t protect(uint64_t low, uint64_t high, uint64_t rights)
{
	return own_call(SYS_mprotect, low, high - low, rights, 0, 0, 0);
}

static bool give_up(uint64_t low, uint64_t high)
{
	return own_call(SYS_madvise, low, high - low, MADV_DONTNEED, 0, 0, 0) == 0;
}

/* The first one that ends after the address. */
static uint32_t find(uint64_t address)
{
	uint32_t low = 0, high = spaces_length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (spaces[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert(uint32_t i, const struct space *space)
{
	if (spaces_length == AGENT_SPACES)
		return false;
	memmove(spaces + i + 1, spaces + i, (spaces_length - i) * sizeof spaces[0]);
	spaces[i] = *space;
	spaces_length++;
	return true;
}

/* There is a boundary at the address, if that is within one. */
static bool cut(uint64_t address)
{
	const uint32_t i = find(address);
	if (i == spaces_length || spaces[i].low >= address)
		return true;
	struct space below = spaces[i];
	below.high = address;
	if (!insert(i, &below))
		return false;
	spaces[i + 1].low = address;
	return true;
}

/* The range, cut out: the first of its spaces, and after its last. False: it isn't all there, or there is no room. */
static bool cut_out(uint64_t low, uint64_t high, uint32_t *first, uint32_t *end)
{
	if (!cut(low) || !cut(high))
		return false;
	*first = *end = find(low);
	uint64_t at = low;
	for (; *end < spaces_length && spaces[*end].low == at && at < high; (*end)++)
		at = spaces[*end].high;
	return at == high && low < high;
}

static bool is_given_out(uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (!spaces[i].given)
			return false;
	return true;
}

/* The program is given this, all zeros. */
static void give(uint32_t first, uint32_t end, uint8_t rights)
{
	for (uint32_t i = first; i < end; i++) {
		struct space *space = &spaces[i];
		/* Who has had it in this execution may have touched pages that nobody knows of yet. */
		space->zero = !space->used || !give_up(space->low, space->high);
		space->given = space->used = true;
		space->wanted = rights;
	}
	changed = true;
}

static void take(uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		spaces[i].given = false;
		spaces[i].wanted = PROT_NONE;
	}
	changed = true;
}

/* What nobody has been given is really unmapped: what the kernel is asked next it answers as if it never had been. */
static void unmap_rest(void)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < spaces_length; i++) {
		if (spaces[i].given || spaces[i].heap)
			spaces[kept++] = spaces[i];
		else
			own_call(SYS_munmap, spaces[i].low, spaces[i].high - spaces[i].low, 0, 0, 0, 0);
	}
	if (kept < spaces_length)
		agent.epoch++;
	spaces_length = kept;
}

/* Has this been asked at this point before? */
static bool remembers(const struct mapping_call *call, int64_t *result)
{
	if (agent.now.calls == calls.length)
		return false;
	const struct mapping_call *before = &calls.at[agent.now.calls];
	if (before->number != call->number ||
	    memcmp(before->arguments, call->arguments, sizeof call->arguments) != 0)
		return false;
	*result = before->result;
	agent.now.calls++;
	return true;
}

/* What was asked from here on in other executions isn't what follows now. */
static bool remember(struct mapping_call *call, int64_t result)
{
	if (agent.now.calls == CALLS_MOST)
		return false;
	call->result = result;
	calls.at[agent.now.calls++] = *call;
	calls.length = agent.now.calls;
	return true;
}

/* Map this, which isn't: where the kernel likes, or there. */
static int64_t map_space(const struct mapping_call *call, uint64_t at, uint64_t size, uint64_t flags)
{
	if (spaces_length == AGENT_SPACES)
		return -ENOMEM;
	const int64_t result =
	    own_call(SYS_mmap, at, size, call->arguments[2], call->arguments[3] | flags, (uint64_t)-1, 0);
	const struct space space = {.low = (uint64_t)result,
				    .high = (uint64_t)result + page_up(size),
				    .wanted = (uint8_t)call->arguments[2],
				    .actual = (uint8_t)call->arguments[2],
				    .given = true,
				    .used = true};
	if (result >= 0 && (!pages_track(space.low, space.high) || !insert(find(space.low), &space))) {
		own_call(SYS_munmap, space.low, size, 0, 0, 0, 0);
		return -ENOMEM;
	}
	return result;
}

static bool map_anew(struct mapping_call *call, int64_t *result)
{
	unmap_rest();
	if (agent.now.calls == CALLS_MOST || spaces_length == AGENT_SPACES)
		return false;
	*result = map_space(call, call->arguments[0], call->arguments[1], 0);
	return remember(call, *result);
}

/* What the range lacks, because it was unmapped meanwhile. */
static bool map_again(const struct mapping_call *call, uint64_t low, uint64_t high)
{
	while (low < high) {
		const uint32_t i = find(low);
		const uint64_t next = i == spaces_length || spaces[i].low >= high ? high : spaces[i].low;
		if (next > low && map_space(call, low, next - low, MAP_FIXED_NOREPLACE) != (int64_t)low)
			return false;
		low = next > low ? next : spaces[i].high;
	}
	return true;
}

bool spaces_map(const struct agent_context *context, int64_t *result)
{
	struct mapping_call call = {SYS_mmap, {context->rdi, context->rsi, context->rdx, context->r10}, 0};
	uint32_t first, end;
	if (agent.now.holes_length > 0)
		return false;
	if (!remembers(&call, result))
		return map_anew(&call, result);
	if (*result < 0)
		return true;
	const uint64_t low = (uint64_t)*result, high = low + page_up(context->rsi);
	if (!map_again(&call, low, high) || !cut_out(low, high, &first, &end))
		return false;
	give(first, end, (uint8_t)context->rdx);
	return true;
}

bool spaces_renew(uint64_t low, uint64_t size, uint64_t rights)
{
	uint32_t first, end;
	if (low % PAGE || !cut_out(low, low + page_up(size), &first, &end) || !is_given_out(first, end))
		return false;
	give(first, end, (uint8_t)rights);
	return true;
}

bool spaces_unmap(uint64_t low, uint64_t size)
{
	struct mapping_call call = {SYS_munmap, {low, size}, 0};
	int64_t result;
	uint32_t first, end;
	if (low % PAGE || !cut_out(low, low + page_up(size), &first, &end) || !is_given_out(first, end))
		return false;
	if (!remembers(&call, &result) && !remember(&call, 0))
		return false;
	take(first, end);
	return true;
}

bool spaces_protect(uint64_t low, uint64_t size, uint64_t rights)
{
	uint32_t first, end;
	if (low % PAGE || !cut_out(low, low + page_up(size), &first, &end) || !is_given_out(first, end))
		return false;
	for (uint32_t i = first; i < end; i++)
		spaces[i].wanted = (uint8_t)rights;
	changed = true;
	return true;
}

bool spaces_have(uint64_t low, uint64_t size)
{
	uint32_t first, end;
	return low % PAGE == 0 && cut_out(low, low + page_up(size), &first, &end) && is_given_out(first, end);
}

bool spaces_give_up(uint64_t low, uint64_t size)
{
	return spaces_have(low, size) && give_up(low, low + page_up(size));
}

static bool grow_heap(uint64_t to)
{
	const struct space space = {.low = heap_top,
				    .high = page_up(to),
				    .wanted = PROT_READ | PROT_WRITE,
				    .actual = PROT_READ | PROT_WRITE,
				    .given = true,
				    .used = true,
				    .heap = true};
	if ((uint64_t)own_call(SYS_brk, space.high, 0, 0, 0, 0, 0) != space.high ||
	    !pages_track(space.low, space.high) || !insert(find(space.low), &space))
		return false;
	heap_top = space.high;
	return true;
}

bool spaces_break(uint64_t to, int64_t *result)
{
	const uint64_t base = page_up(REGION->brk), now = page_up(agent.now.brk), then = page_up(to);
	uint32_t first, end;
	*result = (int64_t)agent.now.brk;
	if (to == 0)
		return true;
	if (to < REGION->brk)
		return false;
	if (!heap_top)
		heap_top = base;
	if (then < now && (!cut_out(then, now, &first, &end) || (take(first, end), false)))
		return false;
	const uint64_t known = then < heap_top ? then : heap_top;
	if (known > now &&
	    (!cut_out(now, known, &first, &end) || (give(first, end, PROT_READ | PROT_WRITE), false)))
		return false;
	if (then > heap_top && !grow_heap(to))
		return false;
	agent.now.brk = to;
	*result = (int64_t)to;
	return true;
}

/* As the program wants them, from `i` on as far as that is the same; returns after the last. False: the kernel refuses. */
static bool put_right(uint32_t i, uint32_t *next)
{
	const struct space *first = &spaces[i];
	uint32_t end = i + 1;
	while (end < spaces_length && spaces[end].low == spaces[end - 1].high &&
	       spaces[end].wanted == first->wanted && spaces[end].actual != spaces[end].wanted)
		end++;
	*next = end;
	if (protect(first->low, spaces[end - 1].high, first->wanted) != 0)
		return false;
	for (uint32_t k = i; k < end; k++)
		spaces[k].actual = spaces[k].wanted;
	return true;
}

static bool put_zeros(struct space *space)
{
	space->zero = false;
	if (space->actual & PROT_WRITE)
		return pages_zero(space->low, space->high);
	return give_up(space->low, space->high);
}

bool spaces_settle(void)
{
	if (!changed)
		return true;
	changed = false;
	for (uint32_t i = 0, next; i < spaces_length; i = next) {
		next = i + 1;
		if (spaces[i].actual != spaces[i].wanted && !put_right(i, &next))
			return false;
	}
	for (uint32_t i = 0; i < spaces_length; i++)
		if (spaces[i].zero && spaces[i].given && spaces[i].wanted != PROT_NONE &&
		    !put_zeros(&spaces[i]))
			return false;
	return true;
}

void spaces_begin(void)
{
	for (uint32_t i = 0; i < spaces_length; i++) {
		spaces[i].given = spaces[i].used = spaces[i].zero = false;
		spaces[i].wanted = PROT_NONE;
	}
	changed = true;
}

const struct space *spaces_with(uint64_t address)
{
	const uint32_t i = find(address);
	return i < spaces_length && spaces[i].low <= address ? &spaces[i] : NULL;
}

uint32_t spaces_all(const struct space **at)
{
	*at = spaces;
	return spaces_length;
}

bool spaces_return(const struct space *then, uint32_t length)
{
	uint32_t first, end;
	for (uint32_t i = 0; i < spaces_length; i++) {
		spaces[i].given = spaces[i].used = spaces[i].zero = false;
		spaces[i].wanted = PROT_NONE;
	}
	changed = true;
	for (uint32_t i = 0; i < length; i++) {
		if (!cut_out(then[i].low, then[i].high, &first, &end))
			return false;
		for (uint32_t k = first; k < end; k++) {
			spaces[k].given = then[i].given;
			spaces[k].used = then[i].used;
			spaces[k].zero = then[i].zero;
			spaces[k].wanted = then[i].wanted;
		}
	}
	return spaces_settle();
}
