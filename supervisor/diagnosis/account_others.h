#ifndef FMC_SUPERVISOR_DIAGNOSIS_ACCOUNT_OTHERS_H
#define FMC_SUPERVISOR_DIAGNOSIS_ACCOUNT_OTHERS_H

#include <fmc/supervisor/account.h>

/*
 * The other processes that threads of an account's process wait for, and those that these wait for in turn, a few at most. One that has a
 * thread which goes on by itself (it runs, waits for events, sleeps) isn't looked at if any of its threads could end the wait.
 *
 * Then it is looked again who can end which wait, while all of them sleep, and account->all is made. STATUS_OK, STATUS_NO_MEMORY.
 */
enum status others_follow(struct account *account);

/* Put together anew what the situation says of them; its states and numbers of threads aren't touched. False without memory. */
bool others_describe(struct account *account);

/* As standstill_end(), of all of them: awake has one for each thread of the situation. *newcomers is set if there are some. */
void others_settled(struct account *account, bool *awake, bool *newcomers);

void others_release(struct account *account);

#endif
