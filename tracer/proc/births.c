#include "tracer/proc/births.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define RANGE_MOST 0x400000 /* of any Linux */

static int by_age(const void *a, const void *b, void *context)
{
	const struct birth *one = a, *other = b;
	const pid_t main = *(const pid_t *)context;
	if ((one->tid == main) != (other->tid == main))
		return one->tid == main ? -1 : 1;
	if (one->started != other->started)
		return one->started < other->started ? -1 : 1;
	return (one->tid > other->tid) - (one->tid < other->tid);
}

/* Numbers in ascending order: the index of the one that was given out first. */
static size_t begins_at(const struct birth *births, size_t length, pid_t main, pid_t range)
{
	size_t found = 0;
	if (births->started == 0) {
		while (found < length && births[found].tid < main)
			found++;
		return found % length;
	}
	pid_t gap = births[0].tid + range - births[length - 1].tid;
	for (size_t i = 1; i < length; i++)
		if (births[i].tid - births[i - 1].tid > gap) {
			gap = births[i].tid - births[i - 1].tid;
			found = i;
		}
	return found;
}

static void reverse(struct birth *births, size_t length)
{
	for (size_t i = 0; i < length / 2; i++) {
		const struct birth other = births[i];
		births[i] = births[length - 1 - i];
		births[length - 1 - i] = other;
	}
}

/* What stands at `first` comes to the beginning, and what stood before it to the end. */
static void rotate(struct birth *births, size_t length, size_t first)
{
	reverse(births, first);
	reverse(births + first, length - first);
	reverse(births, length);
}

void births_order(struct birth *births, size_t length, pid_t main, pid_t range)
{
	if (length == 0)
		return;
	qsort_r(births, length, sizeof *births, by_age, &main);
	for (size_t first = births[0].tid == main, end; first < length; first = end) {
		for (end = first + 1; end < length && births[end].started == births[first].started;)
			end++;
		rotate(births + first, end - first, begins_at(births + first, end - first, main, range));
	}
}

pid_t births_range(void)
{
	char text[24];
	const int fd = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = 0;
	const long range = strtol(text, NULL, 10);
	return range > 0 && range < RANGE_MOST ? (pid_t)range : RANGE_MOST;
}
