/* Which system call a thread is in. */
#include "breakpoints/waits/inspector.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* The number that the instruction before the thread's place puts into eax, -1 if it is no such instruction. */
static long number_in_code(const struct inspector *inspector, uint64_t pc)
{
	uint8_t code[7]; /* mov $number,%eax; syscall */
	int32_t number;
	if (!inspector_read(inspector, pc - sizeof(code), code, sizeof(code)) || code[0] != 0xb8 ||
	    code[5] != 0x0f || code[6] != 0x05)
		return -1;
	memcpy(&number, code + 1, sizeof(number));
	return number;
}

/*
 * The kernel restarts four calls under another number, with their arguments where they were. Code that doesn't tell which
 * it was is libc's syscall(), by which only futexes are called with a time-out.
 */
long call_number(const struct inspector *inspector, uint32_t thread)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	if (standing->syscall != SYS_restart_syscall)
		return standing->syscall;
	long number = number_in_code(inspector, standing->regs.rip);
	int command = (int)standing->arguments[1] & FUTEX_CMD_MASK;
	bool known = number == SYS_futex || number == SYS_nanosleep || number == SYS_clock_nanosleep ||
		     number == SYS_poll;
	if (known)
		return number;
	bool futex = (standing->arguments[1] < 512) &&
		     (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && standing->arguments[3] != 0;
	return futex ? SYS_futex : SYS_restart_syscall;
}
