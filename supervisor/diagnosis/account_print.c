/* An account in words. */
#include <fmc/supervisor/account.h>
#include <fmc/supervisor/shown.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* So many threads at one place may each wait for an object of their own before they are told together. */
#define MOST_ALIKE 8

#define BOLD  "\033[1m"
#define ALERT "\033[1;31m"
#define PLAIN "\033[0m"

/* One thread, and the group that it is told in: the first thread of it. */
struct line {
	char *text; /* what it does */
	size_t frames;
	uint32_t first; /* of those that are told together */
	bool differs;	/* first of a group: its threads wait for different objects */
};

struct lines {
	const struct account *account;
	const struct account_options *options;
	struct line *at;
	uint32_t length;
	FILE *stream;
};

static const char *paint(const struct account_options *options, const char *colour)
{
	return options->colours ? colour : "";
}

static bool starts_threads(const struct frame *frame)
{
	static const char *const names[] = {"_start",
					    "__libc_start_main",
					    "__libc_start_main_impl",
					    "__libc_start_call_main",
					    "start_thread",
					    "clone",
					    "clone3",
					    "__clone",
					    "__clone3",
					    "__GI___clone",
					    "__GI___clone3",
					    "libc_start_main_stage2",
					    "_start_c"};
	if (!frame->function)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(frame->function, names[i]) == 0)
			return true;
	return strcmp(frame->function, "start") == 0 && frame->module && strstr(frame->module, "musl");
}

size_t account_frames(const struct inspected_thread *thread)
{
	size_t n = thread->frames_length;
	while (n > 1 && starts_threads(&thread->frames[n - 1]))
		n--;
	/* A thread that has exited stands nowhere. */
	if (n == 1 && thread->frames[0].address == 0 && !thread->frames[0].function)
		return 0;
	return n;
}

static char *text_of(const struct account *account, uint32_t thread, bool many)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	wait_print(&account->situation, thread, (many ? WAIT_PRINT_MANY : 0) | WAIT_PRINT_CALL, stream);
	return fclose(stream) == 0 ? text : NULL;
}

static const struct inspected_thread *thread_at(const struct lines *l, uint32_t t)
{
	return &l->account->situation.inspection->threads[t];
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The names of the threads of a pool differ in their numbers only. */
static bool same_name(const char *a, const char *b)
{
	static const char digits[] = "0123456789";
	if (!a || !b)
		return a == b;
	for (;; a++, b++) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, digits);
			b += strspn(b, digits);
		}
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

/* They stand at the same place, and do the same but perhaps for its object. */
static bool alike(const struct lines *l, uint32_t a, uint32_t b)
{
	const struct inspected_thread *one = thread_at(l, a), *other = thread_at(l, b);
	const char *states = l->account->situation.states;
	if (thread_process(&l->account->situation, a) != thread_process(&l->account->situation, b))
		return false;
	if (one->wait.kind != other->wait.kind || !same(one->wait.call, other->wait.call) ||
	    !same_name(one->name, other->name) || l->at[a].frames != l->at[b].frames ||
	    (states && states[a] != states[b]))
		return false;
	for (size_t i = 0; i < l->at[a].frames; i++)
		if (one->frames[i].address != other->frames[i].address)
			return false;
	return true;
}

/* Those alike are in the group of the first: all of them if there are many different ones, else only those that do the very same. */
static void group(struct lines *l, uint32_t first)
{
	uint32_t different = 0;
	for (uint32_t t = first + 1; t < l->length; t++)
		different +=
		    l->at[t].first == t && alike(l, first, t) && !same(l->at[t].text, l->at[first].text);
	bool together = different > MOST_ALIKE;
	for (uint32_t t = first + 1; t < l->length; t++)
		if (l->at[t].first == t && (together || same(l->at[t].text, l->at[first].text)) &&
		    alike(l, first, t))
			l->at[t].first = first;
	l->at[first].differs = together;
}

static void print_name(const struct lines *l, const char *name)
{
	if (!name)
		return;
	fputc(' ', l->stream);
	shown_print_name(name, SHOWN_NAME, l->stream);
}

static void print_one(const struct lines *l, uint32_t t)
{
	const pid_t *tids = l->account->situation.tids;
	char label[THREAD_LABEL];
	fprintf(l->stream, "%s%s%s", paint(l->options, BOLD), thread_label(&l->account->situation, t, label),
		paint(l->options, PLAIN));
	print_name(l, thread_at(l, t)->name);
	if (tids)
		fprintf(l->stream, " (tid %d)", (int)tids[t]);
	fputs(": ", l->stream);
	shown_print(l->at[t].text, strlen(l->at[t].text), l->stream);
	fputc('\n', l->stream);
}

