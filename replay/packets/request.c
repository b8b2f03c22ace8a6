/* What GDB's packets ask for. */
#include "replay/packets/request.h"
#include "replay/packets/hex.h"
#include "replay/packets/request_parts.h"

#include <string.h>

typedef bool parse(struct gdb_request *request, struct gdb_cursor *at);

static bool parse_nothing(struct gdb_request *request, struct gdb_cursor *at)
{
	(void)request;
	(void)at;
	return true;
}

/* For what may be followed by anything. */
static bool parse_anything(struct gdb_request *request, struct gdb_cursor *at)
{
	(void)request;
	at->next = at->end;
	return true;
}

static bool parse_thread(struct gdb_request *request, struct gdb_cursor *at)
{
	return gdb_take_thread(at, &request->thread);
}

static bool parse_select(struct gdb_request *request, struct gdb_cursor *at)
{
	if (at->next == at->end || (*at->next != 'g' && *at->next != 'c'))
		return false;
	request->operation = *at->next++;
	return gdb_take_thread(at, &request->thread);
}

static bool parse_register(struct gdb_request *request, struct gdb_cursor *at)
{
	uint64_t number;
	if (!gdb_take_number(at, UINT32_MAX, &number))
		return false;
	request->number = (uint32_t)number;
	return true;
}

static bool parse_set_register(struct gdb_request *request, struct gdb_cursor *at)
{
	return parse_register(request, at) && gdb_take(at, '=') && gdb_take_digits(request, at);
}

/* "ADDRESS,LENGTH" of bytes that exist, whatever is in them. */
static bool parse_range(struct gdb_request *request, struct gdb_cursor *at)
{
	return gdb_take_number(at, UINT64_MAX, &request->address) && gdb_take(at, ',') &&
	       gdb_take_number(at, UINT64_MAX, &request->length) &&
	       (request->length == 0 || request->address <= UINT64_MAX - (request->length - 1));
}

static bool parse_set_memory(struct gdb_request *request, struct gdb_cursor *at)
{
	return parse_range(request, at) && gdb_take(at, ':') && gdb_take_digits(request, at) &&
	       request->data_length == request->length;
}

static bool parse_set_memory_binary(struct gdb_request *request, struct gdb_cursor *at)
{
	if (!parse_range(request, at) || !gdb_take(at, ':'))
		return false;
	request->data = (const unsigned char *)at->next;
	request->data_length = (size_t)(at->end - at->next);
	at->next = at->end;
	return request->data_length == request->length;
}

/* "TYPE,ADDRESS,KIND" */
static bool parse_point(struct gdb_request *request, struct gdb_cursor *at)
{
	uint64_t point;
	if (!gdb_take_number(at, GDB_ACCESS_WATCH, &point) || !gdb_take(at, ','))
		return false;
	request->point = (enum gdb_point)point;
	return parse_range(request, at);
}

/* The same, with conditions; commands aren't offered. */
static bool parse_insert(struct gdb_request *request, struct gdb_cursor *at)
{
	return parse_point(request, at) && gdb_parse_conditions(request, at);
}

static bool parse_process(struct gdb_request *request, struct gdb_cursor *at)
{
	uint64_t process;
	if (!gdb_take_number(at, INT32_MAX, &process))
		return false;
	request->thread.process = (int32_t)process;
	return true;
}

/* Optional: nothing, or what the first character begins. */
static bool parse_detach(struct gdb_request *request, struct gdb_cursor *at)
{
	return at->next == at->end || (gdb_take(at, ';') && parse_process(request, at));
}

static bool parse_attached(struct gdb_request *request, struct gdb_cursor *at)
{
	return at->next == at->end || (gdb_take(at, ':') && parse_process(request, at));
}

static bool parse_tls(struct gdb_request *request, struct gdb_cursor *at)
{
	return gdb_take_thread(at, &request->thread) && gdb_take(at, ',') &&
	       gdb_take_number(at, UINT64_MAX, &request->address) && gdb_take(at, ',') &&
	       gdb_take_number(at, UINT64_MAX, &request->link_map);
}

/* "signal;signal;...": numbers that nobody knows are passed over. */
static bool parse_signals(struct gdb_request *request, struct gdb_cursor *at)
{
	while (at->next < at->end) {
		uint64_t signal;
		if (!gdb_take_number(at, 0xff, &signal))
			return false;
		if (signal < GDB_SIGNALS)
			request->signals[signal] = true;
		if (at->next < at->end && !gdb_take(at, ';'))
			return false;
	}
	return true;
}

