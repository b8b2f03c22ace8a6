#include "tests/unit/prepare_nothing.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"
#include "tests/unit/tasks_asleep.h"
#include "tracer/image_file/note.h"

#include <check.h>
#include <fcntl.h>
#include <fmc/tracer/image.h>
#include <fmc/tracer/image_file.h>
#include <fmc/tracer/origin.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processes that fmc hasn't started are saved (tests/targets/saved.c, outward.c, channels.c), and started from the file. */

struct scene {
	char folder[64], image[96];
	pid_t pid;
	int output; /* of the original and of what is started from the image */
	bool says_fine;
};

static void path_in(const struct scene *scene, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", scene->folder, name);
}

static bool is_there(const struct scene *scene, const char *name)
{
	char path[128];
	path_in(scene, name, path);
	return access(path, F_OK) == 0;
}

static void touch(const struct scene *scene, const char *name)
{
	char path[128];
	path_in(scene, name, path);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void forget(const struct scene *scene, const char *name)
{
	char path[128];
	path_in(scene, name, path);
	unlink(path);
}

/* All of its threads stand where they shall be saved, so many of them waiting for others. False: there are no namespaces. */
static bool open_scene_in(struct scene *scene, const char *program, const char *more, int waiting, int flags)
{
	char path[4096];
	*scene = (struct scene){.folder = "/tmp/fmc-saved-XXXXXX", .says_fine = waiting != 0};
	ck_assert_ptr_nonnull(mkdtemp(scene->folder));
	snprintf(scene->image, sizeof scene->image, "%s/image", scene->folder);
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), program);
	scene->output = memfd_create("output", MFD_CLOEXEC);
	scene->pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
	if (scene->pid < 0)
		return false;
	if (scene->pid == 0) {
		dup2(scene->output, 1);
		execl(path, path, scene->folder, more, NULL);
		_exit(127);
	}
	while (!is_there(scene, "ready"))
		ck_assert_int_eq(waitpid(scene->pid, NULL, WNOHANG), 0);
	while (tasks_asleep(scene->pid, SYS_futex) < waiting)
		continue;
	return true;
}

static void open_scene(struct scene *scene, const char *program, const char *more, int waiting)
{
	ck_assert(open_scene_in(scene, program, more, waiting, 0));
}

static void expect_output(const struct scene *scene, const char *expected)
{
	char text[64] = "";
	ck_assert_int_ge(pread(scene->output, text, sizeof text - 1, 0), 0);
	ck_assert_str_eq(text, expected);
	ck_assert_int_eq(ftruncate(scene->output, 0), 0);
	lseek(scene->output, 0, SEEK_SET);
}

/* The original goes on and finds all as it was. */
static void finish_original(struct scene *scene)
{
	int status;
	touch(scene, "go");
	ck_assert_int_eq(waitpid(scene->pid, &status, 0), scene->pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
	expect_output(scene, scene->says_fine ? "fine\n" : "");
}

static void close_scene(struct scene *scene)
{
	static const char *const files[] = {"ready", "go", "written", "made", "image"};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		forget(scene, files[i]);
	ck_assert_int_eq(rmdir(scene->folder), 0);
	close(scene->output);
}

/* What a stop might leave behind. */
static void read_traces(pid_t pid, char traces[1024])
{
	static const char *const keys[] = {"TracerPid", "Threads", "SigPnd", "ShdPnd",
					   "SigBlk",	"SigIgn",  "SigCgt"};
	char path[64], line[512];
	traces[0] = '\0';
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file))
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0 &&
			    strlen(traces) + strlen(line) < 1024)
				strcat(traces, line);
	fclose(file);
}

