/* The format of schedule files: what is written is read back, and damage is named where it is. */
#include "tests/unit/suite.h"

#include <fmc/replay/schedule.h>

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT                                                                                             \
	"fmc-schedule 1\n"                                                                                   \
	"fmc 0.1.0\n"                                                                                        \
	"program ./philosophers\n"                                                                           \
	"arg ./philosophers\n"                                                                               \
	"arg 3\n"                                                                                            \
	"directory /home/user/my programs\n"                                                                 \
	"module 1c2f philosophers\n"                                                                         \
	"env LANG=C\n"                                                                                       \
	"hidden 12 2 1 0\n"                                                                                  \
	"env TZ=UTC\n"                                                                                       \
	"hidden 3\n"                                                                                         \
	"input none\n"                                                                                       \
	"fair 1\n"                                                                                           \
	"depth 10000\n"                                                                                      \
	"clock 1795180000\n"                                                                                 \
	"origin exec\n"                                                                                      \
	"strategy cb:2\n"                                                                                    \
	"thread T1 main\n"                                                                                   \
	"thread T2 eat\n"                                                                                    \
	"thread T3\n"                                                                                        \
	"verdict deadlock\n"                                                                                 \
	"message deadlock: T2 waits for forks[1] held by T3\n"                                               \
	"signature deadlock:forks[0],forks[1]\n"                                                             \
	"end deadlock\n"                                                                                     \
	"length 6\n"                                                                                         \
	"\n"

#define BODY                                                                                                 \
	"1  T1  thread_create   T2                             = 0       philosophers.c:50  main\n"          \
	"2  T2  mutex_trylock   forks[2]#4                     = EBUSY   philosophers.c:31  eat\n"           \
	"3  T3  cond_timedwait  queue.ready#1 queue.lock#0 choice=timeout  "                                 \
	"= ETIMEDOUT  \"my file.c\":7  \"std::f(int, char)\"\n"                                              \
	"4  T2  futex_wait      #9                             = -EAGAIN  -  wait\n"                         \
	"5  T1  cond_signal     \"heap block of T1 +0x10\"#2 choice=1 ended=2  = 0\n"                        \
	"6  T1  yield           ended=1,64\n"                                                                \
	".\n"

static struct schedule schedule;
static char why[256];

static enum status parse(const char *text)
{
	return schedule_parse(&schedule, text, strlen(text), "a.sched", why);
}

static char *write_text(const struct schedule *s, size_t *size)
{
	char *text;
	FILE *stream = open_memstream(&text, size);
	ck_assert_int_eq(schedule_write(s, stream), STATUS_OK);
	fclose(stream);
	return text;
}

static void setup(void)
{
	schedule_init(&schedule);
}

static void teardown(void)
{
	schedule_release(&schedule);
}

/* Comparing */

static void same_string(const char *a, const char *b)
{
	ck_assert_pstr_eq(a, b);
}

static void same_list(char **a, char **b)
{
	size_t i = 0;
	for (; a && a[i]; i++) {
		ck_assert_ptr_nonnull(b);
		same_string(a[i], b[i]);
	}
	ck_assert(!b || !b[i]);
}

static void same_line(const struct schedule_line *a, const struct schedule_line *b)
{
	ck_assert_uint_eq(a->step.thread, b->step.thread);
	ck_assert_int_eq(a->step.choice, b->step.choice);
	ck_assert_uint_eq(a->ended, b->ended);
	ck_assert_int_eq(a->kind, b->kind);
	same_string(a->object, b->object);
	ck_assert_uint_eq(a->object_number, b->object_number);
	same_string(a->object2, b->object2);
	ck_assert_uint_eq(a->object2_number, b->object2_number);
	ck_assert_int_eq(a->result_valid, b->result_valid);
	ck_assert_int_eq(a->result, b->result);
	same_string(a->file, b->file);
	ck_assert_int_eq(a->source_line, b->source_line);
	same_string(a->function, b->function);
}

static void same_loops(const struct loops *a, const struct loops *b)
{
	ck_assert_uint_eq(a->length, b->length);
	for (uint32_t i = 0; i < a->length; i++) {
		same_string(a->at[i].head.module, b->at[i].head.module);
		ck_assert_uint_eq(a->at[i].head.offset, b->at[i].head.offset);
		ck_assert_uint_eq(a->at[i].rounds, b->at[i].rounds);
		ck_assert_uint_eq(a->at[i].from, b->at[i].from);
	}
}

