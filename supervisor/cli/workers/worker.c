/* A process that runs plans for another one. */
#include "supervisor/cli/workers/worker.h"
#include "supervisor/cli/kept/learned.h"
#include "supervisor/cli/session/record.h"
#include "supervisor/cli/workers/part_worker.h"
#include "supervisor/cli/workers/remote.h"

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

/* From now on: other machines have other clocks. 0 stays what it is. */
static void save_moment(struct saver *saver, uint64_t moment)
{
	const uint64_t now = clock_now();
	save_number(saver, moment == 0 ? 0 : moment > now ? moment - now : 1);
}

static uint64_t load_moment(struct loader *loader)
{
	const uint64_t left = load_number(loader);
	return left ? clock_now() + left : 0;
}

void order_save(struct saver *saver, const struct order *order, struct worker *worker,
		const struct options *options)
{
	const bool launched = options->launch != NULL;
	save_moment(saver, order->time.end);
	save_number(saver, order->time.patience);
	save_moment(saver, order->time.last);
	save_number(saver, order->watch);
	learned_save(launched ? options->loops : NULL, worker->loops, launched ? options->shared : NULL,
		     worker->shared, saver);
	if (launched) {
		worker->loops = loops_length(options->loops);
		worker->shared = shared_length(options->shared);
	}
	save_number(saver, order->part.bytes != NULL);
	if (!order->part.bytes) {
		wire_put_plan(saver, &order->plan);
		return;
	}
	save_number(saver, order->plan.ticket);
	save_number(saver, order->part.lease);
	save_number(saver, order->part.ordered);
	save_bytes(saver, order->part.bytes, order->part.length);
}

/* All but the plan, the part's ticket excepted. */
static void load_order(struct loader *loader, const struct options *options, struct order *order)
{
	order->part = (struct job_part){0};
	order->time = (struct session_time){.end = load_moment(loader)};
	order->time.patience = load_number(loader);
	order->time.last = load_moment(loader);
	order->watch = load_bool(loader);
	if (!learned_load(options->loops, options->shared, loader))
		load_refuse(loader);
	if (!load_bool(loader))
		return;
	order->plan.ticket = load_number(loader);
	order->part.lease = load_number(loader);
	order->part.ordered = load_bool(loader);
	order->part.bytes = load_bytes(loader, &order->part.length);
}

