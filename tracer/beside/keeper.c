#include "tracer/beside/keeper.h"

#include "tracer/tracee/processors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its descriptors, beside those that lead to nothing; all others are closed. */
enum { TO_FMC = 3, CHILDREN, OUTPUT, ERRORS, LAST = ERRORS };
#define OUT_OF_THE_WAY 16

struct keeper {
	const struct beside_setting *setting;
	pid_t command; /* its process; 0: none runs */
};

static void tell(enum keeper_tells tells, int value)
{
	const struct keeper_reply reply = {tells, value};
	/* If fmc is gone the next look at the socket says so. */
	if (send(TO_FMC, &reply, sizeof reply, MSG_NOSIGNAL) < 0)
		return;
}

/* As a shell has them that was started by hand. */
static void restore_signals(void)
{
	sigset_t none;
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		signal(signal_number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become_command(const struct keeper *keeper, uint32_t command)
{
	setpgid(0, 0);
	restore_signals();
	if (dup2(OUTPUT, STDOUT_FILENO) < 0 || dup2(ERRORS, STDERR_FILENO) < 0)
		_exit(126);
	syscall(SYS_close_range, (unsigned)TO_FMC, ~0u, 0u);
	if (keeper->setting->directory && chdir(keeper->setting->directory) != 0) {
		dprintf(STDERR_FILENO, "%s: %s\n", keeper->setting->directory, strerror(errno));
		_exit(126);
	}
	execl("/bin/sh", "sh", "-c", keeper->setting->commands[command], (char *)NULL);
	dprintf(STDERR_FILENO, "/bin/sh: %s\n", strerror(errno));
	_exit(127);
}

static void start(struct keeper *keeper, uint32_t command)
{
	const pid_t pid = fork();
	if (pid == 0)
		become_command(keeper, command);
	keeper->command = pid > 0 ? pid : 0;
	tell(KEEPER_STARTED, 0);
	if (pid < 0)
		tell(KEEPER_ENDED, 127 << 8);
}

/* Children's children that were left behind are among them. */
static size_t kill_children(pid_t command)
{
	char path[64], text[4096];
	size_t others = 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
	if (file >= 0)
		close(file);
	if (command)
		kill(command, SIGKILL);
	text[length > 0 ? length : 0] = 0;
	for (char *at = text, *end; *at; at = end) {
		const pid_t pid = (pid_t)strtol(at, &end, 10);
		if (end == at)
			break;
		others += pid != command;
		kill(pid, SIGKILL);
	}
	return others;
}

/* Whoever dies here leaves its own children to the keeper, so that in the end nobody is left. */
static void kill_all(struct keeper *keeper, bool told)
{
	size_t others = 0;
	for (pid_t gone = 1; gone > 0 || (gone < 0 && errno == EINTR);) {
		others += kill_children(keeper->command);
		gone = waitpid(-1, NULL, __WALL);
		if (gone == keeper->command)
			keeper->command = 0;
	}
	keeper->command = 0;
	if (told)
		tell(KEEPER_KILLED, (int)others);
}

static void reap(struct keeper *keeper)
{
	struct signalfd_siginfo ignored[8];
	int status;
	pid_t pid;
	while (read(CHILDREN, ignored, sizeof ignored) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (pid != keeper->command)
			continue;
		keeper->command = 0;
		tell(KEEPER_ENDED, status);
	}
}

/* False: fmc is gone. */
static bool serve(struct keeper *keeper)
{
	struct keeper_request request;
	const ssize_t length = recv(TO_FMC, &request, sizeof request, MSG_DONTWAIT);
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (length != sizeof request)
		return false;
	if (request.asks == KEEPER_START)
		start(keeper, request.command);
	else
		kill_all(keeper, true);
	return true;
}

/* What fmc has open is nobody's business here: pipes whose other ends wait for theirs to be closed, for one. */
static bool arrange(const struct beside_setting *setting, int socket)
{
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	const int children =
	    sigprocmask(SIG_SETMASK, &child, NULL) == 0 ? signalfd(-1, &child, SFD_NONBLOCK) : -1;
	const int null = open("/dev/null", O_RDWR);
	const int from[] = {null,
			    null,
			    null,
			    socket,
			    children,
			    setting->output < 0 ? STDOUT_FILENO : setting->output,
			    setting->output < 0 ? STDERR_FILENO : setting->output};
	int copies[LAST + 1];
	for (int number = 0; number <= LAST; number++)
		copies[number] = fcntl(from[number], F_DUPFD, OUT_OF_THE_WAY);
	/* fmc may have been started without an output. */
	for (int number = OUTPUT; number <= LAST; number++)
		if (copies[number] < 0)
			copies[number] = fcntl(null, F_DUPFD, OUT_OF_THE_WAY);
	for (int number = 0; number <= LAST; number++)
		if (dup2(copies[number], number) != number)
			return false;
	return syscall(SYS_close_range, LAST + 1u, ~0u, 0u) == 0;
}

_Noreturn void keeper_live(const struct beside_setting *setting, int socket)
{
	struct keeper keeper = {.setting = setting};
	const cpu_set_t *native = processors_native();
	setsid();
	prctl(PR_SET_NAME, "fmc-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* A command isn't bound to where fmc and its target take turns. */
	if (CPU_COUNT(native) > 0)
		sched_setaffinity(0, sizeof *native, native);
	for (int number = 1; number < NSIG; number++)
		signal(number, number == SIGCHLD ? SIG_DFL : SIG_IGN);
	if (!arrange(setting, socket))
		_exit(EXIT_FAILURE);
	struct pollfd watched[2] = {{.fd = TO_FMC, .events = POLLIN}, {.fd = CHILDREN, .events = POLLIN}};
	for (bool on = true; on;) {
		if (poll(watched, 2, -1) < 0 && errno != EINTR)
			break;
		if (watched[1].revents)
			reap(&keeper);
		if (watched[0].revents)
			on = serve(&keeper);
	}
	kill_all(&keeper, false);
	_exit(EXIT_SUCCESS);
}
