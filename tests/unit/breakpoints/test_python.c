#include "tests/unit/suite.h"

#include "breakpoints/python/line.h"
#include "breakpoints/python/python.h"
#include "tracer/snapshot/snapshot.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Real Python processes: tests/python/waits.py has a thread for each way to wait. FMC_TEST_PYTHON: interpreters to do it with,
 * separated by spaces; else the first python3 of the PATH and the system's. One that isn't there or isn't known is skipped.
 */

#define SCRIPT "tests/python/waits.py"

struct process {
	pid_t pid;
	int out;
};

static bool start(struct process *process, const char *interpreter, const char *argument)
{
	int ends[2];
	char word[16] = "";
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	process->pid = fork();
	if (process->pid == 0) {
		dup2(ends[1], 1);
		execlp(interpreter, interpreter, "-B", SCRIPT, argument, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	process->out = ends[0];
	return read(ends[0], word, sizeof(word)) >= 7 && memcmp(word, "waiting", 7) == 0;
}

static void end(struct process *process)
{
	kill(process->pid, SIGKILL);
	close(process->out);
	ck_assert_int_eq(waitpid(process->pid, NULL, 0), process->pid);
}

static struct snapshot *attach(pid_t pid)
{
	struct snapshot *snapshot;
	char why[256];
	const enum status status = snapshot_take(pid, inspection_prepare, NULL, &snapshot, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	return snapshot;
}

/* Call `check` for each interpreter. */
static void with_each(void (*check)(const char *interpreter))
{
	const char *list = getenv("FMC_TEST_PYTHON");
	char *names = strdup(list ? list : "python3 /usr/bin/python3"), *rest = names, *name;
	size_t done = 0;
	while ((name = strsep(&rest, " "))) {
		struct process process;
		struct python python;
		bool runs = *name && start(&process, name, NULL), known = false;
		if (runs) {
			struct snapshot *snapshot = attach(process.pid);
			ck_assert_int_eq(python_look(&python, snapshot), STATUS_OK);
			known = python.layout.version != 0;
			python_release(&python);
			snapshot_free(snapshot);
		}
		if (*name)
			end(&process);
		if (runs && known)
			check(name);
		else
			printf("skipped: %s: %s\n", name,
			       runs ? "a version that isn't known" : "can't be run");
		done += runs && known;
	}
	free(names);
	printf("%zu interpreters\n", done);
}

struct expected {
	const char *thread;
	enum wait_kind kind;
	const char *name, *call;
	bool certain;
	const char *holder;
};

static const struct expected expectations[] = {
    {"with_first", WAIT_MUTEX, "threading.Lock forks[1]", "Lock.acquire", true, "with_second"},
    {"with_second", WAIT_MUTEX, "threading.Lock lock_a", "Lock.acquire", true, "with_first"},
    {"again_first", WAIT_MUTEX, "threading.RLock relocks[1]", "RLock.acquire", true, "again_second"},
    {"again_second", WAIT_MUTEX, "threading.RLock relocks[0]", "RLock.acquire", true, "again_first"},
    {"abandoned", WAIT_MUTEX, "threading.Lock abandoned", "Lock.acquire", true, NULL},
    {"condition", WAIT_COND, "threading.Condition condition", "Condition.wait", true, NULL},
    {"wait_for", WAIT_COND, "threading.Condition condition", "Condition.wait_for", true, NULL},
    {"unlocked", WAIT_COND, "threading.Condition on_own", "Condition.wait", true, NULL},
    {"event", WAIT_COND, "threading.Event self.stopped", "Event.wait", true, NULL},
    {"semaphore", WAIT_SEMAPHORE, "threading.Semaphore slots", "Semaphore.acquire", true, NULL},
    {"barrier", WAIT_BARRIER, "threading.Barrier meeting", "Barrier.wait", true, NULL},
    {"queue", WAIT_COND, "queue.Queue jobs", "Queue.get", true, NULL},
    {"simple", WAIT_COND, "queue.SimpleQueue inbox", "SimpleQueue.get", true, NULL},
    {"bound", WAIT_COND, "queue.SimpleQueue inbox", "SimpleQueue.get", true, NULL},
    {"deep", WAIT_COND, "threading.Event never", "Event.wait", true, NULL},
    {"generator", WAIT_COND, "threading.Event never", "Event.wait", true, NULL},
    {"callback", WAIT_COND, "threading.Event never", "Event.wait", true, NULL},
    {"importing", WAIT_COND, "threading.Event never", "Event.wait", true, NULL},
    {"imports", WAIT_MUTEX, "the import of slow_module", "_ModuleLock.acquire", true, "importing"},
    {"reads", WAIT_MUTEX, "_io.BufferedReader pipe", "acquire_lock", true, "reading"},
    {"attribute", WAIT_COND, "threading.Event shared.ready", "Event.wait", true, NULL},
    {"join", WAIT_JOIN, NULL, "Thread.join", true, "with_first"},
    {"timed", WAIT_COND, "threading.Event never", "Event.wait", false, NULL},
    {"main", WAIT_JOIN, NULL, "Thread.join", true, "with_first"},
};
#define EXPECTED (sizeof(expectations) / sizeof(expectations[0]))

/* The main thread is called "main". */
static size_t thread_called(const struct python *python, const char *name)
{
	size_t t = strcmp(name, "main") == 0 ? 0 : 1;
	for (; t > 0 && t < python->length; t++)
		if (python->threads[t].name && strcmp(python->threads[t].name, name) == 0)
			break;
	return t;
}

static bool all_wait(const struct python *python)
{
	for (size_t i = 0; i < EXPECTED; i++) {
		const size_t t = thread_called(python, expectations[i].thread);
		if (t == python->length || !python->waits[t].found ||
		    python->waits[t].wait.kind != expectations[i].kind)
			return false;
	}
	return true;
}

#define LOOKS_MOST 2000

/* Look until all have come to where they wait. */
static struct snapshot *look(pid_t pid, struct python *python)
{
	struct snapshot *snapshot = NULL;
	for (int i = 0; i < LOOKS_MOST; i++) {
		snapshot = attach(pid);
		ck_assert_int_eq(python_look(python, snapshot), STATUS_OK);
		if (all_wait(python))
			break;
		if (i + 1 < LOOKS_MOST) {
			python_release(python);
			snapshot_free(snapshot);
		}
	}
	return snapshot;
}

/* The line of the script that is marked with this word. */
static int marked(const char *word)
{
	char mark[64], line[256];
	int number = 0, found = 0;
	FILE *file = fopen(SCRIPT, "r");
	ck_assert_ptr_nonnull(file);
	snprintf(mark, sizeof(mark), "  # %s\n", word);
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (strlen(line) >= strlen(mark) && strcmp(line + strlen(line) - strlen(mark), mark) == 0)
			found = number;
	}
	fclose(file);
	return found;
}

static void check_wait(const struct python *python, const struct expected *expected)
{
	const size_t t = thread_called(python, expected->thread);
	const struct wait *wait = &python->waits[t].wait;
	ck_assert_msg(t < python->length, "no thread %s", expected->thread);
	ck_assert_msg(python->waits[t].found, "%s: no wait", expected->thread);
	ck_assert_int_eq(wait->kind, expected->kind);
	ck_assert_str_eq(wait->call, expected->call);
	ck_assert_int_eq(wait->certain, expected->certain);
	ck_assert_int_eq(wait->timed, !expected->certain);
	if (expected->name)
		ck_assert_str_eq(wait->name ? wait->name : "", expected->name);
	ck_assert_int_eq(wait->holders_length, expected->holder ? 1 : 0);
	if (expected->holder)
		ck_assert_uint_eq(wait->holders[0], thread_called(python, expected->holder));
}

/* The innermost frame in the script is where the script says. */
static void check_line(const struct python *python, const struct expected *expected)
{
	const struct python_thread *thread = &python->threads[thread_called(python, expected->thread)];
	const int line = marked(expected->thread);
	for (size_t i = 0; i < thread->frames_length && line; i++) {
		if (strcmp(thread->frames[i].code->file, "waits.py") != 0)
			continue;
		ck_assert_msg(thread->frames[i].line == line, "%s: line %d, not %d", expected->thread,
			      thread->frames[i].line, line);
		return;
	}
	ck_assert_msg(line == 0, "%s: no frame of the script", expected->thread);
}

static void check_all(const char *interpreter)
{
	struct process process;
	struct python python;
	ck_assert(start(&process, interpreter, NULL));
	struct snapshot *snapshot = look(process.pid, &python);
	for (size_t i = 0; i < EXPECTED; i++) {
		check_wait(&python, &expectations[i]);
		check_line(&python, &expectations[i]);
	}
	const struct python_thread *deep = &python.threads[thread_called(&python, "deep")];
	ck_assert(deep->cut);
	ck_assert_uint_eq(deep->frames_length, 256);
	const size_t sleeps = thread_called(&python, "sl\303\251ep");
	ck_assert_uint_lt(sleeps, python.length);
	ck_assert(!python.waits[sleeps].found);
	ck_assert(!python.waits[0].wait.handler);
	python_release(&python);
	snapshot_free(snapshot);
	end(&process);
}

START_TEST(tells_what_threads_wait_for)
{
	with_each(check_all);
}
END_TEST

static bool ends_with(const char *text, const char *end)
{
	const size_t length = text ? strlen(text) : 0;
	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* Where in the stack of the thread of this name the function is; the number of its frames if it isn't. */
static size_t frame_of(const struct inspection *inspection, const char *thread, const char *function)
{
	size_t t = 0, i = 0;
	while (t < inspection->length &&
	       !(inspection->threads[t].name && strcmp(inspection->threads[t].name, thread) == 0))
		t++;
	ck_assert_msg(t < inspection->length, "no thread %s", thread);
	while (i < inspection->threads[t].frames_length &&
	       !ends_with(inspection->threads[t].frames[i].function, function))
		i++;
	return i;
}

#define NO_FRAME(inspection, thread, function)                                                               \
	ck_assert_uint_eq(frame_of(inspection, thread, function), frame_of(inspection, thread, "?"))

static void check_stacks(const struct inspection *inspection)
{
	ck_assert_ptr_null(inspection->note);
	for (size_t i = 0; i < EXPECTED; i++) {
		NO_FRAME(inspection, expectations[i].thread, "_PyEval_EvalFrameDefault");
		NO_FRAME(inspection, expectations[i].thread, "_bootstrap");
		NO_FRAME(inspection, expectations[i].thread, "clone3");
	}
	ck_assert_uint_eq(frame_of(inspection, "with_first", "with_first"), 0);
	ck_assert_uint_eq(frame_of(inspection, "event", "serve"), 2);
	ck_assert_uint_eq(frame_of(inspection, "bound", "run"), 0);
	ck_assert_uint_eq(frame_of(inspection, "main", "<module>") - frame_of(inspection, "main", "main"), 1);
	/* The C library calls back in the middle. */
	const size_t inner = frame_of(inspection, "callback", "compare"),
		     outer = frame_of(inspection, "callback", "sort_by_callback"),
		     between = frame_of(inspection, "callback", "qsort_r");
	ck_assert_msg(inner < between && between < outer, "compare %zu, qsort_r %zu, sort_by_callback %zu",
		      inner, between, outer);
}

static void check_inspection(const char *interpreter)
{
	struct process process;
	struct python python;
	struct inspection inspection;
	ck_assert(start(&process, interpreter, NULL));
	struct snapshot *snapshot = look(process.pid, &python);
	python_release(&python);
	ck_assert_int_eq(inspection_make(snapshot, &inspection), STATUS_OK);
	check_stacks(&inspection);
	inspection_release(&inspection);
	snapshot_free(snapshot);
	end(&process);
}

START_TEST(makes_one_stack)
{
	with_each(check_inspection);
}
END_TEST

/* The same from a core file. */
static void check_core(const char *interpreter)
{
	struct process process;
	struct python python;
	struct inspection inspection;
	char folder[] = "/tmp/fmc-python.XXXXXX", path[64], command[256], why[256];
	ck_assert(start(&process, interpreter, NULL));
	struct snapshot *snapshot = look(process.pid, &python);
	python_release(&python);
	snapshot_free(snapshot);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/core", folder);
	snprintf(command, sizeof(command), "gdb -nx -batch -p %d -ex 'gcore %s' >/dev/null 2>&1", process.pid,
		 path);
	ck_assert_int_eq(system(command), 0);
	end(&process);
	const enum status status = snapshot_of_core(path, NULL, &snapshot, why);
	unlink(path);
	rmdir(folder);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	ck_assert_int_eq(python_look(&python, snapshot), STATUS_OK);
	for (size_t i = 0; i < EXPECTED; i++) {
		check_wait(&python, &expectations[i]);
		check_line(&python, &expectations[i]);
	}
	python_release(&python);
	ck_assert_int_eq(inspection_make(snapshot, &inspection), STATUS_OK);
	check_stacks(&inspection);
	inspection_release(&inspection);
	snapshot_free(snapshot);
}

START_TEST(reads_core_files)
{
	with_each(check_core);
}
END_TEST

/* One of two that compute waits for the interpreter's lock, which the other one has. */
static void check_gil(const char *interpreter)
{
	struct process process;
	struct python python;
	bool seen = false;
	ck_assert(start(&process, interpreter, "spin"));
	for (int i = 0; i < LOOKS_MOST && !seen; i++) {
		struct snapshot *snapshot = attach(process.pid);
		ck_assert_int_eq(python_look(&python, snapshot), STATUS_OK);
		const size_t hot = thread_called(&python, "hot"), hotter = thread_called(&python, "hotter");
		if (hot < python.length && hotter < python.length) {
			const size_t waits = python.waits[hot].found ? hot : hotter;
			const struct wait *wait = &python.waits[waits].wait;
			seen = python.waits[waits].found && wait->holders_length == 1 && wait->certain &&
			       wait->holders[0] == hot + hotter - waits;
			if (seen)
				ck_assert_str_eq(wait->name, "the GIL");
		}
		python_release(&python);
		snapshot_free(snapshot);
	}
	ck_assert(seen);
	end(&process);
}

START_TEST(tells_who_has_the_gil)
{
	with_each(check_gil);
}
END_TEST

/* ---- damage ---- */

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint8_t *random_page(struct snapshot *snapshot)
{
	for (;;) {
		const struct page_slot *slot = &snapshot->pages.slots[draw() % snapshot->pages.room];
		if (slot->bytes)
			return slot->bytes;
	}
}

#define WORDS	     (PAGE_BYTES / 8)
#define CHANGES_MOST 64

/* Change words of the memory that was kept: other values, other words of it, or one bit. */
static void damage(struct snapshot *snapshot, uint8_t *at[CHANGES_MOST], uint64_t was[CHANGES_MOST],
		   size_t changes)
{
	for (size_t i = 0; i < changes; i++) {
		const uint8_t *other = random_page(snapshot);
		uint64_t word;
		at[i] = random_page(snapshot) + 8 * (draw() % WORDS);
		memcpy(&was[i], at[i], 8);
		memcpy(&word, other + 8 * (draw() % WORDS), 8);
		switch (draw() % 4) {
		case 0:
			word = draw();
			break;
		case 1:
			word = was[i] ^ UINT64_C(1) << draw() % 64;
			break;
		default:
			break;
		}
		memcpy(at[i], &word, 8);
	}
}

static void repair(uint8_t *const at[CHANGES_MOST], const uint64_t was[CHANGES_MOST], size_t changes)
{
	for (size_t i = changes; i > 0; i--)
		memcpy(at[i - 1], &was[i - 1], 8);
}

static void check_damage(const char *interpreter)
{
	struct process process;
	struct python python;
	uint8_t *at[CHANGES_MOST];
	uint64_t was[CHANGES_MOST];
	ck_assert(start(&process, interpreter, NULL));
	struct snapshot *snapshot = look(process.pid, &python);
	python_release(&python);
	for (int round = 0; round < 300; round++) {
		const size_t changes = 1 + draw() % CHANGES_MOST;
		damage(snapshot, at, was, changes);
		ck_assert_int_eq(python_look(&python, snapshot), STATUS_OK);
		python_release(&python);
		repair(at, was, changes);
	}
	ck_assert_int_eq(python_look(&python, snapshot), STATUS_OK);
	ck_assert(all_wait(&python));
	python_release(&python);
	snapshot_free(snapshot);
	end(&process);
}

START_TEST(survives_damage)
{
	with_each(check_damage);
}
END_TEST

START_TEST(finds_nothing_elsewhere)
{
	const pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	struct snapshot *snapshot = attach(pid);
	struct python python;
	ck_assert_int_eq(python_look(&python, snapshot), STATUS_OK);
	ck_assert_uint_eq(python.layout.version, 0);
	ck_assert_str_eq(python.note, "");
	python_release(&python);
	snapshot_free(snapshot);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

/* ---- tables ---- */

START_TEST(reads_lines)
{
	/* 3.9: 4 bytes on line 10, 6 on 12, then 14. */
	static const uint8_t deltas[] = {0, 0, 4, 2, 6, 2};
	ck_assert_int_eq(python_line(PYTHON_LINES_DELTAS, deltas, sizeof(deltas), 10, 2), 10);
	ck_assert_int_eq(python_line(PYTHON_LINES_DELTAS, deltas, sizeof(deltas), 10, 4), 12);
	ck_assert_int_eq(python_line(PYTHON_LINES_DELTAS, deltas, sizeof(deltas), 10, 100), 14);
	/* 3.10: up to 4 line 11, up to 8 none, then line 9. */
	static const uint8_t ranges[] = {4, 1, 4, 0x80, 4, 0xfe};
	ck_assert_int_eq(python_line(PYTHON_LINES_RANGES, ranges, sizeof(ranges), 10, 0), 11);
	ck_assert_int_eq(python_line(PYTHON_LINES_RANGES, ranges, sizeof(ranges), 10, 6), 0);
	ck_assert_int_eq(python_line(PYTHON_LINES_RANGES, ranges, sizeof(ranges), 10, 8), 9);
	/* 3.11: one unit, short form; two, next line but one; one, +70 without columns; one, none; one, -3 in the long form */
	static const uint8_t locations[] = {0x80,
					    0x11,
					    0x80 | 12 << 3 | 1,
					    1,
					    2,
					    0x80 | 13 << 3,
					    0x4c,
					    0x02,
					    0x80 | 15 << 3,
					    0x80 | 14 << 3,
					    7,
					    0,
					    1,
					    1};
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, -2), 10);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 0), 10);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 2), 12);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 4), 12);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 6), 82);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 8), 0);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 10), 79);
	ck_assert_int_eq(python_line(PYTHON_LINES_LOCATIONS, locations, sizeof(locations), 10, 12), 0);
}
END_TEST