static void same_promoted(const struct promoted *a, const struct promoted *b)
{
	ck_assert_uint_eq(a ? a->length : 0, b ? b->length : 0);
	for (size_t i = 0; a && i < a->length; i++)
		ck_assert(promoted_has(b, a->at[i].module, a->at[i].offset));
}

static void same_schedule(const struct schedule *a, const struct schedule *b)
{
	same_string(a->header.program, b->header.program);
	same_list(a->header.arguments, b->header.arguments);
	same_string(a->header.directory, b->header.directory);
	same_list(a->header.modules, b->header.modules);
	same_list(a->header.environment, b->header.environment);
	same_string(a->header.input, b->header.input);
	ck_assert_uint_eq(a->header.fair_k, b->header.fair_k);
	ck_assert_uint_eq(a->header.max_depth, b->header.max_depth);
	ck_assert_uint_eq(a->header.clock, b->header.clock);
	ck_assert_int_eq(a->header.ordered, b->header.ordered);
	ck_assert_int_eq(a->header.atomics, b->header.atomics);
	same_loops(&a->header.loops, &b->header.loops);
	ck_assert_int_eq(memcmp(&a->header.shared, &b->header.shared, sizeof a->header.shared), 0);
	same_promoted(a->header.promoted, b->header.promoted);
	same_string(a->header.ops, b->header.ops);
	same_list(a->header.kinds, b->header.kinds);
	same_string(a->header.origin, b->header.origin);
	same_string(a->header.strategy, b->header.strategy);
	same_list(a->header.unknown, b->header.unknown);
	ck_assert_int_eq(a->verdict, b->verdict);
	same_string(a->message, b->message);
	same_string(a->signature, b->signature);
	ck_assert_int_eq(a->end, b->end);
	ck_assert_int_eq(a->end_value, b->end_value);
	ck_assert_uint_eq(a->end_thread, b->end_thread);
	ck_assert_uint_eq(a->loop_start, b->loop_start);
	ck_assert_uint_eq(a->threads, b->threads);
	for (size_t i = 0; i < a->threads; i++)
		same_string(a->thread_names[i], b->thread_names[i]);
	ck_assert_uint_eq(a->length, b->length);
	for (size_t i = 0; i < a->length; i++)
		same_line(&a->lines[i], &b->lines[i]);
}

/* Generating */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

/* Any bytes but zero, with those that the format gives a meaning more often than their share. */
static char *random_string(bool may_be_null)
{
	static const char *const pieces[] = {
	    " ",  "\"", "\\",  "\n",	   "\t",  "\r",	  "#",	  "=",	  "#4",		  "choice=",
	    "T3", ":",	"-",   "\xc3\xa9", "[2]", "\x01", "\xff", "\x7f", "\xe2\x80\xae", "\xf0\x9f\x8d\xb4",
	    ".",  "'",	"foo", "lock",	   "",
	};
	if (may_be_null && draw(4) == 0)
		return NULL;
	char *string = calloc(1, 128);
	for (uint64_t n = draw(8); n > 0; n--) {
		if (draw(3) == 0)
			string[strlen(string)] = (char)(1 + draw(255));
		else
			strcat(string, pieces[draw(sizeof pieces / sizeof *pieces)]);
	}
	return string;
}

static char **random_list(void)
{
	size_t length = draw(4);
	char **list = calloc(length + 1, sizeof *list);
	for (size_t i = 0; i < length; i++)
		list[i] = random_string(false);
	return list;
}

static int64_t random_result(void)
{
	switch (draw(4)) {
	case 0:
		return 0;
	case 1:
		return (int64_t)draw(140);
	case 2:
		return -(int64_t)draw(140);
	default:
		return (int64_t)(draw(UINT64_MAX));
	}
}

static void random_object(enum object_class class, char **name, uint32_t *number)
{
	bool none = draw(5) == 0;
	*name = class == CLASS_THREAD ? NULL : random_string(true);
	*number = none ? NO_OBJECT : (uint32_t)draw(NO_OBJECT);
}

