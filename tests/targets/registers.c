/*
 * registers WHAT: threads keep something in registers across what lets others go on, and look whether it is still theirs: `vectors` (the widest that the
 * processor has, and masks) across a system call and across atomic instructions, `bases` (of gs, by the instruction) across calls of functions, `controls`
 * (how floating-point numbers are rounded, and flags where they count) across all of these. Exit 1: it isn't, 2: this machine has none. For
 * tests/run-engine.sh.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#define ROUNDS 4
#define WORDS  8 /* of 8 bytes, in the widest */
#define HAS_GS 2 /* of AT_HWCAP2: HWCAP2_FSGSBASE */

static uint64_t shared;

static void fail(const char *what)
{
	fprintf(stderr, "%s isn't this thread's\n", what);
	_Exit(1);
}

#define YIELD  "mov $24, %%eax\n\tsyscall\n\t"
#define ATOMIC "lock incq (%3)\n\tlock incq (%3)\n\t"

/* Vectors and masks from `words`, what lies between, and back. */
#define KEEP_WIDE(between)                                                                                   \
	__asm__ volatile("vmovdqu64 (%0), %%zmm0\n\tvmovdqu64 (%0), %%zmm15\n\tvmovdqu64 (%0), %%zmm31\n\t"  \
			 "kmovq (%0), %%k1\n\tkmovq (%0), %%k7\n\t" between                                  \
			 "vmovdqu64 %%zmm0, (%1)\n\tvmovdqu64 %%zmm15, 64(%1)\n\t"                           \
			 "vmovdqu64 %%zmm31, 128(%1)\n\t"                                                    \
			 "kmovq %%k1, (%2)\n\tkmovq %%k7, 8(%2)\n\tvzeroupper\n\t"                           \
			 :                                                                                   \
			 : "r"(words), "r"(found), "r"(masks), "r"(&shared)                                  \
			 : "memory", "rax", "rcx", "r11", "xmm0", "xmm15", "xmm31", "k1", "k7", "cc")

__attribute__((target("avx512f,avx512bw"))) static void keep_wide(const uint64_t *words, uint64_t *found,
								  uint64_t *masks, int atomic)
{
	if (atomic)
		KEEP_WIDE(ATOMIC);
	else
		KEEP_WIDE(YIELD);
}

#define KEEP_NARROW(between)                                                                                 \
	__asm__ volatile("movdqu (%0), %%xmm0\n\tmovdqu (%0), %%xmm15\n\t" between                           \
			 "movdqu %%xmm0, (%1)\n\tmovdqu %%xmm15, 64(%1)\n\t"                                 \
			 :                                                                                   \
			 : "r"(words), "r"(found), "r"(0), "r"(&shared)                                      \
			 : "memory", "rax", "rcx", "r11", "xmm0", "xmm15", "cc")

static void keep_narrow(const uint64_t *words, uint64_t *found, int atomic)
{
	if (atomic)
		KEEP_NARROW(ATOMIC);
	else
		KEEP_NARROW(YIELD);
}

static void *keep_vectors(void *number)
{
	uint64_t words[WORDS], found[3][WORDS], masks[2];
	const uint64_t own = UINT64_C(0x0101010101010101) * *(unsigned char *)number;
	const int wide = __builtin_cpu_supports("avx512bw");
	for (int i = 0; i < WORDS; i++)
		words[i] = own + (uint64_t)i;
	for (int round = 0; round < ROUNDS; round++) {
		memset(found, 0, sizeof found);
		masks[0] = masks[1] = words[0];
		if (wide)
			keep_wide(words, found[0], masks, round % 2);
		else
			keep_narrow(words, found[0], round % 2);
		const size_t size = wide ? sizeof words : 16;
		for (int i = 0; i < (wide ? 3 : 2); i++)
			if (memcmp(words, found[i], size) != 0)
				fail("a vector");
		if (masks[0] != words[0] || masks[1] != words[0])
			fail("a mask");
	}
	return NULL;
}

static void *keep_bases(void *number)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const uint64_t own = UINT64_C(0x10000) * *(unsigned char *)number;
	uint64_t base;
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	if (base != 0)
		fail("what a thread begins with");
	__asm__ volatile("wrgsbase %0" : : "r"(own));
	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&mutex);
		shared++;
		pthread_mutex_unlock(&mutex);
		__asm__ volatile("rdgsbase %0" : "=r"(base));
		if (base != own)
			fail("the base of gs");
	}
	return NULL;
}

/* Which way results are rounded, by each of the two units. */
static void round_by(uint32_t way)
{
	uint32_t mxcsr;
	uint16_t x87;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
	mxcsr = (mxcsr & ~UINT32_C(0x6000)) | way << 13;
	x87 = (uint16_t)((x87 & ~0xc00) | way << 10);
	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87));
}

static void look_at_rounding(uint32_t way)
{
	uint32_t mxcsr;
	uint16_t x87;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
	if ((mxcsr & 0x6000) != way << 13 || (x87 & 0xc00) != way << 10)
		fail("how it rounds");
}

/* The carry and the zero flag across a system call, and what an atomic instruction makes of them. */
static void look_at_flags(uint32_t carry)
{
	const uint64_t one = 1;
	uint64_t most = UINT64_MAX;
	uint8_t before, after, zero;
	__asm__ volatile("cmp %5, %4\n\tmov $24, %%eax\n\tsyscall\n\tsetc %0\n\t"
			 "lock addq %6, %2\n\tsetc %1\n\tsetz %3\n\t"
			 : "=&q"(before), "=&q"(after), "+m"(most), "=m"(zero)
			 : "r"(UINT32_C(2)), "r"(2 + carry), "r"(one)
			 : "memory", "rax", "rcx", "r11", "cc");
	if (before != carry || !after || !zero)
		fail("a flag");
}

static void *keep_controls(void *number)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const uint32_t own = *(unsigned char *)number;
	round_by(own);
	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&mutex);
		shared++;
		pthread_mutex_unlock(&mutex);
		look_at_rounding(own);
		look_at_flags(own % 2);
		__atomic_add_fetch(&shared, 1, __ATOMIC_SEQ_CST);
		look_at_rounding(own);
	}
	return NULL;
}

static void *(*body(const char *what))(void *)
{
	if (strcmp(what, "controls") == 0)
		return keep_controls;
	return strcmp(what, "bases") == 0 ? keep_bases : keep_vectors;
}

int main(int argc, char **argv)
{
	static unsigned char numbers[] = {1, 2, 3};
	const char *what = argc > 1 ? argv[1] : "vectors";
	pthread_t threads[3];
	if (strcmp(what, "bases") == 0 && !(getauxval(AT_HWCAP2) & HAS_GS))
		return 2;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, body(what), &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
