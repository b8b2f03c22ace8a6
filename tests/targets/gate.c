/*
 * A thread that goes through a gate, as its start routine: libc calls it. The plug-in tests/ops/gate.c lets it wait until
 * the gate is open, which the function itself doesn't. "shut": it stays shut.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct gate {
	int open;
};

static struct gate gate;

__attribute__((noinline)) void *gate_pass(void *argument);
__attribute__((noinline)) void gate_open(struct gate *opened);

void *gate_pass(void *argument)
{
	assert(((struct gate *)argument)->open);
	return NULL;
}

void gate_open(struct gate *opened)
{
	opened->open = 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, gate_pass, &gate);
	if (argc < 2 || strcmp(argv[1], "shut") != 0)
		gate_open(&gate);
	pthread_join(thread, NULL);
	return 0;
}
