/*
 * Functions of libc's whose calls race with each other, or with the program's own accesses: what depends on their order is found only where
 * threads are switched before them. Argument: which; a second one: as it should be.
 *
 *     tokens   strtok, whose place in a string is libc's       date     gmtime, whose result is
 *     ask      getenv twice while another one sets it          half     strcpy while another one reads
 *     freed    strcmp of a block that is given back            closed   fprintf to a stream that is closed
 *     length   strlen of what is longer for a moment          sort     qsort, whose function locks, of what another one changes
 *     rand     both draw a number, in any order                wait     strcmp in a loop that waits
 *     moved    mremap of what another one writes to            detached shmdt
 *     shrunk   mremap of what lies behind that                 encoded  l64a, whose result is libc's
 *     digits   ecvt, the same                                  decoded  mbrtowc of half a character each
 *     exits    on_exit, whose functions run in reverse order  emptied  madvise of what another one writes
 *     replaced mmap of it                                     secured  mprotect of it
 *     letters  iswalpha while another one sets the locale      zone     timezone, a variable that mktime sets
 *     zones    both by mktime, which libc locks
 */
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool right;
static char text[16] = "aaaaaaa", *name;
static FILE *stream;
static int numbers[3];
static char *pages;

#define PAGE 4096

static void enter(void)
{
	if (right)
		pthread_mutex_lock(&lock);
}

static void leave(void)
{
	if (right)
		pthread_mutex_unlock(&lock);
}

static void *take_apart(void *words)
{
	char own[16], *rest = own;
	int length = 0;
	snprintf(own, sizeof own, "%s", (char *)words);
	if (right)
		while (strtok_r(rest, " ", &rest))
			length++;
	else
		for (char *word = strtok(own, " "); word; word = strtok(NULL, " "))
			length++;
	assert(length == 3);
	return NULL;
}

static void *find_year(void *argument)
{
	const time_t now = *(time_t *)argument;
	struct tm own, *date = right ? gmtime_r(&now, &own) : gmtime(&now);
	assert(date->tm_year == (now > 0 ? 101 : 70));
	return NULL;
}

/* Each has words of its own. */
static void *encode(void *words)
{
	const long number = *(char *)words == 'a' ? 77 : 123456789;
	char own[16];
	enter();
	strcpy(own, l64a(number));
	leave();
	assert(a64l(own) == number);
	return NULL;
}

static void *write_digits(void *words)
{
	const bool first = *(char *)words == 'a';
	char own[16];
	int point, sign;
	enter();
	strcpy(own, ecvt(first ? 1.5 : 2.5, 4, &point, &sign));
	leave();
	assert(*own == (first ? '1' : '2'));
	return NULL;
}

/* One byte each time: what has come is libc's, or the caller's. */
static void *decode(void *unused)
{
	static const char character[] = "\303\251";
	mbstate_t own = {0};
	wchar_t wide = 0;
	(void)mbrtowc(&wide, character, 1, right ? &own : NULL);
	const size_t bytes = mbrtowc(&wide, character + 1, 1, right ? &own : NULL);
	assert(bytes == 1 && wide == 0xe9);
	return unused;
}

static void end_first(int status, void *unused)
{
	(void)status;
	(void)unused;
	*text = 'b';
}

static void end_second(int status, void *unused)
{
	(void)status;
	(void)unused;
	assert(right || *text == 'a');
}

static void *leave_first(void *unused)
{
	on_exit(end_first, NULL);
	return unused;
}

static void *leave_second(void *unused)
{
	on_exit(end_second, NULL);
	return unused;
}

