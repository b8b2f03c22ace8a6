#ifndef FMC_TESTS_DEBUG_REGISTERS_H
#define FMC_TESTS_DEBUG_REGISTERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does a debug register stop a child at each of its writes to what it watches? Some virtual machines have none that do. */
static inline bool debug_registers_work(void)
{
	static volatile long written;
	int status = 0, stops = 0;
	const pid_t child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)raise(SIGSTOP);
		for (int i = 0; i < 16; i++)
			written = i;
		_exit(0);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]), (uintptr_t)&written);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]), (uintptr_t)0x90001);
	for (; WIFSTOPPED(status); stops++) {
		ptrace(PTRACE_CONT, child, NULL, NULL);
		waitpid(child, &status, 0);
	}
	return stops > 16;
}

#endif
