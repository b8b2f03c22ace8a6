#include "tests/unit/suite.h"
#include "tracer/proc/other_processes.h"

#include <check.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* What other processes have open, asked of a child of this one. */

struct seen {
	pid_t process; /* the first that has something, */
	int descriptors;
	char pipe[64]; /* as links have it */
	bool has_pipe;
};

static bool see(void *context, pid_t pid, int number, const char *link)
{
	struct seen *seen = context;
	(void)number;
	seen->process = seen->descriptors++ ? seen->process : pid;
	seen->has_pipe |= strcmp(link, seen->pipe) == 0;
	return !seen->has_pipe;
}

START_TEST(who_asks_is_looked_at_first_and_alone_if_that_is_enough)
{
	int ends[2];
	char path[64];
	struct seen seen = {0};
	ck_assert_int_eq(pipe(ends), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	ck_assert_int_gt(readlink(path, seen.pipe, sizeof(seen.pipe) - 1), 0);
	const pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	ck_assert(other_processes_visit(child, see, &seen));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(seen.has_pipe);
	ck_assert_int_eq(seen.process, getpid());
}
END_TEST

SUITE("other_processes", 60, NULL, NULL, TEST(who_asks_is_looked_at_first_and_alone_if_that_is_enough))