static void *set_variable(void *unused)
{
	pthread_mutex_lock(&lock);
	setenv("FMC_LIBRARY", "2", 1);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *ask_twice(void *unused)
{
	enter();
	const char *one = getenv("FMC_LIBRARY"), *two = getenv("FMC_LIBRARY");
	assert(one && two && strcmp(one, two) == 0);
	leave();
	return unused;
}

static void *set_locale(void *unused)
{
	enter();
	assert(setlocale(LC_CTYPE, "C"));
	assert(setlocale(LC_CTYPE, "C.UTF-8"));
	leave();
	return unused;
}

static void *ask_for_letter(void *unused)
{
	enter();
	assert(iswalpha(0xe9));
	leave();
	return unused;
}

/* Before, the time zone is another one than the environment says. */
static void *set_zone(void *unused)
{
	struct tm date = {.tm_year = 100, .tm_mday = 1};
	enter();
	(void)mktime(&date);
	leave();
	return unused;
}

static void *ask_for_zone(void *unused)
{
	enter();
	assert(timezone == 0 || (right && timezone == -3600));
	leave();
	return unused;
}

static void *write_text(void *unused)
{
	enter();
	strcpy(text, "bb");
	leave();
	return unused;
}

static void *read_text(void *unused)
{
	char own[16];
	enter();
	strcpy(own, text);
	leave();
	assert(strcmp(own, "aaaaaaa") == 0 || strcmp(own, "bb") == 0);
	return unused;
}

static void *replace_name(void *unused)
{
	char *other = malloc(32);
	strcpy(other, "new");
	pthread_mutex_lock(&lock);
	char *old = name;
	name = other;
	if (right)
		free(old);
	pthread_mutex_unlock(&lock);
	if (!right)
		free(old);
	return unused;
}

static void *compare_name(void *unused)
{
	pthread_mutex_lock(&lock);
	const char *now = name;
	if (!right)
		pthread_mutex_unlock(&lock);
	assert(strcmp(now, "old") == 0 || strcmp(now, "new") == 0);
	if (right)
		pthread_mutex_unlock(&lock);
	return unused;
}

static void *print(void *unused)
{
	enter();
	if (stream)
		fprintf(stream, "x");
	leave();
	return unused;
}

static void *close_stream(void *unused)
{
	pthread_mutex_lock(&lock);
	FILE *old = stream;
	stream = NULL;
	fclose(old);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *make_longer(void *unused)
{
	volatile char *end = &text[7];
	enter();
	*end = 'a';
	*end = 0;
	leave();
	return unused;
}

static void *measure(void *unused)
{
	enter();
	assert(strlen(text) == 7);
	leave();
	return unused;
}

static int compare(const void *a, const void *b)
{
	pthread_mutex_lock(&lock);
	const int x = *(const int *)a, y = *(const int *)b;
	pthread_mutex_unlock(&lock);
	return x < y ? -1 : x > y;
}

static void *sort(void *unused)
{
	qsort(numbers, 3, sizeof *numbers, compare);
	return unused;
}

static void *draw(void *unused)
{
	return rand() < 0 ? NULL : unused;
}

static void *wait_for_text(void *unused)
{
	enter();
	while (strcmp(text, "bb") != 0) {
		leave();
		sched_yield();
		enter();
	}
	leave();
	return unused;
}

static void move_away(char *there)
{
	assert(mremap(there, PAGE, 64 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED);
}

static void detach(char *there)
{
	assert(shmdt(there) == 0);
}

static void secure(char *there)
{
	assert(mprotect(there, PAGE, PROT_READ) == 0);
}

static void *take_pages(void (*take)(char *))
{
	pthread_mutex_lock(&lock);
	char *there = pages;
	pages = NULL;
	if (right)
		take(there);
	pthread_mutex_unlock(&lock);
	if (!right)
		take(there);
	return NULL;
}

static void *move_pages(void *unused)
{
	return unused ? take_pages(move_away) : NULL;
}

static void *secure_pages(void *unused)
{
	return unused ? take_pages(secure) : NULL;
}

static void *detach_pages(void *unused)
{
	return unused ? take_pages(detach) : NULL;
}

static void *shrink_pages(void *unused)
{
	assert(mremap(pages, 2 * PAGE, PAGE, 0) == pages);
	return unused;
}

static void *write_page(void *unused)
{
	pthread_mutex_lock(&lock);
	char *now = pages;
	if (!right)
		pthread_mutex_unlock(&lock);
	if (now)
		now[1] = 'a';
	if (right)
		pthread_mutex_unlock(&lock);
	return unused;
}

static void *empty_page(void *unused)
{
	enter();
	assert(madvise(pages, PAGE, MADV_DONTNEED) == 0);
	leave();
	return unused;
}

static void *replace_page(void *unused)
{
	enter();
	assert(mmap(pages, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	       pages);
	leave();
	return unused;
}

static void *keep_in_page(void *unused)
{
	enter();
	*(volatile char *)pages = 'b';
	assert(*(volatile char *)pages == 'b');
	leave();
	return unused;
}

static char *map_pages(size_t length)
{
	/* What comes after it can't be moved away. */
	char *all =
	    mmap(NULL, (length + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(all != MAP_FAILED);
	return all;
}

static char *attach_pages(void)
{
	const int segment = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	char *all = shmat(segment, NULL, 0);
	assert(segment >= 0 && all != (char *)-1 && shmctl(segment, IPC_RMID, NULL) == 0);
	return all;
}

static const struct {
	const char *how;
	void *(*one)(void *), *(*other)(void *);
} cases[] = {{"tokens", take_apart, take_apart},
	     {"date", find_year, find_year},
	     {"encoded", encode, encode},
	     {"digits", write_digits, write_digits},
	     {"decoded", decode, decode},
	     {"exits", leave_first, leave_second},
	     {"ask", set_variable, ask_twice},
	     {"letters", set_locale, ask_for_letter},
	     {"zone", ask_for_zone, set_zone},
	     {"zones", set_zone, set_zone},
	     {"half", write_text, read_text},
	     {"freed", replace_name, compare_name},
	     {"closed", print, close_stream},
	     {"length", make_longer, measure},
	     {"sort", sort, sort},
	     {"rand", draw, draw},
	     {"wait", write_text, wait_for_text},
	     {"moved", move_pages, write_page},
	     {"detached", detach_pages, write_page},
	     {"secured", secure_pages, write_page},
	     {"emptied", empty_page, keep_in_page},
	     {"replaced", replace_page, keep_in_page},
	     {"shrunk", shrink_pages, write_page}};

int main(int argc, char **argv)
{
	static char words[2][8] = {"a b c", "d e f"};
	static time_t times[2] = {0, 1000001000};
	pthread_t a, b;
	right = argc > 2;
	setenv("TZ", "FMC0", 1);
	tzset();
	setenv("TZ", "FMC-1", 1);
	setenv("FMC_LIBRARY", "1", 1);
	assert(setlocale(LC_CTYPE, "C.UTF-8"));
	name = malloc(32);
	strcpy(name, "old");
	stream = fopen("/dev/null", "w");
	if (argc > 1)
		pages = strcmp(argv[1], "detached") == 0 ? attach_pages() : map_pages(1);
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++) {
		if (strcmp(argv[1], cases[i].how) != 0)
			continue;
		const bool date = cases[i].one == find_year;
		pthread_create(&a, NULL, cases[i].one, date ? (void *)&times[0] : words[0]);
		pthread_create(&b, NULL, cases[i].other, date ? (void *)&times[1] : words[1]);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		return 0;
	}
	return 1;
}
