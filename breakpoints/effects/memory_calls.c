/* Which functions touch memory for their caller: finding them by their names. */
#include "breakpoints/effects/memory_table.h"

#include <stdlib.h>
#include <string.h>

const char *memory_state_name(size_t i)
{
	static const char *const names[MEMORY_STATES] = {[LOCALE] = "setlocale",
							 [RANDOM] = "rand",
							 [RANDOM_48] = "drand48",
							 [TOKENS] = "strtok",
							 [CALENDAR] = "localtime",
							 [USERS] = "getpwnam",
							 [GROUPS] = "getgrnam",
							 [PASSWORDS] = "getspnam",
							 [HOSTS] = "gethostbyname",
							 [SERVICES] = "getservbyname",
							 [PROTOCOLS] = "getprotobyname",
							 [NETWORKS] = "getnetbyname",
							 [PROGRAMS] = "getrpcbyname",
							 [MOUNTS] = "getmntent",
							 [LOGINS] = "getutxent",
							 [LOGIN] = "getlogin",
							 [TERMINALS] = "ttyname",
							 [TABLE] = "hsearch",
							 [DIGITS] = "ecvt",
							 [DIGITS_BEHIND] = "fcvt",
							 [ENCODED] = "l64a",
							 [STATIONS] = "ether_ntoa",
							 [STATION] = "ether_aton",
							 [SHELLS] = "getusershell",
							 [FILE_SYSTEMS] = "getfsent",
							 [TEMPORARY] = "tmpnam",
							 [BY_MBLEN] = "mblen",
							 [BY_MBTOWC] = "mbtowc",
							 [BY_WCTOMB] = "wctomb",
							 [BY_MBRLEN] = "mbrlen",
							 [BY_MBRTOWC] = "mbrtowc",
							 [BY_WCRTOMB] = "wcrtomb",
							 [BY_MBSRTOWCS] = "mbsrtowcs",
							 [BY_MBSNRTOWCS] = "mbsnrtowcs",
							 [BY_WCSRTOMBS] = "wcsrtombs",
							 [BY_WCSNRTOMBS] = "wcsnrtombs",
							 [EXITS] = "exit",
							 [QUICK_EXITS] = "quick_exit",
							 [LOGGING] = "syslog",
							 [KEYS] = "pthread_key_create",
							 [LOADED] = "dlopen",
							 [INPUT] = "_IO_2_1_stdin_",
							 [OUTPUT] = "_IO_2_1_stdout_",
							 [ERRORS] = "_IO_2_1_stderr_",
							 [ENVIRONMENT] = "environ",
							 [OPTION] = "optind",
							 [OPTION_ARGUMENT] = "optarg",
							 [OPTION_LETTER] = "optopt",
							 [STREAM_IN] = "_ZSt3cin",
							 [STREAM_OUT] = "_ZSt4cout",
							 [STREAM_ERROR] = "_ZSt4cerr",
							 [STREAM_LOG] = "_ZSt4clog",
							 [TIME_ZONE] = "timezone",
							 [ZONE_NAMES] = "tzname",
							 [DAYLIGHT] = "daylight",
							 [ERROR_COUNT] = "error_message_count"};
	return i < MEMORY_STATES ? names[i] : NULL;
}

bool memory_state_shared(size_t i)
{
	return i >= ENVIRONMENT;
}

bool memory_state_for_program(size_t i)
{
	return i >= TIME_ZONE;
}

/*
 * By how a name begins, the first of these: members of std::string, of which those that aren't constant may change it; streams of C++
 * and what is printed and read by them; locales and exceptions.
 */
