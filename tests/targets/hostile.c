/*
 * Threads and processes that end, begin and misbehave at bad moments: argv[1] names the case. Prints the same, and
 * ends the same, under every schedule.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t posted, never;
static pthread_t other;
static long number = 100;

static void start(void *(*body)(void *))
{
	if (pthread_create(&other, NULL, body, NULL) != 0)
		abort();
}

static void *post(void *unused)
{
	sem_post(&posted);
	return unused;
}

static void *wait_for_ever(void *unused)
{
	sem_wait(&never);
	return unused;
}

static void detached(void)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&other, &attributes, post, NULL) != 0)
			abort();
	}
	for (int i = 0; i < 4; i++)
		sem_wait(&posted);
	puts("four detached");
}

static void *say_last(void *unused)
{
	sem_wait(&posted);
	puts("after main");
	return unused;
}

static void main_exits(void)
{
	start(say_last);
	sem_post(&posted);
	pthread_exit(NULL);
}

static void exit_while_others(void)
{
	for (int i = 0; i < 3; i++)
		start(wait_for_ever);
	puts("exit");
	exit(3);
}

static void *call_exit(void *unused)
{
	puts("exit by a thread");
	exit(4);
	return unused;
}

static void exit_in_thread(void)
{
	start(call_exit);
	sem_wait(&never);
}

static void *call_abort(void *unused)
{
	abort();
	return unused;
}

static void abort_in_thread(void)
{
	start(call_abort);
	sem_wait(&never);
}

static void *kill_all(void *unused)
{
	kill(getpid(), SIGKILL);
	return unused;
}

static void killed_by_itself(void)
{
	start(kill_all);
	sem_wait(&never);
}

static void become_true(void)
{
	execl("/bin/true", "true", NULL);
	abort();
}

static void exec_by_main(void)
{
	start(wait_for_ever);
	become_true();
}

static void *exec_body(void *unused)
{
	become_true();
	return unused;
}

static void exec_by_thread(void)
{
	start(exec_body);
	sem_wait(&never);
}

static void report_child(int status)
{
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void *fork_body(void *unused)
{
	int status;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
		pthread_t thread;
		pthread_mutex_lock(&lock);
		if (pthread_create(&thread, NULL, post, NULL) == 0)
			pthread_join(thread, NULL);
		sem_wait(&posted);
		pthread_mutex_unlock(&lock);
		_exit(7);
	}
	waitpid(child, &status, 0);
	report_child(status);
	return unused;
}

static void fork_in_thread(void)
{
	start(fork_body);
	pthread_join(other, NULL);
}

/* The grandchild's parent has ended before it; what it writes comes all the same. */
static void *double_fork_body(void *unused)
{
	char line[64];
	int ends[2], status;
	if (pipe(ends) != 0)
		abort();
	pid_t child = fork();
	if (child == 0) {
		const pid_t parent = getpid();
		if (fork() != 0)
			_exit(7);
		setsid();
		while (getppid() == parent)
			usleep(1000);
		usleep(1000);
		_exit(write(ends[1], "orphan", 6) != 6);
	}
	waitpid(child, &status, 0);
	report_child(status);
	status = (int)read(ends[0], line, sizeof line);
	printf("%.*s\n", status, line);
	return unused;
}

static void double_fork_in_thread(void)
{
	start(double_fork_body);
	pthread_join(other, NULL);
}

/* The shell has ended when the last line comes. */
static void *late_body(void *unused)
{
	char line[32];
	FILE *pipe = popen("(while [ -e /proc/$$/exe ]; do sleep 0.01; done; echo late) & echo early", "r");
	while (fgets(line, sizeof line, pipe))
		fputs(line, stdout);
	report_child(pclose(pipe));
	return unused;
}

static void late_in_thread(void)
{
	start(late_body);
	pthread_join(other, NULL);
}

static void *vfork_body(void *unused)
{
	int status;
	pid_t child = vfork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 5", NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	report_child(status);
	return unused;
}

static void vfork_in_thread(void)
{
	start(vfork_body);
	pthread_join(other, NULL);
}

static void *spawn_body(void *unused)
{
	char line[32] = "";
	char *arguments[] = {"sh", "-c", "exit 6", NULL};
	int status = -1;
	pid_t child;
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0)
		waitpid(child, &status, 0);
	report_child(status);
	report_child(system("exit 8"));
	FILE *pipe = popen("echo from a pipe", "r");
	if (fgets(line, sizeof line, pipe))
		fputs(line, stdout);
	report_child(pclose(pipe));
	return unused;
}

static void spawn_in_thread(void)
{
	start(spawn_body);
	pthread_join(other, NULL);
}

static void many_threads(void)
{
	pthread_t *threads = calloc((size_t)number, sizeof *threads);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (long i = 0; i < number; i++)
		if (pthread_create(&threads[i], &attributes, post, NULL) != 0)
			abort();
	for (long i = 0; i < number; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	puts("many threads");
}

static long deep(long n)
{
	volatile char room[64];
	room[0] = (char)n;
	return n ? deep(n - 1) + room[0] : 0;
}

static void *deep_body(void *unused)
{
	sem_post(&posted);
	printf("deep %ld\n", deep(20000));
	return unused;
}

static void deep_recursion(void)
{
	start(deep_body);
	pthread_join(other, NULL);
}

static void *touch(void *unused)
{
	size_t size = (size_t)number << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < size; i += 4096)
		memory[i] = 1;
	sem_post(&posted);
	return unused;
}

static void much_memory(void)
{
	start(touch);
	sem_wait(&posted);
	pthread_join(other, NULL);
	puts("touched");
}

static void *overflow_body(void *unused)
{
	printf("%ld\n", deep(1000000000));
	return unused;
}

