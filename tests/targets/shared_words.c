/* Words in memory that a process shares with its child, one a case: shared_words CASE. See tests/run-followed.sh. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
	atomic_bool lock;
	volatile bool ready;
	int data, count;
	char text[16];
};

static struct words *map(int file)
{
	struct words *words = mmap(NULL, sizeof *words, PROT_READ | PROT_WRITE,
				   MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
	assert(words != MAP_FAILED);
	return words;
}

static void add(struct words *words)
{
	words->count++;
}

static void add_locked(struct words *words)
{
	while (atomic_exchange(&words->lock, true))
		;
	words->count++;
	atomic_store(&words->lock, false);
}

/* The parent reads what the child has written before or after it says so. */
static void hand_over(struct words *words, bool child, bool early)
{
	if (child) {
		words->ready = early;
		words->data = 7;
		words->ready = true;
	} else {
		while (!words->ready)
			;
		assert(words->data == 7);
	}
	words->count = 2;
}

static void copy(struct words *words, bool child)
{
	char text[sizeof words->text];
	memset(text, child ? 'c' : 'p', sizeof text);
	memcpy(words->text, text, sizeof text);
	words->count = 2;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const bool apart = strcmp(how, "apart") == 0;
	int file = -1;
	if (apart) {
		file = memfd_create("words", 0);
		assert(file >= 0 && ftruncate(file, sizeof(struct words)) == 0);
	}
	struct words *words = apart ? NULL : map(-1);
	const pid_t child = fork();
	assert(child >= 0);
	/* Each has it at an address of its own. */
	if (apart && child > 0)
		(void)map(-1);
	if (apart)
		words = map(file);
	if (strcmp(how, "locked") == 0)
		add_locked(words);
	else if (strcmp(how, "early") == 0 || strcmp(how, "ready") == 0)
		hand_over(words, child == 0, strcmp(how, "early") == 0);
	else if (strcmp(how, "copied") == 0)
		copy(words, child == 0);
	else
		add(words);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	assert(words->count == 2);
	assert(words->text[0] == words->text[sizeof words->text - 1]);
	return 0;
}