static struct image_saved save(struct scene *scene)
{
	char why[256], before[1024], after[1024];
	struct held *held;
	struct image_saved saved;
	read_traces(scene->pid, before);
	enum status status = held_take(scene->pid, &held, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
	status = held_save(held, scene->image, &saved, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
	ck_assert(!held_gone(held));
	held_release(held);
	read_traces(scene->pid, after);
	ck_assert_str_eq(before, after);
	return saved;
}

static struct origin *origin_from(const struct scene *scene, struct program *program)
{
	struct origin *origin;
	char why[256];
	*program = (struct program){.image = scene->image, .input = -1, .output = scene->output, .error = -1};
	enum status status = origin_new(program, ORIGIN_AUTO, prepare_nothing, NULL, &origin, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
	return origin;
}

/* All threads run as they like; sleeps take no time. The status that the process ends with. */
static int run_freely(struct target *target)
{
	struct stop stop;
	for (uint32_t i = 0; i < target_tracees(target); i++)
		ck_assert_int_eq(target_resume(target_tracee(target, i), 0), STATUS_OK);
	for (;;) {
		ck_assert_int_eq(target_wait(target, NULL, -1, &stop), STATUS_OK);
		ck_assert_msg(stop.kind != STOP_OUTSIDE, "T%u: %s", stop.tracee->index + 1,
			      target_outside(target));
		if (stop.kind == STOP_EXITED && target_gone(target))
			return stop.value;
		if (stop.kind == STOP_EXITED)
			continue;
		if (stop.kind == STOP_CLONE)
			(void)target_resume(stop.child, 0); /* a death is told by the next wait */
		/* A death is told by the next wait. */
		(void)target_resume(stop.tracee, stop.kind == STOP_SIGNAL ? (int)stop.number : 0);
	}
}

/* What was started from the image goes on and finds all as it was in the original. */
static void finish_start(const struct scene *scene, struct target *target)
{
	const int status = run_freely(target);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
	expect_output(scene, "fine\n");
	target_kill(target);
}

static const char *const programs[] = {"saved", "saved.static"};

START_TEST(started_again)
{
	struct scene scene;
	struct program program;
	open_scene(&scene, programs[_i], "3", 6);
	const struct image_saved saved = save(&scene);
	ck_assert_uint_eq(saved.threads, 13);
	finish_original(&scene);
	struct origin *origin = origin_from(&scene, &program);
	for (int i = 0; i < 5; i++) {
		struct target *target;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		ck_assert_uint_eq(target_tracees(target), 13);
		finish_start(&scene, target);
	}
	origin_free(origin);
	close_scene(&scene);
}
END_TEST

/* A process of a container: its threads know each other by other numbers than this machine's. */
START_TEST(in_a_namespace)
{
	struct scene scene;
	struct program program;
	struct target *target;
	if (!open_scene_in(&scene, "saved", "3", 6, CLONE_NEWPID)) {
		rmdir(scene.folder);
		return;
	}
	save(&scene);
	finish_original(&scene);
	struct origin *origin = origin_from(&scene, &program);
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	for (uint32_t i = 0; i < target_tracees(target); i++)
		ck_assert_int_eq(tracee_number(target_tracee(target, i)), i + 1);
	finish_start(&scene, target);
	origin_free(origin);
	close_scene(&scene);
}
END_TEST

/* Registers and memory at the start are those in the file. */
START_TEST(as_saved)
{
	struct scene scene;
	struct program program;
	struct image_file *file;
	struct target *target;
	char why[256];
	open_scene(&scene, programs[_i], NULL, 6);
	const pid_t pid = scene.pid;
	save(&scene);
	finish_original(&scene);
	ck_assert_int_eq(image_file_open(scene.image, &file, why), STATUS_OK);
	struct origin *origin = origin_from(&scene, &program);
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	ck_assert_uint_eq(image_file_threads(file), target_tracees(target));
	ck_assert_int_eq(image_file_number(file, 0), pid);
	ck_assert_str_eq(image_file_arguments(file)[1], scene.folder);
	ck_assert_str_eq(image_file_directory(file), scene.folder);
	int calls = 0;
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		ck_assert_mem_eq(tracee_regs(tracee), image_file_regs(file, i),
				 sizeof(struct user_regs_struct));
		ck_assert_int_eq(tracee_number(tracee), image_file_number(file, i));
		ck_assert_str_eq(image_file_name(file, i), _i ? "saved.static" : "saved");
		calls += image_file_syscall(file, i) == SYS_futex;
	}
	ck_assert_int_ge(calls, 6);
	target_kill(target);
	origin_free(origin);
	image_file_close(file);
	close_scene(&scene);
}
END_TEST

/* A file in memory that is a process's own can't be shared with an image of it in mid execution. */
START_TEST(not_copied_further)
{
	struct scene scene;
	struct program program;
	struct image *image;
	struct target *target;
	open_scene(&scene, "saved", NULL, 6);
	save(&scene);
	finish_original(&scene);
	struct origin *origin = origin_from(&scene, &program);
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	ck_assert_int_eq(origin_take_image(origin, target, &image), STATUS_UNSUPPORTED);
	target_kill(target);
	origin_free(origin);
	close_scene(&scene);
}
END_TEST

/* Who saves is killed again and again; the process goes on as if nothing had been. */
START_TEST(killed_while_saving)
{
	struct scene scene;
	char before[1024], after[1024], why[256];
	open_scene(&scene, programs[_i], "3", 6);
	read_traces(scene.pid, before);
	srand(7);
	const char *kills = getenv("FMC_TEST_KILLS");
	for (int i = kills ? atoi(kills) : (int)largest(150, 40); i > 0; i--) {
		const pid_t saver = fork();
		if (saver == 0) {
			for (;;) {
				struct held *held;
				struct image_saved saved;
				if (held_take(scene.pid, &held, why) != STATUS_OK)
					continue;
				/* It may fail here, and is killed anyhow. */
				(void)held_save(held, scene.image, &saved, why);
				held_release(held);
				unlink(scene.image);
			}
		}
		/* No state is waited for: any moment is as good as another. */
		for (volatile int spin = rand() % 4000000; spin > 0; spin--)
			continue;
		kill(saver, SIGKILL);
		waitpid(saver, NULL, 0);
		forget(&scene, "image");
	}
	/* It goes back to where it was by itself, as soon as it has a processor. */
	do
		read_traces(scene.pid, after);
	while (strcmp(before, after) != 0);
	finish_original(&scene);
	close_scene(&scene);
}
END_TEST

/*
 * Fmc knows for certain who has what open: as root, and where /proc shows all processes. Elsewhere it may take nothing for a
 * process's own.
 */
static bool knows_owners(void)
{
	struct stat namespace;
	return geteuid() == 0 && stat("/proc/self/ns/pid", &namespace) == 0 && namespace.st_ino == 0xeffffffc;
}

/* Pipes and event counters are there again, in each start anew; to the original nothing has happened. */
START_TEST(channels_again)
{
	struct scene scene;
	struct program program;
	if (!knows_owners()) {
		puts("SKIP: it can't be known here whose pipes are whose");
		return;
	}
	open_scene(&scene, _i ? "channels.static" : "channels", NULL, 0);
	scene.says_fine = true;
	save(&scene);
	finish_original(&scene);
	struct origin *origin = origin_from(&scene, &program);
	for (int i = 0; i < 5; i++) {
		struct target *target;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		finish_start(&scene, target);
	}
	origin_free(origin);
	close_scene(&scene);
}
END_TEST

/* A process started from the file is what further copies are made of; each of them all has its own. */
START_TEST(channels_copied_further)
{
	struct scene scene;
	struct program program;
	struct target *first, *copy;
	struct image *image;
	if (!knows_owners())
		return;
	open_scene(&scene, "channels", NULL, 0);
	scene.says_fine = true;
	save(&scene);
	finish_original(&scene);
	struct origin *origin = origin_from(&scene, &program);
	ck_assert_int_eq(origin_start(origin, &first), STATUS_OK);
	ck_assert_int_eq(origin_take_image(origin, first, &image), STATUS_OK);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(image_start(image, &copy), STATUS_OK);
		ck_assert_int_eq(run_freely(copy), 0);
		expect_output(&scene, "fine\n");
		target_kill(copy);
	}
	ck_assert_int_eq(run_freely(first), 0);
	expect_output(&scene, "fine\n");
	copy = image_target(image);
	ck_assert_ptr_nonnull(copy);
	ck_assert_int_eq(run_freely(copy), 0);
	expect_output(&scene, "fine\n");
	target_kill(first);
	image_free(image);
	origin_free(origin);
	close_scene(&scene);
}
END_TEST

static const struct {
	const char *deed, *text; /* NULL: nothing that others would notice */
	bool own;		 /* nobody else has descriptor 8 */
} deeds[] = {
    {"write", "write to socket 7 (unix)", false},
    {"doubled", "write to socket 7 (unix)", false},
    {"closed", NULL, false},
    {"read", "read from pipe 8", false},
    {"read", NULL, true},
    {"poll", "wait for pipe 8", false},
    {"poll", NULL, true},
    {"select", "wait for pipe 8", false},
    {"select", NULL, true},
    {"epoll", "wait for epoll set 9", false},
    {"open", "open made for writing", false},
    {"remove", "remove a file", false},
    {"fork", "make a process", false},
    {"kill", "send a signal to process", false},
    {"own", NULL, false},
    {"shared", "use shared memory", false},
    {"memory", NULL, false},
    {"pipe", NULL, false},
    {"file", NULL, false},
};

/* One more who has the pipe that descriptor 8 of the process reads from: the test. */
static int share_pipe(const struct scene *scene)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/8", scene->pid);
	const int shared = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(shared, 0);
	return shared;
}