static const struct memory_call beginnings[] = {
    {"_ZSt7getlineIc", {WRITES(0, STREAM), WRITES(1, OBJECT)}},
    {"_ZNSt7__cxx1112basic_stringIc", {WRITES(0, OBJECT)}},
    {"_ZNKSt7__cxx1112basic_stringIc", {READS(0, OBJECT)}},
    {"_ZSt16__ostream_insertIc", {WRITES(0, STREAM), READS(1, BYTES_2)}},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", {WRITES(0, STREAM), READS(1, STRING)}},
    {"_ZStlsIc", {WRITES(0, STREAM), READS(1, OBJECT)}},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostream", {WRITES(0, STREAM)}},
    {"_ZSt4endlIc", {WRITES(0, STREAM)}},
    {"_ZSt5flushIc", {WRITES(0, STREAM)}},
    {"_ZNSo5writeEPKcl", {WRITES(0, STREAM), READS(1, BYTES_2)}},
    {"_ZNSi4readEPcl", {WRITES(0, STREAM), WRITES(1, BYTES_2)}},
    {"_ZNSo3putEc", {WRITES(0, STREAM)}},
    {"_ZNSo5flushEv", {WRITES(0, STREAM)}},
    {"_ZNSo9_M_insertI", {WRITES(0, STREAM)}},
    {"_ZNSolsE", {WRITES(0, STREAM)}},
    {"_ZNSo5seekp", {WRITES(0, STREAM)}},
    {"_ZNSo5tellp", {WRITES(0, STREAM)}},
    {"_ZNSi3getEv", {WRITES(0, STREAM)}},
    {"_ZNSi4peekEv", {WRITES(0, STREAM)}},
    {"_ZNSi5seekg", {WRITES(0, STREAM)}},
    {"_ZNSi5tellg", {WRITES(0, STREAM)}},
    {"_ZNSt9basic_iosIc", {WRITES(0, STREAM_BASE)}},
    {"_ZNKSt9basic_iosIc", {READS(0, STREAM_BASE)}},
    {"_ZNSt8ios_base", {WRITES(0, STREAM_BASE)}},
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKc", {WRITES(0, WORD), READS(1, STRING)}},
    {"_ZNSt13basic_filebufIc", {WRITES(0, WORD)}},
    {"_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKc", {WRITES(0, WORD), READS(1, STRING)}},
    {"_ZNSt14basic_ifstreamIc", {WRITES(0, WORD)}},
    {"_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1EPKc", {WRITES(0, WORD), READS(1, STRING)}},
    {"_ZNSt14basic_ofstreamIc", {WRITES(0, WORD)}},
    {"_ZNSt13basic_fstreamIc", {WRITES(0, WORD)}},
    {"_ZNSt15basic_streambufIc", {WRITES(0, WORD)}},
    {"_ZNSt7__cxx1115basic_stringbufIc", {WRITES(0, WORD)}},
    {"_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv", {READS(1, WORD)}},
    {"_ZNSt7__cxx1118basic_stringstreamIc", {WRITES(0, WORD)}},
    {"_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv", {READS(1, WORD)}},
    {"_ZNSt7__cxx1119basic_ostringstreamIc", {WRITES(0, WORD)}},
    {"_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv", {READS(1, WORD)}},
    {"_ZNSt7__cxx1119basic_istringstreamIc", {WRITES(0, WORD)}},
    {"_ZNSt12__basic_fileIc", {WRITES(0, WORD)}},
    {"_ZNKSt12__basic_fileIc", {READS(0, WORD)}},
    {"_ZNSt6thread15_M_start_thread", {WRITES(0, WORD)}},
    {"_ZNSt6thread6detach", {WRITES(0, WORD)}},
    {"_ZNSt6localeC", {WRITES(0, WORD)}},
    {"_ZNSt6localeD", {WRITES(0, WORD)}},
    {"_ZNSt6localeaS", {WRITES(0, WORD), READS(1, WORD)}},
    {"_ZSt9use_facet", {READS(0, WORD)}},
    {"_ZSt9has_facet", {READS(0, WORD)}},
    {"_ZNSt9bad_alloc", {WRITES(0, WORD)}},
    {"_ZNSt13bad_exception", {WRITES(0, WORD)}},
    {"_ZNSt8bad_cast", {WRITES(0, WORD)}},
    {"_ZNSt11logic_error", {WRITES(0, WORD)}},
    {"_ZNSt12out_of_range", {WRITES(0, WORD)}},
    {"_ZNSt12length_error", {WRITES(0, WORD)}},
    {"_ZNSt16invalid_argument", {WRITES(0, WORD)}},
    {"_ZNSt13runtime_error", {WRITES(0, WORD)}},
    {"_ZNSt12system_error", {WRITES(0, WORD)}},
    {"_ZNSt12future_error", {WRITES(0, WORD)}},
    {"_ZNSt15__exception_ptr13exception_ptrC1ERKS0_", {WRITES(0, WORD), READS(1, WORD)}},
    {"_ZNSt15__exception_ptr", {WRITES(0, WORD)}},
    {"_ZNSt13__future_base12_Result_base", {WRITES(0, WORD)}},
    {"_ZNKSt9type_info", {READS(0, WORD)}},
    {"_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehash", {WRITES(0, WORD)}},
    {"__dynamic_cast", {READS(0, WORD)}},
};

