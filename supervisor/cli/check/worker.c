/* A process that runs plans for another one. */
#include "supervisor/cli/check/worker.h"

#include <fmc/supervisor/wire.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a worker has to end its target, in milliseconds. */
#define PATIENCE 3000

/* How often to look where the system can't tell that a process has ended, in milliseconds. */
#define GLANCE 10

void order_save(struct saver *saver, const struct order *order)
{
	save_number(saver, order->time.end);
	save_number(saver, order->time.patience);
	save_number(saver, order->time.last);
	save_number(saver, order->watch);
	wire_put_plan(saver, &order->plan);
}

static void save_refusal(struct saver *saver, enum status status, const char *why)
{
	save_number(saver, true);
	save_number(saver, status);
	save_text(saver, why);
}

static void save_ending(struct saver *saver, const struct ending *ending)
{
	save_number(saver, ending->text != NULL);
	if (!ending->text)
		return;
	save_number(saver, ending->digest);
	save_bytes(saver, ending->text, ending->length);
	save_number(saver, ending->matched);
	save_number(saver, ending->cut);
}

static void load_ending(struct loader *loader, struct ending *ending)
{
	size_t length = 0;
	*ending = (struct ending){0};
	if (!load_bool(loader))
		return;
	ending->digest = load_number(loader);
	const void *text = load_bytes(loader, &length);
	ending->matched = load_bool(loader);
	ending->cut = load_bool(loader);
	ending->text = loader->failed ? NULL : malloc(length + 1);
	if (!ending->text)
		return;
	if (length > 0)
		memcpy(ending->text, text, length);
	ending->text[length] = 0;
	ending->length = length;
}

static void save_execution(struct saver *saver, const struct answer *answer, const char *uncontrolled,
			   const struct trace *trace)
{
	save_number(saver, false);
	save_number(saver, answer->ticket);
	save_number(saver, answer->took);
	save_text(saver, uncontrolled && *uncontrolled ? uncontrolled : NULL);
	save_number(saver, answer->watched.all);
	save_number(saver, answer->watched.races);
	save_number(saver, answer->watched.ordered);
	save_text(saver, answer->watched.missed);
	save_ending(saver, &answer->ending);
	wire_put_trace(saver, trace);
}

static void load_watched(struct loader *loader, struct watched *watched)
{
	watched->all = load_bool(loader);
	watched->races = load_number(loader);
	watched->ordered = load_number(loader);
	char *missed = load_text(loader);
	snprintf(watched->missed, sizeof watched->missed, "%s", missed ? missed : "");
	free(missed);
}

bool answer_load(struct loader *loader, struct answer *answer, struct trace *trace)
{
	*answer = (struct answer){.refused = load_bool(loader)};
	if (answer->refused) {
		answer->status = (enum status)load_most(loader, STATUS_BUG);
		char *why = load_text(loader);
		snprintf(answer->why, sizeof answer->why, "%s", why ? why : "");
		free(why);
		return !loader->failed;
	}
	answer->ticket = load_number(loader);
	answer->took = load_number(loader);
	answer->uncontrolled = load_text(loader);
	load_watched(loader, &answer->watched);
	load_ending(loader, &answer->ending);
	if (wire_get_trace(loader, trace) && loader->left == 0)
		return true;
	free(answer->uncontrolled);
	ending_release(&answer->ending);
	return false;
}

static bool send_message(struct link *link, struct saver *message)
{
	bool sent = link_put(link, message) && link_flush(link);
	message->length = 0;
	return sent;
}

static void run_order(struct watch *watch, const struct plan *plan, bool watched, struct trace *trace,
		      struct answer *answer)
{
	struct session *session = watch->session;
	*answer = (struct answer){.ticket = plan->ticket};
	/* The trace says how it went. */
	if (watched)
		watch_execution(watch, plan, trace, &answer->watched);
	else
		(void)session_search(session, plan, trace);
	/* The session's own, until its next execution. */
	answer->ending = session->ending;
	answer->took = session->took;
}