START_TEST(reads_depths)
{
	/* From unit 3, 4 long, to 20, depth 2; from unit 70, 2 long, to 80, depth 1. */
	static const uint8_t table[] = {0x83, 4, 20, 2 << 1, 0xc1, 6, 2, 0x41, 16, 1 << 1 | 1};
	ck_assert_uint_eq(python_depth(table, sizeof(table), 4), 0);
	ck_assert_uint_eq(python_depth(table, sizeof(table), 6), 2);
	ck_assert_uint_eq(python_depth(table, sizeof(table), 12), 2);
	ck_assert_uint_eq(python_depth(table, sizeof(table), 14), 0);
	ck_assert_uint_eq(python_depth(table, sizeof(table), 142), 1);
	ck_assert_uint_eq(python_depth(table, sizeof(table), -2), 0);
	/* Cut off anywhere. */
	for (size_t size = 0; size < sizeof(table); size++)
		ck_assert_uint_le(python_depth(table, size, 142), 1);
}
END_TEST

START_TEST(survives_any_table)
{
	uint8_t table[64];
	for (int round = 0; round < 20000; round++) {
		const size_t size = draw() % sizeof(table);
		for (size_t i = 0; i < size; i++)
			table[i] = (uint8_t)draw();
		const int32_t at = (int32_t)(draw() % 400) - 10;
		const int line = python_line((enum python_lines)(draw() % 3), table, size, 1, at);
		ck_assert_int_le(line, INT32_MAX);
		(void)python_depth(table, size, at);
	}
}
END_TEST

