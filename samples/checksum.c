/*
 * Checksums of all files of a folder, worked out by a small thread pool: `checksum FOLDER [WORKERS]` prints a
 * line a file, sorted by name.
 *
 * There is a mistake in pool_stop(). The flag is atomic, so it seems that it needs no lock. But a worker that
 * has just read it as false, and is about to wait, is not waiting yet when the broadcast comes: it sleeps
 * through its own shutdown, and main waits for it for ever. Setting the flag under the queue's lock mends it.
 * The window is a few instructions wide and main comes to it only after a wakeup of its own, so that running
 * the program many thousand times shows nothing.
 *
 * fmc-options:
 * fmc-args: samples/texts
 * fmc-verdict: deadlock
 * fmc-message: more
 *
 * fmc-options: --strategy cb:1
 * fmc-args: samples/texts 2
 * fmc-long: yes
 * fmc-verdict: deadlock
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORKERS = 16, BLOCK = 65536 };

struct job {
	char *path;
	const char *name; /* the last part of path */
	uint64_t sum;
	int error; /* errno, 0 if all went well */
	struct job *next;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct job *first, **end;
};

struct results {
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	size_t done;
};

struct pool {
	pthread_t workers[MOST_WORKERS];
	int size;
	atomic_bool stop;
	struct queue queue;
	struct results results;
};

static struct pool pool = {
    .queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .end = &pool.queue.first},
    .results = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER},
};

/* FNV-1a over the contents. Returns 0 or errno. */
static int sum_file(const char *path, uint64_t *sum)
{
	unsigned char block[BLOCK];
	ssize_t n;
	int file = open(path, O_RDONLY | O_CLOEXEC), error;

	if (file < 0)
		return errno;
	*sum = 0xcbf29ce484222325;
	while ((n = read(file, block, sizeof block)) > 0)
		for (ssize_t i = 0; i < n; i++)
			*sum = (*sum ^ block[i]) * 0x100000001b3;
	error = n < 0 ? errno : 0;
	close(file);
	return error;
}

/* The next job; NULL when the pool stops. */
static struct job *queue_take(struct queue *queue)
{
	struct job *job;

	pthread_mutex_lock(&queue->lock);
	while (queue->first == NULL && !atomic_load_explicit(&pool.stop, memory_order_acquire))
		pthread_cond_wait(&queue->more, &queue->lock);
	job = queue->first;
	if (job != NULL) {
		queue->first = job->next;
		if (queue->first == NULL)
			queue->end = &queue->first;
	}
	pthread_mutex_unlock(&queue->lock);
	return job;
}

static void queue_put(struct queue *queue, struct job *job)
{
	pthread_mutex_lock(&queue->lock);
	*queue->end = job;
	queue->end = &job->next;
	pthread_cond_signal(&queue->more);
	pthread_mutex_unlock(&queue->lock);
}

static void results_add(struct results *results)
{
	pthread_mutex_lock(&results->lock);
	results->done++;
	pthread_cond_signal(&results->arrived);
	pthread_mutex_unlock(&results->lock);
}

static void results_wait(struct results *results, size_t jobs)
{
	pthread_mutex_lock(&results->lock);
	while (results->done < jobs)
		pthread_cond_wait(&results->arrived, &results->lock);
	pthread_mutex_unlock(&results->lock);
}

static void *work(void *unused)
{
	struct job *job;

	(void)unused;
	while ((job = queue_take(&pool.queue)) != NULL) {
		job->error = sum_file(job->path, &job->sum);
		results_add(&pool.results);
	}
	return NULL;
}

static void pool_start(int workers)
{
	for (pool.size = 0; pool.size < workers; pool.size++)
		if (pthread_create(&pool.workers[pool.size], NULL, work, NULL) != 0)
			break;
	if (pool.size == 0) {
		fputs("checksum: no thread can be started\n", stderr);
		exit(1);
	}
}

static void pool_stop(void)
{
	atomic_store_explicit(&pool.stop, true,
			      memory_order_release); /* the mistake: not under pool.queue.lock */
	pthread_cond_broadcast(&pool.queue.more);
	for (int i = 0; i < pool.size; i++)
		pthread_join(pool.workers[i], NULL);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct job *)a)->name, ((const struct job *)b)->name);
}

/* The regular files of a folder as jobs, sorted. Returns how many. */
static size_t list_files(const char *folder, struct job **jobs)
{
	size_t length = 0, room = 0;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (dir == NULL) {
		fprintf(stderr, "checksum: %s: %s\n", folder, strerror(errno));
		exit(1);
	}
	*jobs = NULL;
	while ((entry = readdir(dir)) != NULL) {
		struct job job = {0};
		struct stat status;

		if (asprintf(&job.path, "%s/%s", folder, entry->d_name) < 0)
			abort();
		if (stat(job.path, &status) < 0 || !S_ISREG(status.st_mode)) {
			free(job.path);
			continue;
		}
		job.name = job.path + strlen(folder) + 1;
		if (length == room) {
			room = room * 2 + 16;
			*jobs = realloc(*jobs, room * sizeof **jobs);
			if (*jobs == NULL)
				abort();
		}
		(*jobs)[length++] = job;
	}
	closedir(dir);
	if (length > 0)
		qsort(*jobs, length, sizeof **jobs, by_name);
	return length;
}

int main(int argc, char **argv)
{
	int workers = argc > 2 ? atoi(argv[2]) : 2, failed = 0;
	struct job *jobs;
	size_t length;

	if (argc < 2 || workers < 1 || workers > MOST_WORKERS) {
		fprintf(stderr, "usage: checksum FOLDER [WORKERS, 1-%d]\n", MOST_WORKERS);
		return 2;
	}
	length = list_files(argv[1], &jobs);
	pool_start(workers);
	for (size_t i = 0; i < length; i++)
		queue_put(&pool.queue, &jobs[i]);
	results_wait(&pool.results, length);
	pool_stop();
	for (size_t i = 0; i < length; i++) {
		if (jobs[i].error == 0)
			printf("%016" PRIx64 "  %s\n", jobs[i].sum, jobs[i].name);
		else
			fprintf(stderr, "checksum: %s: %s\n", jobs[i].path, strerror(jobs[i].error));
		failed |= jobs[i].error != 0;
		free(jobs[i].path);
	}
	free(jobs);
	return failed;
}