/* To the end, or to the first thing that concerns others: what that is. */
static void run_to_deed(struct target *target, const char *text)
{
	struct stop stop;
	struct tracee *tracee = target_tracee(target, 0);
	do {
		ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
	} while (stop.kind != STOP_OUTSIDE && stop.kind != STOP_EXITED);
	if (stop.kind == STOP_EXITED) {
		ck_assert_msg(!text && stop.value == 0, "status %#x", stop.value);
		return;
	}
	ck_assert_ptr_nonnull(text);
	/* The number of the parent is whatever it is. */
	ck_assert_msg(strncmp(target_outside(target), text, strlen(text)) == 0, "%s", target_outside(target));
}

/* The original does it when it goes on; of what is started from the image it would be noticed. */
START_TEST(done_to_others)
{
	struct scene scene;
	struct program program;
	if (deeds[_i].own && !knows_owners())
		return;
	open_scene(&scene, "outward", deeds[_i].deed, 0);
	const int shared = deeds[_i].own ? -1 : share_pipe(&scene);
	save(&scene);
	/* With a file "go", so that it is done. */
	finish_original(&scene);
	forget(&scene, "made");
	touch(&scene, "ready");
	struct origin *origin = origin_from(&scene, &program);
	for (int i = 0; i < 2; i++) {
		struct target *target;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		run_to_deed(target, deeds[_i].text);
		target_kill(target);
	}
	ck_assert(!is_there(&scene, "made"));
	ck_assert(is_there(&scene, "ready"));
	close(shared);
	origin_free(origin);
	close_scene(&scene);
}
END_TEST

