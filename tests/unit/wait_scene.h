#ifndef FMC_TESTS_WAIT_SCENE_H
#define FMC_TESTS_WAIT_SCENE_H

/* A program that waits, and what is found out about it. */
#include <check.h>
#include <fmc/breakpoints/wait.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
	pid_t pid;
	struct snapshot *snapshot;
	struct inspection inspection;
};

static inline void target_path(const char *name, char path[512])
{
	const char *folder = getenv("FMC_TEST_TARGETS");
	ck_assert_ptr_nonnull(folder);
	snprintf(path, 512, "%s/%s", folder, name);
}

/* Start a program and wait for its line; 0: it has said nothing. */
static inline pid_t start_command(char *const command[])
{
	char said[16] = "";
	int output[2];
	ck_assert_int_eq(pipe(output), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(output[1], STDOUT_FILENO);
		close(output[0]);
		close(output[1]);
		execvp(command[0], command);
		_exit(127);
	}
	close(output[1]);
	ssize_t length = read(output[0], said, sizeof(said) - 1);
	close(output[0]);
	if (length > 0 && strcmp(said, "ready\n") == 0)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static inline pid_t start(const char *name)
{
	char path[512];
	target_path(name, path);
	pid_t pid = start_command((char *[]){path, NULL});
	ck_assert_int_gt(pid, 0);
	return pid;
}

static inline struct scene look_at_started(pid_t pid)
{
	char why[256] = "";
	struct scene scene = {.pid = pid};
	enum status status = snapshot_take(scene.pid, inspection_prepare, NULL, &scene.snapshot, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
	ck_assert_int_eq(inspection_make(scene.snapshot, &scene.inspection), STATUS_OK);
	ck_assert_uint_eq(scene.inspection.length, snapshot_threads(scene.snapshot));
	return scene;
}

static inline struct scene look_at(const char *name)
{
	return look_at_started(start(name));
}

static inline void leave(struct scene *scene)
{
	inspection_release(&scene->inspection);
	snapshot_free(scene->snapshot);
	kill(scene->pid, SIGKILL);
	waitpid(scene->pid, NULL, 0);
}

/* A core file of it, by GDB. */
static inline struct scene look_at_core(const char *name)
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
	enum status status = snapshot_of_core(path, NULL, &scene.snapshot, why);
	unlink(path);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	ck_assert_int_eq(inspection_make(scene.snapshot, &scene.inspection), STATUS_OK);
	return scene;
}

static inline void leave_core(struct scene *scene)
{
	inspection_release(&scene->inspection);
	snapshot_free(scene->snapshot);
}

/* Of a core file: its start routine has nearly the same name. */
static inline bool is_named(const struct scene *scene, size_t i, const char *name)
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
static inline size_t find(const struct scene *scene, const char *name)
{
	bool core = snapshot_is_core(scene->snapshot);
	if (strcmp(name, "main") == 0)
		return 0;
	for (size_t i = 0; i < scene->inspection.length; i++)
		if (core ? is_named(scene, i, name)
			 : strncmp(snapshot_thread(scene->snapshot, i)->name, name, 15) == 0)
			return i;
	ck_abort_msg("there is no thread %s", name);
}

static inline const struct wait *wait_of(const struct scene *scene, const char *name)
{
	return &scene->inspection.threads[find(scene, name)].wait;
}

static inline const struct frame *frame_of(const struct inspected_thread *thread, const char *function)
{
	for (size_t i = 0; i < thread->frames_length; i++)
		if (thread->frames[i].function && strcmp(thread->frames[i].function, function) == 0)
			return &thread->frames[i];
	return NULL;
}

#endif
