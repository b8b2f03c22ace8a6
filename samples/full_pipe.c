/*
 * A child says more than its pipe holds, and its parent waits for its end before it reads; with an argument the parent reads first. With `--follow` the pipe is
 * one object of both.
 *
 * fmc-options: --follow
 * fmc-verdict: deadlock
 * fmc-message: deadlock: T1.1 waits for T2.1 to exit, T2.1 waits for pipe 3, 4
 *
 * fmc-options: --follow --strategy optimal
 * fmc-args: reads
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <sys/wait.h>
#include <unistd.h>

#define MUCH 100000 /* a pipe holds 65536 bytes */

static char text[MUCH];

static int write_all(int end)
{
	size_t done = 0;
	while (done < MUCH) {
		const ssize_t length = write(end, text + done, MUCH - done);
		if (length <= 0)
			return 1;
		done += (size_t)length;
	}
	return 0;
}

static int read_all(int end)
{
	size_t done = 0;
	ssize_t length;
	while ((length = read(end, text, MUCH)) > 0)
		done += (size_t)length;
	return done != MUCH;
}

int main(int argc, char **argv)
{
	int ends[2], status = 1, wrong = 0;
	(void)argv;
	if (pipe(ends) != 0)
		return 1;
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(write_all(ends[1]));
	}
	close(ends[1]);
	if (argc > 1)
		wrong = read_all(ends[0]);
	if (waitpid(child, &status, 0) != child)
		return 1;
	if (argc == 1)
		wrong = read_all(ends[0]);
	return wrong || status != 0;
}