static void random_line(struct schedule_line *line)
{
	line->step.thread = (uint32_t)draw(4096);
	line->step.choice = draw(2) ? 0 : (int32_t)draw(9) - 4;
	line->kind = (enum op_kind)draw(OP_KINDS);
	if (line->kind == OP_MEMORY_FLUSH)
		line->step.choice = CHOICE_FLUSH; /* it has no other */
	line->object_number = line->object2_number = NO_OBJECT;
	random_object(op_class(line->kind), &line->object, &line->object_number);
	if (draw(2))
		random_object(op_class2(line->kind), &line->object2, &line->object2_number);
	line->result_valid = draw(2);
	line->result = line->result_valid ? random_result() : 0;
	line->file = random_string(true);
	line->source_line = line->file ? (int)draw(INT32_MAX) : 0;
	line->function = random_string(true);
}

static void random_end(struct schedule *s)
{
	s->verdict = (enum finding_kind)draw(FINDING_KINDS);
	s->end = (enum end_reason)draw(END_ERROR + 1);
	s->end_value = s->end == END_SIGNAL ? (int)draw(70) : (int)draw(512) - 256;
	s->end_thread = draw(2) ? NO_THREAD : (uint32_t)draw(4096);
	if (s->end == END_LIVELOCK || s->end == END_NO_YIELD)
		s->loop_start = draw(s->length + 1);
}

/* Modules' names are any files' names, but for how long they may be. */
static void random_loops(struct loops *loops)
{
	for (size_t i = draw(LOOPS_MOST + 1); i > 0; i--) {
		struct loop loop = {.head.offset = draw(UINT64_MAX),
				    .rounds = 1 + (uint32_t)draw(INT32_MAX),
				    .from = draw(2) ? draw(UINT64_MAX) : 0};
		char *name = random_string(true);
		snprintf(loop.head.module, sizeof loop.head.module, "m%s", name ? name : "");
		loops_add(loops, &loop);
		free(name);
	}
}

static void random_shared(struct shared *shared)
{
	for (size_t i = draw(5); i > 0; i--) {
		struct shared_descriptor descriptor;
		memset(&descriptor, 0, sizeof descriptor);
		descriptor.class = draw(1) ? CLASS_PIPE : CLASS_SOCKET;
		descriptor.descriptor = (int)draw(INT32_MAX);
		descriptor.from = draw(2) ? draw(UINT64_MAX) : 0;
		shared_add(shared, &descriptor);
	}
}

static struct promoted *random_promoted(void)
{
	struct promoted *promoted = calloc(1, sizeof *promoted);
	for (size_t i = draw(5); i > 0; i--) {
		struct module_place place = {.offset = draw(UINT64_MAX)};
		char *name = random_string(true);
		snprintf(place.module, sizeof place.module, "m%s", name ? name : "");
		promoted_add(promoted, &place);
		free(name);
	}
	return promoted;
}

static void random_schedule(struct schedule *s, size_t length)
{
	struct schedule_header *header = &s->header;
	header->program = random_string(true);
	header->arguments = random_list();
	header->directory = random_string(true);
	header->modules = random_list();
	header->environment = random_list();
	header->input = random_string(true);
	header->fair_k = (uint32_t)draw(UINT32_MAX);
	header->max_depth = draw(UINT64_MAX);
	header->clock = draw(INT32_MAX);
	header->ordered = draw(1);
	header->atomics = draw(1);
	header->ops = random_string(true);
	header->kinds = calloc(3, sizeof *header->kinds);
	for (size_t i = 0, n = draw(3); i < n; i++)
		header->kinds[i] = strdup(i ? "gate_close gate" : "gate_open gate");
	random_loops(&header->loops);
	random_shared(&header->shared);
	header->promoted = random_promoted();
	header->origin = random_string(true);
	header->strategy = random_string(true);
	s->message = random_string(true);
	s->signature = random_string(true);
	s->threads = draw(5);
	s->thread_names = calloc(s->threads + 1, sizeof *s->thread_names);
	for (size_t i = 0; i < s->threads; i++)
		s->thread_names[i] = random_string(true);
	s->lines = calloc(length + 1, sizeof *s->lines);
	s->length = length;
	for (size_t i = 0; i < length; i++)
		random_line(&s->lines[i]);
	random_end(s);
}

