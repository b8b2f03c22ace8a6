/*
 * unordered HOW: two threads touch common memory, ordered by operations or not.
 *
 *   counter  both add to a variable                      locked   the same under a mutex
 *   heap     ... to a block on the heap                  local    ... to a variable of main's
 *   publish  one writes, then sets a flag; the other looks at the flag, then reads
 *   branch   one sets a flag after its unlock; the other takes the lock only if it isn't set
 *   helper   both add by a function, first under a mutex, then without
 *   late     the elements of an array have one owner each, but for the last ones
 *   copy     both let memcpy write into a buffer          copied   ... under a mutex
 *   print    ... snprintf                                 input    ... read
 *   behind   one snprintf, the other reads what comes behind the first byte; beyond: what comes behind all of that
 *   limits   ... getrlimit
 *   key      ... pthread_key_create                       result   ... pthread_join, each of its own thread
 *   value    one reads a variable that sem_getvalue writes for the other
 *   sort     ... qsort                                    line     ... getline, into a block that was there before
 *   scan     ... sscanf, by the seventh argument          told     one prints a string that strcpy writes for the other
 *   set      one sets a variable of the environment that the other one asks for
 *   rand     both draw a random number of libc's
 *   ask      one asks for the length of a string that strcpy writes for the other
 *   longer   both add to a variable; the second locks twenty times more if it comes first
 *   long     one's format names what the other writes beyond what is looked at; far: by a high number; strings: after many others
 *   once     both pass a pthread_once, and read what its routine wrote
 *   left     one adds to a variable, main leaves it alone by pthread_exit(), and a function of atexit() adds to it
 *   ended    the same, but main returns
 *   reused   blocks and stacks that one gives back become the other's
 *   large    large blocks that one gives back become the other's, aligned, made larger or cleared
 *   gone     one reads a block that the other gives back
 *   counted  both have a reference to a block, and whoever drops the last one gives it back; twice: both may see that none is left
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ELEMENTS 6

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int counter, data, made;
static volatile int flag;
static int array[2 * ELEMENTS];
static sem_t done;

static void *count(void *unused)
{
	counter++;
	return unused;
}

static void *count_locked(void *unused)
{
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *count_made(void *unused)
{
	counter++;
	pthread_mutex_lock(&mutex);
	made = 1;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *count_longer(void *unused)
{
	counter++;
	pthread_mutex_lock(&mutex);
	int more = made ? 0 : 20;
	pthread_mutex_unlock(&mutex);
	while (more-- > 0) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *count_at(void *argument)
{
	int *shared = argument;
	*shared += 1;
	return NULL;
}

static void *write_first(void *unused)
{
	data = 1;
	flag = 1;
	return unused;
}

static void *look_first(void *unused)
{
	return flag ? (void *)(long)data : unused;
}

static void *leave(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	flag = 1;
	return unused;
}

static void *look_before(void *unused)
{
	if (!flag) {
		pthread_mutex_lock(&mutex);
		data = 1;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static __attribute__((noinline)) void add_one(void)
{
	counter++;
}

static void *count_twice(void *unused)
{
	pthread_mutex_lock(&mutex);
	add_one();
	pthread_mutex_unlock(&mutex);
	add_one();
	return unused;
}

/* The first half is the first thread's, the second the other's; both begin with their own. */
static void *fill(void *argument)
{
	int from = argument ? ELEMENTS : 0;
	for (volatile int i = 0; i < ELEMENTS + 1; i++)
		array[(from + i) % (2 * ELEMENTS)]++;
	return NULL;
}

static void make(void)
{
	made = 1;
}

static void *pass(void *unused)
{
	pthread_once(&once, make);
	return made ? unused : (void *)1;
}

static void *use_block(void *unused)
{
	for (int i = 0; i < 20; i++) {
		volatile char *block = malloc(100);
		block[0] = (char)i;
		free((void *)block);
	}
	return unused;
}

static void *use_detached(void *unused)
{
	volatile int mine[100];
	mine[50] = 1;
	use_block(unused);
	sem_post(&done);
	return mine[50] ? NULL : unused;
}

static void count_at_end(void)
{
	counter++;
}

