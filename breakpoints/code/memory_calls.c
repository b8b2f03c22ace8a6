/* Which functions touch memory for their caller: the table of them. */
#include "breakpoints/code/memory_parts.h"

#include <stdlib.h>
#include <string.h>

const char *memory_state_name(size_t i)
{
	static const char *const names[MEMORY_STATES] = {
	    [ENVIRONMENT] = "environ",	  [LOCALE] = "setlocale",    [RANDOM] = "rand",
	    [RANDOM_48] = "drand48",	  [TOKENS] = "strtok",	     [CALENDAR] = "localtime",
	    [USERS] = "getpwnam",	  [HOSTS] = "gethostbyname", [INPUT] = "_IO_2_1_stdin_",
	    [OUTPUT] = "_IO_2_1_stdout_", [OPTION] = "optind",	     [OPTION_ARGUMENT] = "optarg"};
	return i < MEMORY_STATES ? names[i] : NULL;
}

bool memory_state_shared(size_t i)
{
	return i == OPTION || i == OPTION_ARGUMENT;
}

#define READS(argument, extent)                                                                              \
	{                                                                                                    \
		argument, extent, false                                                                      \
	}
#define WRITES(argument, extent)                                                                             \
	{                                                                                                    \
		argument, extent, true                                                                       \
	}
/*
 * Streams. Who reads, seeks or asks where it is depends on whatever others do with the stream. Of two who write to it neither does, only
 * the output differs: so writing counts as a read, and all else as a write.
 */
#define STREAM_WRITTEN(argument) READS(argument, ONE)
#define STREAM_USED(argument)	 WRITES(argument, ONE)