static void round_trip(uint64_t seed, size_t length)
{
	struct schedule made;
	size_t size;
	random_state = seed;
	schedule_init(&made);
	random_schedule(&made, length);
	char *text = write_text(&made, &size);
	enum status status = schedule_parse(&schedule, text, size, "a.sched", why);
	ck_assert_msg(status == STATUS_OK, "seed %llu: %s\n%s", (unsigned long long)seed, why, text);
	same_schedule(&made, &schedule);
	for (size_t i = 0; i < size; i++)
		ck_assert_msg(text[i] == '\n' || (unsigned char)text[i] >= 0x20, "an unprintable byte");
	schedule_release(&made);
	schedule_release(&schedule);
	free(text);
}

START_TEST(what_is_written_is_read_back)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		round_trip(seed * 0x9e3779b97f4a7c15, draw(12));
	round_trip(7, 0);
	round_trip(7, 5000);
}
END_TEST

START_TEST(a_document_means_what_it_says)
{
	ck_assert_int_eq(parse(DOCUMENT BODY), STATUS_OK);
	ck_assert_str_eq(why, "");
	ck_assert_str_eq(schedule.header.directory, "/home/user/my programs");
	ck_assert_str_eq(schedule.header.arguments[1], "3");
	ck_assert_ptr_null(schedule.header.arguments[2]);
	ck_assert_uint_eq(schedule.header.max_depth, 10000);
	ck_assert_uint_eq(schedule.header.clock, 1795180000);
	ck_assert_uint_eq(schedule.threads, 3);
	ck_assert_str_eq(schedule.thread_names[1], "eat");
	ck_assert_ptr_null(schedule.thread_names[2]);
	ck_assert_int_eq(schedule.verdict, FINDING_DEADLOCK);
	ck_assert_int_eq(schedule.end, END_DEADLOCK);
	ck_assert_uint_eq(schedule.end_thread, NO_THREAD);
	struct schedule_line lines[] = {
	    {{0, 0},
	     OP_THREAD_CREATE,
	     NULL,
	     1,
	     NULL,
	     NO_OBJECT,
	     0,
	     true,
	     "philosophers.c",
	     50,
	     "main",
	     27,
	     0},
	    {{1, 0},
	     OP_MUTEX_TRYLOCK,
	     "forks[2]",
	     4,
	     NULL,
	     NO_OBJECT,
	     EBUSY,
	     true,
	     "philosophers.c",
	     31,
	     "eat",
	     28,
	     0},
	    {{2, CHOICE_TIMEOUT},
	     OP_COND_TIMEDWAIT,
	     "queue.ready",
	     1,
	     "queue.lock",
	     0,
	     ETIMEDOUT,
	     true,
	     "my file.c",
	     7,
	     "std::f(int, char)",
	     29,
	     0},
	    {{1, 0}, OP_FUTEX_WAIT, NULL, 9, NULL, NO_OBJECT, -EAGAIN, true, NULL, 0, "wait", 30, 0},
	    {{0, 1},
	     OP_COND_SIGNAL,
	     "heap block of T1 +0x10",
	     2,
	     NULL,
	     NO_OBJECT,
	     0,
	     true,
	     NULL,
	     0,
	     NULL,
	     31,
	     2},
	    {{0, 0},
	     OP_YIELD,
	     NULL,
	     NO_OBJECT,
	     NULL,
	     NO_OBJECT,
	     0,
	     false,
	     NULL,
	     0,
	     NULL,
	     32,
	     UINT64_C(3) | UINT64_C(1) << 63},
	};
	ck_assert_uint_eq(schedule.length, 6);
	for (size_t i = 0; i < 6; i++) {
		same_line(&lines[i], &schedule.lines[i]);
		ck_assert_uint_eq(lines[i].line, schedule.lines[i].line);
	}
	struct step *steps = schedule_steps(&schedule);
	ck_assert_uint_eq(steps[2].thread, 2);
	ck_assert_int_eq(steps[2].choice, CHOICE_TIMEOUT);
	free(steps);
}
END_TEST