/* "qSupported:FEATURE;FEATURE": of those of the other side one matters. */
static bool parse_supported(struct gdb_request *request, struct gdb_cursor *at)
{
	static const char processes[] = "multiprocess+";
	const size_t length = strlen(processes);
	for (const char *word = at->next; word && word < at->end;
	     word = memchr(word, ';', (size_t)(at->end - word))) {
		word++;
		const size_t left = (size_t)(at->end - word);
		request->processes |= left >= length && memcmp(word, processes, length) == 0 &&
				      (left == length || word[length] == ';');
	}
	at->next = at->end;
	return true;
}

static const struct {
	const char *begin;
	enum gdb_request_kind kind;
	parse *parse;
} requests[] = {
    {"?", GDB_WHY, parse_nothing},
    {"!", GDB_EXTENDED, parse_nothing},
    {"H", GDB_SELECT, parse_select},
    {"g", GDB_READ_REGISTERS, parse_nothing},
    {"G", GDB_WRITE_REGISTERS, gdb_take_digits},
    {"p", GDB_READ_REGISTER, parse_register},
    {"P", GDB_WRITE_REGISTER, parse_set_register},
    {"m", GDB_READ_MEMORY, parse_range},
    {"M", GDB_WRITE_MEMORY, parse_set_memory},
    {"X", GDB_WRITE_MEMORY, parse_set_memory_binary},
    {"Z", GDB_INSERT, parse_insert},
    {"z", GDB_REMOVE, parse_point},
    {"T", GDB_ALIVE, parse_thread},
    {"c", GDB_RESUME, gdb_parse_plain},
    {"C", GDB_RESUME, gdb_parse_plain},
    {"s", GDB_RESUME, gdb_parse_plain},
    {"S", GDB_RESUME, gdb_parse_plain},
    {"bc", GDB_REVERSE_CONTINUE, parse_nothing},
    {"bs", GDB_REVERSE_STEP, parse_nothing},
    {"D", GDB_DETACH, parse_detach},
    {"k", GDB_KILL, parse_nothing},
    {"vKill;", GDB_KILL, parse_process},
    {"vCont?", GDB_RESUMES, parse_nothing},
    {"vCont;", GDB_RESUME, gdb_parse_actions},
    {"vFile:", GDB_FILE, gdb_parse_file},
    {"vRun", GDB_RUN, parse_anything},
    {"QStartNoAckMode", GDB_NO_ACKS, parse_nothing},
    {"QPassSignals:", GDB_PASS, parse_signals},
    {"QProgramSignals:", GDB_PROGRAM_SIGNALS, parse_signals},
    {"qSupported", GDB_SUPPORTED, parse_supported},
    {"qXfer:", GDB_TRANSFER, gdb_parse_transfer},
    {"qGetTLSAddr:", GDB_TLS, parse_tls},
    {"qfThreadInfo", GDB_THREADS, parse_nothing},
    {"qsThreadInfo", GDB_THREADS_MORE, parse_nothing},
    {"qThreadExtraInfo,", GDB_THREAD_TEXT, parse_thread},
    {"qAttached", GDB_ATTACHED, parse_attached},
    {"qRcmd,", GDB_COMMAND, gdb_take_digits},
    {"qSymbol:", GDB_SYMBOLS, parse_anything},
    {"qC", GDB_CURRENT, parse_nothing},
};

/* Words are told apart by where they end: qC is none of the others that begin so. */
static bool is_word_longer(const char *begin, const struct gdb_cursor *at)
{
	size_t length = strlen(begin);
	bool word = length > 1 && (begin[0] == 'q' || begin[0] == 'Q' || begin[0] == 'v' || begin[0] == 'b');
	char last = begin[length - 1], next = at->next < at->end ? *at->next : '\0';
	bool letters = (last | 32) >= 'a' && (last | 32) <= 'z';
	return word && letters &&
	       (((next | 32) >= 'a' && (next | 32) <= 'z') || (next >= '0' && next <= '9'));
}

void gdb_request_parse(struct gdb_request *request, char *payload, size_t length)
{
	memset(request, 0, sizeof *request);
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
		size_t begin = strlen(requests[i].begin);
		struct gdb_cursor at = {payload + begin, payload + length};
		if (length < begin || memcmp(payload, requests[i].begin, begin) != 0 ||
		    is_word_longer(requests[i].begin, &at))
			continue;
		request->kind = requests[i].kind;
		bool good = requests[i].parse(request, &at);
		/* A parser may have found that it isn't offered. */
		if (request->kind != GDB_UNKNOWN && (!good || at.next != at.end))
			request->kind = GDB_MALFORMED;
		return;
	}
}

bool gdb_thread_matches(struct gdb_thread which, int32_t process, int32_t thread)
{
	return (which.process == GDB_ALL || which.process == GDB_ANY || which.process == process) &&
	       (which.thread == GDB_ALL || which.thread == GDB_ANY || which.thread == thread);
}
