/* Pictures as files: well formed whatever is drawn, and with nothing in them that the file's names could break. */
#include <fmc/replay/picture.h>
#include <fmc/replay/player.h>

#include "tests/table/table.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef void writer(const struct picture *picture, FILE *stream);

static void page(const struct picture *picture, FILE *stream)
{
	picture_write_page(picture, NULL, stream);
}

static char *written(const struct picture *picture, writer *write)
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	write(picture, stream);
	ck_assert_int_eq(fclose(stream), 0);
	return text;
}

/* The picture of a file alone, which borrows the schedule. */
static void read_picture(struct picture *picture, struct schedule *schedule, const char *text)
{
	char why[256];
	enum status status = schedule_parse(schedule, text, strlen(text), "text", why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	ck_assert_int_eq(picture_make(picture, schedule, NULL, NULL), STATUS_OK);
}

/* What is between the page's marks for its data. */
static json_t *page_data(const char *text)
{
	static const char mark[] = "<script type=\"application/json\" id=\"data\">";
	json_error_t error;
	const char *begin = strstr(text, mark) + strlen(mark), *end = strstr(begin, "</script>");
	json_t *json = json_loadb(begin, (size_t)(end - begin), 0, &error);
	ck_assert_msg(json, "%s", error.text);
	return json;
}

static const char hostile[] =
    "fmc-schedule 1\nthread T1 \"</script><img src=x onerror=alert(1)>\"\nthread T2 \"\\x80\\xff & \\\"\"\n"
    "verdict deadlock\nmessage \"<!-- @DATA@ \\\\ \\x1b[31m \xe2\x80\xae \\n ]]>\"\nend deadlock\nlength "
    "3\n\n"
    "1 T1 thread_create T2 = 0 \"</script>.c\":5 \"</style>\"\n2 T2 thread_start\n"
    "3 T2 mutex_lock \"</SCRIPT>'\\\"\"#0 = 0\n";

START_TEST(hostile_names_stay_text)
{
	static writer *const writers[] = {page, picture_write_perfetto, picture_write_dot};
	struct schedule schedule;
	struct picture picture;
	read_picture(&picture, &schedule, hostile);
	for (size_t i = 0; i < 3; i++) {
		char *text = written(&picture, writers[i]);
		ck_assert_ptr_null(strstr(text, "\x1b"));
		ck_assert_ptr_null(strstr(text, "\x80\xff"));
		ck_assert_ptr_null(strstr(text, "\xe2\x80\xae"));
		/* In quotes none of this is anything but a word for Graphviz. */
		if (writers[i] != picture_write_dot) {
			ck_assert_ptr_null(strstr(text, "<img"));
			ck_assert_ptr_null(strstr(text, "</SCRIPT"));
			ck_assert_ptr_null(strstr(text, "<!--"));
		}
		free(text);
	}
	char *text = written(&picture, page);
	json_t *json = page_data(text);
	json_t *run = json_array_get(json_object_get(json, "runs"), 0);
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(run, "threads"), 0)),
			 "T1 </script><img src=x onerror=alert(1)>");
	ck_assert_str_eq(
	    json_string_value(json_array_get(json_array_get(json_object_get(run, "rows"), 2), 3)),
	    "</SCRIPT>'\"");
	json_decref(json);
	free(text);
	picture_release(&picture);
	schedule_release(&schedule);
}
END_TEST

START_TEST(a_file_alone_says_who_creates_and_joins)
{
	struct schedule schedule;
	struct picture picture;
	read_picture(&picture, &schedule,
		     "fmc-schedule 1\nend exit 0\nlength 5\n\n1 T1 thread_create T2 = 0\n2 T2 thread_start\n"
		     "3 T2 mutex_lock a#0 = 0\n4 T2 mutex_unlock a#0 = 0\n5 T1 thread_join T2 = 0\n");
	ck_assert(!picture.replayed);
	ck_assert_uint_eq(picture.spans_length, 0);
	ck_assert_uint_eq(picture.arrows_length, 2);
	ck_assert_int_eq(picture.arrows[0].kind, ARROW_CREATE);
	ck_assert_uint_eq(picture.arrows[0].from, 0);
	ck_assert_uint_eq(picture.arrows[0].to, 1);
	ck_assert_int_eq(picture.arrows[1].kind, ARROW_JOIN);
	ck_assert_uint_eq(picture.arrows[1].from, 3);
	ck_assert_uint_eq(picture.arrows[1].to, 4);
	char *text = written(&picture, picture_write_dot);
	ck_assert_str_eq(text, "digraph waits {\n"
			       "  node [fontname=\"sans-serif\"];\n"
			       "  edge [fontname=\"sans-serif\"];\n"
			       "  label=\"end: exit 0 (not replayed: who waits for whom isn't known)\";\n"
			       "  n0 [shape=box, label=\"T1\"];\n"
			       "  n1 [shape=box, label=\"T2\"];\n"
			       "}\n");
	free(text);
	picture_release(&picture);
	schedule_release(&schedule);
}
END_TEST