static void stack_overflow(void)
{
	start(overflow_body);
	pthread_join(other, NULL);
}

static sigjmp_buf back;

static void jump_back(int signal)
{
	siglongjmp(back, signal);
}

static void *alternate_body(void *unused)
{
	static char room[65536];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
	struct sigaction action = {.sa_handler = jump_back, .sa_flags = SA_ONSTACK};
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	int signal = sigsetjmp(back, 1);
	if (!signal)
		overflow_body(NULL);
	sem_post(&posted);
	printf("back by signal %d\n", signal);
	return unused;
}

static void alternate_stack(void)
{
	start(alternate_body);
	sem_wait(&posted);
	pthread_join(other, NULL);
}

static volatile sig_atomic_t traps;

static void count_trap(int signal)
{
	(void)signal;
	traps++;
}

static void *own_trap_body(void *unused)
{
	sem_post(&posted);
	__asm__ volatile("int3");
	sem_post(&posted);
	__asm__ volatile("int3");
	return unused;
}

static void own_traps(void)
{
	signal(SIGTRAP, count_trap);
	start(own_trap_body);
	sem_wait(&posted);
	sem_wait(&posted);
	pthread_join(other, NULL);
	raise(SIGTRAP);
	printf("%d traps\n", (int)traps);
}

static void *set_identity(void *unused)
{
	printf("setuid %d\n", setuid(getuid()));
	return unused;
}

static void change_identity(void)
{
	start(set_identity);
	pthread_join(other, NULL);
	printf("setgid %d\n", setgid(getgid()));
}

static void trace_me(void)
{
	start(post);
	pthread_join(other, NULL);
	printf("traceme %s\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? "granted" : "refused");
}

static void not_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	start(post);
	sem_wait(&posted);
	pthread_join(other, NULL);
	printf("dumpable %d\n", prctl(PR_GET_DUMPABLE));
}

static void own_seccomp(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 102 /* getuid */, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 99),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof code[0], code};
	start(post);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	sem_wait(&posted);
	pthread_join(other, NULL);
	printf("getuid %d\n", (int)getuid());
}

static pthread_mutex_t with_ceiling;

/* Without real-time scheduling it is refused the first time: nobody holds the mutex then. */
static void *lock_with_ceiling(void *unused)
{
	printf("lock %d\n", pthread_mutex_lock(&with_ceiling));
	return unused;
}

static void ceiling(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
	pthread_mutex_init(&with_ceiling, &attributes);
	start(lock_with_ceiling);
	lock_with_ceiling(NULL);
	pthread_join(other, NULL);
}

static void *system_body(void *unused)
{
	report_child(system("exec /bin/sh -c 'exit 9'"));
	return unused;
}

static void system_in_thread(void)
{
	start(system_body);
	pthread_join(other, NULL);
}

static void close_all(void)
{
	start(post);
	fflush(stdout);
	closefrom(3);
	sem_wait(&posted);
	pthread_join(other, NULL);
	puts("closed all");
}

static void *fault(void *unused)
{
	if (sigsetjmp(back, 1) == 0)
		*(volatile int *)8 = 1;
	sem_post(&posted);
	return unused;
}

/* One is there before the first thread, another is made beside it. */
static void own_handlers(void)
{
	const struct sigaction action = {.sa_handler = jump_back};
	sigaction(SIGSEGV, &action, NULL);
	start(fault);
	sigaction(SIGSYS, &action, NULL);
	sem_wait(&posted);
	pthread_join(other, NULL);
	puts("a fault handled");
}

static void limit_room(rlim_t bytes, rlim_t before)
{
	const struct rlimit limit = {bytes, (rlim_t)number << 20};
	struct rlimit told, now;
	if (prlimit(getpid(), RLIMIT_AS, &limit, &told) != 0 || told.rlim_cur != before ||
	    getrlimit(RLIMIT_AS, &now) != 0 || now.rlim_cur != limit.rlim_cur ||
	    now.rlim_max != limit.rlim_max)
		abort();
}

static void little_room(void)
{
	const rlim_t most = (rlim_t)number << 20;
	limit_room(most, RLIM_INFINITY);
	limit_room(most / 2, most);
	limit_room(most, most / 2);
	start(post);
	sem_wait(&posted);
	pthread_join(other, NULL);
	puts(malloc(most) ? "much room" : "little room");
	puts(malloc(most / 2) ? "half of it" : "less");
	fflush(stdout);
	report_child(system("test `ulimit -v` = `ulimit -H -v` && ulimit -v"));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"detached", detached},
    {"main_exits", main_exits},
    {"exit", exit_while_others},
    {"exit_in", exit_in_thread},
    {"abort", abort_in_thread},
    {"kill", killed_by_itself},
    {"exec", exec_by_main},
    {"exec_in", exec_by_thread},
    {"fork", fork_in_thread},
    {"vfork", vfork_in_thread},
    {"spawn", spawn_in_thread},
    {"many", many_threads},
    {"deep", deep_recursion},
    {"memory", much_memory},
    {"overflow", stack_overflow},
    {"altstack", alternate_stack},
    {"own_traps", own_traps},
    {"identity", change_identity},
    {"traceme", trace_me},
    {"dumpable", not_dumpable},
    {"seccomp", own_seccomp},
    {"system", system_in_thread},
    {"double_fork", double_fork_in_thread},
    {"late", late_in_thread},
    {"ceiling", ceiling},
    {"close_all", close_all},
    {"own_handlers", own_handlers},
    {"little_room", little_room},
};

int main(int argc, char **argv)
{
	sem_init(&posted, 0, 0);
	sem_init(&never, 0, 0);
	if (argc > 2)
		number = strtol(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