static void leave_alone(void)
{
	pthread_t thread;
	atexit(count_at_end);
	pthread_create(&thread, NULL, count, NULL);
	pthread_detach(thread);
}

static char buffer[64];
static const char text[] = "a text";
static volatile size_t text_bytes = sizeof text;

static void *copy(void *unused)
{
	memcpy(buffer, text, text_bytes);
	return unused;
}

static void *copy_locked(void *unused)
{
	pthread_mutex_lock(&mutex);
	memcpy(buffer, text, text_bytes);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *print(void *unused)
{
	snprintf(buffer, text_bytes, "%d", (int)text_bytes);
	return unused;
}

static void *look_behind(void *unused)
{
	return buffer[1] == 'x' ? NULL : unused;
}

static void *look_beyond(void *unused)
{
	return buffer[3] == 'x' ? NULL : unused;
}

static void *input(void *unused)
{
	int zeros = open("/dev/zero", O_RDONLY);
	if (zeros < 0 || read(zeros, buffer, text_bytes) < 0)
		abort();
	close(zeros);
	return unused;
}

static void *limits(void *unused)
{
	if (getrlimit(RLIMIT_NOFILE, (struct rlimit *)buffer))
		abort();
	return unused;
}

static void *write_string(void *unused)
{
	strcpy(buffer, text + text_bytes - 4);
	return unused;
}

static void *make_key(void *unused)
{
	static pthread_key_t key;
	pthread_key_create(&key, NULL);
	return unused;
}

static void *end_at_once(void *unused)
{
	return unused;
}

static void *take_result(void *unused)
{
	static void *result;
	pthread_t thread;
	pthread_create(&thread, NULL, end_at_once, NULL);
	pthread_join(thread, &result);
	return unused;
}

static void *take_value(void *unused)
{
	sem_getvalue(&done, &counter);
	return unused;
}

static void *look_at_value(void *unused)
{
	data = counter;
	return unused;
}

static void *ask(void *unused)
{
	return strlen(buffer) > text_bytes ? buffer : unused;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *sort(void *unused)
{
	qsort(array, ELEMENTS, sizeof *array, by_value);
	return unused;
}

static char *line;
static size_t line_bytes;

static void *read_line(void *unused)
{
	FILE *file = fopen("/proc/self/comm", "r");
	if (!file || getline(&line, &line_bytes, file) < 0)
		abort();
	fclose(file);
	return unused;
}

static void *scan(void *unused)
{
	int own[5];
	if (sscanf("1 2 3 4 5 6", "%d %d%*d %d %d %d", own, own + 1, own + 2, own + 3, &counter) != 5)
		abort();
	return unused;
}

static void *tell(void *unused)
{
	char own[99];
	snprintf(own, sizeof own, "%*d %g %s", 3, (int)text_bytes, 0.5, buffer);
	return own[0] == 'x' ? unused : NULL;
}

static __attribute__((noinline)) void tell_list(char *own, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(own, 99, format, list);
	va_end(list);
}

/* More than registers take, of either kind. */
static void *tell_listed(void *unused)
{
	char own[99];
	tell_list(own, "%d %d %d %d %d %g %Lg %s", 1, 2, 3, 4, 5, 0.5, 1.5L, buffer);
	return own[0] == 'x' ? unused : NULL;
}

static void *tell_numbered(void *unused)
{
	char own[99];
	snprintf(own, sizeof own, "%3$d %1$g %2$s", 0.5, buffer, 3);
	return own[0] == 'x' ? unused : NULL;
}

/* What a format is about that nobody looks at: at its end, by a high number, after many others. */
static void *tell_long(void *unused)
{
	char own[99], format[5000];
	memset(format, '.', sizeof format);
	memcpy(format + sizeof format - 3, "%s", 3);
	tell_list(own, format, buffer);
	return own[0] == 'x' ? unused : NULL;
}

static const char far[] = "%33$s%1$d%2$d%3$d%4$d%5$d%6$d%7$d%8$d%9$d%10$d%11$d%12$d%13$d%14$d%15$d%16$d%17$d"
			  "%18$d%19$d%20$d%21$d%22$d%23$d%24$d%25$d%26$d%27$d%28$d%29$d%30$d%31$d%32$d";

static void *tell_far(void *unused)
{
	char own[99];
	tell_list(own, far, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
		  24, 25, 26, 27, 28, 29, 30, 31, 32, buffer);
	return own[0] == 'x' ? unused : NULL;
}

static void *tell_strings(void *unused)
{
	const char *a = "a";
	char own[99];
	tell_list(own, "%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s", a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a,
		  buffer);
	return own[0] == 'x' ? unused : NULL;
}

static void *scan_listed(void *unused)
{
	if (sscanf("1 2", "%2$d %1$d", &counter, array) != 2)
		abort();
	return unused;
}

static FILE *stream;

static void *read_stream(void *unused)
{
	char own[9];
	return fgets(own, sizeof own, stream) ? unused : NULL;
}

static void *print_stream(void *unused)
{
	fprintf(stream, "%d\n", 1);
	return unused;
}

static void *ask_stream(void *unused)
{
	return ftell(stream) > 1 ? unused : NULL;
}

static void *read_own(void *unused)
{
	char own[9];
	FILE *file = fopen("/proc/self/comm", "r");
	if (!file || !fgets(own, sizeof own, file) || getc(file) == 1)
		abort();
	fclose(file);
	return unused;
}

static void *set(void *unused)
{
	setenv("UNORDERED", text, 1);
	return unused;
}

static void *get(void *unused)
{
	return getenv("UNORDERED") ? unused : NULL;
}

static void *draw(void *unused)
{
	return rand() == 0 ? unused : NULL;
}

static void two(void *(*first)(void *), void *(*second)(void *), void *one, void *other)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, one);
	pthread_create(&threads[1], NULL, second, other);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* Blocks of this thread's go to others by the heap alone: more of them than a thread keeps for itself. */
static void reuse(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sem_init(&done, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, &attributes, use_detached, NULL);
		use_block(NULL);
	}
	sem_wait(&done);
	sem_wait(&done);
}

