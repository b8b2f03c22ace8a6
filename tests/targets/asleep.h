#ifndef FMC_TESTS_TARGETS_ASLEEP_H
#define FMC_TESTS_TARGETS_ASLEEP_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads, in C and C++, that begin to wait one after the other. */

static int number; /* of the thread created last, once it is about to sleep */

static inline void about_to_sleep(const char *name)
{
	prctl(PR_SET_NAME, name);
	__atomic_store_n(&number, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

static inline void forget_number(void)
{
	__atomic_store_n(&number, 0, __ATOMIC_SEQ_CST);
}

static inline void until_asleep(void)
{
	char path[64], text[512];
	int asleep = 0;
	while (!asleep) {
		const int thread = __atomic_load_n(&number, __ATOMIC_SEQ_CST);
		if (thread == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", thread);
		const int fd = open(path, O_RDONLY);
		const ssize_t length = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[length > 0 ? length : 0] = 0;
		asleep = strncmp(text, "202 ", 4) == 0; /* futex */
	}
	forget_number();
}

#endif
