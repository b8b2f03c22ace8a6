/*
 * peak COMMAND ARGUMENT...: run it without input and output, print its highest resident size in KiB. The kernel keeps that until
 * the end, so nothing is missed however short the command is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char **command)
{
	int null = open("/dev/null", O_RDWR);

	for (int descriptor = 0; descriptor < 3; descriptor++)
		dup2(null, descriptor);
	execvp(command[0], command);
	return 127;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 2)
		return 2;
	pid_t pid = fork();
	if (pid == 0)
		_exit(run(argv + 1));
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("peak");
		return 1;
	}
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