START_TEST(absences)
{
	static const char *const expected[] = {
	    "socket 7 (unix)",	"pipe 8",  "epoll set 9",
	    "socket 21 (unix)", "pipe 23", "memory shared with others (/dev/zero (deleted))"};
	struct scene scene;
	struct image_file *file;
	char why[256];
	open_scene(&scene, "outward", "own", 0);
	const int shared = share_pipe(&scene);
	save(&scene);
	close(shared);
	finish_original(&scene);
	ck_assert_int_eq(image_file_open(scene.image, &file, why), STATUS_OK);
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		bool found = false;
		for (size_t k = 0; k < image_file_absences(file); k++)
			found |= strcmp(image_file_absence(file, k), expected[i]) == 0;
		ck_assert_msg(found, "%s", expected[i]);
	}
	image_file_close(file);
	close_scene(&scene);
}
END_TEST

/* The bytes of the image file; to be freed. */
static uint8_t *read_image(const struct scene *scene, size_t *size)
{
	struct stat info;
	const int file = open(scene->image, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(file, &info), 0);
	*size = (size_t)info.st_size;
	uint8_t *bytes = malloc(*size);
	ck_assert_int_eq(read(file, bytes, *size), info.st_size);
	close(file);
	return bytes;
}

static void write_image(const struct scene *scene, const uint8_t *bytes, size_t size)
{
	const int file = open(scene->image, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ck_assert_int_eq(write(file, bytes, size), size);
	close(file);
}

static enum status try_image(const struct scene *scene, char why[256])
{
	const struct program program = {.image = scene->image, .input = -1, .output = -1, .error = -1};
	struct origin *origin;
	struct target *target = NULL;
	enum status status = origin_new(&program, ORIGIN_AUTO, prepare_nothing, NULL, &origin, why);
	if (status != STATUS_OK)
		return status;
	status = origin_start(origin, &target);
	target_kill(target);
	origin_free(origin);
	return status;
}

/* Whatever is wrong with the file: an error, or a process that is wrong; nothing is left of either. */
START_TEST(damaged)
{
	struct scene scene;
	char why[256];
	size_t size;
	open_scene(&scene, "outward.static", "own", 0);
	save(&scene);
	finish_original(&scene);
	uint8_t *bytes = read_image(&scene, &size);
	for (size_t part = 0; part < 16; part++) {
		write_image(&scene, bytes, size * part / 16);
		ck_assert_int_eq(try_image(&scene, why), STATUS_MALFORMED);
	}
	srand(5);
	for (int i = 0; i < 150; i++) {
		/* Notes and contents are at the end. */
		const size_t where = size - 1 - (size_t)rand() % (size / 4);
		const uint8_t before = bytes[where];
		bytes[where] ^= (uint8_t)(1 << rand() % 8);
		write_image(&scene, bytes, size);
		(void)try_image(&scene, why); /* only that it ends */
		bytes[where] = before;
	}
	write_image(&scene, bytes, size);
	ck_assert_int_eq(try_image(&scene, why), STATUS_OK);
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	free(bytes);
	close_scene(&scene);
}
END_TEST

static int32_t *find_number(uint8_t *bytes, size_t size, const struct image_file *file, uint32_t thread)
{
	uint8_t *regs =
	    memmem(bytes, size, image_file_regs(file, thread), sizeof(struct user_regs_struct));
	ck_assert_ptr_nonnull(regs);
	return (int32_t *)(regs - offsetof(struct image_thread, regs) + offsetof(struct image_thread, number));
}

/* The kernel has begun with low numbers again between two threads: no reason to refuse the file. One number twice is. */
START_TEST(numbers_wrapped)
{
	struct scene scene;
	struct image_file *file;
	char why[256];
	size_t size;
	open_scene(&scene, programs[0], NULL, 6);
	save(&scene);
	finish_original(&scene);
	uint8_t *bytes = read_image(&scene, &size);
	ck_assert_int_eq(image_file_open(scene.image, &file, why), STATUS_OK);
	int32_t *last = find_number(bytes, size, file, image_file_threads(file) - 1);
	const int32_t first = image_file_number(file, 0), another = image_file_number(file, 1);
	image_file_close(file);
	*last = first == 1 || another == 1 ? 2 : 1;
	write_image(&scene, bytes, size);
	ck_assert_msg(image_file_open(scene.image, &file, why) == STATUS_OK, "%s", why);
	ck_assert_int_eq(image_file_number(file, image_file_threads(file) - 1), *last);
	image_file_close(file);
	*last = another;
	write_image(&scene, bytes, size);
	ck_assert_int_eq(image_file_open(scene.image, &file, why), STATUS_MALFORMED);
	free(bytes);
	close_scene(&scene);
}
END_TEST

/* Where the version stands: first in the note of the process. */
static uint8_t *find_version(uint8_t *bytes, size_t size)
{
	static const uint8_t head[] = {0x01, 0x43, 0x4d, 0x46, 'F', 'M', 'C', 0};
	uint8_t *note = memmem(bytes, size, head, sizeof head);
	ck_assert_ptr_nonnull(note);
	return note + sizeof head;
}

/* Of the versions of the format: an older one is read, of a later one it is said. */
START_TEST(versions)
{
	struct scene scene;
	char why[256];
	size_t size;
	open_scene(&scene, "saved", NULL, 6);
	save(&scene);
	finish_original(&scene);
	uint8_t *bytes = read_image(&scene, &size), *version = find_version(bytes, size);
	*version = 1;
	write_image(&scene, bytes, size);
	ck_assert_int_eq(try_image(&scene, why), STATUS_OK);
	*version = 9;
	write_image(&scene, bytes, size);
	ck_assert_int_eq(try_image(&scene, why), STATUS_MALFORMED);
	ck_assert_msg(strstr(why, "an image of a later fmc's (version 9)") != NULL, "%s", why);
	*version = 0;
	write_image(&scene, bytes, size);
	ck_assert_int_eq(try_image(&scene, why), STATUS_MALFORMED);
	free(bytes);
	close_scene(&scene);
}
END_TEST

static void copy_program(const char *name, const char *to)
{
	char command[4400];
	snprintf(command, sizeof command, "cp %s/%s %s && chmod 755 %s", getenv("FMC_TEST_TARGETS"), name, to,
		 to);
	ck_assert_int_eq(system(command), 0);
}

/* The program is another one now, or has gone: then all of it is in the file. */
START_TEST(program_has_changed)
{
	struct scene scene;
	char why[256], program[128] = "/tmp/fmc-program-XXXXXX", *targets = getenv("FMC_TEST_TARGETS");
	const bool gone = _i == 1;
	close(mkstemp(program));
	copy_program("outward.static", program);
	setenv("FMC_TEST_TARGETS", "/tmp", 1);
	open_scene(&scene, program + strlen("/tmp/"), "own", 0);
	setenv("FMC_TEST_TARGETS", targets, 1);
	if (gone)
		unlink(program);
	save(&scene);
	finish_original(&scene);
	if (!gone) {
		unlink(program);
		copy_program("saved.static", program);
	}
	const enum status status = try_image(&scene, why);
	ck_assert_msg(status == (gone ? STATUS_OK : STATUS_DIVERGED), "%s: %s", status_text(status), why);
	ck_assert(gone || strstr(why, "has changed since"));
	unlink(program);
	close_scene(&scene);
}
END_TEST

SUITE("image file", 120, NULL, NULL, TEST_LOOP(started_again, 2), TEST(in_a_namespace),
      TEST_LOOP(as_saved, 2), TEST(not_copied_further), TEST_LOOP(killed_while_saving, 2),
      TEST_LOOP(channels_again, 2), TEST(channels_copied_further),
      TEST_LOOP(done_to_others, sizeof deeds / sizeof deeds[0]), TEST(absences), TEST(damaged), TEST(numbers_wrapped),
      TEST(versions), TEST_LOOP(program_has_changed, 2))
