#include "suite.h"
#include <fmc/wait.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What threads wait for: a real program whose threads, each named after its way, wait in every way there is. */

struct scene {
	pid_t pid;
	struct subject *subject;
	struct inspection inspection;
};

static pid_t start(const char *name)
{
	char path[512], said[16];
	int output[2];
	const char *folder = getenv("FMC_TEST_TARGETS");
	ck_assert_ptr_nonnull(folder);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(pipe(output), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(output[1], STDOUT_FILENO);
		close(output[0]);
		close(output[1]);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(output[1]);
	ssize_t length = read(output[0], said, sizeof(said) - 1);
	ck_assert_int_gt(length, 0);
	said[length] = 0;
	ck_assert_str_eq(said, "ready\n");
	close(output[0]);
	return pid;
}

static struct scene look_at(const char *name)
{
	char why[256] = "";
	struct scene scene = {.pid = start(name)};
	enum status status = subject_attach(scene.pid, inspection_prepare, NULL, &scene.subject, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
	ck_assert_int_eq(inspection_make(scene.subject, &scene.inspection), STATUS_OK);
	ck_assert_uint_eq(scene.inspection.length, subject_threads(scene.subject));
	return scene;
}

static void leave(struct scene *scene)
{
	inspection_release(&scene->inspection);
	subject_free(scene->subject);
	kill(scene->pid, SIGKILL);
	waitpid(scene->pid, NULL, 0);
}

/* Of a core file: its start routine has nearly the same name. */
static bool is_named(const struct scene *scene, size_t i, const char *name)
{
	char routine[64];
	const char *own = scene->inspection.threads[i].name;
	snprintf(routine, sizeof(routine), "wait_%s", name);
	if (strcmp(name, "holder") == 0)
		strcpy(routine, "hold");
	if (strcmp(name, "initialises") == 0)
		strcpy(routine, "run_once");
	return own && strcmp(own, routine) == 0;
}

/* The thread of this name, as the kernel knows it; the names are cut off there. */
static size_t find(const struct scene *scene, const char *name)
{
	bool core = subject_is_core(scene->subject);
	if (strcmp(name, "main") == 0)
		return 0;
	for (size_t i = 0; i < scene->inspection.length; i++)
		if (core ? is_named(scene, i, name)
			 : strncmp(subject_thread(scene->subject, i)->name, name, 15) == 0)
			return i;
	ck_abort_msg("there is no thread %s", name);
}

static const struct wait *wait_of(const struct scene *scene, const char *name)
{
	return &scene->inspection.threads[find(scene, name)].wait;
}

struct expected {
	const char *thread;
	enum wait_kind kind;
	const char *object;
	const char *holder;
	bool timed, certain;
	uint32_t count;
	const char *detail, *call;
};

#define MUTEX "pthread_mutex_lock"
static const struct expected expected[] = {
    {"holder", WAIT_SIGNAL, NULL, NULL, false, false, 0, NULL, "pause"},
    {"normal", WAIT_MUTEX, "normal", "holder", false, true, 1, NULL, MUTEX},
    {"recursive", WAIT_MUTEX, "recursive", "holder", false, true, 3, "recursive", MUTEX},
    {"errorcheck", WAIT_MUTEX, "errorcheck", "holder", false, true, 1, "error-checking", MUTEX},
    {"robust", WAIT_MUTEX, "robust", "holder", false, true, 1, "robust", MUTEX},
    {"inherit", WAIT_MUTEX, "inherit", "holder", false, true, 1, "priority-inheriting", MUTEX},
    {"adaptive", WAIT_MUTEX, "adaptive", "holder", false, true, 1, "adaptive", MUTEX},
    {"shared", WAIT_MUTEX, NULL, "holder", false, false, 1, "process-shared", MUTEX},
    {"dead", WAIT_MUTEX, "dead", NULL, false, true, 1, NULL, MUTEX},
    {"timed", WAIT_MUTEX, "timed", "holder", true, false, 1, NULL, "pthread_mutex_timedlock"},
    {"cond", WAIT_COND, "pool.ready", NULL, false, true, 0, "2 threads wait there", "pthread_cond_wait"},
    {"cond_timed", WAIT_COND, "pool.ready", NULL, true, false, 0, "2 threads wait there",
     "pthread_cond_timedwait"},
    {"relock", WAIT_MUTEX, "again.lock", "main", false, true, 1, NULL, "pthread_cond_wait"},
    {"semaphore", WAIT_SEMAPHORE, "items", NULL, false, true, 0, "value 0", "sem_wait"},
    {"sem_timed", WAIT_SEMAPHORE, "items", NULL, true, false, 0, "value 0", "sem_timedwait"},
    {"read_lock", WAIT_READ, "written", "holder", false, true, 0, NULL, "pthread_rwlock_rdlock"},
    {"write_lock", WAIT_WRITE, "read_by_two", NULL, false, true, 2, "2 readers have it",
     "pthread_rwlock_wrlock"},
    {"second_write", WAIT_WRITE, "read_by_two", NULL, false, true, 2, "2 readers have it",
     "pthread_rwlock_wrlock"},
    {"behind_write", WAIT_WRITE, "written", "holder", false, true, 0, NULL, "pthread_rwlock_wrlock"},
    {"polite_write", WAIT_WRITE, "polite", NULL, false, true, 1, "1 reader has it", "pthread_rwlock_wrlock"},
    {"polite_read", WAIT_READ, "polite", NULL, false, true, 1,
     "a writer comes first, which waits for 1 reader", "pthread_rwlock_rdlock"},
    {"barrier", WAIT_BARRIER, "meeting", NULL, false, true, 1, "2 of 3 have come", "pthread_barrier_wait"},
    {"barrier2", WAIT_BARRIER, "meeting", NULL, false, true, 1, "2 of 3 have come", "pthread_barrier_wait"},
    {"join", WAIT_JOIN, NULL, "holder", false, true, 0, NULL, "pthread_join"},
    {"once", WAIT_ONCE, "once", "initialises", false, true, 0, "initialisation is under way", "pthread_once"},
    {"futex", WAIT_FUTEX, "word", NULL, false, true, 0, "value 7", "futex"},
    {"stream", WAIT_MUTEX, NULL, "holder", false, true, 1, "the lock of a FILE", "flockfile"},
    {"sleep", WAIT_SLEEP, NULL, NULL, true, false, 0, NULL, NULL},
    {"poll", WAIT_POLL, NULL, NULL, false, false, 0, NULL, "poll"},
    {"epoll", WAIT_POLL, NULL, NULL, false, false, 0, NULL, NULL},
    {"nested", WAIT_POLL, NULL, NULL, true, false, 0, NULL, NULL},
    {"child", WAIT_CHILD, NULL, NULL, false, false, 0, NULL, "wait4"},
    {"sigwait", WAIT_SIGNAL, NULL, NULL, false, false, 0, NULL, "rt_sigtimedwait"},
};

/* What musl's objects don't tell: who has locked a normal mutex, or a read-write lock to write. */
static const struct expected expected_musl[] = {
    {"normal", WAIT_MUTEX, "normal", NULL, false, true, 1, "normal mutexes of musl keep no owner", MUTEX},
    {"recursive", WAIT_MUTEX, "recursive", "holder", false, true, 3, NULL, MUTEX},
    {"errorcheck", WAIT_MUTEX, "errorcheck", "holder", false, true, 1, NULL, MUTEX},
    {"robust", WAIT_MUTEX, "robust", "holder", false, true, 1, NULL, MUTEX},
    {"inherit", WAIT_MUTEX, "inherit", "holder", false, true, 1, NULL, MUTEX},
    {"timed", WAIT_MUTEX, "timed", NULL, true, false, 1, NULL, "pthread_mutex_timedlock"},
    {"cond", WAIT_COND, "pool.ready", NULL, false, true, 0, NULL, "pthread_cond_wait"},
    {"cond_timed", WAIT_COND, "pool.ready", NULL, true, false, 0, NULL, "pthread_cond_timedwait"},
    {"semaphore", WAIT_SEMAPHORE, "items", NULL, false, true, 0, "value 0", "sem_wait"},
    {"read_lock", WAIT_READ, "written", NULL, false, true, 0, "a writer has it", "pthread_rwlock_rdlock"},
    {"write_lock", WAIT_WRITE, "read_by_two", NULL, false, true, 2, "2 readers have it",
     "pthread_rwlock_wrlock"},
    {"barrier", WAIT_BARRIER, NULL, NULL, false, true, 0, NULL, "pthread_barrier_wait"},
    {"join", WAIT_JOIN, NULL, "holder", false, true, 0, NULL, "pthread_join"},
    {"futex", WAIT_FUTEX, "word", NULL, false, true, 0, "value 7", "futex"},
    {"stream", WAIT_MUTEX, NULL, "holder", false, true, 0, "the lock of a FILE", "flockfile"},
    {"sleep", WAIT_SLEEP, NULL, NULL, true, false, 0, NULL, NULL},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void check_wait(const struct scene *scene, const struct expected *row)
{
	const struct wait *wait = wait_of(scene, row->thread);
	ck_assert_msg(wait->kind == row->kind, "%s waits for %s", row->thread, wait_kind_name(wait->kind));
	ck_assert_msg(wait->timed == row->timed, "%s", row->thread);
	ck_assert_msg(wait->certain == row->certain, "%s", row->thread);
	ck_assert_msg(!row->call || (wait->call && strcmp(wait->call, row->call) == 0), "%s in %s",
		      row->thread, wait->call);
	ck_assert_msg(wait->count == row->count || row->kind == WAIT_MUTEX, "%s: %u", row->thread,
		      wait->count);
	ck_assert_msg(!row->count || wait->count == row->count, "%s: %u", row->thread, wait->count);
	if (row->detail)
		ck_assert_msg(wait->detail && strcmp(wait->detail, row->detail) == 0, "%s: %s", row->thread,
			      wait->detail);
	ck_assert_msg(wait->holders_length == (row->holder != NULL), "%s", row->thread);
	if (row->holder)
		ck_assert_msg(wait->holders[0] == find(scene, row->holder), "%s", row->thread);
}

static void check_waits(const struct scene *scene, const struct expected *rows, size_t length)
{
	for (size_t i = 0; i < length; i++)
		check_wait(scene, &rows[i]);
}

static void check_names(const struct scene *scene, const struct expected *rows, size_t length)
{
	ck_assert(scene->inspection.symbols);
	for (size_t i = 0; i < length; i++) {
		const struct wait *wait = wait_of(scene, rows[i].thread);
		if (rows[i].object)
			ck_assert_msg(wait->name && strcmp(wait->name, rows[i].object) == 0, "%s: %s",
				      rows[i].thread, wait->name);
	}
}

static const char *const with_symbols[] = {"waits", "waits.static"};

START_TEST(every_wait_is_told_with_symbols)
{
	struct scene scene = look_at(with_symbols[_i]);
	check_waits(&scene, expected, LENGTH(expected));
	check_names(&scene, expected, LENGTH(expected));
	const struct wait *dead = wait_of(&scene, "dead");
	ck_assert(dead->outsider > 0);
	ck_assert(dead->outsider_dead);
	ck_assert_uint_eq(wait_of(&scene, "cond")->mutex, wait_of(&scene, "cond_timed")->mutex);
	ck_assert_uint_ne(wait_of(&scene, "cond")->mutex, 0);
	leave(&scene);
}
END_TEST

START_TEST(every_wait_is_told_in_a_stripped_program)
{
	struct scene scene = look_at("waits.stripped");
	ck_assert(!scene.inspection.symbols);
	check_waits(&scene, expected, LENGTH(expected));
	leave(&scene);
}
END_TEST

/*
 * Nothing has a name there: the word of a pthread_once_t is no more than a word, and nothing tells that a mutex is wanted by who
 * has waited for a condition variable.
 */
START_TEST(every_wait_but_once_is_told_in_a_stripped_static_program)
{
	struct scene scene = look_at("waits.static.stripped");
	ck_assert(!scene.inspection.symbols);
	for (size_t i = 0; i < LENGTH(expected); i++)
		if (expected[i].kind != WAIT_ONCE && strcmp(expected[i].thread, "relock") != 0)
			check_wait(&scene, &expected[i]);
	ck_assert_int_eq(wait_of(&scene, "once")->kind, WAIT_FUTEX);
	ck_assert_uint_eq(wait_of(&scene, "once")->holders_length, 0);
	leave(&scene);
}
END_TEST

/* A core file of it, by GDB. */
static struct scene look_at_core(const char *name)
{
	char path[] = "/tmp/fmc-core.XXXXXX", command[256], why[256] = "";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	pid_t pid = start(name);
	snprintf(command, sizeof(command), "gdb -nx -batch -p %d -ex 'gcore %s' >/dev/null 2>&1", (int)pid,
		 path);
	ck_assert_int_eq(system(command), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	struct scene scene = {0};
	enum status status = subject_core(path, NULL, &scene.subject, why);
	unlink(path);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	ck_assert_int_eq(inspection_make(scene.subject, &scene.inspection), STATUS_OK);
	return scene;
}

START_TEST(every_wait_is_told_from_a_core_file)
{
	struct scene scene = look_at_core(with_symbols[_i]);
	check_waits(&scene, expected, LENGTH(expected));
	check_names(&scene, expected, LENGTH(expected));
	const struct wait *pipe = wait_of(&scene, "pipe_read");
	ck_assert_int_eq(pipe->kind, WAIT_SYSCALL);
	ck_assert_str_eq(pipe->call, "read");
	ck_assert_int_ge(pipe->descriptor, 0);
	ck_assert(!pipe->certain);
	inspection_release(&scene.inspection);
	subject_free(scene.subject);
}
END_TEST

START_TEST(waits_in_musl_are_told)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/waits.musl", getenv("FMC_TEST_TARGETS"));
	if (access(path, X_OK) != 0) /* no compiler for it: the Makefile leaves it out */
		return;
	struct scene scene = look_at("waits.musl");
	check_waits(&scene, expected_musl, LENGTH(expected_musl));
	check_names(&scene, expected_musl, LENGTH(expected_musl));
	leave(&scene);
}
END_TEST

static const struct frame *frame_of(const struct inspected_thread *thread, const char *function)
{
	for (size_t i = 0; i < thread->frames_length; i++)
		if (thread->frames[i].function && strcmp(thread->frames[i].function, function) == 0)
			return &thread->frames[i];
	return NULL;
}

START_TEST(stacks_lead_from_the_wait_to_the_start_routine)
{
	struct scene scene = look_at("waits");
	for (size_t i = 0; i < LENGTH(expected); i++) {
		char function[64];
		const struct inspected_thread *thread =
		    &scene.inspection.threads[find(&scene, expected[i].thread)];
		snprintf(function, sizeof(function), "wait_%s", expected[i].thread);
		const struct frame *frame =
		    frame_of(thread, strcmp(expected[i].thread, "holder") ? function : "hold");
		ck_assert_msg(frame != NULL, "%s", expected[i].thread);
		ck_assert_str_eq(frame->file, "waits.c");
		ck_assert_str_eq(frame->module, "waits");
		ck_assert_int_gt(frame->line, 0);
		ck_assert(!thread->cut);
	}
	const struct inspected_thread *first = &scene.inspection.threads[0];
	ck_assert_str_eq(first->name, "main");
	ck_assert_ptr_nonnull(frame_of(first, "main"));
	ck_assert_str_eq(first->frames[first->frames_length - 1].function, "_start");
	leave(&scene);
}
END_TEST

/* What is open under a descriptor, and that nobody but the process has the other end. */
static void check_descriptor(const struct scene *scene, const char *thread, enum wait_kind kind,
			     const char *name, bool writes)
{
	const struct wait *wait = wait_of(scene, thread);
	ck_assert_msg(wait->kind == kind, "%s waits for %s", thread, wait_kind_name(wait->kind));
	ck_assert_int_ge(wait->descriptor, 0);
	ck_assert_ptr_nonnull(wait->name);
	ck_assert_msg(strncmp(wait->name, name, strlen(name)) == 0, "%s: %s", thread, wait->name);
	ck_assert_int_eq(wait->writes, writes);
	ck_assert_int_eq(wait->outsider, 0);
	bool own = kind == WAIT_PIPE || kind == WAIT_SOCKET;
	/* Who can't look at everybody can't be certain. */
	ck_assert_msg(wait->certain == (own && geteuid() == 0), "%s", thread);
}

START_TEST(descriptors_are_told_with_who_has_the_other_end)
{
	struct scene scene = look_at("waits");
	check_descriptor(&scene, "pipe_read", WAIT_PIPE, "pipe ", false);
	check_descriptor(&scene, "pipe_write", WAIT_PIPE, "pipe ", true);
	check_descriptor(&scene, "pair", WAIT_SOCKET, "socket ", false);
	check_descriptor(&scene, "tcp", WAIT_SOCKET, "socket ", false);
	ck_assert_ptr_nonnull(strstr(wait_of(&scene, "tcp")->name, " to 127.0.0.1:"));
	check_descriptor(&scene, "event", WAIT_SYSCALL, "eventfd ", false);
	check_descriptor(&scene, "epoll", WAIT_POLL, "epoll ", false);
	check_descriptor(&scene, "flock", WAIT_FILE_LOCK, "/tmp/fmc-waits.", false);
	ck_assert_str_eq(wait_of(&scene, "flock")->detail, "this process has it locked itself");
	const struct wait *poll = wait_of(&scene, "poll");
	ck_assert_int_eq(poll->descriptor, wait_of(&scene, "pipe_read")->descriptor);
	ck_assert_ptr_nonnull(strstr(poll->detail, "descriptor "));
	leave(&scene);
}
END_TEST

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
	char why[256] = "";
	struct scene scene = {.pid = pid};
	ck_assert_int_eq(subject_attach(pid, inspection_prepare, NULL, &scene.subject, why), STATUS_OK);
	ck_assert_int_eq(inspection_make(scene.subject, &scene.inspection), STATUS_OK);
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
		subject_free(scene.subject);
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

/* The names that threads of C++ have: of what the program gave them to run. */
START_TEST(static_variables_of_cpp_are_told_with_who_initialises_them)
{
	struct scene scene = look_at("statics");
	struct inspected_thread *threads = scene.inspection.threads;
	ck_assert_uint_eq(scene.inspection.length, 4);
	ck_assert_str_eq(threads[1].name, "office::open_up");
	ck_assert_str_eq(threads[2].name, "office::knock");
	ck_assert_str_eq(threads[3].name, "main::{lambda()#1}::operator()");
	const struct wait *wait = &threads[2].wait;
	ck_assert_int_eq(wait->kind, WAIT_ONCE);
	ck_assert_str_eq(wait->call, "__cxa_guard_acquire");
	ck_assert_uint_eq(wait->holders_length, 1);
	ck_assert_uint_eq(wait->holders[0], 1);
	ck_assert(!wait->certain);
	ck_assert_ptr_nonnull(strstr(wait->name, "office::the_boss()::one"));
	wait = &threads[3].wait;
	ck_assert_int_eq(wait->kind, WAIT_MUTEX);
	ck_assert_str_eq(wait->name, "office::door");
	ck_assert_uint_eq(wait->holders_length, 1);
	ck_assert_uint_eq(wait->holders[0], 1);
	ck_assert(wait->certain);
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
	subject_free(first.subject);
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

/* Of a thread that wasn't stopped only two registers are known; the functions need a third one. */
START_TEST(stacks_are_found_without_registers)
{
	struct scene scene = look_at("waits");
	size_t thread = find(&scene, "nested"), at = 0;
	const struct inspected_thread *inspected = &scene.inspection.threads[thread];
	ck_assert(subject_thread(scene.subject, thread)->partial);
	ck_assert(inspected->guessed);
	ck_assert(!inspected->cut);
	static const char *const functions[] = {"epoll_wait", "nested",	     "nested",	    "nested",
						"nested",     "wait_nested", "start_thread"};
	for (; at < LENGTH(functions); at++) {
		ck_assert_uint_lt(at, inspected->frames_length);
		ck_assert_str_eq(inspected->frames[at].function, functions[at]);
	}
	leave(&scene);
}
END_TEST

/* Every stack, whatever is on it, comes to an end. */
static void overwrite_stack(void *fds)
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

START_TEST(kinds_have_names)
{
	for (int i = 0; i < WAIT_KINDS; i++)
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(wait_kind_name((enum wait_kind)i),
					 wait_kind_name((enum wait_kind)k));
	ck_assert_str_eq(wait_kind_name(WAIT_STOPPED), "stopped");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wait");
	TCase *tests = tcase_create("wait");
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, every_wait_is_told_with_symbols, 0, 2);
	tcase_add_test(tests, every_wait_is_told_in_a_stripped_program);
	tcase_add_test(tests, every_wait_but_once_is_told_in_a_stripped_static_program);
	tcase_add_loop_test(tests, every_wait_is_told_from_a_core_file, 0, 2);
	tcase_add_test(tests, waits_in_musl_are_told);
	tcase_add_test(tests, stacks_lead_from_the_wait_to_the_start_routine);
	tcase_add_test(tests, descriptors_are_told_with_who_has_the_other_end);
	tcase_add_test(tests, a_pipe_from_another_process_is_no_certain_wait);
	tcase_add_test(tests, a_socket_with_a_time_out_ends_by_itself);
	tcase_add_test(tests, a_thread_that_spins_is_told);
	tcase_add_test(tests, static_variables_of_cpp_are_told_with_who_initialises_them);
	tcase_add_test(tests, a_process_stopped_by_job_control_is_told);
	tcase_add_test(tests, a_wait_is_the_same_at_the_second_look);
	tcase_add_test(tests, stacks_are_found_without_registers);
	tcase_add_test(tests, damaged_stacks_come_to_an_end);
	tcase_add_test(tests, kinds_have_names);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
