/*
 * connected pair|local|tcp CASE: a process and its child talk through a pair of sockets, or a connection to an address of the process's own. See
 * tests/run-followed.sh.
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t *lock;
static struct sockaddr_storage address;
static socklen_t length = sizeof address;
static int ends[2], listener = -1;

static void must(bool good)
{
	if (!good)
		_exit(9);
}

static void put(int descriptor)
{
	must(write(descriptor, "x", 1) == 1);
}

static void get(int descriptor)
{
	char byte;
	must(read(descriptor, &byte, 1) == 1);
}

static void make(const char *way)
{
	const struct sockaddr_un local = {.sun_family = AF_UNIX};
	const struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const bool is_local = strcmp(way, "local") == 0;
	if (strcmp(way, "pair") == 0) {
		must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
		return;
	}
	/* The kernel chooses the name, so that no other process has it. */
	listener = socket(is_local ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
	must(bind(listener, is_local ? (const struct sockaddr *)&local : (const struct sockaddr *)&tcp,
		  is_local ? sizeof local.sun_family : sizeof tcp) == 0);
	must(getsockname(listener, (struct sockaddr *)&address, &length) == 0 && listen(listener, 2) == 0);
}

static void make_lock(void)
{
	pthread_mutexattr_t shared;
	lock = mmap(NULL, sizeof *lock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(lock != MAP_FAILED);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(lock, &shared);
}

/* The end of the one who listens; of the other one. */
static int accepted(void)
{
	return listener < 0 ? ends[0] : accept(listener, NULL, NULL);
}

static int connected(void)
{
	if (listener < 0)
		return ends[1];
	const int end = socket(address.ss_family, SOCK_STREAM, 0);
	must(connect(end, (struct sockaddr *)&address, length) == 0);
	return end;
}

static int collect(pid_t child)
{
	int status;
	must(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 10;
}

/* A question and its answer. */
static int talk(void)
{
	const pid_t child = fork();
	if (child == 0) {
		const int end = connected();
		put(end);
		get(end);
		_exit(0);
	}
	const int end = accepted();
	get(end);
	put(end);
	return collect(child);
}

/* Whoever is to write wants a lock first, which the reader may have. */
static int holds(void)
{
	const pid_t child = fork();
	if (child == 0) {
		const int end = connected();
		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
		put(end);
		_exit(0);
	}
	const int end = accepted();
	pthread_mutex_lock(lock);
	get(end);
	pthread_mutex_unlock(lock);
	return collect(child);
}

/* The same, of a reader that waits by poll(), or by a set of epoll, before that. */
static int holds_and_waits(bool by_set)
{
	const pid_t child = fork();
	if (child == 0) {
		const int end = connected();
		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
		put(end);
		_exit(0);
	}
	const int end = accepted(), set = by_set ? epoll_create1(0) : -1;
	struct pollfd asked = {.fd = end, .events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN};
	must(!by_set || (set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, end, &event) == 0));
	pthread_mutex_lock(lock);
	must((by_set ? epoll_wait(set, &event, 1, -1) : poll(&asked, 1, -1)) == 1);
	get(end);
	pthread_mutex_unlock(lock);
	return collect(child);
}

/* What poll() tells of right away, before and after something is read. */
static int asks(void)
{
	int other[2];
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, other) == 0);
	const pid_t child = fork();
	if (child == 0) {
		put(ends[1]);
		put(other[1]);
		_exit(0);
	}
	struct pollfd asked[] = {{.fd = ends[0], .events = POLLIN}, {.fd = other[0], .events = POLLIN}};
	if (poll(asked, 2, 0) > 0 && asked[0].revents)
		get(ends[0]);
	(void)poll(asked + 1, 1, 0);
	return collect(child);
}

static int polls(void)
{
	return holds_and_waits(false);
}

/* The child doesn't come. */
static int alone(void)
{
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	must(collect(child) == 0);
	return accepted();
}

/* The lock is had before there is anybody else. */
static int kept(void)
{
	struct pollfd asked = {.fd = ends[0], .events = POLLIN};
	pthread_mutex_lock(lock);
	const pid_t child = fork();
	if (child == 0) {
		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
		put(ends[1]);
		_exit(0);
	}
	must(poll(&asked, 1, -1) == 1);
	pthread_mutex_unlock(lock);
	return collect(child);
}

static int waits_by_set(void)
{
	return holds_and_waits(true);
}

/* The same, of two children: neither has made the sockets. */
static int children(void)
{
	const pid_t reader = fork();
	if (reader == 0) {
		pthread_mutex_lock(lock);
		get(ends[0]);
		pthread_mutex_unlock(lock);
		_exit(0);
	}
	const pid_t writer = fork();
	if (writer == 0) {
		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
		put(ends[1]);
		_exit(0);
	}
	const int status = collect(reader);
	return collect(writer) + status;
}

/* The other end is closed by the end of its process, which another one brings about. */
static int ended(void)
{
	char byte;
	const pid_t child = fork();
	if (child == 0) {
		const int end = connected();
		put(end);
		for (;;)
			pause();
	}
	const int end = accepted();
	if (listener < 0)
		close(ends[1]);
	get(end);
	const pid_t killer = fork();
	if (killer == 0) {
		close(end);
		must(kill(child, SIGKILL) == 0);
		_exit(0);
	}
	must(read(end, &byte, 1) == 0);
	return collect(killer) + collect(child) - 10;
}

/* Two clients, of which the first one to be accepted is told that. */
static int first(void)
{
	char told[2];
	pid_t clients[2];
	for (int i = 0; i < 2; i++) {
		clients[i] = fork();
		if (clients[i] == 0) {
			char byte;
			must(read(connected(), &byte, 1) == 1);
			_exit(byte - 'a');
		}
	}
	for (int i = 0; i < 2; i++) {
		told[i] = (char)('a' + i);
		must(write(accept(listener, NULL, NULL), &told[i], 1) == 1);
	}
	return collect(clients[0]) + 2 * collect(clients[1]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"talk", talk},   {"holds", holds}, {"children", children}, {"ended", ended},
		     {"first", first}, {"polls", polls}, {"set", waits_by_set},	 {"asks", asks},
		     {"kept", kept},   {"alone", alone}};
	must(argc == 3);
	make(argv[1]);
	make_lock();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[2], cases[i].name) == 0)
			return cases[i].run();
	return 2;
}
