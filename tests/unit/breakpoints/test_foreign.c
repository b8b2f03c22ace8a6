/* Taking hold of a foreign process and letting it go, what is planted in it, and the guardian. */
#include "tests/unit/lively.h"
#include "tests/unit/suite.h"

#include <fmc/breakpoints/markers.h>

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define ROUNDS 30

static const char *const programs[] = {"lively", "lively.static"};

static void block_child_signal(void)
{
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, NULL);
}

/* Is any thread of it traced, or stopped? */
static bool held(pid_t pid)
{
	char path[400], line[128], state = 0;
	int tracer = 0;
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/status", pid, entry->d_name);
		FILE *file = *entry->d_name == '.' ? NULL : fopen(path, "re");
		while (file && fgets(line, sizeof line, file))
			if (sscanf(line, "State: %c", &state) == 1)
				found |= state == 't' || state == 'T';
			else if (sscanf(line, "TracerPid: %d", &tracer) == 1)
				found |= tracer != 0;
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

static void wait_until_free(pid_t pid)
{
	while (held(pid))
		sched_yield();
}

/* In a thread of its own, whose end lets the process go. */
static void in_thread(void *(*routine)(void *), void *argument)
{
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, routine, argument), 0);
	pthread_join(thread, NULL);
}

static struct foreign *take_hold(pid_t pid)
{
	char why[256] = "";
	struct foreign *foreign;
	ck_assert_msg(foreign_new(pid, &foreign, why) == STATUS_OK, "%s", why);
	ck_assert_msg(foreign_open(foreign, why) == STATUS_OK, "%s", why);
	return foreign;
}

static void *stop_and_go(void *argument)
{
	const pid_t pid = *(pid_t *)argument;
	struct foreign *foreign = take_hold(pid);
	const struct target *target = foreign_target(foreign);
	ck_assert_uint_ge(target_tracees(target), 9);
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		uint64_t rip, rsp;
		if (tracee->life != TRACEE_DEAD)
			ck_assert(tracee->life == TRACEE_STOPPED &&
				  foreign_place(foreign, tracee, &rip, &rsp));
	}
	foreign_release(foreign);
	foreign_free(foreign);
	return NULL;
}

START_TEST(stops_are_not_noticed)
{
	struct lively lively = lively_start(programs[_i], false);
	block_child_signal();
	lively_says(&lively, "ready");
	for (int i = 0; i < ROUNDS; i++) {
		in_thread(stop_and_go, &lively.pid);
		wait_until_free(lively.pid);
	}
	lively_end(&lively);
}
END_TEST

struct planted {
	pid_t pid;
	struct jump_stubs *jumps;
	uint64_t text; /* while planted */
	uint32_t marks;
};

/* Each used stub's function begins with a jump to it. */
static void check_jumps(const struct jump_stubs *jumps, const struct target *target)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < jumps->stubs_length; i++) {
		const struct jump_stub *stub = &jumps->stubs[i];
		uint8_t now[JUMP_BYTES];
		int32_t distance;
		ck_assert_int_eq(target_read(target, stub->entry, now, sizeof now), STATUS_OK);
		memcpy(&distance, now + 1, sizeof distance);
		if (stub->used)
			ck_assert(now[0] == 0xe9 &&
				  stub->entry + JUMP_BYTES + (uint64_t)(int64_t)distance == stub->address);
		used += stub->used;
	}
	ck_assert_uint_ge(used, 10);
}

/* Everybody runs until so many stops have been seen, of stubs or of any kind; the last one is left standing there. */
static void run_on(const struct planted *planted, struct foreign *foreign, uint32_t stops, bool of_stubs)
{
	struct foreign_event event;
	for (uint32_t i = 0; i < target_tracees(foreign_target(foreign)); i++)
		foreign_resume(foreign, target_tracee(foreign_target(foreign), i));
	while (stops > 0) {
		ck_assert_int_eq(foreign_wait(foreign, 10000, &event), STATUS_OK);
		ck_assert(event.kind != FOREIGN_ENDED && event.kind != FOREIGN_EXEC);
		stops -=
		    !of_stubs || (event.kind == FOREIGN_CALL && jump_stubs_at(planted->jumps, event.rip));
		if (event.kind != FOREIGN_EXITED && (stops > 0 || event.kind == FOREIGN_SIGNAL))
			foreign_resume(foreign, event.tracee);
	}
}

static void *plant_and_remove(void *argument)
{
	struct planted *planted = argument;
	struct foreign *foreign = take_hold(planted->pid);
	ck_assert_int_eq(jump_stubs_insert(planted->jumps, foreign), STATUS_OK);
	check_jumps(planted->jumps, foreign_target(foreign));
	planted->text = lively_text(planted->pid);
	run_on(planted, foreign, planted->marks, true);
	enum status status = STATUS_TIMEOUT;
	for (int i = 0; i < 100 && status == STATUS_TIMEOUT; i++) {
		ck_assert_int_eq(foreign_stop(foreign, false, 5000), STATUS_OK);
		status = jump_stubs_remove(planted->jumps, foreign);
		if (status == STATUS_TIMEOUT)
			run_on(planted, foreign, 20, false);
	}
	ck_assert_int_eq(status, STATUS_OK);
	foreign_release(foreign);
	foreign_free(foreign);
	return NULL;
}

