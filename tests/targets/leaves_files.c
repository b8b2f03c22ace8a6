/*
 * Threads of which the first to come changes files in its working folder in every way there is, and expects each as tests/run-environment.sh
 * has made it; "once" more: a name that must be free in /dev/shm. With "fails" it comes to a deadlock then, if the second thread was first.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int came, fails;

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "not as before: %s (%s)\n", what, strerror(errno));
	exit(9);
}

#define EXPECT(x) expect(x, #x)

static void in_place(void)
{
	struct stat now;
	char text[8] = "";
	EXPECT(stat("old.txt", &now) == 0 && now.st_size == 4 && (now.st_mode & 07777) == 0640 &&
	       now.st_mtime == 1000000000);
	const int old = open("old.txt", O_RDWR);
	EXPECT(old >= 0 && read(old, text, 4) == 4 && strcmp(text, "old\n") == 0);
	EXPECT(pwrite(old, "NEW", 3, 0) == 3 && ftruncate(old, 3) == 0 && close(old) == 0);
	EXPECT(chmod("old.txt", 0600) == 0);
	EXPECT(truncate("long.txt", 1) == 0);
	const int mapped = open("mapped", O_RDWR);
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mapped, 0);
	EXPECT(mapped >= 0 && at != MAP_FAILED && at[5] == 'm');
	at[5] = 'X';
}

static void names(void)
{
	char text[32] = "";
	EXPECT(unlink("gone.txt") == 0);
	EXPECT(rmdir("empty") == 0);
	EXPECT(mkdir("new", 0755) == 0 && mkdir("new/inner", 0755) == 0);
	const int made = open("new/inner/made", O_CREAT | O_EXCL | O_WRONLY, 0644);
	EXPECT(made >= 0 && write(made, "x", 1) == 1 && close(made) == 0);
	EXPECT(rename("new/inner/made", "new/moved") == 0);
	EXPECT(rename("a.txt", "b.txt") == 0);
	EXPECT(symlink("old.txt", "symbolic") == 0 && link("old.txt", "hard") == 0);
	EXPECT(readlink("link", text, sizeof text) == 7 && unlink("link") == 0);
	EXPECT(mkfifo("fifo", 0600) == 0);
}

static void elsewhere(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	const int bound = socket(AF_UNIX, SOCK_STREAM, 0);
	EXPECT(bind(bound, (struct sockaddr *)&address, sizeof address) == 0);
	char name[64];
	snprintf(name, sizeof name, "/fmc-leaves-%s", getenv("LEAVES_NAME"));
	const int memory = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	EXPECT(memory >= 0 && ftruncate(memory, 100) == 0);
	EXPECT(system("test ! -e child.txt && echo hi >child.txt && rm c.txt") == 0);
}

static void *change(void *number)
{
	pthread_mutex_lock(&lock);
	if (!came++) {
		in_place();
		names();
		elsewhere();
		if (fails && *(int *)number == 2)
			pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[] = {1, 2};
	pthread_t threads[2];
	fails = argc > 1 && strcmp(argv[1], "fails") == 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, change, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
