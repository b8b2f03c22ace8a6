/* A search that takes several runs of fmc. */
#include "supervisor/cli/kept/resume.h"
#include "supervisor/cli/kept/state_file.h"
#include "supervisor/cli/kept/state_names.h"
#include "supervisor/cli/session/build_id.h"
#include "supervisor/cli/session/record.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/wire.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file is written this often, in nanoseconds, but not for more than one part in so many of the time. */
#define INTERVAL UINT64_C(1000000000)
#define SHARE	 20

static bool load_head(struct resume *resume)
{
	char *version = load_text(&resume->rest);
	bool same = version && strcmp(version, FMC_VERSION) == 0;
	free(version);
	same = same && load_number(&resume->rest) == state_names();
	resume->start_time = load_signed(&resume->rest);
	return same && !resume->rest.failed;
}

enum status resume_open(struct resume *resume, const char *path, char why[256])
{
	*resume = (struct resume){.path = path, .saved = clock_now()};
	if (!path)
		return STATUS_OK;
	enum status status = state_file_read(path, &resume->file, why);
	if (status == STATUS_NOT_FOUND)
		return STATUS_OK;
	if (status)
		return status;
	resume->going_on = true;
	resume->rest = (struct loader){resume->file.at, resume->file.length, false};
	if (load_head(resume))
		return STATUS_OK;
	snprintf(why, 256, "%.180s: the saved search is of another version or build of fmc", path);
	resume_release(resume);
	return STATUS_MALFORMED;
}

void resume_release(struct resume *resume)
{
	saver_release(&resume->file);
	saver_release(&resume->search);
	list_free(resume->identity);
	*resume = (struct resume){0};
}

struct identity {
	char **at;
	size_t length;
	bool failed; /* no memory */
};

static void __attribute__((format(printf, 2, 3))) add(struct identity *identity, const char *format, ...)
{
	va_list arguments;
	char **at = reallocarray(identity->at, identity->length + 2, sizeof *at);
	identity->failed |= !at;
	if (identity->failed)
		return;
	identity->at = at;
	va_start(arguments, format);
	if (vasprintf(&at[identity->length], format, arguments) < 0)
		identity->failed = true;
	else
		identity->length++;
	va_end(arguments);
	at[identity->length] = NULL;
}

/* The options that make a difference to what is explored, or to what is kept of it. */
static void add_options(struct identity *identity, const struct options *o)
{
	char strategy[32];
	if (o->search.shards)
		add(identity, "--shard %" PRIu32 "/%" PRIu32, o->search.shard + 1, o->search.shards);
	record_strategy(o, strategy);
	add(identity, "--strategy %s", strategy);
	add(identity, "--seed %" PRIu64, o->search.seed);
	add(identity, "--fair-k %" PRIu32, o->search.fair_k);
	if (o->depth_given)
		add(identity, "--depth %" PRIu64, o->search.max_depth);
	else
		add(identity, "no --depth");
	add(identity, "--max-thread-depth %" PRIu64, o->search.max_thread_depth);
	add(identity, "--timeouts %s",
	    o->search.ordered	? "ordered"
	    : o->timeouts_given ? "any"
				: "as they come");
	add(identity, "--cache %s", o->search.cache ? "on" : "off");
	add(identity, "%s", o->all ? "--all" : "--first");
	add(identity, "%s", o->atomics ? "--atomics" : "no --atomics");
	add(identity, "--memory-model %s", o->tso_wanted ? "tso" : "sc");
	add(identity, "%s", o->follow ? "--follow" : "no --follow");
	char arrivals[ARRIVALS_TEXT];
	arrivals_text(&o->arrivals, arrivals);
	add(identity, *arrivals ? "--signal %s" : "no --signal%.0s", arrivals);
	add(identity, "--spin %s", o->spin_report ? "report" : "yield");
	add(identity, "--spin-ms %" PRIu32, o->spin_ms);
	add(identity, "--wakeup '%s'", o->waking);
	char good_ends[GOOD_ENDS_TEXT];
	good_ends_text(&o->good_ends, good_ends);
	add(identity, o->good_ends_given ? "--expect-exit '%s'" : "no --expect-exit%.0s", good_ends);
}

