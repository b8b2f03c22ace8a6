/*
 * Figure 3 of Fair Stateless Model Checking (PLDI 2008) without its yield, x in plain memory: the loop calls
 * nothing at all, so only its processor time gives it away. It breaks the good samaritan rule.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: good-samaritan
 *
 * Taken for a yield, it ends under every fair schedule, as with a yield in its loop.
 *
 * fmc-options: --strategy dfs --spin yield --spin-ms 20
 * fmc-verdict: none
 * fmc-only-if: ^x at spin_memory\.c:21 by T2 and spin_memory\.c:28 by T3$
 */
#include "include/pair.h"

static volatile int x;

static void *set(void *unused)
{
	(void)unused;
	x = 1;
	return NULL;
}

static void *spin(void *unused)
{
	(void)unused;
	while (x != 1)
		;
	return NULL;
}

int main(void)
{
	return run_pair(set, spin);
}
