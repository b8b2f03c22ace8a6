#include "tests/unit/suite.h"
#include "tests/unit/wait_scene.h"
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* Small processes of this test's own, each of which waits for one thing. */

/* A process of this test's own: does what it is told, and waits. */
static pid_t make_process(void (*run)(void *), void *argument)
{
	pid_t pid = fork();
	if (pid == 0) {
		run(argument);
		_exit(0);
	}
	return pid;
}

/* Until it sleeps in a system call, which isn't the end of its start. */
static void until_in_call(pid_t pid, long number)
{
	char path[64], text[256];
	long now = -1;
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	while (now != number) {
		FILE *file = fopen(path, "r");
		ck_assert_ptr_nonnull(file);
		if (!fgets(text, sizeof(text), file) || sscanf(text, "%ld", &now) != 1)
			now = -1;
		fclose(file);
	}
}

static struct scene look_at_process(pid_t pid)
{
	struct scene scene = look_at_started(pid);
	ck_assert_uint_eq(scene.inspection.length, 1);
	return scene;
}

static void read_pipe(void *fds)
{
	char byte;
	close(((int *)fds)[1]);
	(void)!read(((int *)fds)[0], &byte, 1);
}

START_TEST(a_pipe_from_another_process_is_no_certain_wait)
{
	int fds[2];
	ck_assert_int_eq(pipe(fds), 0);
	pid_t pid = make_process(read_pipe, fds);
	until_in_call(pid, SYS_read);
	struct scene scene = look_at_process(pid);
	const struct wait *wait = &scene.inspection.threads[0].wait;
	ck_assert_int_eq(wait->kind, WAIT_PIPE);
	ck_assert_int_eq(wait->descriptor, fds[0]);
	ck_assert_int_eq(wait->outsider, getpid());
	ck_assert(!wait->certain);
	leave(&scene);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* Its other end is in a message that this process hasn't received. */
static void read_own_pipe(void *pair)
{
	int own[2];
	char byte = 0;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {
	    .header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	const struct msghdr message = {
	    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	if (pipe(own))
		return;
	memcpy(CMSG_DATA(&control.header), &own[1], sizeof(own[1]));
	if (sendmsg(*(int *)pair, &message, 0) == 1)
		(void)!read(own[0], &byte, 1);
}

START_TEST(a_pipe_in_a_message_is_no_certain_wait)
{
	int pair[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pid_t pid = make_process(read_own_pipe, pair);
	until_in_call(pid, SYS_read);
	struct scene scene = look_at_process(pid);
	const struct wait *wait = &scene.inspection.threads[0].wait;
	ck_assert_int_eq(wait->kind, WAIT_PIPE);
	ck_assert(!wait->certain);
	leave(&scene);
	close(pair[0]);
	close(pair[1]);
}
END_TEST

static void receive_for_an_hour(void *pair)
{
	char byte;
	struct timeval hour = {.tv_sec = 3600};
	setsockopt(*(int *)pair, SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof(hour));
	(void)!recv(*(int *)pair, &byte, 1, 0);
}

START_TEST(a_socket_with_a_time_out_ends_by_itself)
{
	int pair[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pid_t pid = make_process(receive_for_an_hour, pair);
	close(pair[0]);
	close(pair[1]);
	until_in_call(pid, SYS_recvfrom);
	struct scene scene = look_at_process(pid);
	const struct wait *wait = &scene.inspection.threads[0].wait;
	ck_assert_int_eq(wait->kind, WAIT_SOCKET);
	ck_assert(wait->timed);
	ck_assert(!wait->certain);
	leave(&scene);
}
END_TEST

static void pause_here(void *unused)
{
	(void)unused;
	pause();
}

static void lock_twice(void *unused)
{
	static pthread_spinlock_t lock;
	(void)unused;
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&lock);
	pthread_spin_lock(&lock);
}

START_TEST(a_thread_that_spins_is_told)
{
	pid_t pid = make_process(lock_twice, NULL);
	struct scene scene = look_at_process(pid);
	/* It may not have come there yet. */
	while (scene.inspection.threads[0].wait.kind != WAIT_SPIN) {
		inspection_release(&scene.inspection);
		snapshot_free(scene.snapshot);
		scene = look_at_process(pid);
	}
	const struct wait *wait = &scene.inspection.threads[0].wait;
	ck_assert_str_eq(wait->call, "pthread_spin_lock");
	ck_assert_uint_ne(wait->object, 0);
	ck_assert_ptr_nonnull(strstr(wait->name, "lock"));
	ck_assert(wait->certain);
	ck_assert_uint_eq(wait->holders_length, 0);
	leave(&scene);
}
END_TEST

START_TEST(a_process_stopped_by_job_control_is_told)
{
	pid_t pid = make_process(pause_here, NULL);
	until_in_call(pid, SYS_pause);
	kill(pid, SIGSTOP);
	ck_assert_int_eq(waitpid(pid, NULL, WUNTRACED), pid);
	struct scene scene = look_at_process(pid);
	ck_assert_int_eq(scene.inspection.threads[0].wait.kind, WAIT_STOPPED);
	leave(&scene);
}
END_TEST

static void wait_for_futex(void *word)
{
	const struct timespec hour = {.tv_sec = 3600};
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 5, &hour, NULL, 0);
}

/* The kernel restarts what a look has interrupted under another number. */
START_TEST(a_wait_is_the_same_at_the_second_look)
{
	uint32_t word = 5;
	pid_t pid = make_process(wait_for_futex, &word);
	until_in_call(pid, SYS_futex);
	struct scene first = look_at_process(pid);
	snapshot_free(first.snapshot);
	until_in_call(pid, SYS_restart_syscall);
	struct scene second = look_at_process(pid);
	const struct wait *wait = &second.inspection.threads[0].wait;
	ck_assert_int_eq(wait->kind, WAIT_FUTEX);
	ck_assert_str_eq(wait->call, "futex");
	ck_assert_uint_eq(wait->object, (uintptr_t)&word);
	ck_assert(wait->timed);
	inspection_release(&first.inspection);
	leave(&second);
}
END_TEST

/* Every stack, whatever is on it, comes to an end. What is overwritten isn't this function's, which sanitizers mind. */
__attribute__((noinline, no_sanitize("address"))) static void overwrite_stack(void *fds)
{
	static int own[2];
	memcpy(own, fds, sizeof(own));
	uint64_t *frame = __builtin_frame_address(0);
	frame[0] = (uintptr_t)frame;			   /* the caller's frame pointer: here */
	frame[1] = (uintptr_t)__builtin_return_address(0); /* again and again */
	for (size_t i = 2; i < 64; i++)
		frame[i] = i % 2 ? (uintptr_t)__builtin_return_address(0) : (uintptr_t)frame;
	read_pipe(own);
	_exit(0);
}

START_TEST(damaged_stacks_come_to_an_end)
{
	int fds[2];
	ck_assert_int_eq(pipe(fds), 0);
	pid_t pid = make_process(overwrite_stack, fds);
	until_in_call(pid, SYS_read);
	struct scene scene = look_at_process(pid);
	const struct inspected_thread *thread = &scene.inspection.threads[0];
	ck_assert_uint_gt(thread->frames_length, 1);
	ck_assert_uint_le(thread->frames_length, 256);
	ck_assert_str_eq(thread->frames[0].function, "read");
	leave(&scene);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* Whom a signal interrupted may have a stack below the handler's. A live process's isn't kept, since no thread stands on it. */
START_TEST(who_was_interrupted_is_told_whatever_its_stack)
{
	struct scene scene = look_at_core("altstack");
	ck_assert_uint_eq(scene.inspection.length, 2);
	const struct inspected_thread *thread = &scene.inspection.threads[1];
	const struct frame *handler = frame_of(thread, "on_signal"), *work = frame_of(thread, "work");
	ck_assert_ptr_nonnull(handler);
	ck_assert_ptr_nonnull(work);
	ck_assert(handler < work);
	ck_assert(!thread->guessed);
	leave_core(&scene);
}
END_TEST

SUITE("wait_process", 60, NULL, NULL, TEST(a_pipe_from_another_process_is_no_certain_wait),
      TEST(a_pipe_in_a_message_is_no_certain_wait), TEST(a_socket_with_a_time_out_ends_by_itself),
      TEST(a_thread_that_spins_is_told), TEST(a_process_stopped_by_job_control_is_told),
      TEST(a_wait_is_the_same_at_the_second_look), TEST(damaged_stacks_come_to_an_end),
      TEST(who_was_interrupted_is_told_whatever_its_stack))
