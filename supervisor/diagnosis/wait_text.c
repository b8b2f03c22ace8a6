/* What a thread waits for, in words. */
#include <fmc/supervisor/diagnosis.h>

#include <inttypes.h>
#include <string.h>

/* More threads than these, and not one after the other, are counted. */
#define MOST_NAMED 12

static const char *const nouns[WAIT_KINDS] = {
    [WAIT_MUTEX] = "a mutex",	 [WAIT_COND] = "a condition variable", [WAIT_SEMAPHORE] = "a semaphore",
    [WAIT_READ] = "an rwlock",	 [WAIT_WRITE] = "an rwlock",	       [WAIT_BARRIER] = "a barrier",
    [WAIT_ONCE] = "a once",	 [WAIT_SPIN] = "a spinlock",	       [WAIT_FUTEX] = "a futex word",
    [WAIT_PIPE] = "a pipe",	 [WAIT_SOCKET] = "a socket",	       [WAIT_FILE_LOCK] = "a file's lock",
    [WAIT_POLL] = "descriptors",
};

static void print_object(const struct wait *wait, FILE *stream)
{
	const char *noun = nouns[wait->kind] ? nouns[wait->kind] : "something";
	if (wait->name)
		fputs(wait->name, stream);
	else if (wait->object)
		fprintf(stream, "%s at 0x%" PRIx64, noun, wait->object);
	else
		fputs(noun, stream);
}

/* How many threads from here on stand one behind the other. */
static size_t run_length(const uint32_t *threads, size_t length)
{
	size_t n = 1;
	while (n < length && threads[n] == threads[0] + n)
		n++;
	return n;
}

void threads_print(const uint32_t *threads, size_t length, FILE *stream)
{
	size_t named = 0;
	for (size_t i = 0; i < length;) {
		size_t run = run_length(threads + i, length - i);
		if (run < 3)
			run = 1;
		if (named >= MOST_NAMED) {
			fprintf(stream, " and %zu more", length - i);
			return;
		}
		if (i > 0)
			fputs(i + run == length ? " and " : ", ", stream);
		fprintf(stream, "T%" PRIu32, threads[i] + 1);
		if (run > 1)
			fprintf(stream, " to T%" PRIu32, threads[i + run - 1] + 1);
		named += run > 1 ? 2 : 1;
		i += run;
	}
}

static void print_holders(const struct wait *wait, uint32_t thread, FILE *stream)
{
	if (wait->outsider && wait->outsider_dead)
		fprintf(stream, ", whose holder (thread %d) has ended", (int)wait->outsider);
	else if (wait->outsider)
		fprintf(stream, " held by thread %d of another process", (int)wait->outsider);
	else if (wait->holders_length == 1 && wait->holders[0] == thread)
		fputs(" held by itself", stream);
	else if (wait->holders_length > 0) {
		fputs(" held by ", stream);
		threads_print(wait->holders, wait->holders_length, stream);
	}
}

/* With a verb in front: "waits for forks[1] held by T3". */
static void print_wait(const struct wait *wait, uint32_t thread, const char *waits, FILE *stream)
{
	switch (wait->kind) {
	case WAIT_COND:
		fprintf(stream, "%s for a signal of ", waits);
		print_object(wait, stream);
		return;
	case WAIT_SEMAPHORE:
		fprintf(stream, "%s for a post of ", waits);
		print_object(wait, stream);
		return;
	case WAIT_FUTEX:
		fprintf(stream, "%s for a wake of ", waits);
		print_object(wait, stream);
		return;
	case WAIT_JOIN:
		fprintf(stream, "%s for ", waits);
		if (wait->holders_length)
			threads_print(wait->holders, wait->holders_length, stream);
		else
			fputs("another thread", stream);
		fputs(" to exit", stream);
		return;
	case WAIT_PIPE:
	case WAIT_SOCKET:
		fprintf(stream, "%s to %s ", waits, wait->writes ? "write to" : "read from");
		print_object(wait, stream);
		return;
	case WAIT_CHILD:
		fprintf(stream, "%s for a child process", waits);
		return;
	case WAIT_SIGNAL:
		fprintf(stream, "%s for a signal of the system", waits);
		return;
	default:
		fprintf(stream, "%s for ", waits);
		print_object(wait, stream);
		print_holders(wait, thread, stream);
	}
}

static bool exited(const struct situation *s, uint32_t thread)
{
	return s->states && (s->states[thread] == 'Z' || s->states[thread] == 'X');
}

static void print_signal(int signal, FILE *stream)
{
	const char *name = sigabbrev_np(signal);
	if (name)
		fprintf(stream, "got SIG%s", name);
	else
		fprintf(stream, "got signal %d", signal);
}

/* What is no wait for anything; false if it is one. */
static bool print_plain(const struct situation *s, uint32_t thread, bool many, FILE *stream)
{
	const struct wait *wait = &s->inspection->threads[thread].wait;
	if (s->signal && s->signalled == thread && wait->kind == WAIT_NOTHING)
		print_signal(s->signal, stream);
	else if (exited(s, thread))
		fputs(many ? "have exited" : "has exited", stream);
	else if (wait->kind == WAIT_NOTHING)
		fputs(many ? "run" : "runs", stream);
	else if (wait->kind == WAIT_STOPPED)
		fputs(many ? "are stopped by job control" : "is stopped by job control", stream);
	else
		return false;
	return true;
}

void wait_print(const struct situation *situation, uint32_t thread, unsigned flags, FILE *stream)
{
	const bool many = flags & WAIT_PRINT_MANY;
	const struct wait *wait = &situation->inspection->threads[thread].wait;
	const char *waits = many ? "wait" : "waits";
	if (print_plain(situation, thread, many, stream))
		return;
	if (wait->kind == WAIT_SLEEP)
		fputs(many ? "sleep" : "sleeps", stream);
	else if (wait->kind == WAIT_SYSCALL)
		fputs(waits, stream);
	else if (wait->kind == WAIT_SPIN) {
		fputs(many ? "spin for " : "spins for ", stream);
		print_object(wait, stream);
		print_holders(wait, thread, stream);
	} else
		print_wait(wait, thread, waits, stream);
	if (wait->detail)
		fprintf(stream, " (%s)", wait->detail);
	if (wait->timed && wait->kind != WAIT_SLEEP)
		fputs(" for a limited time", stream);
	if (wait->call && (flags & WAIT_PRINT_CALL || wait->kind == WAIT_SYSCALL))
		fprintf(stream, "%s in %s", wait->kind == WAIT_SYSCALL ? "" : ",", wait->call);
}
