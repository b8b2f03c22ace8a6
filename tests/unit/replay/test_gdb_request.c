/* What GDB's packets mean, and that all others are refused. */
#include "replay/packets/request.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the last request. */
static char *payload;

static void forget(void)
{
	free(payload);
	payload = NULL;
}

/* The payload exactly as long as it is, so that reading after it is seen. It lives until the next one. */
static struct gdb_request parse_bytes(const char *bytes, size_t length)
{
	struct gdb_request request;
	forget();
	payload = malloc(length + !length);
	memcpy(payload, bytes, length);
	gdb_request_parse(&request, payload, length);
	return request;
}

static struct gdb_request parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

START_TEST(words_have_their_kinds)
{
	static const struct {
		const char *payload;
		enum gdb_request_kind kind;
	} words[] = {
	    {"?", GDB_WHY},
	    {"!", GDB_EXTENDED},
	    {"g", GDB_READ_REGISTERS},
	    {"bc", GDB_REVERSE_CONTINUE},
	    {"bs", GDB_REVERSE_STEP},
	    {"k", GDB_KILL},
	    {"vKill;1", GDB_KILL},
	    {"D", GDB_DETACH},
	    {"D;1", GDB_DETACH},
	    {"vCont?", GDB_RESUMES},
	    {"vRun;", GDB_RUN},
	    {"QStartNoAckMode", GDB_NO_ACKS},
	    {"qSupported:multiprocess+;xmlRegisters=i386", GDB_SUPPORTED},
	    {"qC", GDB_CURRENT},
	    {"qfThreadInfo", GDB_THREADS},
	    {"qsThreadInfo", GDB_THREADS_MORE},
	    {"qAttached", GDB_ATTACHED},
	    {"qAttached:1", GDB_ATTACHED},
	    {"qSymbol::", GDB_SYMBOLS},
	    {"QProgramSignals:0;3", GDB_PROGRAM_SIGNALS},
	    {"", GDB_UNKNOWN},
	    {"vMustReplyEmpty", GDB_UNKNOWN},
	    {"qTStatus", GDB_UNKNOWN},
	    {"qOffsets", GDB_UNKNOWN},
	    {"qCRC:0,10", GDB_UNKNOWN},
	    {"QThreadEvents:1", GDB_UNKNOWN},
	    {"QStartNoAckMode2", GDB_UNKNOWN},
	    {"qXfer:libraries-svr4:read::0,10", GDB_UNKNOWN},
	    {"qXfer:siginfo:read::0,80", GDB_TRANSFER},
	    {"vFile:setfs:0", GDB_FILE},
	    {"vFile:unlink:2f", GDB_UNKNOWN},
	    {"vFile:pwrite:0,0,x", GDB_UNKNOWN},
	    {"vFile:", GDB_UNKNOWN},
	    {"qXfer:auxv:write::0:ab", GDB_UNKNOWN},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		ck_assert_msg(parse(words[i].payload).kind == words[i].kind, "%s", words[i].payload);
}
END_TEST

START_TEST(what_goes_on_wrongly_is_malformed)
{
	static const char *const payloads[] = {
	    "?x",
	    "H",
	    "Hg",
	    "Hx1",
	    "Hgp1.",
	    "Hgp1.2x",
	    "Hg-2",
	    "Hgp-1.2",
	    "Hgffffffffff",
	    "G1",
	    "Gxx",
	    "p",
	    "p100000000",
	    "P0",
	    "P0=1",
	    "m",
	    "m10",
	    "m10,",
	    "m,10",
	    "m10,10,",
	    "m10000000000000000,1",
	    "mfffffffffffffff0,11",
	    "M10,2:aa",
	    "M10,1:aabb",
	    "M10,1aa",
	    "X10,2:a",
	    "Z5,10,1",
	    "Z0,10",
	    "Z0,10,1;X1",
	    "Z0,10,1;X1,2",
	    "Z0,10,1;X2,22",
	    "Z0,10,1;X1,2x",
	    "Z0,10,1;Xffffffffffffffff,22",
	    "Z0,10,1;X8000000000000001,2222",
	    "Z0,10,1;X1,22cmds:0,X1,22",
	    "Z0,10,1;",
	    "z0,10,1;X1,22",
	    "z,10,1",
	    "T",
	    "D;",
	    "vKill;",
	    "c10",
	    "s401136",
	    "C",
	    "Cff",
	    "S05;401136",
	    "vFile:setfs:",
	    "vFile:setfs:80000000",
	    "vFile:open:",
	    "vFile:open:2f",
	    "vFile:open:2f,0",
	    "vFile:open:2,0,0",
	    "vFile:open:2x,0,0",
	    "vFile:open:2f,100000000,0",
	    "vFile:open:2f,0,0,0",
	    "vFile:pread:0,10",
	    "vFile:pread:-1,10,0",
	    "vFile:pread:0,10,8000000000000000",
	    "vFile:fstat:",
	    "vFile:readlink:2",
	    "vFile:close:0,",
	    "vCont;",
	    "vCont;c;",
	    "vCont;x",
	    "vCont;C",
	    "vCont;Cff",
	    "vCont;s:",
	    "vCont;r10",
	    "vCont;r20,10",
	    "vCont;c:p1.1:p1.2",
	    "qAttached:",
	    "qGetTLSAddr:p1.1,10",
	    "qThreadExtraInfo,",
	    "qRcmd,6",
	    "qRcmd,6g",
	    "QPassSignals:0;;1",
	    "QPassSignals:100",

	    "qXfer:auxv:read:",
	    "qXfer:auxv:read::",
	    "qXfer:auxv:read::0",
	    "qXfer:auxv:read::0,10000000000000000",
	    "qXfer:features:read:target.xml:0,10,",
	};
	for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {

		ck_assert_msg(parse(payloads[i]).kind == GDB_MALFORMED, "%s", payloads[i]);
	}
	ck_assert_int_eq(parse_bytes("?\0", 2).kind, GDB_MALFORMED);
	ck_assert_int_eq(parse_bytes("qC\0x", 4).kind, GDB_MALFORMED);
}
END_TEST

static void selects(const char *text, int32_t process, int32_t thread)
{
	struct gdb_request request = parse(text);
	ck_assert_int_eq(request.kind, GDB_SELECT);
	ck_assert_int_eq(request.operation, text[1]);
	ck_assert_int_eq(request.thread.process, process);
	ck_assert_int_eq(request.thread.thread, thread);
}

START_TEST(threads_are_told_apart)
{
	selects("Hgp1.3", 1, 3);
	selects("Hc-1", GDB_ANY, GDB_ALL);
	selects("Hcp1.-1", 1, GDB_ALL);
	selects("Hcp1", 1, GDB_ALL);
	selects("Hgp-1", GDB_ALL, GDB_ALL);
	selects("Hg0", GDB_ANY, GDB_ANY);
	selects("Hgp0.0", GDB_ANY, GDB_ANY);
	selects("Hg1f", GDB_ANY, 31);
	selects("Hgp2.0", 2, GDB_ANY);
	ck_assert(gdb_thread_matches((struct gdb_thread){1, 3}, 1, 3));
	ck_assert(!gdb_thread_matches((struct gdb_thread){1, 3}, 1, 4));
	ck_assert(!gdb_thread_matches((struct gdb_thread){2, 3}, 1, 3));
	ck_assert(gdb_thread_matches((struct gdb_thread){2, 3}, 2, 3));
	ck_assert(!gdb_thread_matches((struct gdb_thread){2, GDB_ALL}, 1, 3));
	ck_assert(gdb_thread_matches((struct gdb_thread){2, GDB_ALL}, 2, 3));
	ck_assert(gdb_thread_matches((struct gdb_thread){GDB_ANY, 3}, 2, 3));
	ck_assert(gdb_thread_matches((struct gdb_thread){GDB_ALL, GDB_ALL}, 2, 3));
	ck_assert_int_eq(parse("D").thread.process, GDB_ANY);
	ck_assert_int_eq(parse("D;2").thread.process, 2);
	ck_assert_int_eq(parse("vKill;3").thread.process, 3);
	ck_assert_int_eq(parse("k").thread.process, GDB_ANY);
}
END_TEST

START_TEST(memory_is_read_and_written)
{
	struct gdb_request request = parse("m7ffff7dd1000,40");
	ck_assert_int_eq(request.kind, GDB_READ_MEMORY);
	ck_assert_uint_eq(request.address, 0x7ffff7dd1000);
	ck_assert_uint_eq(request.length, 0x40);
	request = parse("M10,3:00ff7A");
	ck_assert_int_eq(request.kind, GDB_WRITE_MEMORY);
	ck_assert_uint_eq(request.data_length, 3);
	ck_assert_mem_eq(request.data, "\0\xff\x7a", 3);
	request = parse_bytes("X10,3:\0:,", 9);
	ck_assert_int_eq(request.kind, GDB_WRITE_MEMORY);
	ck_assert_uint_eq(request.data_length, 3);
	ck_assert_mem_eq(request.data, "\0:,", 3);
	ck_assert_int_eq(parse("X10,0:").kind, GDB_WRITE_MEMORY);
	request = parse("mffffffffffffffff,1");
	ck_assert_int_eq(request.kind, GDB_READ_MEMORY);
}
END_TEST

START_TEST(registers_are_read_and_written)
{
	struct gdb_request request = parse("p1f");
	ck_assert_int_eq(request.kind, GDB_READ_REGISTER);
	ck_assert_uint_eq(request.number, 0x1f);
	request = parse("P10=0011");
	ck_assert_int_eq(request.kind, GDB_WRITE_REGISTER);
	ck_assert_uint_eq(request.number, 0x10);
	ck_assert_uint_eq(request.data_length, 2);
	ck_assert_mem_eq(request.data, "\0\x11", 2);
}
END_TEST

START_TEST(points_are_told_apart)
{
	struct gdb_request request = parse("Z0,401136,1");
	ck_assert_int_eq(request.kind, GDB_INSERT);
	ck_assert_int_eq(request.point, GDB_SOFTWARE_BREAK);
	ck_assert_uint_eq(request.address, 0x401136);
	request = parse("z4,404040,8");
	ck_assert_int_eq(request.kind, GDB_REMOVE);
	ck_assert_int_eq(request.point, GDB_ACCESS_WATCH);
	ck_assert_uint_eq(request.length, 8);
}
END_TEST

START_TEST(breakpoints_have_conditions)
{
	struct gdb_request request = parse("Z0,401136,1;X3,220527X1,27");
	ck_assert_int_eq(request.kind, GDB_INSERT);
	ck_assert_uint_eq(request.conditions_length, 2);
	ck_assert_uint_eq(request.conditions[0].length, 3);
	ck_assert_mem_eq(request.conditions[0].bytes, "\x22\x05\x27", 3);
	ck_assert_uint_eq(request.conditions[1].length, 1);
	ck_assert_mem_eq(request.conditions[1].bytes, "\x27", 1);
	ck_assert_uint_eq(parse("Z1,401136,1;X3,220527;X1,27").conditions_length, 2);
	ck_assert_uint_eq(parse("Z0,401136,1").conditions_length, 0);
}
END_TEST

/* Then GDB looks itself. */
START_TEST(too_many_or_long_conditions_are_none)
{
	char text[64 + 2 * (GDB_CONDITION_LENGTH + 1)] = "Z0,10,1;";
	for (size_t i = 0; i < GDB_CONDITIONS; i++)
		strcat(text, "X1,27");
	ck_assert_uint_eq(parse(text).conditions_length, GDB_CONDITIONS);
	strcat(text, "X1,27");
	ck_assert_int_eq(parse(text).kind, GDB_INSERT);
	ck_assert_uint_eq(parse(text).conditions_length, 0);
	int digits = sprintf(text, "Z0,10,1;X%x,", GDB_CONDITION_LENGTH + 1);
	memset(text + digits, '0', 2 * (GDB_CONDITION_LENGTH + 1));
	const struct gdb_request request = parse_bytes(text, (size_t)digits + 2 * (GDB_CONDITION_LENGTH + 1));
	ck_assert_int_eq(request.kind, GDB_INSERT);
	ck_assert_uint_eq(request.conditions_length, 0);
}
END_TEST

/* What LLDB says where vCont is too much: one action, of whom Hc has named. */
START_TEST(test_plain_resumes)
{
	static const struct {
		const char *payload;
		enum gdb_action_kind kind;
		uint8_t signal;
	} cases[] = {{"c", GDB_ACTION_CONTINUE, 0},
		     {"C0b", GDB_ACTION_CONTINUE, 11},
		     {"s", GDB_ACTION_STEP, 0},
		     {"S05", GDB_ACTION_STEP, 5}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gdb_request request;
		char words[8] = {0};
		memcpy(words, cases[i].payload, strlen(cases[i].payload));
		gdb_request_parse(&request, words, strlen(words));
		ck_assert_int_eq(request.kind, GDB_RESUME);
		ck_assert_uint_eq(request.actions.length, 1);
		ck_assert(request.actions.plain);
		ck_assert_int_eq(request.actions.at[0].kind, cases[i].kind);
		ck_assert_uint_eq(request.actions.at[0].signal, cases[i].signal);
		ck_assert(gdb_thread_matches(request.actions.at[0].thread, 1, 7));
	}
}
END_TEST

START_TEST(several_threads_are_resumed_each_in_its_way)
{
	struct gdb_request request = parse("vCont;r401136,401140:p1.2;C0b:p1.3;t:p1.4;c");
	ck_assert_int_eq(request.kind, GDB_RESUME);
	ck_assert_uint_eq(request.actions.length, 4);
	ck_assert_int_eq(request.actions.at[0].kind, GDB_ACTION_RANGE);
	ck_assert_uint_eq(request.actions.at[0].low, 0x401136);
	ck_assert_uint_eq(request.actions.at[0].high, 0x401140);
	ck_assert_int_eq(request.actions.at[0].thread.thread, 2);
	ck_assert_int_eq(request.actions.at[1].kind, GDB_ACTION_CONTINUE);
	ck_assert_int_eq(request.actions.at[1].signal, 11);
	ck_assert_int_eq(request.actions.at[2].kind, GDB_ACTION_STOP);
	ck_assert_int_eq(request.actions.at[3].kind, GDB_ACTION_CONTINUE);
	ck_assert_int_eq(request.actions.at[3].thread.thread, GDB_ALL);
	ck_assert_int_eq(parse("vCont;S5:p1.-1").actions.at[0].kind, GDB_ACTION_STEP);
}
END_TEST

START_TEST(too_many_actions_are_refused)
{
	char text[8 + 2 * (GDB_ACTIONS + 1)] = "vCont";
	for (size_t i = 0; i < GDB_ACTIONS; i++)
		strcat(text, ";c");
	struct gdb_request request = parse(text);
	ck_assert_int_eq(request.kind, GDB_RESUME);
	ck_assert_uint_eq(request.actions.length, GDB_ACTIONS);
	strcat(text, ";c");
	ck_assert_int_eq(parse(text).kind, GDB_MALFORMED);
}
END_TEST

START_TEST(files_have_their_parts)
{
	struct gdb_request request = parse("vFile:open:2f782f79,41,1b6");
	ck_assert_int_eq(request.kind, GDB_FILE);
	ck_assert_int_eq(request.file.kind, GDB_FILE_OPEN);
	ck_assert_uint_eq(request.data_length, 4);
	ck_assert_mem_eq(request.data, "/x/y", 4);
	ck_assert_uint_eq(request.file.flags, 0x41);
	request = parse("vFile:pread:3,ffff,10");
	ck_assert_int_eq(request.file.kind, GDB_FILE_PREAD);
	ck_assert_uint_eq(request.file.number, 3);
	ck_assert_uint_eq(request.length, 0xffff);
	ck_assert_uint_eq(request.address, 0x10);
	request = parse("vFile:readlink:2f");
	ck_assert_int_eq(request.file.kind, GDB_FILE_READLINK);
	ck_assert_mem_eq(request.data, "/", 1);
	ck_assert_int_eq(parse("vFile:fstat:7").file.kind, GDB_FILE_FSTAT);
	ck_assert_int_eq(parse("vFile:close:7").file.kind, GDB_FILE_CLOSE);
	ck_assert_int_eq(parse("vFile:setfs:1").file.kind, GDB_FILE_SETFS);
	ck_assert_uint_eq(parse("vFile:close:7").file.number, 7);
}
END_TEST

START_TEST(who_knows_processes_says_so)
{
	ck_assert(parse("qSupported:multiprocess+").processes);
	ck_assert(parse("qSupported:swbreak+;multiprocess+;xmlRegisters=i386").processes);
	ck_assert(!parse("qSupported").processes);
	ck_assert(!parse("qSupported:").processes);
	ck_assert(!parse("qSupported:swbreak+;").processes);
	ck_assert(!parse("qSupported:multiprocess-;nomultiprocess+;multiprocess+s").processes);
}
END_TEST

START_TEST(the_rest_has_its_parts)
{
	struct gdb_request request = parse("qXfer:features:read:target.xml:10,ffb");
	ck_assert_int_eq(request.kind, GDB_TRANSFER);
	ck_assert_int_eq(request.object, GDB_OBJECT_FEATURES);
	ck_assert_uint_eq(request.data_length, 10);
	ck_assert_mem_eq(request.data, "target.xml", 10);
	ck_assert_uint_eq(request.address, 0x10);
	ck_assert_uint_eq(request.length, 0xffb);
	request = parse("qGetTLSAddr:p1.2,10,7ffff7fc1000");
	ck_assert_int_eq(request.kind, GDB_TLS);
	ck_assert_int_eq(request.thread.thread, 2);
	ck_assert_uint_eq(request.address, 0x10);
	ck_assert_uint_eq(request.link_map, 0x7ffff7fc1000);
	request = parse("qRcmd,676f746f2037");
	ck_assert_int_eq(request.kind, GDB_COMMAND);
	ck_assert_uint_eq(request.data_length, 6);
	ck_assert_mem_eq(request.data, "goto 7", 6);
	request = parse("QPassSignals:e;14;fe");
	ck_assert_int_eq(request.kind, GDB_PASS);
	ck_assert(request.signals[14] && request.signals[20] && !request.signals[1]);
	ck_assert_int_eq(parse("QPassSignals:").kind, GDB_PASS);
	ck_assert_int_eq(parse("qThreadExtraInfo,p1.4").thread.thread, 4);
}
END_TEST

SUITE("gdb_request", 0, NULL, forget, TEST(test_plain_resumes), TEST(words_have_their_kinds),
      TEST(what_goes_on_wrongly_is_malformed), TEST(threads_are_told_apart), TEST(memory_is_read_and_written),
      TEST(registers_are_read_and_written), TEST(points_are_told_apart), TEST(breakpoints_have_conditions),
      TEST(too_many_or_long_conditions_are_none), TEST(several_threads_are_resumed_each_in_its_way),
      TEST(too_many_actions_are_refused), TEST(files_have_their_parts), TEST(who_knows_processes_says_so),
      TEST(the_rest_has_its_parts))