/* An address is written and read as one. */
#define HEAD_ONE "fmc-schedule 1\nlength 1\n\n"
START_TEST(addresses_are_results)
{
	size_t size;
	ck_assert_int_eq(parse(HEAD_ONE "1 T1 memory_write p#0 = 0x555555558080\n"), STATUS_OK);
	ck_assert_int_eq(schedule.lines[0].result, 0x555555558080);
	char *written = write_text(&schedule, &size);
	ck_assert_ptr_nonnull(strstr(written, "= 0x555555558080\n"));
	free(written);
	schedule_release(&schedule);
	ck_assert_int_eq(parse(HEAD_ONE "1 T1 memory_write p#0 = 0x\n"), STATUS_MALFORMED);
	ck_assert_int_eq(parse(HEAD_ONE "1 T1 memory_write p#0 = 0x-1\n"), STATUS_MALFORMED);
	ck_assert_int_eq(parse(HEAD_ONE "1 T1 memory_write p#0 = 0x11112222333344445\n"), STATUS_MALFORMED);
}
END_TEST

START_TEST(columns_are_aligned)
{
	static const char text[] = "fmc-schedule 1\nlength 3\n\n1 T1 thread_create T2 = 0 a.c:50 main\n"
				   "2 T2 mutex_trylock forks[2]#4 = EBUSY b.c:1 eat\n3 T2 sleep - eat\n";
	size_t size;
	ck_assert_int_eq(parse(text), STATUS_OK);
	char *written = write_text(&schedule, &size);
	const char *body = strstr(written, "\n\n");
	ck_assert_ptr_nonnull(body);
	ck_assert_str_eq(body + 2, "1  T1  thread_create  T2          = 0      a.c:50  main\n"
				   "2  T2  mutex_trylock  forks[2]#4  = EBUSY  b.c:1  eat\n"
				   "3  T2  sleep                               -  eat\n"
				   ".\n");
	free(written);
}
END_TEST

static char *with_crlf(const char *text)
{
	char *crlf = calloc(2, strlen(text) + 1), *to = crlf;
	for (; *text; text++) {
		if (*text == '\n')
			*to++ = '\r';
		*to++ = *text;
	}
	return crlf;
}

START_TEST(hands_may_write_it_their_way)
{
	struct schedule plain;
	ck_assert_int_eq(schedule_parse(&plain, DOCUMENT BODY, strlen(DOCUMENT BODY), "a", why), STATUS_OK);
	char *crlf = with_crlf(DOCUMENT BODY);
	ck_assert_int_eq(parse(crlf), STATUS_OK);
	same_schedule(&plain, &schedule);
	free(crlf);
	schedule_release(&schedule);
	schedule_release(&plain);

	ck_assert_int_eq(
	    parse("\xef\xbb\xbf"
		  "fmc-schedule\t1  \n# made by hand\n  length   2 \n# and now:\n \n\n"
		  "\t1 T1\tmutex_lock m#0 =EBUSY\n\n# half way\n   2\tT1   yield \t\n\n.\n# done\n"),
	    STATUS_OK);
	ck_assert_int_eq(schedule.lines[0].result, EBUSY);
	ck_assert_uint_eq(schedule.lines[1].line, 10);
	schedule_release(&schedule);
	ck_assert_int_eq(parse("fmc-schedule 1\nlength 0\n."), STATUS_OK);
	schedule_release(&schedule);
	ck_assert_int_eq(parse("fmc-schedule 1\nlength 0\n"), STATUS_OK);
}
END_TEST

START_TEST(unknown_keys_are_kept)
{
	size_t size;
	ck_assert_int_eq(parse("fmc-schedule 1\ncolour  \"light blue\nlength 0\ntaste sweet\n\n"), STATUS_OK);
	char *text = write_text(&schedule, &size);
	ck_assert_ptr_nonnull(strstr(text, "\ncolour  \"light blue\ntaste sweet\n"));
	free(text);
}
END_TEST