START_TEST(schedules_part_where_they_differ)
{
	static const char head[] = "fmc-schedule 1\nend exit 0\nlength 2\n\n1 T1 mutex_lock a#0 = 0\n";
	char text[256], why[256];
	struct schedule a, b;
	snprintf(text, sizeof text, "%s2 T1 mutex_unlock a#0 = 0\n", head);
	ck_assert_int_eq(schedule_parse(&a, text, strlen(text), "a", why), STATUS_OK);
	snprintf(text, sizeof text, "%s2 T2 thread_start\n", head);
	ck_assert_int_eq(schedule_parse(&b, text, strlen(text), "b", why), STATUS_OK);
	ck_assert_uint_eq(picture_part(&a, &b), 1);
	ck_assert_uint_eq(picture_part(&a, &a), 2);
	schedule_release(&a);
	schedule_release(&b);
}
END_TEST

/* A program on the table, drawn. */
struct drawing {
	struct table_program program;
	struct table_machine machine;
	struct execution *execution;
	struct recorder *recorder;
	struct schedule schedule;
	struct picture picture;
};

static void draw(struct drawing *d, const struct plan *plan)
{
	struct finding finding;
	finding_init(&finding);
	schedule_init(&d->schedule);
	table_machine_init(&d->machine, &d->program);
	d->execution = execution_new(&d->machine.machine);
	d->recorder = recorder_new(NULL);
	const struct execution_watcher watcher = recorder_watcher(d->recorder);
	execution_watch(d->execution, &watcher);
	execution_run(d->execution, plan, &finding.trace);
	finding.kind = finding_classify(&finding.trace);
	ck_assert_int_eq(schedule_from_finding(&d->schedule, &finding), STATUS_OK);
	ck_assert_int_eq(picture_make(&d->picture, &d->schedule, d->recorder, &finding), STATUS_OK);
}

static void drop(struct drawing *d)
{
	picture_release(&d->picture);
	schedule_release(&d->schedule);
	recorder_free(d->recorder);
	execution_free(d->execution);
}

START_TEST(a_deadlock_is_a_red_cycle)
{
	static const struct step steps[] = {{0, 0}, {1, 0}};
	static struct drawing d;
	uint32_t a = table_mutex(&d.program, MUTEX_NORMAL), b = table_mutex(&d.program, MUTEX_NORMAL);
	struct table_body *one = table_body(&d.program), *two = table_body(&d.program),
			  *three = table_body(&d.program);
	table_op(one, OP_MUTEX_LOCK, a);
	table_op(one, OP_MUTEX_LOCK, b);
	table_op(two, OP_MUTEX_LOCK, b);
	table_op(two, OP_MUTEX_LOCK, a);
	table_op(three, OP_MUTEX_LOCK, a);
	draw(&d, &(struct plan){steps, 2, .policy = {.fair_k = 1, .max_depth = 100}});
	char *text = written(&d.picture, picture_write_dot);
	ck_assert_str_eq(text,
			 "digraph waits {\n"
			 "  node [fontname=\"sans-serif\"];\n"
			 "  edge [fontname=\"sans-serif\"];\n"
			 "  label=\"deadlock\";\n"
			 "  n0 [shape=box, label=\"T1\", color=\"#c00000\", penwidth=2];\n"
			 "  n1 [shape=box, label=\"T2\", color=\"#c00000\", penwidth=2];\n"
			 "  n2 [shape=box, label=\"T3\"];\n"
			 "  n3 [shape=ellipse, label=\"mutex 0\", color=\"#c00000\", penwidth=2];\n"
			 "  n4 [shape=ellipse, label=\"mutex 1\", color=\"#c00000\", penwidth=2];\n"
			 "  n3 -> n0 [label=\"held by\", color=\"#c00000\", penwidth=2];\n"
			 "  n2 -> n3 [label=\"waits for, in mutex_lock\"];\n"
			 "  n4 -> n1 [label=\"held by\", color=\"#c00000\", penwidth=2];\n"
			 "  n0 -> n4 [label=\"waits for, in mutex_lock\", color=\"#c00000\", penwidth=2];\n"
			 "  n1 -> n3 [label=\"waits for, in mutex_lock\", color=\"#c00000\", penwidth=2];\n"
			 "}\n");
	free(text);
	drop(&d);
}
END_TEST

/* A slice of a track. */
struct slice {
	json_int_t track, from, to;
};

static json_int_t number(const json_t *event, const char *key)
{
	const json_t *value = json_object_get(event, key);
	ck_assert_msg(json_is_integer(value), "%s", key);
	return json_integer_value(value);
}

