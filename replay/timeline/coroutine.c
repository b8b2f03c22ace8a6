#include "replay/timeline/coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Unwinding and demangling, which run on it, are the deepest; what isn't touched costs nothing. */
#define STACK_BYTES (8u << 20)
#define GUARD_BYTES 4096u

struct coroutine {
	ucontext_t inside, outside;
	void (*body)(void *context);
	void *context;
	char *stack; /* with a guard page at its low end */
	bool returned;
};

/* makecontext() passes integers: the pointer goes in two. */
static void enter(unsigned high, unsigned low)
{
	struct coroutine *coroutine = (struct coroutine *)((uintptr_t)high << 32 | low);
	coroutine->body(coroutine->context);
	coroutine->returned = true;
}

/* The stack, with its guard page at the low end; NULL without memory. */
static char *map_stack(void)
{
	void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return NULL;
	mprotect(stack, GUARD_BYTES, PROT_NONE);
	return stack;
}

static void set_up(struct coroutine *coroutine)
{
	uintptr_t address = (uintptr_t)coroutine;
	getcontext(&coroutine->inside);
	coroutine->inside.uc_stack.ss_sp = coroutine->stack;
	coroutine->inside.uc_stack.ss_size = STACK_BYTES;
	coroutine->inside.uc_link = &coroutine->outside;
	makecontext(&coroutine->inside, (void (*)(void))enter, 2, (unsigned)(address >> 32),
		    (unsigned)address);
}

struct coroutine *coroutine_new(void (*body)(void *context), void *context)
{
	struct coroutine *coroutine = calloc(1, sizeof *coroutine);
	char *stack = coroutine ? map_stack() : NULL;
	if (!stack) {
		free(coroutine);
		return NULL;
	}
	*coroutine = (struct coroutine){.body = body, .context = context, .stack = stack};
	set_up(coroutine);
	return coroutine;
}

void coroutine_free(struct coroutine *coroutine)
{
	if (!coroutine)
		return;
	munmap(coroutine->stack, STACK_BYTES);
	free(coroutine);
}

bool coroutine_resume(struct coroutine *coroutine)
{
	if (!coroutine->returned)
		swapcontext(&coroutine->outside, &coroutine->inside);
	return !coroutine->returned;
}

void coroutine_yield(struct coroutine *coroutine)
{
	swapcontext(&coroutine->inside, &coroutine->outside);
}
