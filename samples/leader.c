/*
 * Two threads elect a leader: who sees none makes itself one. Between looking and doing it the other may do the same, so that there are
 * two, one after the other: after the schedule 1;2;1 both have seen none. Once elected a leader is to stay one.
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal --ltl G({leader==1}->G{leader==1})&&G({leader==2}->G{leader==2})
 * fmc-verdict: ltl
 * fmc-message: ^ltl: after transition [0-9]+, T[23] mutex_lock lock, 'G.* can't be fulfilled any more: leader==1 is
 *
 * fmc-options: --strategy optimal --ltl F{leader} --ltl {!leader}U({leader==1}||{leader==2})
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs --ltl F{leader==1}
 * fmc-verdict: ltl
 * fmc-message: isn't fulfilled when the program ends: leader==1 is false$
 *
 * fmc-options: --strategy optimal --always elected<=1
 * fmc-verdict: invariant
 * fmc-message: ^invariant: after transition [0-9]+, T[23] mutex_lock lock, 'elected<=1' is false: elected = 2$
 *
 * fmc-options: --strategy optimal --never holds(T2,lock)&&holds(T3,lock) --always elected<3&&leader<3
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int leader, elected;

static void *elect(void *number)
{
	pthread_mutex_lock(&lock);
	int seen = leader;
	pthread_mutex_unlock(&lock);
	if (seen)
		return NULL;
	pthread_mutex_lock(&lock);
	leader = *(int *)number;
	elected++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int numbers[2] = {1, 2};
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, elect, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
