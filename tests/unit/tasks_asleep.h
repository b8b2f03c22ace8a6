#ifndef FMC_TESTS_TASKS_ASLEEP_H
#define FMC_TESTS_TASKS_ASLEEP_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/types.h>

#define ANY_CALL (-1L)

/* How many threads of the process sleep in this system call now. */
static inline int tasks_asleep(pid_t pid, long call)
{
	char path[64];
	long number;
	int count = 0;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	ck_assert_ptr_nonnull(tasks);
	for (struct dirent *entry; (entry = readdir(tasks));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%.16s/syscall", pid, entry->d_name);
		FILE *file = fopen(path, "re");
		/* Stopped outside of system calls it is in number -1. */
		count += file && fscanf(file, "%ld", &number) == 1 && number >= 0 &&
			 (call == ANY_CALL || number == call);
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return count;
}

#endif