static bool begins(const char *name, const char *beginning)
{
	return strncmp(name, beginning, strlen(beginning)) == 0;
}

static int by_name(const void *a, const void *b)
{
	const struct memory_call *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

static size_t add_table(const struct memory_call *table, const struct memory_call **sorted, size_t length)
{
	for (; table->name; table++)
		sorted[length++] = table;
	return length;
}

/* The tables are sorted when they are first looked through: a program may call a hundred thousand functions. */
static const struct memory_call *find_in_tables(const char *name)
{
	static const struct memory_call *sorted[MEMORY_CALLS_MOST];
	static size_t length;
	const struct memory_call wanted = {.name = name}, *key = &wanted;
	if (!length) {
		length = add_table(memory_table_texts, sorted, 0);
		length = add_table(memory_table_files, sorted, length);
		length = add_table(memory_table_threads, sorted, length);
		length = add_table(memory_table_system, sorted, length);
		qsort(sorted, length, sizeof(*sorted), by_name);
	}
	const struct memory_call *const *found = bsearch(&key, sorted, length, sizeof(*sorted), by_name);
	return found ? *found : NULL;
}

const struct memory_call *memory_calls_find(const char *name)
{
	const struct memory_call *call = find_in_tables(name);
	if (call)
		return call;
	/* Static members have no object, and of one that returns an object the first argument is where that goes. */
	if (strstr(name, "_S_") || strstr(name, "6substr"))
		return NULL;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (begins(name, beginnings[i].name))
			return &beginnings[i];
	return NULL;
}

const char *memory_call_name(const struct memory_call *call)
{
	return call->name;
}

bool memory_call_formats(const struct memory_call *call)
{
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		if (call->parts[i].extent >= PRINTS && call->parts[i].extent <= WIDE_V_PRINTS)
			return true;
	return false;
}

bool memory_call_goes_on(const struct memory_call *call)
{
	for (size_t i = 0; i < MEMORY_PARTS; i++)
		if (call->parts[i].extent == CUT)
			return true;
	return false;
}

bool memory_call_unknown(const struct memory_call *call)
{
	return call->parts[0].extent == UNKNOWN;
}

/* Libc's own names of them begin so. */
static const char *without_prefix(const char *function)
{
	static const char prefix[] = "_IO_";
	return strncmp(function, prefix, strlen(prefix)) == 0 ? function + strlen(prefix) : function;
}

bool sampler_uses_stream(const char *function)
{
	const struct memory_call *call = memory_calls_find(without_prefix(function));
	for (size_t i = 0; call && i < MEMORY_PARTS; i++)
		if (call->parts[i].extent == STREAM_OBJECT)
			return true;
	return false;
}
