#ifndef FMC_TESTS_LIVELY_H
#define FMC_TESTS_LIVELY_H

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* tests/targets/lively.c as somebody's live process. */
struct lively {
	pid_t pid;
	int orders; /* its standard input */
	FILE *says;
};

/* patient: it doesn't mind calls that are cut short. */
static inline struct lively lively_start(const char *program, bool patient)
{
	char path[512];
	int in[2], out[2];
	struct lively lively;
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), program);
	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	lively.pid = fork();
	ck_assert_int_ge(lively.pid, 0);
	if (lively.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(path, program, patient ? "patient" : NULL, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	lively.orders = in[1];
	lively.says = fdopen(out[0], "r");
	return lively;
}

static inline void lively_says(struct lively *lively, const char *beginning)
{
	char line[256];
	ck_assert_ptr_nonnull(fgets(line, sizeof line, lively->says));
	ck_assert_msg(strncmp(line, beginning, strlen(beginning)) == 0, "it says: %s", line);
}

/* It ends, and everything in it was right. */
static inline void lively_end(struct lively *lively)
{
	int status;
	ck_assert_int_eq(write(lively->orders, "q", 1), 1);
	lively_says(lively, "right");
	ck_assert_int_eq(waitpid(lively->pid, &status, 0), lively->pid);
	ck_assert_int_eq(status, 0);
	fclose(lively->says);
	close(lively->orders);
}

/* A digest of all code that is mapped from files (FNV-1a). */
static inline uint64_t lively_text(pid_t pid)
{
	char path[64], line[512], access[8], file[256];
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	unsigned long long low, high;
	static uint8_t page[4096];
	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	const int memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "re");
	ck_assert(memory >= 0 && maps);
	while (fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %255s", &low, &high, access, file) != 4 ||
		    access[2] != 'x' || file[0] != '/')
			continue;
		for (; low < high; low += sizeof page) {
			ck_assert_int_eq(pread(memory, page, sizeof page, (off_t)low), sizeof page);
			for (size_t i = 0; i < sizeof page; i++)
				digest = (digest ^ page[i]) * UINT64_C(0x100000001b3);
		}
	}
	fclose(maps);
	close(memory);
	return digest;
}

#endif
