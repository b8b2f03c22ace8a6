/*
 * mappings CASE: two threads count in one word, without a lock, that each has by an address of its own (file, writable, memory, doubled,
 * pages, attached), or by code that is made at run time (code, early, protected). Or nothing of that is so: own, read, semaphore.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define PAGE 4096

static const char *program = "";
static int *words[2], count;
static void (*counts)(int *);
static sem_t *semaphore;

static void must(int good)
{
	if (!good)
		abort();
}

/* movl (%rdi), %eax; incl %eax; movl %eax, (%rdi); ret */
static void make_code(int first, int then)
{
	static const unsigned char code[] = {0x8b, 0x07, 0xff, 0xc0, 0x89, 0x07, 0xc3};
	void *page = mmap(NULL, PAGE, first, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(page != MAP_FAILED);
	memcpy(page, code, sizeof code);
	must(then == first || mprotect(page, PAGE, then) == 0);
	memcpy(&counts, &page, sizeof counts);
}

static int is(const char *name)
{
	return strcmp(program, name) == 0;
}

/* Before main(): the C library passes its arguments. */
__attribute__((constructor)) static void early(int argc, char **argv)
{
	program = argc > 1 ? argv[1] : "";
	if (is("early"))
		make_code(PROT_READ | PROT_WRITE | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void *map(int file, int protection, int flags, size_t size)
{
	void *page = mmap(NULL, size, protection, flags, file, 0);
	must(page != MAP_FAILED);
	return page;
}

static int make_file(void)
{
	char name[] = "mappings.XXXXXX";
	const int file = mkstemp(name);
	must(file >= 0 && unlink(name) == 0 && ftruncate(file, 2 * PAGE) == 0);
	return file;
}

static void map_twice(int file, int protection)
{
	for (int i = 0; i < 2; i++) {
		words[i] = map(file, protection, MAP_SHARED, PAGE);
		must(mprotect(words[i], PAGE, PROT_READ | PROT_WRITE) == 0);
	}
}

static void double_mapping(void)
{
	words[0] = map(-1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, PAGE);
	words[1] = mremap(words[0], 0, PAGE, MREMAP_MAYMOVE);
	must(words[1] != MAP_FAILED);
}

/* Both pages of the mapping are the file's first one. */
static void repeat_page(void)
{
	words[0] = map(-1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, 2 * PAGE);
	words[1] = words[0] + PAGE / sizeof *words[0];
	must(remap_file_pages(words[1], PAGE, 0, 0, 0) == 0);
}

static void attach(void)
{
	const int memory = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	for (int i = 0; i < 2; i++)
		must((words[i] = shmat(memory, NULL, 0)) != (void *)-1);
	must(shmctl(memory, IPC_RMID, NULL) == 0);
}

static void prepare(void)
{
	if (is("file"))
		map_twice(make_file(), PROT_READ | PROT_WRITE);
	else if (is("writable"))
		map_twice(make_file(), PROT_READ);
	else if (is("memory")) {
		const int file = memfd_create("mappings", 0);
		must(file >= 0 && ftruncate(file, PAGE) == 0);
		map_twice(file, PROT_READ | PROT_WRITE);
	} else if (is("doubled"))
		double_mapping();
	else if (is("pages"))
		repeat_page();
	else if (is("attached"))
		attach();
	else if (is("code"))
		make_code(PROT_READ | PROT_WRITE | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC);
	else if (is("protected"))
		make_code(PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC);
	else if (is("own"))
		(void)map(make_file(), PROT_READ | PROT_WRITE, MAP_PRIVATE, PAGE);
	else if (is("read"))
		(void)map(open("/proc/self/exe", O_RDONLY), PROT_READ, MAP_SHARED, PAGE);
	else if (is("semaphore")) {
		semaphore = sem_open("/fmc-mappings", O_CREAT, 0600, 1);
		must(semaphore != SEM_FAILED && sem_unlink("/fmc-mappings") == 0);
	} else
		must(is("early"));
}

static void *start(void *own)
{
	if (semaphore)
		must(sem_wait(semaphore) == 0);
	if (counts)
		counts(&count);
	else if (*(int **)own)
		++**(int volatile **)own;
	if (semaphore)
		must(sem_post(semaphore) == 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	prepare();
	for (int i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, start, &words[i]) == 0);
	for (int i = 0; i < 2; i++)
		must(pthread_join(threads[i], NULL) == 0);
	const int counted = words[0] ? *words[0] : count;
	return (words[0] || counts) && counted != 2;
}
