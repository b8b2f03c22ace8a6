#include "tests/unit/rounds.h"
#include "tests/unit/sleeping.h"
#include "tests/unit/suite.h"

#include "tests/targets/signalled.h"

#include <dirent.h>
#include <fmc/tracer/snapshot.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* Processes that are looked at again and again go on as if nobody had: signals, job control, births, ends, fmc's own death. */

static enum status look(pid_t pid)
{
	struct snapshot *snapshot;
	char why[256];
	const enum status status = snapshot_take(pid, NULL, NULL, &snapshot, why);
	ck_assert(status == STATUS_OK || *why);
	snapshot_free(snapshot);
	return status;
}

static void *map_report(size_t size, int *memory)
{
	*memory = memfd_create("report", 0);
	ck_assert_int_eq(ftruncate(*memory, (off_t)size), 0);
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *memory, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	return mapped;
}

static pid_t start(const char *name, const char *argument, int memory)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	const pid_t pid = fork();
	if (pid == 0) {
		if (memory >= 0)
			dup2(memory, 3);
		execl(path, path, argument, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static long field_of(pid_t pid, pid_t tid, const char *name)
{
	char path[64], line[256];
	long value = -1;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, name, strlen(name)) == 0)
			value = strcmp(name, "State:") == 0 ? line[7] : atol(line + strlen(name));
	if (file)
		fclose(file);
	return value;
}

/* No thread of it is traced or stopped. */
static bool is_free(pid_t pid)
{
	char path[32];
	bool is_free = true;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		const pid_t tid = (pid_t)atoi(entry->d_name);
		if (tid <= 0)
			continue;
		const long state = field_of(pid, tid, "State:");
		is_free &= field_of(pid, tid, "TracerPid:") <= 0 && state != 't' && state != 'T';
	}
	if (tasks)
		closedir(tasks);
	return is_free;
}

/* Who was killed while it was looking lets go a moment after it has been waited for. */
static void expect_free(pid_t pid)
{
	for (int tries = 0; !is_free(pid); tries++) {
		ck_assert_int_lt(tries, 100000);
		sched_yield();
	}
}

START_TEST(signals_arrive_as_they_were_sent)
{
	int memory, status;
	struct signalled *told = map_report(sizeof *told, &memory);
	const pid_t pid = start("signalled", NULL, memory);
	while (told->queued < 100 || told->interrupts < 10 || told->ticks < 10)
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	for (uint32_t i = 0; i < enough_rounds(1000); i++)
		ck_assert_int_eq(look(pid), STATUS_OK);
	const long queued = told->queued, interrupts = told->interrupts, ticks = told->ticks;
	while (told->queued < queued + 100 || told->interrupts < interrupts + 10 || told->ticks < ticks + 10)
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	ck_assert_int_eq(told->misread, 0);
	ck_assert_int_eq(told->unfounded, 0);
	ck_assert_int_eq(told->ended, 0);
	told->stop = 1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(stopped_process_stays_stopped)
{
	const pid_t pid = sleepers_start();
	int status;
	char why[256];
	sleepers_wait(pid, 1);
	kill(pid, SIGSTOP);
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	for (int i = 0; i < 50; i++) {
		struct snapshot *snapshot;
		ck_assert_int_eq(snapshot_take(pid, NULL, NULL, &snapshot, why), STATUS_OK);
		for (size_t j = 0; j < snapshot_threads(snapshot); j++) {
			ck_assert_int_eq(snapshot_thread(snapshot, j)->state, 'T');
			ck_assert(!snapshot_thread(snapshot, j)->partial);
		}
		snapshot_free(snapshot);
		while (field_of(pid, pid, "State:") != 'T')
			sched_yield();
	}
	/* Its parent isn't told anew. */
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED | WCONTINUED | WNOHANG), 0);
	kill(pid, SIGCONT);
	ck_assert_int_eq(waitpid(pid, &status, WCONTINUED), pid);
	sleepers_wait(pid, 2);
	sleepers_end(pid);
}
END_TEST

START_TEST(threads_and_programs_may_come_and_go)
{
	enum { REPLACED = 5 };
	int status, looks = 0;
	const pid_t pid = start("storm", "5", -1);
	pid_t ended;
	while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
		const enum status result = look(pid);
		ck_assert(result == STATUS_OK || result == STATUS_NOT_FOUND || result == STATUS_UNSUPPORTED);
		looks += result == STATUS_OK;
	}
	ck_assert_int_eq(ended, pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_gt(looks, REPLACED);
}
END_TEST

static void kill_while_looking(pid_t pid)
{
	const pid_t looking = fork();
	if (looking == 0)
		for (;;)
			(void)look(pid); /* it is killed in the middle */
	/* Any moment will do. */
	nanosleep(&(struct timespec){.tv_nsec = random() % 4000000}, NULL);
	kill(looking, SIGKILL);
	ck_assert_int_eq(waitpid(looking, NULL, 0), looking);
	expect_free(pid);
}

START_TEST(own_death_harms_nobody)
{
	const pid_t pid = sleepers_start();
	sleepers_wait(pid, 1);
	sleepers_stop_drain(pid);
	for (uint32_t i = 0; i < enough_rounds(300); i++)
		kill_while_looking(pid);
	report->drain = 1;
	sleepers_expect_right(pid);
	sleepers_end(pid);
}
END_TEST

START_TEST(own_death_loses_no_signal)
{
	int memory, status;
	struct signalled *told = map_report(sizeof *told, &memory);
	const pid_t pid = start("signalled", NULL, memory);
	while (told->queued < 100)
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	for (uint32_t i = 0; i < enough_rounds(200); i++)
		kill_while_looking(pid);
	const long queued = told->queued, interrupts = told->interrupts;
	while (told->queued < queued + 100 || told->interrupts < interrupts + 10)
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	ck_assert_int_eq(told->misread, 0);
	ck_assert_int_eq(told->unfounded, 0);
	ck_assert_int_eq(told->ended, 0);
	told->stop = 1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unharmed");
	TCase *tests = tcase_create("unharmed");
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, signals_arrive_as_they_were_sent);
	tcase_add_test(tests, stopped_process_stays_stopped);
	tcase_add_test(tests, threads_and_programs_may_come_and_go);
	tcase_add_test(tests, own_death_harms_nobody);
	tcase_add_test(tests, own_death_loses_no_signal);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