static const struct memory_call calls[] = {
    {"memcpy", {WRITES(0, BYTES_2), READS(1, BYTES_2)}},
    {"__memcpy_chk", {WRITES(0, BYTES_2), READS(1, BYTES_2)}},
    {"memmove", {WRITES(0, BYTES_2), READS(1, BYTES_2)}},
    {"__memmove_chk", {WRITES(0, BYTES_2), READS(1, BYTES_2)}},
    {"mempcpy", {WRITES(0, BYTES_2), READS(1, BYTES_2)}},
    {"__mempcpy_chk", {WRITES(0, BYTES_2), READS(1, BYTES_2)}},
    {"memset", {WRITES(0, BYTES_2)}},
    {"__memset_chk", {WRITES(0, BYTES_2)}},
    {"bzero", {WRITES(0, BYTES_1)}},
    {"explicit_bzero", {WRITES(0, BYTES_1)}},
    {"__explicit_bzero_chk", {WRITES(0, BYTES_1)}},
    {"memcmp", {READS(0, BYTES_2), READS(1, BYTES_2)}},
    {"bcmp", {READS(0, BYTES_2), READS(1, BYTES_2)}},
    {"memchr", {READS(0, BYTES_2)}},
    {"strcpy", {WRITES(0, COPY), READS(1, STRING)}},
    {"__strcpy_chk", {WRITES(0, COPY), READS(1, STRING)}},
    {"stpcpy", {WRITES(0, COPY), READS(1, STRING)}},
    {"__stpcpy_chk", {WRITES(0, COPY), READS(1, STRING)}},
    {"strncpy", {WRITES(0, BYTES_2), READS(1, STRING_2)}},
    {"__strncpy_chk", {WRITES(0, BYTES_2), READS(1, STRING_2)}},
    {"strcat", {WRITES(0, APPENDED), READS(1, STRING)}},
    {"__strcat_chk", {WRITES(0, APPENDED), READS(1, STRING)}},
    {"strncat", {WRITES(0, APPENDED), READS(1, STRING_2)}},
    {"strlen", {READS(0, STRING)}},
    {"strnlen", {READS(0, ONE)}},
    {"strndup", {READS(0, STRING_2)}},
    {"strspn", {READS(0, STRING), READS(1, STRING)}},
    {"strcspn", {READS(0, STRING), READS(1, STRING)}},
    {"strpbrk", {READS(0, STRING), READS(1, STRING)}},
    {"memmem", {READS(0, BYTES_1), READS(2, ONE)}},
    {"memrchr", {READS(0, BYTES_2)}},
    {"strdup", {READS(0, STRING)}},
    {"strchr", {READS(0, STRING)}},
    {"strrchr", {READS(0, STRING)}},
    {"index", {READS(0, STRING)}},
    {"rindex", {READS(0, STRING)}},
    {"strtold", {READS(0, STRING)}},
    {"strtoumax", {READS(0, STRING)}},
    {"strtoimax", {READS(0, STRING)}},
    {"strcmp", {READS(0, STRING), READS(1, STRING)}},
    {"strcoll", {READS(0, STRING), READS(1, STRING)}},
    {"strcasecmp", {READS(0, STRING), READS(1, STRING)}},
    {"strstr", {READS(0, STRING), READS(1, STRING)}},
    {"strncmp", {READS(0, STRING_2), READS(1, STRING_2)}},
    {"strncasecmp", {READS(0, STRING_2), READS(1, STRING_2)}},
    {"atoi", {READS(0, STRING)}},
    {"atol", {READS(0, STRING)}},
    {"strtol", {READS(0, STRING)}},
    {"strtoul", {READS(0, STRING)}},
    {"strtoll", {READS(0, STRING)}},
    {"strtoull", {READS(0, STRING)}},
    {"strtod", {READS(0, STRING)}},
    {"strtof", {READS(0, STRING)}},
    {"atof", {READS(0, STRING)}},
    {"atoll", {READS(0, STRING)}},
    {"printf", {READS(0, PRINTS), READS(OUTPUT, STATE)}},
    {"__printf_chk", {READS(1, PRINTS), READS(OUTPUT, STATE)}},
    {"vprintf", {READS(0, V_PRINTS), READS(OUTPUT, STATE)}},
    {"__vprintf_chk", {READS(1, V_PRINTS), READS(OUTPUT, STATE)}},
    {"fprintf", {STREAM_WRITTEN(0), READS(1, PRINTS)}},
    {"__fprintf_chk", {STREAM_WRITTEN(0), READS(2, PRINTS)}},
    {"vfprintf", {STREAM_WRITTEN(0), READS(1, V_PRINTS)}},
    {"__vfprintf_chk", {STREAM_WRITTEN(0), READS(2, V_PRINTS)}},
    {"dprintf", {READS(1, PRINTS)}},
    {"__dprintf_chk", {READS(2, PRINTS)}},
    {"vdprintf", {READS(1, V_PRINTS)}},
    {"__vdprintf_chk", {READS(2, V_PRINTS)}},
    {"syslog", {READS(1, PRINTS)}},
    {"sprintf", {WRITES(0, ONE), READS(1, PRINTS)}},
    {"__sprintf_chk", {WRITES(0, ONE), READS(3, PRINTS)}},
    {"vsprintf", {WRITES(0, ONE), READS(1, V_PRINTS)}},
    {"__vsprintf_chk", {WRITES(0, ONE), READS(3, V_PRINTS)}},
    {"snprintf", {WRITES(0, ONE), READS(2, PRINTS)}},
    {"__snprintf_chk", {WRITES(0, ONE), READS(4, PRINTS)}},
    {"vsnprintf", {WRITES(0, ONE), READS(2, V_PRINTS)}},
    {"__vsnprintf_chk", {WRITES(0, ONE), READS(4, V_PRINTS)}},
    {"asprintf", {WRITES(0, WORD), READS(1, PRINTS)}},
    {"__asprintf_chk", {WRITES(0, WORD), READS(2, PRINTS)}},
    {"vasprintf", {WRITES(0, WORD), READS(1, V_PRINTS)}},
    {"__vasprintf_chk", {WRITES(0, WORD), READS(2, V_PRINTS)}},
    {"swprintf", {WRITES(0, ONE)}},
    {"__swprintf_chk", {WRITES(0, ONE)}},
    {"vswprintf", {WRITES(0, ONE)}},
    {"__vswprintf_chk", {WRITES(0, ONE)}},
    {"puts", {READS(0, STRING), READS(OUTPUT, STATE)}},
    {"putchar", {READS(OUTPUT, STATE)}},
    {"fputs", {READS(0, STRING), STREAM_WRITTEN(1)}},
    {"fputc", {STREAM_WRITTEN(1)}},
    {"putc", {STREAM_WRITTEN(1)}},
    {"_IO_putc", {STREAM_WRITTEN(1)}},
    {"scanf", {READS(0, SCANS), WRITES(INPUT, STATE)}},
    {"fscanf", {STREAM_USED(0), READS(1, SCANS)}},
    {"sscanf", {READS(0, STRING), READS(1, SCANS)}},
    {"vscanf", {READS(0, V_SCANS), WRITES(INPUT, STATE)}},
    {"vfscanf", {STREAM_USED(0), READS(1, V_SCANS)}},
    {"vsscanf", {READS(0, STRING), READS(1, V_SCANS)}},
    {"__isoc99_scanf", {READS(0, SCANS), WRITES(INPUT, STATE)}},
    {"__isoc99_fscanf", {STREAM_USED(0), READS(1, SCANS)}},
    {"__isoc99_sscanf", {READS(0, STRING), READS(1, SCANS)}},
    {"__isoc99_vscanf", {READS(0, V_SCANS), WRITES(INPUT, STATE)}},
    {"__isoc99_vfscanf", {STREAM_USED(0), READS(1, V_SCANS)}},
    {"__isoc99_vsscanf", {READS(0, STRING), READS(1, V_SCANS)}},
    {"__isoc23_scanf", {READS(0, SCANS), WRITES(INPUT, STATE)}},
    {"__isoc23_fscanf", {STREAM_USED(0), READS(1, SCANS)}},
    {"__isoc23_sscanf", {READS(0, STRING), READS(1, SCANS)}},
    {"__isoc23_vscanf", {READS(0, V_SCANS), WRITES(INPUT, STATE)}},
    {"__isoc23_vfscanf", {STREAM_USED(0), READS(1, V_SCANS)}},
    {"__isoc23_vsscanf", {READS(0, STRING), READS(1, V_SCANS)}},
    {"getline", {WRITES(0, WORD), WRITES(1, WORD), WRITES(0, THERE), STREAM_USED(2)}},
    {"getdelim", {WRITES(0, WORD), WRITES(1, WORD), WRITES(0, THERE), STREAM_USED(3)}},
    {"__getdelim", {WRITES(0, WORD), WRITES(1, WORD), WRITES(0, THERE), STREAM_USED(3)}},
    {"qsort", {WRITES(0, PRODUCT)}},
    {"qsort_r", {WRITES(0, PRODUCT)}},
    {"bsearch", {READS(0, ONE), READS(1, COUNTED)}},
    {"strtok", {WRITES(0, STRING), WRITES(TOKENS, STATE)}},
    {"strtok_r", {WRITES(0, STRING), WRITES(2, WORD)}},
    {"__strtok_r", {WRITES(0, STRING), WRITES(2, WORD)}},
    {"strsep", {WRITES(0, WORD), WRITES(0, THERE)}},
    {"getcwd", {WRITES(0, ONE)}},
    {"readlink", {WRITES(1, ONE)}},
    {"getenv", {READS(ENVIRONMENT, STATE)}},
    {"secure_getenv", {READS(ENVIRONMENT, STATE)}},
    {"setenv", {WRITES(ENVIRONMENT, STATE)}},
    {"putenv", {WRITES(ENVIRONMENT, STATE)}},
    {"unsetenv", {WRITES(ENVIRONMENT, STATE)}},
    {"clearenv", {WRITES(ENVIRONMENT, STATE)}},
    {"setlocale", {WRITES(LOCALE, STATE)}},
    {"localeconv", {READS(LOCALE, STATE)}},
    {"nl_langinfo", {READS(LOCALE, STATE)}},
    {"rand", {WRITES(RANDOM, STATE)}},
    {"srand", {WRITES(RANDOM, STATE)}},
    {"random", {WRITES(RANDOM, STATE)}},
    {"srandom", {WRITES(RANDOM, STATE)}},
    {"drand48", {WRITES(RANDOM_48, STATE)}},
    {"lrand48", {WRITES(RANDOM_48, STATE)}},
    {"mrand48", {WRITES(RANDOM_48, STATE)}},
    {"srand48", {WRITES(RANDOM_48, STATE)}},
    {"localtime", {WRITES(CALENDAR, STATE)}},
    {"gmtime", {WRITES(CALENDAR, STATE)}},
    {"ctime", {WRITES(CALENDAR, STATE)}},
    {"asctime", {WRITES(CALENDAR, STATE)}},
    {"getpwnam", {WRITES(USERS, STATE)}},
    {"getpwuid", {WRITES(USERS, STATE)}},
    {"gethostbyname", {WRITES(HOSTS, STATE)}},
    /* The program has the two variables for its own, or libc has. */
    {"getopt", {WRITES(1, WORDS_0), READS(2, STRING), WRITES(OPTION, STATE), WRITES(OPTION_ARGUMENT, STATE)}},
    {"getopt_long",
     {WRITES(1, WORDS_0), READS(2, STRING), WRITES(OPTION, STATE), WRITES(OPTION_ARGUMENT, STATE)}},
    {"gettext", {READS(0, STRING), READS(LOCALE, STATE)}},
    {"dgettext", {READS(0, STRING), READS(1, STRING), READS(LOCALE, STATE)}},
    {"dcgettext", {READS(0, STRING), READS(1, STRING), READS(LOCALE, STATE)}},
    {"ngettext", {READS(0, STRING), READS(1, STRING), READS(LOCALE, STATE)}},
    {"dngettext", {READS(0, STRING), READS(1, STRING), READS(2, STRING), READS(LOCALE, STATE)}},
    {"dcngettext", {READS(0, STRING), READS(1, STRING), READS(2, STRING), READS(LOCALE, STATE)}},
    {"textdomain", {READS(0, STRING), WRITES(LOCALE, STATE)}},
    {"bindtextdomain", {READS(0, STRING), READS(1, STRING), WRITES(LOCALE, STATE)}},
    {"bind_textdomain_codeset", {READS(0, STRING), READS(1, STRING), WRITES(LOCALE, STATE)}},
    {"__ctype_get_mb_cur_max", {READS(LOCALE, STATE)}},
    {"mbrtowc", {WRITES(0, ONE), READS(1, ONE), WRITES(3, ONE), READS(LOCALE, STATE)}},
    {"mbsinit", {READS(0, ONE)}},
    {"strxfrm", {WRITES(0, ONE), READS(1, STRING), READS(LOCALE, STATE)}},
    {"strcasestr", {READS(0, STRING), READS(1, STRING), READS(LOCALE, STATE)}},
    {"strchrnul", {READS(0, STRING)}},
    {"fcntl", {READS(2, LOCK_SET), WRITES(2, LOCK_GET)}},
    {"fcntl64", {READS(2, LOCK_SET), WRITES(2, LOCK_GET)}},
    {"error", {READS(2, PRINTS), READS(OUTPUT, STATE)}},
    {"__overflow", {STREAM_USED(0)}},
    {"__uflow", {STREAM_USED(0)}},
    {"__fpending", {STREAM_USED(0)}},
    {"__freading", {STREAM_USED(0)}},
    {"fflush_unlocked", {STREAM_USED(0)}},
    {"realpath", {READS(0, STRING), WRITES(1, ONE)}},
    {"symlink", {READS(0, STRING), READS(1, STRING)}},
    {"link", {READS(0, STRING), READS(1, STRING)}},
    {"mkstemp64", {WRITES(0, STRING)}},
    {"gethostname", {WRITES(0, ONE)}},
    {"statvfs64", {READS(0, STRING), WRITES(1, ONE)}},
    {"tcgetattr", {WRITES(1, ONE)}},
    {"tcsetattr", {READS(2, ONE)}},
    {"bind", {READS(1, BYTES_2)}},
    {"connect", {READS(1, BYTES_2)}},
    {"fgets", {WRITES(0, ONE), STREAM_USED(2)}},
    {"__fgets_chk", {WRITES(0, ONE), STREAM_USED(3)}},
    {"fread", {WRITES(0, PRODUCT), STREAM_USED(3)}},
    {"fwrite", {READS(0, PRODUCT), STREAM_WRITTEN(3)}},
    {"fgetc", {STREAM_USED(0)}},
    {"getc", {STREAM_USED(0)}},
    {"_IO_getc", {STREAM_USED(0)}},
    {"getc_unlocked", {STREAM_USED(0)}},
    {"getchar", {WRITES(INPUT, STATE)}},
    {"ungetc", {STREAM_USED(1)}},
    /* Without the lock of the stream, those who write must not do so at once. */
    {"fputc_unlocked", {STREAM_USED(1)}},
    {"putc_unlocked", {STREAM_USED(1)}},
    {"fputs_unlocked", {READS(0, STRING), STREAM_USED(1)}},
    {"fread_unlocked", {WRITES(0, PRODUCT), STREAM_USED(3)}},
    {"fwrite_unlocked", {READS(0, PRODUCT), STREAM_USED(3)}},
    {"fgetc_unlocked", {STREAM_USED(0)}},
    {"feof_unlocked", {STREAM_USED(0)}},
    {"ferror_unlocked", {STREAM_USED(0)}},
    {"clearerr_unlocked", {STREAM_USED(0)}},
    {"setbuf", {STREAM_USED(0)}},
    {"ftell", {STREAM_USED(0)}},
    {"ftello", {STREAM_USED(0)}},
    {"ftello64", {STREAM_USED(0)}},
    {"fseek", {STREAM_USED(0)}},
    {"fseeko", {STREAM_USED(0)}},
    {"fseeko64", {STREAM_USED(0)}},
    {"fgetpos", {STREAM_USED(0), WRITES(1, ONE)}},
    {"fsetpos", {STREAM_USED(0), READS(1, ONE)}},
    {"rewind", {STREAM_USED(0)}},
    {"feof", {STREAM_USED(0)}},
    {"ferror", {STREAM_USED(0)}},
    {"clearerr", {STREAM_USED(0)}},
    {"asctime_r", {READS(0, ONE), WRITES(1, ONE)}},
    {"ctime_r", {READS(0, WORD), WRITES(1, ONE)}},
    {"localtime_r", {READS(0, WORD), WRITES(1, ONE)}},
    {"gmtime_r", {READS(0, WORD), WRITES(1, ONE)}},
    {"mktime", {WRITES(0, ONE)}},
    {"strftime", {WRITES(0, ONE), READS(2, STRING), READS(3, ONE)}},
    {"rand_r", {WRITES(0, ONE)}},
    {"gettimeofday", {WRITES(0, ONE)}},
    {"clock_gettime", {WRITES(1, ONE)}},
    {"stat", {READS(0, STRING), WRITES(1, ONE)}},
    {"lstat", {READS(0, STRING), WRITES(1, ONE)}},
    {"fstat", {WRITES(1, ONE)}},
    {"fopen", {READS(0, STRING), READS(1, STRING)}},
    {"fopen64", {READS(0, STRING), READS(1, STRING)}},
    {"fdopen", {READS(1, STRING)}},
    {"fclose", {STREAM_USED(0)}},
    {"setvbuf", {STREAM_USED(0)}},
    {"fileno", {STREAM_WRITTEN(0)}},
    {"stat64", {READS(0, STRING), WRITES(1, ONE)}},
    {"lstat64", {READS(0, STRING), WRITES(1, ONE)}},
    {"fstat64", {WRITES(1, ONE)}},
    {"__xstat", {READS(1, STRING), WRITES(2, ONE)}},
    {"__lxstat", {READS(1, STRING), WRITES(2, ONE)}},
    {"__xstat64", {READS(1, STRING), WRITES(2, ONE)}},
    {"__lxstat64", {READS(1, STRING), WRITES(2, ONE)}},
    {"fstatat", {READS(1, STRING), WRITES(2, ONE)}},
    {"fstatat64", {READS(1, STRING), WRITES(2, ONE)}},
    {"__fxstat", {WRITES(2, ONE)}},
    {"__fxstat64", {WRITES(2, ONE)}},
    {"chmod", {READS(0, STRING)}},
    {"chown", {READS(0, STRING)}},
    {"lchown", {READS(0, STRING)}},
    {"euidaccess", {READS(0, STRING)}},
    {"truncate", {READS(0, STRING)}},
    {"opendir", {READS(0, STRING)}},
    {"readdir", {WRITES(0, ONE)}},
    {"readdir64", {WRITES(0, ONE)}},
    {"closedir", {WRITES(0, ONE)}},
    {"utime", {READS(0, STRING), READS(1, WORD)}},
    {"utimes", {READS(0, STRING), READS(1, WORD)}},
    {"utimensat", {READS(1, STRING), READS(2, WORD)}},
    {"futimesat", {READS(1, STRING), READS(2, WORD)}},
    {"futimens", {READS(1, WORD)}},
    {"mkstemp", {WRITES(0, STRING)}},
    {"mkostemp", {WRITES(0, STRING)}},
    {"mkdtemp", {WRITES(0, STRING)}},
    {"__open_2", {READS(0, STRING)}},
    {"__open64_2", {READS(0, STRING)}},
    {"__openat_2", {READS(1, STRING)}},
    {"__openat64_2", {READS(1, STRING)}},
    {"open", {READS(0, STRING)}},
    {"open64", {READS(0, STRING)}},
    {"openat", {READS(1, STRING)}},
    {"openat64", {READS(1, STRING)}},
    {"access", {READS(0, STRING)}},
    {"unlink", {READS(0, STRING)}},
    {"mkdir", {READS(0, STRING)}},
    {"rmdir", {READS(0, STRING)}},
    {"remove", {READS(0, STRING)}},
    {"rename", {READS(0, STRING), READS(1, STRING)}},
    {"chdir", {READS(0, STRING)}},
    {"system", {READS(0, STRING)}},
    {"perror", {READS(0, STRING)}},
    {"pipe", {WRITES(0, WORD)}},
    {"pipe2", {WRITES(0, WORD)}},
    {"waitpid", {WRITES(1, ONE)}},
    {"wait", {WRITES(0, ONE)}},
    {"poll", {WRITES(0, ONE)}},
    {"getrusage", {WRITES(1, ONE)}},
    {"getrlimit", {WRITES(1, ONE)}},
    {"getrlimit64", {WRITES(1, ONE)}},
    {"setrlimit", {READS(1, ONE)}},
    {"setrlimit64", {READS(1, ONE)}},
    {"getloadavg", {WRITES(0, ONE)}},
    {"sysinfo", {WRITES(0, ONE)}},
    {"uname", {WRITES(0, ONE)}},
    {"backtrace", {WRITES(0, ONE)}},
    {"getrandom", {WRITES(0, BYTES_1)}},
    {"sched_getaffinity", {WRITES(2, BYTES_1)}},
    {"sched_setaffinity", {READS(2, BYTES_1)}},
    {"__sched_cpucount", {READS(1, ONE)}},
    {"backtrace_symbols", {READS(0, ONE)}},
    {"posix_memalign", {WRITES(0, WORD)}},
    {"wcscpy", {WRITES(0, ONE), READS(1, ONE)}},
    {"wcscat", {WRITES(0, ONE), READS(1, ONE)}},
    {"wcscmp", {READS(0, ONE), READS(1, ONE)}},
    {"wcslen", {READS(0, ONE)}},
    {"read", {WRITES(1, BYTES_2)}},
    {"__read_chk", {WRITES(1, BYTES_2)}},
    {"pread", {WRITES(1, BYTES_2)}},
    {"pread64", {WRITES(1, BYTES_2)}},
    {"recv", {WRITES(1, BYTES_2)}},
    {"recvfrom", {WRITES(1, BYTES_2)}},
    {"write", {READS(1, BYTES_2)}},
    {"pwrite", {READS(1, BYTES_2)}},
    {"pwrite64", {READS(1, BYTES_2)}},
    {"send", {READS(1, BYTES_2)}},
    {"sendto", {READS(1, BYTES_2)}},
};

