/*
 * Threads that poll by a function of libc's until another one has written what it reads. Argument: how; a second one: what is written last
 * comes first.
 *
 *     compare  strcmp          yield    with sched_yield() in the loop
 *     length   strlen          two      strcmp of two strings, one after the other
 *     again    strcmp, and the string is written and put back before
 *     ask      getenv, whose memory isn't known
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char state[8] = "wait", other[8] = "wait";
static int value;
static const char *how;
static bool wrong;

static bool is(const char *name)
{
	return strcmp(how, name) == 0;
}

static void *write_state(void *unused)
{
	value = wrong ? 0 : 1;
	if (is("again")) {
		state[0] = 'd';
		state[0] = 'w';
	}
	if (is("two"))
		other[0] = 'd';
	if (is("ask"))
		setenv("FMC_POLLS", "1", 1);
	state[0] = is("length") ? 0 : 'd';
	value = 1;
	return unused;
}

static void wait_for_state(void)
{
	if (is("length"))
		while (strlen(state) > 0)
			;
	else if (is("yield"))
		while (strcmp(state, "dait") != 0)
			sched_yield();
	else if (is("two"))
		while (strcmp(state, "dait") != 0 || strcmp(other, "dait") != 0)
			;
	else if (is("ask"))
		while (!getenv("FMC_POLLS"))
			;
	else
		while (strcmp(state, "dait") != 0)
			;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc < 2)
		return 2;
	how = argv[1];
	wrong = argc > 2;
	if (pthread_create(&thread, NULL, write_state, NULL) != 0)
		return 2;
	wait_for_state();
	assert(value == 1);
	return pthread_join(thread, NULL);
}