/* Blocks that no thread keeps for itself, by all that gives them out. */
static void *use_large(void *unused)
{
	char *blocks[4], *larger;
	blocks[0] = malloc(3000);
	blocks[1] = calloc(3, 1000);
	blocks[2] = aligned_alloc(64, 3008);
	if (posix_memalign((void **)&blocks[3], 64, 3008) != 0)
		abort();
	for (int i = 0; i < 4; i++)
		blocks[i][2500] = (char)i;
	larger = realloc(blocks[0], 6000);
	larger[5500] = 1;
	for (int i = 1; i < 4; i++)
		free(blocks[i]);
	free(larger);
	return unused;
}

struct counted {
	int filler[6];
	int number;
	atomic_int references;
};

static struct counted *counted;

static void *read_number(void *unused)
{
	return counted->number == 0 ? unused : NULL;
}

static void *give_back(void *unused)
{
	free(counted);
	return unused;
}

static void *drop(void *unused)
{
	if (atomic_fetch_sub(&counted->references, 1) == 1)
		free(counted);
	return unused;
}

static void *drop_twice(void *unused)
{
	struct counted *mine = counted;
	atomic_fetch_sub(&mine->references, 1);
	if (atomic_load(&mine->references) == 0)
		free(mine);
	return unused;
}

