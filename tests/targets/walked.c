/* Programs of several processes that wait for each other, one a case, to be walked in GDB: walked CASE. See tests/run-gdb-processes.sh. */
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t first, second;
	int count;
};

static struct shared *shared;

static int collect(pid_t child)
{
	int status;
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static void both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	shared->count++;
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static void make(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->first, &attributes);
	pthread_mutex_init(&shared->second, &attributes);
}

/* What is read under the mutex may be another value by the time that the sum is written. */
static void add(void)
{
	pthread_mutex_lock(&shared->first);
	const int copy = shared->count;
	pthread_mutex_unlock(&shared->first);
	pthread_mutex_lock(&shared->first);
	shared->count = copy + 1;
	pthread_mutex_unlock(&shared->first);
}

static int updates(void)
{
	make();
	const pid_t child = fork();
	add();
	if (child == 0)
		_exit(0);
	return collect(child) == 0 && shared->count == 2 ? 0 : 1;
}

/* Mutexes in memory that both have, in two orders. */
static int locks(void)
{
	make();
	const pid_t child = fork();
	if (child == 0) {
		both(&shared->second, &shared->first);
		_exit(0);
	}
	both(&shared->first, &shared->second);
	return collect(child);
}

/* The child: once it has been asked, it answers. */
static int answer(int questions, int answers)
{
	char letter;
	const ssize_t asked = read(questions, &letter, 1);
	return asked == 1 && write(answers, &letter, 1) == 1 ? 0 : 1;
}

/* The parent wants an answer before it has asked. */
static int ask(int questions, int answers, pid_t child)
{
	char letter = '?';
	if (read(answers, &letter, 1) != 1 || write(questions, &letter, 1) != 1)
		return 1;
	return collect(child);
}

/* As talk(), with a child that runs in its parent's memory until it is another program. */
static int talk_spawned(void)
{
	extern char **environ;
	char name[] = "walked", how[] = "answers", *arguments[] = {name, how, NULL};
	int questions[2], answers[2];
	pid_t child;
	posix_spawn_file_actions_t actions;
	if (pipe(questions) != 0 || pipe(answers) != 0)
		return 1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, questions[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
	const int error = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error == 0 ? ask(questions[1], answers[0], child) : 1;
}

/* becomes: the child answers as another program. */
static int talk(int becomes)
{
	int questions[2], answers[2];
	if (pipe(questions) != 0 || pipe(answers) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0 && becomes) {
		dup2(questions[0], STDIN_FILENO);
		dup2(answers[1], STDOUT_FILENO);
		execl("/proc/self/exe", "walked", "answers", NULL);
	}
	if (child == 0)
		_exit(becomes ? 1 : answer(questions[0], answers[1]));
	return ask(questions[1], answers[0], child);
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	if (strcmp(how, "answers") == 0)
		return answer(STDIN_FILENO, STDOUT_FILENO);
	if (strcmp(how, "locks") == 0)
		return locks();
	if (strcmp(how, "spawned") == 0)
		return talk_spawned();
	if (strcmp(how, "updates") == 0)
		return updates();
	return talk(strcmp(how, "program") == 0);
}
