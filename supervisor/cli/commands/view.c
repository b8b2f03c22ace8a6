/* From a schedule file to a picture, with a replay where that can be had. */
#include "supervisor/cli/commands/view.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/build_id.h"
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/session/image_id.h"
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/session/trust.h"
#include "supervisor/cli/verdict/simplify.h"

#include <fmc/breakpoints/plugin.h>

#include <stdio.h>
#include <stdlib.h>

/* An execution that ends well is looked for as long as a person waits without wondering. */
#define NEAREST_SECONDS 3

/* A replay on behalf of a view. */
struct replay {
	struct view *view;
	const char *file;
	struct session session;
	struct finding end;
	struct recorder *recorder;
	bool nearest;
	char why[512];
};

/* The picture of what the recorder has just watched. */
static enum status take_picture(struct view *view, struct replay *r, struct finding *end)
{
	enum status status = picture_make(&view->picture, &view->schedule, r->recorder, end);
	if (status)
		snprintf(r->why, sizeof r->why, "%s", status_text(status));
	return status;
}

/* The nearest execution that ends well, run once more under the recorder. */
static struct view *record_passing(struct replay *r, const struct minimized *result)
{
	struct view *view = calloc(1, sizeof *view);
	struct finding passing;
	finding_init(&passing);
	if (!view)
		return NULL;
	schedule_init(&view->schedule);
	const struct execution_watcher watcher = recorder_watcher(r->recorder);
	r->session.also = &watcher;
	bool good = simplify_pass(&r->session, result, &passing) &&
		    schedule_from_finding(&view->schedule, &passing) == STATUS_OK &&
		    take_picture(view, r, &passing) == STATUS_OK;
	r->session.also = NULL;
	finding_release(&passing);
	if (good)
		return view;
	view_close(view);
	free(view);
	return NULL;
}

static void find_nearest(struct replay *r)
{
	const struct schedule_header *header = &r->view->schedule.header;
	const struct policy policy = {.kind = POLICY_DEFAULT,
				      .fair_k = header->fair_k,
				      .max_depth = header->max_depth,
				      .ordered = header->ordered};
	const struct simplify_budget budget = {.seconds = NEAREST_SECONDS, .sees_memory = header->atomics};
	struct minimized result;
	minimized_init(&result);
	simplify_criticize(&r->session, &r->view->picture.end, &policy, &budget, &result);
	if (result.passing.length > 0)
		r->view->nearest = record_passing(r, &result);
	if (r->view->nearest) {
		r->view->part = picture_part(&r->view->schedule, &r->view->nearest->schedule);
		r->view->inevitable = result.critical_proven && result.critical == r->view->part;
	}
	minimized_release(&result);
}

static enum status play(struct replay *r)
{
	struct view *view = r->view;
	struct trace trace;
	size_t diverged_at;
	trace_init(&trace);
	const struct execution_watcher watcher = recorder_watcher(r->recorder);
	r->session.also = &watcher;
	enum status status =
	    session_play(&r->session, &view->schedule, false, &trace, &r->end, &diverged_at, r->why);
	r->session.also = NULL;
	process_find_places(r->session.process, false);
	trace_release(&trace);
	if (status == STATUS_OK)
		status = r->session.collected;
	if (status == STATUS_OK)
		status = take_picture(view, r, &r->end);
	if (status == STATUS_OK && r->nearest && view->schedule.verdict != FINDING_NONE)
		find_nearest(r);
	return status;
}

/* A plug-in is loaded once, whoever asks first. */
static bool load_ops(struct replay *r, const struct options *options)
{
	if (plugin_path() || ops_open(options, EXITS_DATA) == 0)
		return true;
	snprintf(r->why, sizeof r->why, "its plug-in can't be loaded");
	return false;
}

static bool trusted(struct replay *r, const struct launch *launch)
{
	if (trust_schedule(r->file, launch, &r->view->schedule.header, false) == EXITS_OK)
		return true;
	snprintf(r->why, sizeof r->why, "its program isn't run");
	return false;
}

static enum status start(struct replay *r, const struct options *given)
{
	const struct schedule_header *header = &r->view->schedule.header;
	const struct options options = recorded_options(given, &r->view->schedule);
	struct launch launch;
	if (!header->program) {
		snprintf(r->why, sizeof r->why, "it names no program");
		return STATUS_NOT_FOUND;
	}
	enum status status = launch_from_schedule(&launch, header, NULL, r->why);
	if (status)
		return status;
	if (!build_id_check(header, true, "schedule", r->why) || !image_id_check(header, r->why) ||
	    !trusted(r, &launch) || !load_ops(r, &options))
		status = STATUS_UNSUPPORTED;
	else
		status = session_open(&r->session, &launch, &options, true, r->why);
	if (status == STATUS_OK) {
		r->recorder = recorder_new(r->session.process);
		status = r->recorder ? play(r) : STATUS_NO_MEMORY;
		recorder_free(r->recorder);
		session_close(&r->session);
	}
	launch_release(&launch);
	return status;
}

/* A picture of the file alone. */
static int draw_file(struct view *view)
{
	enum status status = picture_make(&view->picture, &view->schedule, NULL, NULL);
	if (status)
		say("%s", status_text(status));
	return status ? EXITS_SOFTWARE : EXITS_OK;
}

int view_open(struct view *view, const char *file, const struct options *options, bool nearest)
{
	struct replay r = {.view = view, .file = file, .nearest = nearest && !options->no_replay};
	*view = (struct view){0};
	enum status status = schedule_load(&view->schedule, file, r.why);
	if (status) {
		say("%s", r.why);
		return status == STATUS_NO_MEMORY ? EXITS_SOFTWARE : EXITS_DATA;
	}
	int exits = EXITS_OK;
	finding_init(&r.end);
	if (!options->no_replay && (status = start(&r, options)) == STATUS_INTERRUPTED) {
		say("interrupted");
		exits = EXITS_INTERRUPTED;
	} else if (!view->picture.replayed) {
		if (!options->no_replay)
			say("%s: %s; drawn without what only a replay shows: who holds what, who waits, "
			    "stacks",
			    file, *r.why ? r.why : status_text(status));
		exits = draw_file(view);
	}
	finding_release(&r.end);
	if (exits != EXITS_OK)
		view_close(view);
	return exits;
}

void view_close(struct view *view)
{
	if (view->nearest) {
		view_close(view->nearest);
		free(view->nearest);
	}
	picture_release(&view->picture);
	schedule_release(&view->schedule);
	*view = (struct view){0};
}