/* Run one plan after the other until the parent closes the link, or has this process interrupted. */
static void serve(struct session *session, struct link *link, bool ordered)
{
	struct loader message;
	struct wire_plan order;
	struct watch watch;
	struct trace trace;
	struct answer answer;
	struct saver saved = {0};
	watch_init(&watch, session, ordered);
	trace_init(&trace);
	while (link_wait(link, &message)) {
		struct session_time time = {.end = load_number(&message)};
		time.patience = load_number(&message);
		time.last = load_number(&message);
		const bool watched = load_bool(&message);
		if (!wire_get_plan(&message, &order))
			break;
		session->deadline = session_time_deadline(&time);
		run_order(&watch, &order.plan, watched, &trace, &answer);
		wire_plan_release(&order);
		if (tracer_interrupted())
			break;
		save_execution(&saved, &answer, process_uncontrolled(session->process), &trace);
		if (!send_message(link, &saved))
			break;
	}
	watch_release(&watch);
	trace_release(&trace);
	saver_release(&saved);
}

/* The target wasn't started in time: neither is any execution. */
static void serve_nothing(struct link *link)
{
	struct loader message;
	struct wire_plan order;
	struct trace trace;
	struct saver saved = {0};
	trace_init(&trace);
	trace.end = END_INTERRUPTED;
	snprintf(trace.message, sizeof trace.message, "the program was being started");
	while (link_wait(link, &message)) {
		for (int number = 0; number < 3; number++)
			(void)load_number(&message); /* its time */
		(void)load_bool(&message);
		if (!wire_get_plan(&message, &order))
			break;
		const struct answer answer = {.ticket = order.plan.ticket};
		save_execution(&saved, &answer, NULL, &trace);
		wire_plan_release(&order);
		if (!send_message(link, &saved))
			break;
	}
	trace_release(&trace);
	saver_release(&saved);
}

/* In the new process. Two targets that read one open file would take the bytes from each other. */
static void work(struct link *link, const struct worker_setting *setting, unsigned processor)
{
	struct launch launch = *setting->launch;
	struct session session;
	struct saver refusal = {0};
	char why[256];
	processors_bind(setting->processors, processor);
	enum status status = launch_reopen_input(&launch, why);
	if (!status)
		status = session_open_search(&session, &launch, setting->options, setting->deadline, why);
	if (status == STATUS_TIMEOUT) {
		serve_nothing(link);
		return;
	}
	if (status) {
		save_refusal(&refusal, status, why);
		(void)send_message(link, &refusal);
		return;
	}
	serve(&session, link, setting->options->granularity == GRANULARITY_MEMORY);
	session_close(&session);
}

/* Nothing of the parent's is used or released here: its targets aren't this process's. */
static void become_worker(struct worker *worker, struct link *link, const struct worker_setting *setting,
			  unsigned processor, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* The terminal's Ctrl-C is for the parent, which then ends its workers. */
	setpgid(0, 0);
	link_close(&worker->link);
	for (size_t i = 0; i < setting->others_length; i++)
		if (setting->others[i].pid)
			close(setting->others[i].link.socket);
	work(link, setting, processor);
	_exit(0);
}

bool worker_start(struct worker *worker, const struct worker_setting *setting, unsigned processor)
{
	struct link theirs;
	pid_t parent = getpid();
	if (!link_pair(&worker->link, &theirs))
		return false;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		become_worker(worker, &theirs, setting, processor, parent);
	int error = errno;
	link_close(&theirs);
	if (pid < 0) {
		link_close(&worker->link);
		errno = error;
		return false;
	}
	worker->pid = pid;
	worker->handle = (int)syscall(SYS_pidfd_open, pid, 0);
	return true;
}

/* The tracer may have waited for it already: then the number may be another process's by now, the handle not. */
static void send_signal(const struct worker *worker, int signal)
{
	if (worker->handle >= 0)
		(void)syscall(SYS_pidfd_send_signal, worker->handle, signal, NULL, 0);
	else
		kill(worker->pid, signal);
}

/* Wait for its end, at most so many milliseconds. */
static bool ended_within(const struct worker *worker, int ms)
{
	struct pollfd end = {.fd = worker->handle, .events = POLLIN};
	for (; ms > 0; ms -= GLANCE) {
		if (waitpid(worker->pid, NULL, WNOHANG) != 0)
			return true;
		(void)poll(&end, 1, GLANCE);
	}
	return false;
}

void worker_ask_to_end(struct worker *worker)
{
	if (worker->pid)
		send_signal(worker, SIGTERM);
}

void worker_stop(struct worker *worker, bool at_once)
{
	if (!worker->pid)
		return;
	link_close(&worker->link);
	send_signal(worker, at_once ? SIGKILL : SIGTERM);
	if (!ended_within(worker, PATIENCE)) {
		send_signal(worker, SIGKILL);
		while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	if (worker->handle >= 0)
		close(worker->handle);
	*worker = (struct worker){.handle = -1, .link = {.socket = -1}};
}