/* Each damaged document, with what is to be said of it. */
#define HEAD "fmc-schedule 1\n"
#define ONE  HEAD "length 1\n\n"
static const struct {
	const char *text, *why;
} damaged[] = {
    {"", "a.sched:1: the file is empty"},
    {"hello\n", "a.sched:1: not a schedule: the first line isn't 'fmc-schedule 1'"},
    {"fmc-schedules 1\n", "a.sched:1: not a schedule: the first line isn't 'fmc-schedule 1'"},
    {"\x7f"
     "ELF",
     "a.sched:1: a control character (code 127) in the text"},
    {"fmc-schedule 2\n", "a.sched:1: this fmc reads version 1 of the format, not '2'"},
    {HEAD, "a.sched:1: truncated: the file ends in its header"},
    {HEAD "program a\n", "a.sched:2: truncated: the file ends in its header"},
    {HEAD "program a\n\n1 T1 yield\n", "a.sched:3: the header has no 'length'"},
    {HEAD "program a\nprogram b\n", "a.sched:3: 'program' is here twice"},
    {HEAD "arg\n", "a.sched:2: 'arg' without a value"},
    {HEAD "arg \"a\n", "a.sched:2: quote without its closing quote"},
    {HEAD "arg \"a\" b\n", "a.sched:2: more text after the closing quote"},
    {HEAD "hidden\n", "a.sched:2: 'hidden' without a value"},
    {HEAD "hidden 3 x\n", "a.sched:2: expected how long hidden variables are, 8388608 bytes in all, not 'x'"},
    {HEAD "hidden 8388600 9\n",
     "a.sched:2: expected how long hidden variables are, 8388608 bytes in all, not '9'"},
    {HEAD "env \"a\\q\"\n", "a.sched:2: bad escape in a quoted word"},
    {HEAD "env \"a\\x00\"\n", "a.sched:2: bad escape in a quoted word"},
    {HEAD "env \"a\\x4\"\n", "a.sched:2: bad escape in a quoted word"},
    {HEAD "env \"a\\\"\n", "a.sched:2: quote without its closing quote"},
    {HEAD "fair -1\n", "a.sched:2: expected a number up to 4294967295, not '-1'"},
    {HEAD "fair 4294967296\n", "a.sched:2: expected a number up to 4294967295, not '4294967296'"},
    {HEAD "depth many\n", "a.sched:2: expected a number up to 18446744073709551615, not 'many'"},
    {HEAD "depth 18446744073709551616\n",
     "a.sched:2: expected a number up to 18446744073709551615, not '18446744073709551616'"},
    {HEAD "clock 9223372037\n", "a.sched:2: expected a number up to 9223372036, not '9223372037'"},
    {HEAD "atomics maybe\n", "a.sched:2: expected yes or no, not 'maybe'"},
    {HEAD "op mutex_lock gate\n",
     "a.sched:2: expected an operation of a plug-in's and its class, not 'mutex_lock gate'"},
    {HEAD "op gate_open\n", "a.sched:2: expected an operation of a plug-in's and its class, not 'gate_open'"},
    {HEAD "op gate_open gate\nop gate_open door\n",
     "a.sched:3: expected an operation of a plug-in's and its class, not 'gate_open door'"},
    {HEAD "promoted a\n", "a.sched:2: expected a promoted instruction, not 'a'"},
    {HEAD "promoted a+0x1\npromoted a+0x1\n", "a.sched:3: a promoted instruction twice"},
    {HEAD "head a+0x1\n", "a.sched:2: expected the head of a loop, not 'a+0x1'"},
    {HEAD "head a+0x1 0\n", "a.sched:2: expected the head of a loop, not 'a+0x1 0'"},
    {HEAD "head a+0x1 2\nhead a+0x1 3\n", "a.sched:3: more than 256 heads of loops, or one twice"},
    {HEAD "thread T2 eat\n", "a.sched:2: expected thread T1"},
    {HEAD "thread T1\nthread T1\n", "a.sched:3: expected thread T2"},
    {HEAD "verdict bad\n", "a.sched:2: unknown verdict 'bad'"},
    {HEAD "end never\n", "a.sched:2: expected how the execution ended, not 'never'"},
    {HEAD "end exit 3 4\n", "a.sched:2: expected how the execution ended, not 'exit 3 4'"},
    {HEAD "end exit T1 3\n", "a.sched:2: expected how the execution ended, not 'exit T1 3'"},
    {HEAD "end exit SIGSEGV\n", "a.sched:2: expected how the execution ended, not 'exit SIGSEGV'"},
    {HEAD "end signal SIGNONE\n", "a.sched:2: expected how the execution ended, not 'signal SIGNONE'"},
    {HEAD "loop 0\n", "a.sched:2: transitions are counted from 1"},
    {HEAD "end livelock\nloop 3\nlength 1\n\n1 T1 yield\n", "a.sched:6: 'loop' is after the last transition"},
    {HEAD "message a\033[31mb\n", "a.sched:2: a control character (code 27) in the text"},
    {HEAD "length 99999999999999\n\n1 T1 yield\n", "a.sched:4: truncated: 1 of 99999999999999 transitions"},
    {HEAD "length 1\n", "a.sched:2: truncated: 0 of 1 transitions"},
    {HEAD "length 0", "a.sched:2: truncated: the last line has no end"},
    {ONE "1 T1 yield", "a.sched:4: truncated: the last line has no end"},
    {ONE ".\n", "a.sched:4: truncated: 0 of 1 transitions"},
    {ONE "1 T1 yield\n2 T1 yield\n", "a.sched:5: more transitions than the 1 of the header's 'length'"},
    {ONE "1 T1 yield\n.\n.\n", "a.sched:6: more text after the full stop that ends the schedule"},
    {ONE "yield\n", "a.sched:4: expected the number of a transition, not 'yield'"},
    {ONE "2 T1 yield\n", "a.sched:4: transition 2 where number 1 comes next"},
    {ONE "1\n", "a.sched:4: expected a thread from T1 to T4096, but the line ends"},
    {ONE "1 T0 yield\n", "a.sched:4: expected a thread from T1 to T4096, not 'T0'"},
    {ONE "1 T4097 yield\n", "a.sched:4: expected a thread from T1 to T4096, not 'T4097'"},
    {ONE "1 \"T1\" yield\n", "a.sched:4: expected a thread from T1 to T4096, not 'T1'"},
    {ONE "1 T1\n", "a.sched:4: expected an operation, but the line ends"},
    {ONE "1 T1 mutex_lick m#0\n", "a.sched:4: expected an operation, not 'mutex_lick'"},
    {ONE "1 T1 mutex_lock m\n",
     "a.sched:4: expected an object (NAME#NUMBER), choice=, ended=, = RESULT or a place "
     "(FILE:LINE), not 'm'"},
    {ONE "1 T1 mutex_lock m#x\n", "a.sched:4: expected the number of an object after its '#', not 'm#x'"},
    {ONE "1 T1 mutex_lock m#4294967295\n",
     "a.sched:4: expected the number of an object after its '#', not 'm#4294967295'"},
    {ONE "1 T1 thread_join m#1\n", "a.sched:4: expected a thread, not 'm#1'"},
    {ONE "1 T1 mutex_lock m\"#1\n", "a.sched:4: a quote or backslash in the middle of a word"},
    {ONE "1 T1 mutex_lock \"m\n", "a.sched:4: quote without its closing quote"},
    {ONE "1 T1 cond_wait c#0 m#1 choice=late\n",
     "a.sched:4: expected choice=timeout, choice=spurious, choice=flush or choice=NUMBER, not 'choice=late'"},
    {ONE "1 T1 cond_wait c#0 m#1 choice=2147483648\n",
     "a.sched:4: expected choice=timeout, choice=spurious, choice=flush or choice=NUMBER, not "
     "'choice=2147483648'"},
    {ONE "1 T1 yield ended=0\n",
     "a.sched:4: expected ended= and numbers of child processes from 1 to 64, not 'ended=0'"},
    {ONE "1 T1 yield ended=1,\n",
     "a.sched:4: expected ended= and numbers of child processes from 1 to 64, not 'ended=1,'"},
    {ONE "1 T1 yield ended=65\n",
     "a.sched:4: expected ended= and numbers of child processes from 1 to 64, not 'ended=65'"},
    {ONE "1 T1 mutex_lock m#0 =\n",
     "a.sched:4: expected a result: a number or the name of an error, but the line ends"},
    {ONE "1 T1 mutex_lock m#0 = EFOO\n",
     "a.sched:4: expected a result: a number or the name of an error, not 'EFOO'"},
    {ONE "1 T1 mutex_lock m#0 = 9223372036854775808\n",
     "a.sched:4: expected a result: a number or the name of an error, not '9223372036854775808'"},
    {ONE "1 T1 yield a.c:\n",
     "a.sched:4: expected an object (NAME#NUMBER), choice=, ended=, = RESULT or a place "
     "(FILE:LINE), not 'a.c:'"},
    {ONE "1 T1 yield a.c:3 \"f\"g\n", "a.sched:4: expected a blank after the closing quote, not 'f'"},
    {ONE "1 T1 yield a.c:3 main extra\n", "a.sched:4: expected the end of the line, not 'extra'"},
    {ONE "1 T1 \xff\xfe\xe2\x80\xae\n", "a.sched:4: expected an operation, not '\\xff\\xfe\\xe2\\x80\\xae'"},
};