START_TEST(takes_over_offsets)
{
	uint64_t words[PYTHON_OFFSETS];
	struct python_layout layout = *python_layout_of(0x30d);
	for (size_t i = 0; i < PYTHON_OFFSETS; i++)
		words[i] = 8 * i;
	words[1] = 0;
	ck_assert(python_layout_adjust(&layout, words));
	ck_assert_uint_eq(layout.runtime_interpreters, 8 * 4);
	ck_assert_uint_eq(layout.code_bytes, 8 * 42);
	words[1] = 1;
	ck_assert(!python_layout_adjust(&layout, words));
	words[1] = 0;
	words[13] = UINT64_MAX;
	ck_assert(!python_layout_adjust(&layout, words));
	ck_assert_ptr_null(python_layout_of(0x307));
	ck_assert_ptr_null(python_layout_of(0x3ff));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("python");
	TCase *tables = tcase_create("tables"), *processes = tcase_create("processes");
	tcase_add_test(tables, reads_lines);
	tcase_add_test(tables, reads_depths);
	tcase_add_test(tables, survives_any_table);
	tcase_add_test(tables, takes_over_offsets);
	tcase_add_test(processes, finds_nothing_elsewhere);
	tcase_add_test(processes, tells_what_threads_wait_for);
	tcase_add_test(processes, makes_one_stack);
	tcase_add_test(processes, reads_core_files);
	tcase_add_test(processes, tells_who_has_the_gil);
	tcase_add_test(processes, survives_damage);
	tcase_set_timeout(processes, 120);
	suite_add_tcase(suite, tables);
	suite_add_tcase(suite, processes);
	return suite_run(suite);
}