/* Members of std::string; those that aren't constant may change it. */
static const struct memory_call changes_string = {"", {WRITES(0, OBJECT)}};
static const struct memory_call reads_line = {"", {WRITES(1, OBJECT)}}; /* std::getline() */
static const struct memory_call asks_string = {"", {READS(0, OBJECT)}};

static bool begins(const char *name, const char *beginning)
{
	return strncmp(name, beginning, strlen(beginning)) == 0;
}

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static int by_name(const void *a, const void *b)
{
	const struct memory_call *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* The table is sorted when it is first looked through: a program may call a hundred thousand functions. */
static const struct memory_call *find_in_table(const char *name)
{
	static const struct memory_call *sorted[CALLS];
	const struct memory_call wanted = {.name = name}, *key = &wanted;
	if (!sorted[0]) {
		for (size_t i = 0; i < CALLS; i++)
			sorted[i] = &calls[i];
		qsort(sorted, CALLS, sizeof(*sorted), by_name);
	}
	const struct memory_call *const *found = bsearch(&key, sorted, CALLS, sizeof(*sorted), by_name);
	return found ? *found : NULL;
}

const struct memory_call *memory_calls_find(const char *name)
{
	const struct memory_call *call = find_in_table(name);
	if (call)
		return call;
	/* Static members have no object, and of one that returns an object the first argument is where that goes. */
	if (strstr(name, "_S_") || strstr(name, "6substr"))
		return NULL;
	if (begins(name, "_ZSt7getlineIc"))
		return &reads_line;
	if (begins(name, "_ZNSt7__cxx1112basic_stringIc"))
		return &changes_string;
	return begins(name, "_ZNKSt7__cxx1112basic_stringIc") ? &asks_string : NULL;
}

const char *memory_call_name(const struct memory_call *call)
{
	return call->name;
}

bool memory_call_unknown(const struct memory_call *call)
{
	return call->parts[0].extent == UNKNOWN;
}