static void save_refusal(struct saver *saver, enum status status, const char *why)
{
	save_number(saver, ANSWER_REFUSED);
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

/* What has been learned since it was told the last time, if anybody is to be. */
static void save_learned(struct saver *saver, struct worker_told *told, const struct options *options)
{
	learned_save(told ? options->loops : NULL, told ? told->loops : 0, told ? options->shared : NULL,
		     told ? told->shared : 0, saver);
	if (told)
		*told = (struct worker_told){loops_length(options->loops), shared_length(options->shared)};
}

static void save_report(struct saver *saver, uint64_t ticket, const struct saver *report,
			struct worker_told *told, const struct options *options)
{
	save_number(saver, ANSWER_PART);
	save_number(saver, ticket);
	save_learned(saver, told, options);
	save_bytes(saver, report->at, report->length);
	saver->failed |= report->failed;
}

static void save_execution(struct saver *saver, const struct answer *answer, const char *uncontrolled,
			   const struct trace *trace, struct worker_told *told, const struct options *options)
{
	save_number(saver, ANSWER_EXECUTION);
	save_number(saver, answer->ticket);
	save_number(saver, answer->took);
	save_text(saver, uncontrolled && *uncontrolled ? uncontrolled : NULL);
	save_number(saver, answer->watched.all);
	save_number(saver, answer->watched.races);
	save_number(saver, answer->watched.ordered);
	save_text(saver, answer->watched.missed);
	save_ending(saver, &answer->ending);
	save_learned(saver, told, options);
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

bool answer_load(struct loader *loader, const struct options *options, struct answer *answer,
		 struct trace *trace)
{
	*answer = (struct answer){.kind = (enum answer_kind)load_most(loader, ANSWER_PART)};
	if (answer->kind == ANSWER_READY)
		return !loader->failed && loader->left == 0;
	if (answer->kind == ANSWER_REFUSED) {
		answer->status = (enum status)load_most(loader, STATUS_BUG);
		char *why = load_text(loader);
		snprintf(answer->why, sizeof answer->why, "%s", why ? why : "");
		free(why);
		return !loader->failed;
	}
	answer->ticket = load_number(loader);
	if (answer->kind == ANSWER_PART) {
		if (!learned_load(options->loops, options->shared, loader))
			load_refuse(loader);
		answer->report = load_bytes(loader, &answer->report_length);
		return !loader->failed && loader->left == 0;
	}
	answer->took = load_number(loader);
	answer->uncontrolled = load_text(loader);
	load_watched(loader, &answer->watched);
	load_ending(loader, &answer->ending);
	if (!learned_load(options->loops, options->shared, loader))
		load_refuse(loader);
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

/* A part, for its time. False: the bytes are none, or there is no memory. */
static bool serve_part(struct part_worker *worker, const struct order *order, struct link *link,
		       const struct options *options, struct worker_told *told)
{
	struct saver report = {0}, saved = {0};
	bool good = part_worker_run(worker, &order->part, &order->time, &report);
	/* Who has it ended wants nothing any more. */
	good = good && !tracer_interrupted();
	if (good)
		save_report(&saved, order->plan.ticket, &report, told, options);
	good = good && send_message(link, &saved);
	saver_release(&report);
	saver_release(&saved);
	return good;
}

/* Run one plan after the other until the parent closes the link, or has this process interrupted. */
static void serve(struct session *session, struct link *link, const struct options *options,
		  struct worker_told *told)
{
	struct loader message;
	struct wire_plan planned;
	struct order order;
	struct watch watch;
	struct trace trace;
	struct answer answer;
	struct saver saved = {0};
	struct part_worker parts;
	part_worker_init(&parts, session, options);
	watch_init(&watch, session, options->granularity == GRANULARITY_MEMORY);
	trace_init(&trace);
	while (link_wait(link, &message)) {
		load_order(&message, options, &order);
		if (order.part.bytes) {
			if (message.failed || !serve_part(&parts, &order, link, options, told))
				break;
			continue;
		}
		if (!wire_get_plan(&message, &planned))
			break;
		session->deadline = session_time_deadline(&order.time);
		run_order(&watch, &planned.plan, order.watch, &trace, &answer);
		wire_plan_release(&planned);
		if (tracer_interrupted())
			break;
		save_execution(&saved, &answer, process_uncontrolled(session->process), &trace, told,
			       options);
		if (!send_message(link, &saved))
			break;
	}
	watch_release(&watch);
	trace_release(&trace);
	part_worker_release(&parts);
	saver_release(&saved);
}

/* The target wasn't started in time: neither is any execution. */
static void serve_nothing(struct link *link, const struct options *options)
{
	struct loader message;
	struct wire_plan planned;
	struct order order;
	struct trace trace;
	struct saver saved = {0};
	struct part_worker parts;
	trace_init(&trace);
	trace.end = END_INTERRUPTED;
	snprintf(trace.message, sizeof trace.message, "the program was being started");
	part_worker_init(&parts, NULL, options);
	while (link_wait(link, &message)) {
		load_order(&message, options, &order);
		if (order.part.bytes && !message.failed && serve_part(&parts, &order, link, options, NULL))
			continue;
		if (order.part.bytes || !wire_get_plan(&message, &planned))
			break;
		const struct answer answer = {.ticket = planned.plan.ticket};
		save_execution(&saved, &answer, NULL, &trace, NULL, options);
		wire_plan_release(&planned);
		if (!send_message(link, &saved))
			break;
	}
	part_worker_release(&parts);
	trace_release(&trace);
	saver_release(&saved);
}

/* Is it the same program with the same libraries? They are known once an execution's end has been looked at. */
static enum status compare_modules(struct session *session, const struct options *options,
				   char *const *modules, char why[256])
{
	const struct plan plan = {.policy = {.kind = POLICY_DEFAULT,
					     .fair_k = options->search.fair_k,
					     .max_depth = options->search.max_depth}};
	struct finding finding;
	struct trace trace;
	finding_init(&finding);
	trace_init(&trace);
	(void)session_run(session, &plan, &trace, &finding);
	finding_release(&finding);
	trace_release(&trace);
	char **here = record_modules(session), **mine = here;
	if (!here)
		return STATUS_NO_MEMORY;
	while (*mine && *modules && strcmp(*mine, *modules) == 0) {
		mine++;
		modules++;
	}
	const bool same = !*mine && !*modules;
	if (!same)
		snprintf(why, 256, "--launch: another program or library there: '%.90s' there, '%.90s' here",
			 *mine ? *mine : "", *modules ? *modules : "");
	list_free(here);
	return same ? STATUS_OK : STATUS_MALFORMED;
}

void worker_refuse(struct link *link, enum status status, const char *why)
{
	struct saver refusal = {0};
	save_refusal(&refusal, status, why);
	(void)send_message(link, &refusal);
	saver_release(&refusal);
}

static void say_ready(struct link *link)
{
	struct saver ready = {0};
	save_number(&ready, ANSWER_READY);
	(void)send_message(link, &ready);
	saver_release(&ready);
}

void worker_serve(struct link *link, const struct worker_setting *setting, struct launch *launch,
		  struct worker_told *told)
{
	struct session session;
	char why[256];
	enum status status = session_open_search(&session, launch, setting->options, setting->deadline, why);
	if (status == STATUS_TIMEOUT) {
		serve_nothing(link, setting->options);
		return;
	}
	if (status) {
		worker_refuse(link, status, why);
		return;
	}
	if (setting->modules)
		status = compare_modules(&session, setting->options, setting->modules, why);
	if (status)
		worker_refuse(link, status, why);
	else if (setting->modules)
		say_ready(link);
	if (!status)
		serve(&session, link, setting->options, told);
	if (setting->options->verbose)
		session_tell_engine(&session);
	session_close(&session);
}

/* In the new process. Two targets that read one open file would take the bytes from each other. */
static void work(struct link *link, const struct worker_setting *setting, unsigned processor)
{
	struct launch launch = *setting->launch;
	char why[256];
	processors_bind(setting->processors, processor);
	enum status status = launch_reopen_input(&launch, why);
	if (status)
		worker_refuse(link, status, why);
	else
		worker_serve(link, setting, &launch, NULL);
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
	if (setting->options->launch)
		remote_become(link, setting->options->launch);
	else
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
	worker->ready = false;
	worker->launched = setting->options->launch != NULL;
	return !setting->options->launch || remote_tell(worker, setting, processor);
}

/* The tracer may have waited for it already: then the number may be another process's by now, the handle not. */
static void send_signal(const struct worker *worker, int signal)
{
	/* A launched one: whatever the shell has started for it as well, as long as the shell is there. */
	if (worker->launched &&
	    waitid(P_PID, (id_t)worker->pid, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) == 0)
		kill(-worker->pid, signal);
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
	*worker = (struct worker){.handle = -1, .link = {.socket = -1, .out_to = -1}};
}
