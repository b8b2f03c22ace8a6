/* An account as JSON. Fields are an interface, listed in fmc-attach(1). */
#include "supervisor/cli/attach/account_json.h"
#include "supervisor/cli/output/json_parts.h"

#include <stdio.h>
#include <stdlib.h>

static json_t *thread_number(const struct account *account, uint32_t thread)
{
	char label[THREAD_LABEL];
	return json_string(thread_label(&account->situation, thread, label));
}

static json_t *thread_numbers(const struct account *account, const uint32_t *threads, size_t length)
{
	json_t *list = json_array();
	for (size_t i = 0; i < length; i++)
		json_array_append_new(list, thread_number(account, threads[i]));
	return list;
}

static json_t *address(uint64_t value)
{
	return value ? json_sprintf("0x%llx", (unsigned long long)value) : json_null();
}

static json_t *number_or_null(bool known, json_int_t value)
{
	return known ? json_integer(value) : json_null();
}

static json_t *cause_json(const struct account *account, const struct cause *cause)
{
	return json_pack("{s:s, s:b, s:o, s:o, s:o}", "kind", cause_kind_name(cause->kind), "certain",
			 (int)cause->certain, "message", json_text(cause->message), "evidence",
			 json_text(cause->evidence), "threads",
			 thread_numbers(account, cause->threads, cause->length));
}

static json_t *causes_json(const struct account *account)
{
	json_t *list = json_array();
	for (size_t i = 0; i < account->diagnosis.length; i++)
		json_array_append_new(list, cause_json(account, &account->diagnosis.causes[i]));
	return list;
}

/* Those that can end a wait. */
static json_t *reach_json(const struct reach *reach)
{
	json_t *list = json_array();
	for (size_t i = 0; i < reach->length; i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:b}", "pid", (int)reach->at[i].pid, "name",
						      json_text(reach->at[i].name), "hidden",
						      (int)reach->at[i].hidden));
	return list;
}

static json_t *wait_json(const struct account *account, const struct wait *w)
{
	if (w->kind == WAIT_NOTHING)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:o, s:b, s:o, s:b, s:o, s:o, s:o, s:o}",
			 "kind", wait_kind_name(w->kind), "call", json_text(w->call), "object",
			 address(w->object), "name", json_text(w->name), "descriptor",
			 number_or_null(w->descriptor >= 0, w->descriptor), "timed", (int)w->timed, "writes",
			 (int)w->writes, "handler", (int)w->handler, "holders",
			 thread_numbers(account, w->holders, w->holders_length), "certain", (int)w->certain,
			 "outsider", number_or_null(w->outsider != 0, w->outsider), "outsider_dead",
			 (int)w->outsider_dead, "count", json_integer(w->count), "mutex", address(w->mutex),
			 "detail", json_text(w->detail), "processes", reach_json(&w->reach));
}

static json_t *words(const struct account *account, uint32_t thread)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return json_null();
	wait_print(&account->situation, thread, WAIT_PRINT_CALL, stream);
	fclose(stream);
	json_t *json = json_text(text);
	free(text);
	return json;
}

/* i: in the situation. */
static json_t *thread_json(const struct account *account, uint32_t i, const struct snapshot_thread *s)
{
	const struct inspected_thread *t = &account->situation.inspection->threads[i];
	const char state[2] = {s->state, 0};
	return json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:b, s:b}", "thread",
			 thread_number(account, i), "name", json_text(t->name), "tid", (int)s->tid, "number",
			 (int)s->number, "kernel_name", json_text(*s->name ? s->name : NULL), "kernel_state",
			 json_text(s->state ? state : NULL), "state", words(account, i), "wait",
			 wait_json(account, &t->wait), "cpu_seconds", (double)s->cpu_ns / 1e9, "place",
			 json_first_place(t->frames, t->frames_length), "stack",
			 json_stack(t->frames, t->frames_length), "cut", (int)t->cut, "guessed",
			 (int)t->guessed);
}

static json_t *threads_json(const struct account *account, const struct movement *movement,
			    uint64_t interval_ns)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < account->inspection.length; i++) {
		json_t *thread = thread_json(account, i, snapshot_thread(account->snapshot, i));
		if (movement && interval_ns) {
			json_object_set_new(thread, "moved", json_boolean(movement[i].moved));
			json_object_set_new(thread, "processor",
					    json_real((double)movement[i].cpu_ns / (double)interval_ns));
		}
		json_array_append_new(list, thread);
	}
	return list;
}

static json_t *process_json(const struct account *account, size_t i)
{
	const struct account_process *process = &account->others[i];
	json_t *threads = json_array();
	for (uint32_t t = 0; t < process->inspection.length; t++)
		json_array_append_new(threads, thread_json(account, account->situation.others[i].first + t,
							   snapshot_thread(process->snapshot, t)));
	return json_pack("{s:i, s:o, s:o, s:f, s:o, s:o}", "pid", (int)process->pid, "name",
			 json_text(process->name), "program", json_text(snapshot_program(process->snapshot)),
			 "still_milliseconds", (double)snapshot_still_ns(process->snapshot) / 1e6, "note",
			 json_text(process->inspection.note), "threads", threads);
}

static json_t *processes_json(const struct account *account)
{
	json_t *list = json_array();
	for (size_t i = 0; i < account->others_length; i++)
		json_array_append_new(list, process_json(account, i));
	return list;
}

json_t *account_json(const struct account *account, const struct movement *movement, uint64_t interval_ns)
{
	const struct snapshot *snapshot = account->snapshot;
	const struct diagnosis *diagnosis = &account->diagnosis;
	bool core = snapshot_is_core(snapshot);
	const char *verdict = diagnosis->length ? cause_kind_name(diagnosis->causes[0].kind) : "none";
	return json_pack(
	    "{s:s, s:s, s:b, s:o, s:o, s:b, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "fmc", FMC_VERSION,
	    "verdict", verdict, "certain", (int)diagnosis_certain(diagnosis), "pid",
	    number_or_null(snapshot_pid(snapshot) != 0, snapshot_pid(snapshot)), "program",
	    json_text(snapshot_program(snapshot)), "core", (int)core, "signal",
	    number_or_null(snapshot_signal(snapshot) != 0, snapshot_signal(snapshot)), "still_milliseconds",
	    core ? json_null() : json_real((double)snapshot_still_ns(snapshot) / 1e6), "symbols",
	    (int)account->inspection.symbols, "note", json_text(account->inspection.note), "watched_seconds",
	    movement ? json_real((double)interval_ns / 1e9) : json_null(), "causes", causes_json(account),
	    "threads", threads_json(account, movement, interval_ns), "processes", processes_json(account));
}