static void count_references(void *(*first)(void *), void *(*second)(void *))
{
	counted = calloc(1, sizeof *counted);
	atomic_store(&counted->references, 2);
	two(first, second, NULL, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int local = 0;
	int *block = calloc(4, sizeof *block);
	if (strcmp(how, "line") == 0)
		line = malloc(line_bytes = 100);
	if (strcmp(how, "counter") == 0)
		two(count, count, NULL, NULL);
	else if (strcmp(how, "longer") == 0)
		two(count_made, count_longer, NULL, NULL);
	else if (strcmp(how, "locked") == 0)
		two(count_locked, count_locked, NULL, NULL);
	else if (strcmp(how, "heap") == 0)
		two(count_at, count_at, &block[2], &block[2]);
	else if (strcmp(how, "local") == 0)
		two(count_at, count_at, &local, &local);
	else if (strcmp(how, "publish") == 0)
		two(write_first, look_first, NULL, NULL);
	else if (strcmp(how, "branch") == 0)
		two(leave, look_before, NULL, NULL);
	else if (strcmp(how, "helper") == 0)
		two(count_twice, count_twice, NULL, NULL);
	else if (strcmp(how, "late") == 0)
		two(fill, fill, NULL, array);
	else if (strcmp(how, "once") == 0)
		two(pass, pass, NULL, NULL);
	else if (strcmp(how, "copy") == 0)
		two(copy, copy, NULL, NULL);
	else if (strcmp(how, "copied") == 0)
		two(copy_locked, copy_locked, NULL, NULL);
	else if (strcmp(how, "print") == 0)
		two(print, print, NULL, NULL);
	else if (strcmp(how, "behind") == 0)
		two(print, look_behind, NULL, NULL);
	else if (strcmp(how, "beyond") == 0)
		two(print, look_beyond, NULL, NULL);
	else if (strcmp(how, "input") == 0)
		two(input, input, NULL, NULL);
	else if (strcmp(how, "limits") == 0)
		two(limits, limits, NULL, NULL);
	else if (strcmp(how, "key") == 0)
		two(make_key, make_key, NULL, NULL);
	else if (strcmp(how, "result") == 0)
		two(take_result, take_result, NULL, NULL);
	else if (strcmp(how, "value") == 0)
		two(take_value, look_at_value, NULL, NULL);
	else if (strcmp(how, "ask") == 0)
		two(write_string, ask, NULL, NULL);
	else if (strcmp(how, "sort") == 0)
		two(sort, sort, NULL, NULL);
	else if (strcmp(how, "line") == 0)
		two(read_line, read_line, NULL, NULL);
	else if (strcmp(how, "scan") == 0)
		two(scan, scan, NULL, NULL);
	else if (strcmp(how, "told") == 0)
		two(write_string, tell, NULL, NULL);
	else if (strcmp(how, "listed") == 0)
		two(write_string, tell_listed, NULL, NULL);
	else if (strcmp(how, "numbered") == 0)
		two(write_string, tell_numbered, NULL, NULL);
	else if (strcmp(how, "long") == 0)
		two(write_string, tell_long, NULL, NULL);
	else if (strcmp(how, "far") == 0)
		two(write_string, tell_far, NULL, NULL);
	else if (strcmp(how, "strings") == 0)
		two(write_string, tell_strings, NULL, NULL);
	else if (strcmp(how, "scans") == 0)
		two(scan_listed, scan_listed, NULL, NULL);
	else if (strcmp(how, "lines") == 0 && (stream = fopen("/etc/passwd", "r")))
		two(read_stream, read_stream, NULL, NULL);
	else if (strcmp(how, "where") == 0 && (stream = fopen("/dev/null", "w")))
		two(print_stream, ask_stream, NULL, NULL);
	else if (strcmp(how, "printed") == 0 && (stream = fopen("/dev/null", "w")))
		two(print_stream, print_stream, NULL, NULL);
	else if (strcmp(how, "prints") == 0 && (stream = stderr))
		two(print_stream, print_stream, NULL, NULL);
	else if (strcmp(how, "streams") == 0)
		two(read_own, read_own, NULL, NULL);
	else if (strcmp(how, "set") == 0)
		two(set, get, NULL, NULL);
	else if (strcmp(how, "rand") == 0)
		two(draw, draw, NULL, NULL);
	else if (strcmp(how, "ended") == 0 || strcmp(how, "left") == 0)
		leave_alone();
	else if (strcmp(how, "reused") == 0)
		reuse();
	else if (strcmp(how, "large") == 0 && mallopt(M_ARENA_MAX, 1))
		two(use_large, use_large, NULL, NULL);
	else if (strcmp(how, "gone") == 0)
		count_references(give_back, read_number);
	else if (strcmp(how, "counted") == 0)
		count_references(drop, drop);
	else if (strcmp(how, "twice") == 0)
		count_references(drop_twice, drop_twice);
	free(block);
	if (strcmp(how, "left") == 0)
		pthread_exit(NULL);
	return 0;
}
