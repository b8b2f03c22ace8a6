/*
 * A process and its child share two mutexes, which they take in different orders; with an argument in the same one. With `--follow` both are in one
 * schedule.
 *
 * fmc-options: --follow --strategy dfs --all
 * fmc-verdict: deadlock
 * fmc-complete: yes
 * fmc-executions: 21
 * fmc-message: deadlock: T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
 *
 * fmc-options: --follow --strategy optimal --all
 * fmc-verdict: deadlock
 * fmc-complete: yes
 * fmc-executions: 3
 *
 * fmc-options: --follow --strategy optimal
 * fmc-args: ordered
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 2
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct accounts {
	pthread_mutex_t locks[2];
	int amounts[2];
};

static struct accounts *accounts;

static void transfer(int from, int to)
{
	pthread_mutex_lock(&accounts->locks[from]);
	pthread_mutex_lock(&accounts->locks[to]);
	accounts->amounts[from] -= 10;
	accounts->amounts[to] += 10;
	pthread_mutex_unlock(&accounts->locks[to]);
	pthread_mutex_unlock(&accounts->locks[from]);
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t shared;
	int status = 1;
	(void)argv;
	accounts = mmap(NULL, sizeof *accounts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (accounts == MAP_FAILED)
		return 1;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&accounts->locks[i], &shared);
	const pid_t child = fork();
	if (child == 0) {
		if (argc > 1)
			transfer(0, 1);
		else
			transfer(1, 0);
		_exit(0);
	}
	transfer(0, 1);
	return waitpid(child, &status, 0) == child ? status : 1;
}
