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

const struct other_process *thread_process(const struct situation *situation, uint32_t thread)
{
	for (size_t i = situation->others_length; i > 0; i--)
		if (thread >= situation->others[i - 1].first)
			return &situation->others[i - 1];
	return NULL;
}

static uint32_t number_of(const struct situation *situation, uint32_t thread)
{
	const struct other_process *process = thread_process(situation, thread);
	return thread - (process ? process->first : 0) + 1;
}

char *thread_label(const struct situation *situation, uint32_t thread, char text[THREAD_LABEL])
{
	const struct other_process *process = thread_process(situation, thread);
	const uint32_t number = number_of(situation, thread);
	if (process)
		snprintf(text, THREAD_LABEL, "%d T%" PRIu32, (int)process->pid, number);
	else
		snprintf(text, THREAD_LABEL, "T%" PRIu32, number);
	return text;
}

/* How many threads from here on stand one behind the other. */
static size_t run_length(const struct situation *situation, const uint32_t *threads, size_t length)
{
	size_t n = 1;
	while (n < length && threads[n] == threads[0] + n &&
	       thread_process(situation, threads[n]) == thread_process(situation, threads[0]))
		n++;
	return n;
}

void threads_print(const struct situation *situation, const uint32_t *threads, size_t length, FILE *stream)
{
	char label[THREAD_LABEL];
	size_t named = 0;
	for (size_t i = 0; i < length;) {
		size_t run = run_length(situation, threads + i, length - i);
		if (run < 3)
			run = 1;
		if (named >= MOST_NAMED) {
			fprintf(stream, " and %zu more", length - i);
			return;
		}
		if (i > 0)
			fputs(i + run == length ? " and " : ", ", stream);
		fputs(thread_label(situation, threads[i], label), stream);
		if (run > 1)
			fprintf(stream, " to T%" PRIu32, number_of(situation, threads[i + run - 1]));
		named += run > 1 ? 2 : 1;
		i += run;
	}
}

#define PROCESSES_NAMED 4

/* They come first. */
static size_t count_far(const struct reach *reach)
{
	size_t far = 0;
	while (far < reach->length && !reach->at[far].near)
		far++;
	return far;
}

/* "4711 (name), 4712 (name) and itself" */
static void print_processes(const struct reach *reach, FILE *stream)
{
	const size_t far = count_far(reach);
	const bool many = far > PROCESSES_NAMED;
	const size_t named = many ? PROCESSES_NAMED : far;
	const size_t all = named + (many || reach->own);
	for (size_t i = 0; i < named; i++) {
		const struct reaching *process = &reach->at[i];
		fputs(i == 0 ? "" : i + 1 == all ? " and " : ", ", stream);
		fprintf(stream, process->hidden ? "process %d (%s), which may not be looked into" : "%d (%s)",
			(int)process->pid, process->name);
	}
	if (many)
		fprintf(stream, " and %zu more", far - named + reach->own);
	else if (reach->own)
		fputs(" and itself", stream);
}

static void print_processes_after(const char *before, const struct wait *wait, const char *after,
				  FILE *stream)
{
	struct reach reach = wait->reach;
	/* That its own threads may shut a socket down is no news. */
	reach.own = reach.own && wait->kind == WAIT_PIPE;
	if (count_far(&reach) == 0)
		return;
	fputs(before, stream);
	print_processes(&reach, stream);
	fputs(after, stream);
}

static void print_holders(const struct situation *situation, uint32_t thread, FILE *stream)
{
	const struct wait *wait = &situation->inspection->threads[thread].wait;
	const bool known = wait->holders_length && (wait->reach.thread || wait->reach.length == 0);
	if (wait->kind == WAIT_FILE_LOCK && wait->reach.length) {
		fputs(" held by ", stream);
		print_processes(&wait->reach, stream);
	} else if (wait->outsider && wait->outsider_dead)
		fprintf(stream, ", whose holder (thread %d) has ended", (int)wait->outsider);
	else if (known && wait->holders_length == 1 && wait->holders[0] == thread)
		fputs(" held by itself", stream);
	else if (known) {
		fputs(" held by ", stream);
		threads_print(situation, wait->holders, wait->holders_length, stream);
	} else if (wait->reach.thread) {
		fprintf(stream, " held by thread %d of ", (int)wait->reach.thread);
		print_processes(&wait->reach, stream);
	} else if (wait->outsider)
		fprintf(stream, " held by thread %d of another process", (int)wait->outsider);
	else
		print_processes_after(", shared with ", wait, "", stream);
}

static bool are_several(const struct wait *wait)
{
	return count_far(&wait->reach) + (wait->reach.own && wait->kind == WAIT_PIPE) > 1;
}

static void print_child(const struct wait *wait, const char *waits, FILE *stream)
{
	fprintf(stream, "%s for ", waits);
	if (wait->reach.length == 0)
		fputs("a child process", stream);
	const char *which =
	    wait->reach.length == 1 && !wait->reach.own ? "its child " : "one of its children to end: ";
	print_processes_after(which, wait, wait->reach.length == 1 && !wait->reach.own ? " to end" : "",
			      stream);
}

/* With a verb in front: "waits for forks[1] held by T3". */
static void print_wait(const struct situation *situation, uint32_t thread, const char *waits, FILE *stream)
{
	const struct wait *wait = &situation->inspection->threads[thread].wait;
	switch (wait->kind) {
	case WAIT_COND:
		fprintf(stream, "%s for a signal of ", waits);
		print_object(wait, stream);
		print_processes_after(", shared with ", wait, "", stream);
		return;
	case WAIT_SEMAPHORE:
		fprintf(stream, "%s for a post of ", waits);
		print_object(wait, stream);
		print_processes_after(wait->object ? ", shared with " : ", last changed by ", wait, "",
				      stream);
		return;
	case WAIT_FUTEX:
		fprintf(stream, "%s for a wake of ", waits);
		print_object(wait, stream);
		print_processes_after(", shared with ", wait, "", stream);
		return;
	case WAIT_JOIN:
		fprintf(stream, "%s for ", waits);
		if (wait->holders_length)
			threads_print(situation, wait->holders, wait->holders_length, stream);
		else
			fputs("another thread", stream);
		fputs(" to exit", stream);
		return;
	case WAIT_PIPE:
	case WAIT_SOCKET:
		fprintf(stream, "%s to %s ", waits, wait->writes ? "write to" : "read from");
		print_object(wait, stream);
		if (wait->kind == WAIT_PIPE && wait->descriptor < 0) {
			print_processes_after(", which ", wait, " might open", stream);
			return;
		}
		print_processes_after(", whose other end ", wait, are_several(wait) ? " have" : " has",
				      stream);
		return;
	case WAIT_CHILD:
		print_child(wait, waits, stream);
		return;
	case WAIT_SIGNAL:
		fprintf(stream, "%s for a signal of the system", waits);
		return;
	default:
		fprintf(stream, "%s for ", waits);
		print_object(wait, stream);
		print_holders(situation, thread, stream);
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
		print_holders(situation, thread, stream);
	} else
		print_wait(situation, thread, waits, stream);
	if (wait->detail)
		fprintf(stream, " (%s)", wait->detail);
	if (wait->timed && wait->kind != WAIT_SLEEP)
		fputs(" for a limited time", stream);
	if (wait->call && (flags & WAIT_PRINT_CALL || wait->kind == WAIT_SYSCALL))
		fprintf(stream, "%s in %s", wait->kind == WAIT_SYSCALL ? "" : ",", wait->call);
}
