/*
 * file_names [any] CASE: two threads meet at names of files in the folder TMPDIR; which of them is first makes the difference, and one of the orders aborts,
 * but with `any`. late: a lock file that is looked for, then made; far: the same by a long path; made: a folder; beside: the same, with a lock before or after it; moved: a file to one name or the other; removed: one of two; linked; below: a file in a folder that
 * the other one makes; above: in one, by a link that it renames; through: by a link whose target it removes;
 * bound: a socket; connected: one that the other one connects to. whole: a
 * lock file as it should be: no order aborts; emptied: what fmc is to name; own: each has names of its own.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int any, entered, results[2];

static void must(int good)
{
	if (!good)
		abort();
}

static void make(const char *name)
{
	const int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	must(file >= 0 && close(file) == 0);
}

static void enter(void)
{
	pthread_mutex_lock(&mutex);
	entered++;
	pthread_mutex_unlock(&mutex);
}

static void lock_late(int me)
{
	(void)me;
	if (access("lock", F_OK) == 0)
		return;
	const int file = open("lock", O_CREAT | O_WRONLY, 0600);
	must(file >= 0 && close(file) == 0);
	enter();
}

static void lock_whole(int me)
{
	(void)me;
	const int file = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (file >= 0) {
		close(file);
		enter();
	}
}

/* By a path of more than a thousand characters. */
static void lock_far(int me)
{
	char path[1200];
	size_t length = 0;
	while (length < 1024) {
		path[length++] = '.';
		path[length++] = '/';
	}
	(void)me;
	strcpy(path + length, "lock");
	if (access(path, F_OK) == 0)
		return;
	const int file = open("lock", O_CREAT | O_WRONLY, 0600);
	must(file >= 0 && close(file) == 0);
	enter();
}

static void make_folder(int me)
{
	results[me] = mkdir("folder", 0700);
}

/* The lock is nothing to the name. */
static void make_beside(int me)
{
	if (me)
		enter();
	make_folder(me);
	if (!me)
		enter();
}

static void make_source(void)
{
	make("source");
}

static void move(int me)
{
	results[me] = rename("source", me ? "right" : "left");
}

static void remove_or_look(int me)
{
	struct stat file;
	results[me] = me ? unlink("source") : stat("source", &file);
}

static void link_or_remove(int me)
{
	results[me] = me ? unlink("source") : link("source", "left");
}

static void make_above(void)
{
	must(mkdir("right", 0700) == 0 && chdir("right") == 0);
	make("source");
	must(chdir("..") == 0 && symlink("right", "folder") == 0);
}

static void make_or_enter(int me)
{
	const int file = me ? open("folder/file", O_CREAT | O_WRONLY, 0600) : -1;
	results[me] = me ? file < 0 : mkdir("folder", 0700);
	if (file >= 0)
		close(file);
}

static void rename_or_enter(int me)
{
	struct stat file;
	results[me] = me ? stat("folder/source", &file) : rename("folder", "left");
}

static void make_linked(void)
{
	make("source");
	must(symlink("source", "link") == 0);
}

static void remove_or_follow(int me)
{
	results[me] = me ? unlink("source") : access("link", F_OK);
}

static void empty(int me)
{
	const int file = open("source", me ? O_WRONLY | O_TRUNC : O_RDONLY);
	must(file >= 0 && close(file) == 0);
}

/* A socket by a path, which the other one looks for, too; it isn't listened to. */
static void bind_or_look(int me)
{
	const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	const int own = socket(AF_UNIX, SOCK_STREAM, 0);
	must(own >= 0);
	if (me)
		results[me] = access("socket", F_OK);
	else
		results[me] = bind(own, (const struct sockaddr *)&name, sizeof name);
	close(own);
}

/* Without a zero at the path's end. */
static void bind_or_connect(int me)
{
	struct {
		struct sockaddr_un name;
		char behind;
	} room = {{.sun_family = AF_UNIX}, 0};
	const int own = socket(AF_UNIX, SOCK_DGRAM, 0);
	const socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen("socket");
	memcpy(room.name.sun_path, "socket", strlen("socket"));
	must(own >= 0);
	if (me)
		results[me] = connect(own, (const struct sockaddr *)&room.name, length);
	else
		results[me] = bind(own, (const struct sockaddr *)&room.name, length);
	if (me)
		close(own);
}

static void use_own(int me)
{
	const char *const names[] = {"left", "right"};
	struct stat file;
	make(names[me]);
	must(stat(names[me], &file) == 0 && unlink(names[me]) == 0 && stat(names[me], &file) != 0);
}

/* What comes of it when the first one is first; through: when it is second. */
static const struct {
	const char *name;
	void (*prepare)(void);
	void (*act)(int me);
	int first[2];
	int entered;
} cases[] = {
    {"late", NULL, lock_late, {0, 0}, 1},
    {"far", NULL, lock_far, {0, 0}, 1},
    {"whole", NULL, lock_whole, {0, 0}, 1},
    {"made", NULL, make_folder, {0, -1}, 0},
    {"beside", NULL, make_beside, {0, -1}, 2},
    {"moved", make_source, move, {0, -1}, 0},
    {"removed", make_source, remove_or_look, {0, 0}, 0},
    {"linked", make_source, link_or_remove, {0, 0}, 0},
    {"below", NULL, make_or_enter, {0, 0}, 0},
    {"above", make_above, rename_or_enter, {0, -1}, 0},
    {"through", make_linked, remove_or_follow, {-1, 0}, 0},
    {"bound", NULL, bind_or_look, {0, 0}, 0},
    {"connected", NULL, bind_or_connect, {0, 0}, 0},
    {"emptied", make_source, empty, {0, 0}, 0},
    {"own", NULL, use_own, {0, 0}, 0},
};
static size_t chosen;

static void *act(void *me)
{
	cases[chosen].act(me != NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	const char *folder = getenv("TMPDIR");
	any = argc > 2 && strcmp(argv[1], "any") == 0;
	must(folder && chdir(folder) == 0);
	while (chosen < sizeof cases / sizeof cases[0] && strcmp(cases[chosen].name, argv[argc - 1]) != 0)
		chosen++;
	must(chosen < sizeof cases / sizeof cases[0]);
	if (cases[chosen].prepare)
		cases[chosen].prepare();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, act, i ? threads : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	must(any || (entered == cases[chosen].entered && results[0] == cases[chosen].first[0] &&
		     results[1] == cases[chosen].first[1]));
	return 0;
}
