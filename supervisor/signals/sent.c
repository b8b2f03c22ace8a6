/* Signals that a thread has been sent and that it hasn't taken yet: nobody but fmc knows of them. */
#include "supervisor/signals/signals.h"

#include <string.h>

/* Of those below the real-time ones there is one of each at a time. */
static bool is_there(const struct signals_sent *signals, int signal)
{
	for (uint32_t i = 0; i < signals->length; i++)
		if (signals->at[i].si_signo == signal && signal < SIGRTMIN)
			return true;
	return false;
}

bool sent_put(struct process *process, uint32_t thread, const siginfo_t *info)
{
	struct signals_sent *signals = &process->threads[thread].signals;
	if (is_there(signals, info->si_signo))
		return true;
	if (signals->length == SIGNALS_MOST)
		return false;
	signals->at[signals->length++] = *info;
	return true;
}

void sent_tell(struct process_thread *thread, int signal)
{
	struct signals_sent *signals = &thread->signals;
	for (uint32_t i = 0; i < signals->length; i++) {
		if (signals->at[i].si_signo != signal)
			continue;
		/* A death is told by the next wait. */
		(void)tracee_set_signal_info(thread->tracee, &signals->at[i]);
		signals->length--;
		memmove(&signals->at[i], &signals->at[i + 1], (signals->length - i) * sizeof signals->at[0]);
		return;
	}
}
