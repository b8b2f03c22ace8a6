/*
 * image PROGRAM THREADS TIMES: microseconds that it takes to take an image of a process with so many threads, to start a copy
 * of it, and to kill both: the fastest of so many. PROGRAM is tests/targets/stood.c.
 */
#include "tests/unit/prepare_nothing.h"

#include <fmc/tracer/image.h>
#include <fmc/tracer/origin.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern char **environ;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Until it meets an int3. */
static bool run(struct target *target, struct tracee *tracee)
{
	struct stop stop;
	do {
		if (target_resume(tracee, 0) != STATUS_OK ||
		    target_wait(target, tracee, -1, &stop) != STATUS_OK)
			return false;
	} while (stop.kind != STOP_TRAP);
	return true;
}

struct times {
	double take, start, kill;
};

static bool measure(struct origin *origin, struct target *target, struct times *best)
{
	struct image *image;
	struct target *copy;
	const double begin = now();
	if (origin_take_image(origin, target, &image) != STATUS_OK)
		return false;
	const double taken = now();
	if (image_start(image, &copy) != STATUS_OK)
		return false;
	const double started = now();
	target_kill(copy);
	image_free(image);
	const struct times times = {taken - begin, started - taken, now() - started};
	if (times.take + times.start + times.kill < best->take + best->start + best->kill)
		*best = times;
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 64;
	char why[256], others[16], *arguments[] = {argv[1], others, (char[]){"0"}, NULL};
	struct program program = {.path = argv[1],
				  .arguments = arguments,
				  .environment = environ,
				  .input = -1,
				  .output = -1,
				  .error = -1,
				  .keeps_numbers = true};
	struct times best = {1e9, 0, 0};
	struct origin *origin;
	struct target *target;
	snprintf(others, sizeof others, "%d", atoi(argv[2]) - 1);
	if (origin_new(&program, ORIGIN_AUTO, prepare_nothing, NULL, &origin, why) != STATUS_OK)
		return 1;
	bool ok = origin_start(origin, &target) == STATUS_OK && run(target, target_tracee(target, 0));
	for (uint32_t i = 1; ok && i < target_tracees(target); i++)
		ok = run(target, target_tracee(target, i));
	for (int i = 0; ok && i < atoi(argv[3]); i++)
		ok = measure(origin, target, &best);
	if (ok)
		printf("%.0f us: take %.0f, start %.0f, kill %.0f\n", best.take + best.start + best.kill,
		       best.take, best.start, best.kill);
	target_kill(target);
	origin_free(origin);
	return ok ? 0 : 1;
}
