#include "tracer/answers/answers.h"
#include "tracer/target/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Random bytes that are the same in every execution: of getrandom(2), and of the devices. Calls that read stop nobody, as they
 * are many; from when a device is opened those do that read what has its number, by another filter.
 */

static uint64_t next_random(uint64_t *state)
{
	/* splitmix64: Steele, Lea, Flood, OOPSLA 2014. */
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t target_random_word(struct target *target)
{
	return next_random(&target->world.random);
}

uint64_t target_random_state(const struct target *target)
{
	return target->world.random;
}

int64_t random_answer(struct target *target, uint64_t address, uint64_t size)
{
	uint64_t done = 0;
	if (size > INT32_MAX)
		size = INT32_MAX;
	while (done < size) {
		uint64_t bytes = next_random(&target->world.random);
		size_t part = size - done < sizeof bytes ? size - done : sizeof bytes;
		if (target_write(target, address + done, &bytes, part) != STATUS_OK)
			return done ? (int64_t)done : -EFAULT;
		done += part;
	}
	return (int64_t)size;
}

/* Is this descriptor one of the devices? It may be another file's by now. */
static bool is_device(const struct target *target, int descriptor)
{
	char path[48], link[32];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target->pid, descriptor);
	const ssize_t length = readlink(path, link, sizeof link - 1);
	if (length < 0)
		return false;
	link[length] = '\0';
	return strcmp(link, "/dev/urandom") == 0 || strcmp(link, "/dev/random") == 0;
}

static int64_t answer_parts(struct target *target, uint64_t at, uint64_t length)
{
	int64_t sum = 0;
	for (uint64_t i = 0; i < length && i < 1024; i++) {
		struct iovec part;
		if (target_read(target, at + i * sizeof part, &part, sizeof part) != STATUS_OK)
			return sum ? sum : -EFAULT;
		const int64_t done = random_answer(target, (uint64_t)(uintptr_t)part.iov_base, part.iov_len);
		if (done < 0)
			return sum ? sum : done;
		sum += done;
	}
	return sum;
}

int64_t random_read(struct tracee *tracee, const struct user_regs_struct *regs)
{
	const bool parts = (long)regs->orig_rax == SYS_readv || (long)regs->orig_rax == SYS_preadv;
	if (tracee->target->world.confined || !is_device(tracee->target, (int)regs->rdi))
		return RANDOM_NOT;
	return parts ? answer_parts(tracee->target, regs->rsi, regs->rdx)
		     : random_answer(tracee->target, regs->rsi, regs->rdx);
}

bool target_open_random(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	int64_t number;
	if (!regs || tracee->target->world.confined)
		return false;
	const uint64_t arguments[6] = {regs->rdi, regs->rsi, regs->rdx, regs->r10};
	if (tracee_syscall(tracee, (long)regs->orig_rax, arguments, &number) != STATUS_OK)
		return false;
	const bool tamed = number < 0 || filters_stop_reads(tracee, (int)number) == STATUS_OK;
	tracee_skip_syscall(tracee, number);
	return tamed;
}