static void print_several(const struct lines *l, const uint32_t *threads, size_t length)
{
	char label[THREAD_LABEL];
	fputs(paint(l->options, BOLD), l->stream);
	threads_print(&l->account->situation, threads, length, l->stream);
	fprintf(l->stream, "%s (%zu threads)", paint(l->options, PLAIN), length);
	print_name(l, thread_at(l, threads[0])->name);
	if (length > 1 && !same(thread_at(l, threads[0])->name, thread_at(l, threads[1])->name))
		fputs(" and so on", l->stream);
	char *text = l->at[threads[0]].differs ? NULL : text_of(l->account, threads[0], true);
	if (text)
		fputs(": ", l->stream);
	else
		fprintf(l->stream, ": do the like of %s, which ",
			thread_label(&l->account->situation, threads[0], label));
	const char *shown = text ? text : l->at[threads[0]].text;
	shown_print(shown, strlen(shown), l->stream);
	fputc('\n', l->stream);
	free(text);
}

static void print_stack(const struct lines *l, uint32_t t)
{
	const struct inspected_thread *thread = thread_at(l, t);
	report_frames(thread->frames, l->at[t].frames, l->stream);
	if (thread->guessed)
		fputs(
		    "    some of these are guesses: what lies on the stack and looks like a return address\n",
		    l->stream);
	if (thread->cut)
		fputs("    more frames weren't kept\n", l->stream);
}

static void print_group(const struct lines *l, uint32_t first)
{
	uint32_t *threads = calloc(l->length, sizeof *threads);
	size_t n = 0;
	for (uint32_t t = first; threads && t < l->length; t++)
		if (l->at[t].first == first)
			threads[n++] = t;
	if (n > 1)
		print_several(l, threads, n);
	else
		print_one(l, first);
	print_stack(l, first);
	free(threads);
}

/* The first thread of another process is told after the name of that. */
static void print_process(const struct lines *l, uint32_t t)
{
	const struct other_process *process = thread_process(&l->account->situation, t);
	if (!process || process->first != t)
		return;
	fprintf(l->stream, "\n%d (", (int)process->pid);
	shown_print(process->name, strlen(process->name), l->stream);
	fputs("):\n", l->stream);
}

static void print_threads(const struct account *account, const struct account_options *options, FILE *stream)
{
	struct lines l = {.account = account,
			  .options = options,
			  .length = (uint32_t)account->situation.inspection->length,
			  .stream = stream};
	l.at = calloc(l.length + 1, sizeof *l.at);
	bool good = l.at != NULL;
	for (uint32_t t = 0; good && t < l.length; t++) {
		const struct inspected_thread *thread = thread_at(&l, t);
		l.at[t] =
		    (struct line){.text = text_of(account, t, false),
				  .frames = options->all ? thread->frames_length : account_frames(thread),
				  .first = t};
		good = l.at[t].text != NULL;
	}
	for (uint32_t t = 0; good && t < l.length; t++)
		if (l.at[t].first == t && !options->all)
			group(&l, t);
	for (uint32_t t = 0; good && t < l.length; t++)
		if (l.at[t].first == t) {
			print_process(&l, t);
			print_group(&l, t);
		}
	for (uint32_t t = 0; l.at && t < l.length; t++)
		free(l.at[t].text);
	free(l.at);
}

static void print_cause(const struct cause *cause, const struct account_options *options, FILE *stream)
{
	bool ordinary = cause->kind == CAUSE_IDLE || cause->kind == CAUSE_BUSY;
	fputs(paint(options, cause->certain ? ALERT : BOLD), stream);
	fputs(cause->certain || ordinary ? "" : "likely ", stream);
	shown_print(cause->message, strlen(cause->message), stream);
	fprintf(stream, "%s\n", paint(options, PLAIN));
	if (!cause->evidence)
		return;
	fputs("    ", stream);
	shown_print(cause->evidence, strlen(cause->evidence), stream);
	fputc('\n', stream);
}

void account_print_causes(const struct account *account, const struct account_options *options, FILE *stream)
{
	for (size_t i = 0; i < account->diagnosis.length; i++)
		print_cause(&account->diagnosis.causes[i], options, stream);
}

void account_print(const struct account *account, const struct account_options *options, FILE *stream)
{
	account_print_causes(account, options, stream);
	fputc('\n', stream);
	print_threads(account, options, stream);
	if (!account->inspection.note)
		return;
	fputc('\n', stream);
	shown_print(account->inspection.note, strlen(account->inspection.note), stream);
	fputc('\n', stream);
}
