/*
 * Vector and floating-point registers. Functions don't keep them for their callers, so between threads that stand before functions nobody needs to
 * move them; before an instruction, as before a system call, which keeps them, they count, and are laid aside when another thread goes on. The agent itself
 * uses none.
 */
#include "supervisor/inside/agent.h"

#include <stddef.h>

#define LEGACY_BYTES 576	       /* x87, SSE and the header (Intel SDM volume 1, 13.4) */
#define KEPT	     UINT64_C(0xe7)    /* x87, SSE, AVX, AVX-512 */
#define UNKEPT	     UINT64_C(0x60000) /* AMX: refused where it is in use */
#define UNMINDED     UINT64_C(0x218)   /* MPX, and keys of pages, which functions leave alone, too */
#define LINE	     64

static bool known;
static uint64_t enabled;
static uint32_t owner = NO_THREAD; /* whose are in the registers */

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static struct cpuid cpuid(uint32_t leaf, uint32_t part)
{
	struct cpuid is;
	__asm__ volatile("cpuid"
			 : "=a"(is.eax), "=b"(is.ebx), "=c"(is.ecx), "=d"(is.edx)
			 : "a"(leaf), "c"(part));
	return is;
}

static uint64_t xgetbv(uint32_t number)
{
	uint32_t low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(number));
	return low | (uint64_t)high << 32;
}

static uint32_t bytes_kept(void)
{
	uint32_t bytes = LEGACY_BYTES;
	for (uint32_t i = 2; i < 8; i++)
		if (enabled & KEPT & (UINT64_C(1) << i))
			bytes += (cpuid(0xd, i).eax + LINE - 1) & ~(uint32_t)(LINE - 1);
	return bytes;
}

void vectors_begin(void)
{
	const bool has_xsave = cpuid(1, 0).ecx & (1u << 27);
	if (!has_xsave || cpuid(0, 0).eax < 0xd || !(cpuid(0xd, 1).eax & 2))
		return;
	enabled = xgetbv(0);
	known = !(enabled & ~(KEPT | UNKEPT | UNMINDED)) && bytes_kept() <= sizeof agent.threads[0].vectors;
}

static bool lay_aside(struct agent_thread *thread)
{
	if (!known || (enabled & UNKEPT && xgetbv(1) & UNKEPT))
		return false;
	__asm__ volatile("xsavec64 %0" : "=m"(thread->vectors) : "a"((uint32_t)KEPT), "d"(0) : "memory");
	thread->aside = true;
	return true;
}

static bool matter(const struct agent_thread *thread)
{
	return (thread->call.instruction || !thread->call.entry) && !thread->exited;
}

bool vectors_keep(void)
{
	struct agent_thread *thread = owner == NO_THREAD ? NULL : &agent.threads[owner];
	return !thread || !matter(thread) || lay_aside(thread);
}

void vectors_forget(void)
{
	owner = NO_THREAD;
}

bool vectors_turn(struct agent_thread *thread)
{
	const uint32_t t = (uint32_t)(thread - agent.threads);
	if (t != owner && !vectors_keep())
		return false;
	if (t != owner && thread->aside) {
		__asm__ volatile("xrstor64 %0"
				 :
				 : "m"(thread->vectors), "a"((uint32_t)KEPT), "d"(0)
				 : "memory");
		go_controls();
	}
	thread->aside = false;
	owner = t;
	return true;
}