/* NULL without memory. */
static char **make_identity(const struct session *session, const struct launch *launch,
			    const struct options *options, bool repeatable)
{
	struct identity identity = {0};
	char **modules = record_modules(session);
	add_options(&identity, options);
	for (size_t i = 0; i < options->properties.length; i++) {
		char *text = property_spec_text(&options->properties.at[i]);
		add(&identity, "--%s", text ? text : "");
		free(text);
	}
	if (plugin_path()) {
		char id[65] = "none";
		(void)build_id_read(plugin_path(), id);
		add(&identity, "--ops %s %s", id, plugin_path());
	}
	add(&identity, "%s", launch->path);
	for (char **argument = launch->arguments; *argument; argument++)
		add(&identity, "%s", *argument);
	add(&identity, "folder %s", launch->directory);
	add(&identity, "--stdin %s", launch->input_path ? launch->input_path : "none");
	for (char **module = modules; module && *module; module++)
		add(&identity, "%s", *module);
	add(&identity, "%s", repeatable ? "repeatable" : "not repeatable");
	if (modules && !identity.failed) {
		list_free(modules);
		return identity.at;
	}
	list_free(modules);
	list_free(identity.at);
	return NULL;
}

static size_t length_of(char *const *list)
{
	size_t length = 0;
	while (list && list[length])
		length++;
	return length;
}

/* Compare with the file's list, all of which is taken. */
static enum status compare_identity(struct resume *resume, char why[512])
{
	size_t here = length_of(resume->identity), there = load_count(&resume->rest, 1);
	enum status status = STATUS_OK;
	for (size_t i = 0; i < here || i < there; i++) {
		char *text = i < there ? load_text(&resume->rest) : NULL;
		const char *mine = i < here ? resume->identity[i] : NULL;
		if (!status && (!text || !mine || strcmp(text, mine) != 0)) {
			snprintf(
			    why, 512,
			    "%.150s: the saved search is of something else: '%.150s' there, '%.150s' here",
			    resume->path, text ? text : "", mine ? mine : "");
			status = STATUS_MALFORMED;
		}
		free(text);
	}
	return status;
}

enum status resume_identify(struct resume *resume, const struct session *session, const struct launch *launch,
			    const struct options *options, bool repeatable, char why[512])
{
	resume->start_time = launch->start_time;
	resume->identity = make_identity(session, launch, options, repeatable);
	if (!resume->identity) {
		snprintf(why, 512, "%s", status_text(STATUS_NO_MEMORY));
		return STATUS_NO_MEMORY;
	}
	return resume->going_on ? compare_identity(resume, why) : STATUS_OK;
}

enum status resume_tell(const char *path, char ***identity, char why[256])
{
	struct resume resume;
	struct identity there = {0};
	enum status status = resume_open(&resume, path, why);
	if (status)
		return status;
	for (size_t left = load_count(&resume.rest, 1); left > 0 && !there.failed; left--) {
		char *text = load_text(&resume.rest);
		add(&there, "%s", text ? text : "");
		free(text);
	}
	if (!resume.going_on)
		snprintf(why, 256, "%.180s: there is no such file", path);
	else if (resume.rest.failed || !there.at || there.failed)
		snprintf(why, 256, "%.180s: the saved search is damaged", path);
	else
		*identity = there.at;
	const bool good = *identity == there.at && there.at;
	if (!good)
		list_free(there.at);
	resume_release(&resume);
	return good ? STATUS_OK : STATUS_MALFORMED;
}

bool resume_due(const struct resume *resume)
{
	uint64_t wait = resume->cost * SHARE > INTERVAL ? resume->cost * SHARE : INTERVAL;
	return resume->path && clock_now() - resume->saved >= wait;
}

bool resume_note(struct resume *resume, size_t position, uint64_t planned, const struct search *search)
{
	resume->position = position;
	resume->planned = planned;
	resume->search.length = 0;
	resume->search.failed = false;
	return search_save(search, &resume->search);
}

enum status resume_write(struct resume *resume, const struct saver *exploration, char why[256])
{
	struct saver body = {0};
	uint64_t begin = clock_now();
	size_t identities = length_of(resume->identity);
	save_text(&body, FMC_VERSION);
	save_number(&body, state_names());
	save_signed(&body, resume->start_time);
	save_number(&body, identities);
	for (size_t i = 0; i < identities; i++)
		save_text(&body, resume->identity[i]);
	save_bytes(&body, exploration->at, exploration->length);
	save_number(&body, resume->position);
	save_number(&body, resume->planned);
	save_bytes(&body, resume->search.at, resume->search.length);
	body.failed |= exploration->failed || resume->search.failed;
	enum status status = state_file_write(resume->path, &body, why);
	saver_release(&body);
	resume->saved = clock_now();
	resume->cost = resume->saved - begin;
	return status;
}

bool resume_load(struct resume *resume)
{
	size_t length;
	const void *part = load_bytes(&resume->rest, &length);
	resume->exploration = (struct loader){part, length, false};
	resume->position = load_number(&resume->rest);
	resume->planned = load_number(&resume->rest);
	part = load_bytes(&resume->rest, &length);
	if (resume->rest.failed || resume->rest.left > 0)
		return false;
	resume->rest = (struct loader){part, length, false};
	return true;
}

void resume_remove(const struct resume *resume)
{
	if (resume->path)
		state_file_remove(resume->path);
}