START_TEST(damage_is_named)
{
	ck_assert_int_eq(parse(damaged[_i].text), STATUS_MALFORMED);
	ck_assert_str_eq(why, damaged[_i].why);
	ck_assert_uint_eq(schedule.length, 0);
	ck_assert_ptr_null(schedule.lines);
}
END_TEST

START_TEST(heads_have_a_number)
{
	char text[LOOPS_MOST * 20] = HEAD;
	for (unsigned i = 0, length = strlen(text); i <= LOOPS_MOST; i++)
		length += (unsigned)snprintf(text + length, sizeof text - length, "head a+0x%x 1\n", i);
	ck_assert_int_eq(parse(text), STATUS_MALFORMED);
	ck_assert_str_eq(why, "a.sched:258: more than 256 heads of loops, or one twice");
}
END_TEST

START_TEST(a_line_has_a_longest_length)
{
	size_t size = (2u << 20) + 64;
	char *text = malloc(size);
	memset(text, 'a', size);
	memcpy(text, HEAD "program ", strlen(HEAD "program "));
	ck_assert_int_eq(schedule_parse(&schedule, text, size, "a.sched", why), STATUS_MALFORMED);
	ck_assert_str_eq(why, "a.sched:2: a line of more than 1048576 bytes");
	free(text);
}
END_TEST