static size_t slices(const json_t *events, struct slice *at)
{
	size_t length = 0, i;
	json_t *event;
	json_array_foreach(events, i, event)
	{
		if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
			continue;
		at[length++] = (struct slice){number(event, "tid"), number(event, "ts"),
					      number(event, "ts") + number(event, "dur")};
		ck_assert_int_gt(number(event, "dur"), 0);
	}
	return length;
}

static void check_nesting(const struct slice *at, size_t length)
{
	for (size_t i = 0; i < length; i++)
		for (size_t k = 0; k < length; k++) {
			bool apart =
			    at[i].track != at[k].track || at[i].to <= at[k].from || at[k].to <= at[i].from;
			bool within = at[i].from >= at[k].from && at[i].to <= at[k].to;
			bool around = at[k].from >= at[i].from && at[k].to <= at[i].to;
			ck_assert(apart || within || around);
		}
}

/* Each arrow begins in a slice, ends in a later one, and has both of its ends. */
static void check_arrows(const json_t *events, const struct slice *at, size_t length)
{
	json_int_t begun = 0, open = -1;
	size_t i;
	json_t *event;
	json_array_foreach(events, i, event)
	{
		const char *phase = json_string_value(json_object_get(event, "ph"));
		if (strcmp(phase, "s") != 0 && strcmp(phase, "f") != 0)
			continue;
		bool inside = false;
		for (size_t k = 0; k < length; k++)
			inside |= at[k].track == number(event, "tid") && at[k].from <= number(event, "ts") &&
				  number(event, "ts") < at[k].to;
		ck_assert(inside);
		if (*phase == 's') {
			ck_assert_int_eq(open, -1);
			open = number(event, "id");
			begun = number(event, "ts");
		} else {
			ck_assert_int_eq(open, number(event, "id"));
			ck_assert_int_lt(begun, number(event, "ts"));
			open = -1;
		}
	}
	ck_assert_int_eq(open, -1);
}

static size_t check_trace(const struct drawing *d)
{
	json_error_t error;
	char *text = written(&d->picture, picture_write_perfetto);
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(json, "%d: %s", error.line, error.text);
	const json_t *events = json_object_get(json, "traceEvents");
	struct slice *at = calloc(json_array_size(events) + 1, sizeof *at);
	size_t length = slices(events, at);
	ck_assert_uint_eq(length, d->schedule.length + d->picture.spans_length);
	check_nesting(at, length);
	check_arrows(events, at, length);
	free(at);
	json_decref(json);
	free(text);
	return d->picture.arrows_length;
}

/* Nobody holds an object while another does, unless they share it; nobody waits for two things, or acts meanwhile. */
static void check_spans(const struct drawing *d)
{
	const struct picture *p = &d->picture;
	for (size_t i = 0; i < p->spans_length; i++) {
		const struct span *a = &p->spans[i];
		ck_assert_uint_lt(a->from, a->to);
		ck_assert_uint_le(a->to, d->schedule.length + 1);
		for (size_t k = 0; k < i; k++) {
			const struct span *b = &p->spans[k];
			bool same = a->kind == SPAN_WAITS ? a->thread == b->thread : a->object == b->object;
			if (a->kind != b->kind || !same || (a->shared && b->shared))
				continue;
			ck_assert(a->to <= b->from || b->to <= a->from);
		}
		for (size_t k = a->from; a->kind == SPAN_WAITS && k < a->to && k < d->schedule.length; k++)
			ck_assert_uint_ne(d->schedule.lines[k].step.thread, a->thread);
	}
}

START_TEST(any_program_can_be_drawn)
{
	static struct drawing d;
	size_t seen = 0, held = 0;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		memset(&d, 0, sizeof d);
		table_random(&d.program, seed, seed % 2);
		draw(&d, &(struct plan){
			     .policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1, .max_depth = 150}});
		check_spans(&d);
		seen += check_trace(&d);
		held += d.picture.spans_length;
		char *text = written(&d.picture, page);
		json_decref(page_data(text));
		free(text);
		drop(&d);
	}
	ck_assert_uint_gt(seen, 100);
	ck_assert_uint_gt(held, 300);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("picture_write");
	TCase *tests = tcase_create("write"), *random = tcase_create("random");
	tcase_add_test(tests, hostile_names_stay_text);
	tcase_add_test(tests, a_file_alone_says_who_creates_and_joins);
	tcase_add_test(tests, schedules_part_where_they_differ);
	tcase_add_test(tests, a_deadlock_is_a_red_cycle);
	tcase_set_timeout(random, 120);
	tcase_add_test(random, any_program_can_be_drawn);
	suite_add_tcase(suite, tests);
	suite_add_tcase(suite, random);
	return suite_run(suite);
}
