/*
 * Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008, Figure 3: one thread spins until the other
 * has set x. It yields in its loop, so it ends under every fair schedule, and only those are run: the search
 * comes to its end without a bound, and says that it relies on x. Without fairness it has no end, which three executions show.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: ^x at spin_yield\.c:26 by T2 and spin_yield\.c:33 by T3$
 * fmc-executions: 13
 *
 * fmc-options: --strategy dfs --fair-k 1
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: ^x at spin_yield
 * fmc-executions: 10
 */
#include "include/pair.h"
#include <sched.h>

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
		sched_yield();
	return NULL;
}

int main(void)
{
	return run_pair(set, spin);
}