static struct planted prepare(pid_t pid)
{
	char why[256];
	struct foreign *foreign;
	struct planted planted = {.pid = pid, .jumps = jump_stubs_new()};
	ck_assert_ptr_nonnull(planted.jumps);
	ck_assert_int_eq(foreign_new(pid, &foreign, why), STATUS_OK);
	struct markers *markers = markers_new(foreign_target(foreign), planted.jumps);
	ck_assert_ptr_nonnull(markers);
	markers_free(markers);
	foreign_free(foreign);
	return planted;
}

/* The later ones find threads in stubs when it is taken out. */
START_TEST(planted_code_is_taken_out)
{
	struct lively lively = lively_start(programs[_i], false);
	block_child_signal();
	lively_says(&lively, "ready");
	const uint64_t text = lively_text(lively.pid);
	struct planted planted = prepare(lively.pid);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		planted.marks = i;
		in_thread(plant_and_remove, &planted);
		ck_assert(planted.text != text);
		wait_until_free(lively.pid);
		ck_assert(lively_text(lively.pid) == text);
	}
	jump_stubs_free(planted.jumps);
	lively_end(&lively);
}
END_TEST

/* A process with a guardian plants and lets run, until it is killed. */
static pid_t start_planter(pid_t target, pid_t *guardian)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	const pid_t planter = fork();
	if (planter == 0) {
		struct guardian own;
		struct foreign_event event;
		block_child_signal();
		struct planted planted = prepare(target);
		if (guardian_start(&own, planted.jumps) != STATUS_OK)
			_exit(1);
		struct foreign *foreign = take_hold(target);
		if (jump_stubs_insert(planted.jumps, foreign) != STATUS_OK ||
		    write(ends[1], &own.pid, sizeof own.pid) != sizeof own.pid)
			_exit(1);
		for (uint32_t i = 0; i < target_tracees(foreign_target(foreign)); i++)
			foreign_resume(foreign, target_tracee(foreign_target(foreign), i));
		for (;;)
			if (foreign_wait(foreign, 1000, &event) == STATUS_OK && event.tracee)
				foreign_resume(foreign, event.tracee);
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], guardian, sizeof *guardian), sizeof *guardian);
	close(ends[0]);
	return planter;
}

static void kill_and_wait(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool exists(pid_t pid)
{
	char path[64], line[64] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	const bool read = fgets(line, sizeof line, file) != NULL;
	fclose(file);
	return read && !strstr(line, ") Z");
}

START_TEST(guardian_takes_it_out)
{
	struct lively lively = lively_start(programs[_i], true);
	pid_t guardian;
	lively_says(&lively, "ready");
	const uint64_t text = lively_text(lively.pid);
	for (int i = 0; i < 5; i++) {
		const pid_t planter = start_planter(lively.pid, &guardian);
		ck_assert(lively_text(lively.pid) != text);
		kill_and_wait(planter);
		while (exists(guardian))
			sched_yield();
		ck_assert(!held(lively.pid));
		ck_assert(lively_text(lively.pid) == text);
	}
	lively_end(&lively);
}
END_TEST

/* Nobody is left who could take it out, and the program doesn't need that. */
START_TEST(it_works_without_guardian)
{
	struct lively lively = lively_start(programs[_i], true);
	pid_t guardian;
	lively_says(&lively, "ready");
	const uint64_t text = lively_text(lively.pid);
	const pid_t planter = start_planter(lively.pid, &guardian);
	kill(guardian, SIGKILL);
	while (exists(guardian))
		sched_yield();
	kill_and_wait(planter);
	wait_until_free(lively.pid);
	ck_assert(lively_text(lively.pid) != text);
	ck_assert_int_eq(write(lively.orders, "f", 1), 1);
	lively_says(&lively, "child 0");
	lively_end(&lively);
}
END_TEST

/* It ends by itself when the process does. */
START_TEST(guardian_ends_with_the_process)
{
	struct lively lively = lively_start(programs[_i], true);
	pid_t guardian;
	lively_says(&lively, "ready");
	const pid_t planter = start_planter(lively.pid, &guardian);
	lively_end(&lively);
	while (exists(guardian))
		sched_yield();
	kill_and_wait(planter);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("foreign");
	TCase *tcase = tcase_create("foreign");
	const int length = sizeof programs / sizeof *programs;
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, stops_are_not_noticed, 0, length);
	tcase_add_loop_test(tcase, planted_code_is_taken_out, 0, length);
	tcase_add_loop_test(tcase, guardian_takes_it_out, 0, length);
	tcase_add_loop_test(tcase, it_works_without_guardian, 0, length);
	tcase_add_loop_test(tcase, guardian_ends_with_the_process, 0, length);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