START_TEST(a_long_file_name_leaves_room_for_the_reason)
{
	char name[4000];
	memset(name, 'n', sizeof name);
	strcpy(name + sizeof name - 9, "/x.sched");
	ck_assert_int_eq(schedule_parse(&schedule, "fmc-schedule 3\n", 15, name, why), STATUS_MALFORMED);
	ck_assert_ptr_nonnull(strstr(why, "/x.sched:1: this fmc reads version 1"));
	ck_assert_int_eq(strncmp(why, "...n", 4), 0);
}
END_TEST

START_TEST(a_zero_byte_is_damage)
{
	static const char text[] = HEAD "program a\0b\nlength 0\n";
	ck_assert_int_eq(schedule_parse(&schedule, text, sizeof text - 1, "a", why), STATUS_MALFORMED);
	ck_assert_str_eq(why, "a:2: a control character (code 0) in the text");
}
END_TEST

/* Cut anywhere, a file is whole or damaged, never another schedule. */
START_TEST(truncation_is_noticed_at_every_byte)
{
	struct schedule whole;
	static const char text[] = DOCUMENT BODY;
	size_t size = sizeof text - 1;
	ck_assert_int_eq(schedule_parse(&whole, text, size, "a", why), STATUS_OK);
	for (size_t cut = 0; cut < size; cut++) {
		char *part = malloc(cut + 1); /* exactly as long, so that reading after it is seen */
		memcpy(part, text, cut);
		enum status status = schedule_parse(&schedule, part, cut, "a", why);
		ck_assert_int_eq(status, cut >= size - 2 ? STATUS_OK : STATUS_MALFORMED);
		if (status == STATUS_OK)
			same_schedule(&whole, &schedule);
		schedule_release(&schedule);
		free(part);
	}
	schedule_release(&whole);
}
END_TEST

START_TEST(a_stream_in_error_is_told)
{
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		return;
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(parse(DOCUMENT BODY), STATUS_OK);
	ck_assert_int_eq(schedule_write(&schedule, full), STATUS_SYSTEM);
	fclose(full);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("schedule");
	TCase *tests = tcase_create("format");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, what_is_written_is_read_back);
	tcase_add_test(tests, a_document_means_what_it_says);
	tcase_add_test(tests, addresses_are_results);
	tcase_add_test(tests, columns_are_aligned);
	tcase_add_test(tests, hands_may_write_it_their_way);
	tcase_add_test(tests, unknown_keys_are_kept);
	tcase_add_loop_test(tests, damage_is_named, 0, sizeof damaged / sizeof *damaged);
	tcase_add_test(tests, heads_have_a_number);
	tcase_add_test(tests, a_line_has_a_longest_length);
	tcase_add_test(tests, a_long_file_name_leaves_room_for_the_reason);
	tcase_add_test(tests, a_zero_byte_is_damage);
	tcase_add_test(tests, truncation_is_noticed_at_every_byte);
	tcase_add_test(tests, a_stream_in_error_is_told);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
