/*
 * What operations mean, by scripts. Rwlocks, barriers, spinlocks, once, cancellation, orders of waiting.
 */
#include "tests/unit/model_script.h"
#include "tests/unit/suite.h"

#define OBJECT(class, type)                                                                                  \
	{                                                                                                    \
		class, type, NO_THREAD, 0                                                                    \
	}
#define ORDERED(class, policy)                                                                               \
	{                                                                                                    \
		class, .owner = NO_THREAD, .wakeup = policy                                                  \
	}
#define FALLS	 (ASLEEP | BLOCKED | UNKNOWN)
#define GIVES_UP (TIMED_OUT | YIELD | BLOCKED)

static const struct script scripts[] = {
    {"rwlock: readers together, a writer alone",
     {OBJECT(CLASS_RWLOCK, RWLOCK_READERS)},
     {
	 {DO, 0, OP_RWLOCK_RDLOCK, 0, 0},
	 {DO, 1, OP_RWLOCK_RDLOCK, 0, 0},
	 {STUCK, 2, OP_RWLOCK_WRLOCK, 0},
	 {DO, 3, OP_RWLOCK_TRYWRLOCK, 0, 16, YIELD},
	 {LATE, 3, OP_RWLOCK_TIMEDWRLOCK, 0},
	 {GO, 3, .result = 110, .marks = GIVES_UP, .choice = CHOICE_TIMEOUT},
	 {DO, 3, OP_RWLOCK_TRYRDLOCK, 0, 0},
	 {DO, 3, OP_RWLOCK_UNLOCK, 0, 0},
	 {DO, 0, OP_RWLOCK_UNLOCK, 0, 0},
	 {STILL, 2},
	 {DO, 1, OP_RWLOCK_UNLOCK, 0, 0},
	 {GO, 2, .result = 0},
	 {STUCK, 0, OP_RWLOCK_RDLOCK, 0},
	 {DO, 1, OP_RWLOCK_TRYRDLOCK, 0, 16, YIELD},
	 {LATE, 1, OP_RWLOCK_TIMEDRDLOCK, 0},
	 {DO, 2, OP_RWLOCK_RDLOCK, 0, 35},
	 {DO, 2, OP_RWLOCK_WRLOCK, 0, 35},
	 {DO, 2, OP_RWLOCK_TIMEDWRLOCK, 0, 35},
	 {DO, 2, OP_RWLOCK_TRYWRLOCK, 0, 16, YIELD},
	 {DO, 2, OP_RWLOCK_UNLOCK, 0, 0},
	 {GO, 0, .result = 0},
	 {GO, 1, .result = 0},
	 {STUCK, 0, OP_RWLOCK_WRLOCK, 0}, /* a reader that wants to write waits for itself */
	 {DO, 3, OP_RWLOCK_INIT, 0, 0},
	 {GO, 0, .result = 0},
	 {DO, 3, OP_RWLOCK_DESTROY, 0, 0},
     }},
    {"rwlock: writers first",
     {OBJECT(CLASS_RWLOCK, RWLOCK_WRITERS)},
     {
	 {DO, 0, OP_RWLOCK_RDLOCK, 0, 0},
	 {DO, 3, OP_RWLOCK_RDLOCK, 0, 0}, /* nobody waits yet */
	 {DO, 1, OP_RWLOCK_WRLOCK, 0, 0, FALLS},
	 {STILL, 1},
	 {STUCK, 2, OP_RWLOCK_RDLOCK, 0},
	 {DO, 3, OP_RWLOCK_TRYRDLOCK, 0, 16, YIELD | BLOCKED},
	 {DO, 4, OP_RWLOCK_TIMEDWRLOCK, 0, 0, FALLS},
	 {GO, 4, .result = 110, .marks = GIVES_UP, .choice = CHOICE_TIMEOUT},
	 {DO, 0, OP_RWLOCK_UNLOCK, 0, 0},
	 {DO, 3, OP_RWLOCK_UNLOCK, 0, 0},
	 {STILL, 2},
	 {GO, 1, .result = 0},
	 {STILL, 2},
	 {DO, 1, OP_RWLOCK_UNLOCK, 0, 0},
	 {GO, 2, .result = 0},
     }},
    {"rwlock: readers first",
     {ORDERED(CLASS_RWLOCK, WAKE_READERS)},
     {
	 {DO, 0, OP_RWLOCK_WRLOCK, 0, 0},
	 {STUCK, 1, OP_RWLOCK_WRLOCK, 0},
	 {DO, 2, OP_RWLOCK_RDLOCK, 0, 0, FALLS},
	 {DO, 0, OP_RWLOCK_UNLOCK, 0, 0},
	 {STILL, 1},
	 {GO, 2, .result = 0},
	 {DO, 2, OP_RWLOCK_UNLOCK, 0, 0},
	 {GO, 1, .result = 0},
     }},
    {"barrier",
     {{CLASS_BARRIER, 0, NO_THREAD, 3}},
     {
	 {DO, 0, OP_BARRIER_WAIT, 0, 0, FALLS},
	 {STILL, 0},
	 {DO, 1, OP_BARRIER_WAIT, 0, 0, FALLS},
	 {DO, 2, OP_BARRIER_WAIT, 0, -1, BLOCKED},
	 {DO, 2, OP_BARRIER_WAIT, 0, 0, FALLS}, /* the next round, before the others have left */
	 {GO, 1, .result = 0, .marks = BLOCKED},
	 {GO, 0, .result = 0, .marks = BLOCKED},
	 {STILL, 2},
	 {EXIT, 2},
	 {DO, 0, OP_BARRIER_INIT, 0, 22, .arg = 0},
	 {DO, 0, OP_BARRIER_INIT, 0, 22, .arg = 0x80000000},
	 {DO, 0, OP_BARRIER_INIT, 0, 0, .arg = 1},
	 {DO, 0, OP_BARRIER_WAIT, 0, -1, BLOCKED},
	 {DO, 0, OP_BARRIER_DESTROY, 0, 0},
     }},
    {"spinlock",
     {OBJECT(CLASS_SPIN, 0)},
     {
	 {DO, 0, OP_SPIN_LOCK, 0, 0},
	 {STUCK, 0, OP_SPIN_LOCK, 0},
	 {STUCK, 1, OP_SPIN_LOCK, 0},
	 {DO, 2, OP_SPIN_TRYLOCK, 0, 16, YIELD},
	 {DO, 3, OP_SPIN_UNLOCK, 0, 0},
	 {GO, 1, .result = 0},
	 {STILL, 0},
	 {DO, 1, OP_SPIN_UNLOCK, 0, 0},
	 {DO, 2, OP_SPIN_TRYLOCK, 0, 0},
	 {DO, 3, OP_SPIN_INIT, 0, 0},
	 {GO, 0, .result = 0},
	 {DO, 3, OP_SPIN_DESTROY, 0, 0},
     }},
    {"once",
     {OBJECT(CLASS_ONCE, 0)},
     {
	 {DO, 0, OP_ONCE, 0, 0, UNKNOWN},
	 {STUCK, 1, OP_ONCE, 0},
	 {STUCK, 0, OP_ONCE, 0}, /* its routine waits for itself */
	 {DO, 2, OP_ONCE_END, 0, 0, UNKNOWN | BLOCKED, .arg = 0},
	 {GO, 1, .marks = UNKNOWN}, /* left by an exception: once more */
	 {STILL, 0},
	 {DO, 1, OP_ONCE_END, 0, 0, UNKNOWN | BLOCKED, .arg = 1},
	 {GO, 0, .result = 0},
     }},
    {"guard of a static variable",
     {OBJECT(CLASS_ONCE, 0)},
     {
	 {DO, 0, OP_GUARD_ACQUIRE, 0, 1},
	 {STUCK, 1, OP_GUARD_ACQUIRE, 0},
	 {DO, 0, OP_GUARD_ABORT, 0, 0, UNKNOWN},
	 {GO, 1, .result = 1},
	 {STUCK, 0, OP_GUARD_ACQUIRE, 0},
	 {DO, 1, OP_GUARD_RELEASE, 0, 0, UNKNOWN},
	 {GO, 0, .result = 0},
     }},
    {"mutex in the order of coming",
     {ORDERED(CLASS_MUTEX, WAKE_FIFO)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_LOCK, 0, 0, FALLS},
	 {DO, 2, OP_MUTEX_TIMEDLOCK, 0, 0, FALLS},
	 {DO, 3, OP_MUTEX_LOCK, 0, 0, FALLS},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {STILL, 3},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0, FALLS}, /* nobody overtakes */
	 {GO, 1, .result = 0},
	 {GO, 2, .result = 110, .marks = GIVES_UP, .choice = CHOICE_TIMEOUT},
	 {DO, 1, OP_MUTEX_UNLOCK, 0, 0},
	 {STILL, 0},
	 {GO, 3, .result = 0},
	 {EXIT, 3},
	 {STILL, 0},
     }},
    {"mutex to who came last",
     {ORDERED(CLASS_MUTEX, WAKE_LIFO)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_LOCK, 0, 0, FALLS},
	 {DO, 2, OP_MUTEX_LOCK, 0, 0, FALLS},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {STILL, 1},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {GO, 2, .result = 0},
     }},
    {"its holder has its answer at once, whoever waits",
     {{CLASS_MUTEX, MUTEX_RECURSIVE, NO_THREAD, .wakeup = WAKE_FIFO},
      {CLASS_MUTEX, MUTEX_ERRORCHECK, NO_THREAD, .wakeup = WAKE_FIFO},
      ORDERED(CLASS_RWLOCK, WAKE_FIFO)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_MUTEX_LOCK, 0, 0, FALLS},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {STILL, 1},
	 {DO, 0, OP_MUTEX_UNLOCK, 0, 0},
	 {DO, 0, OP_MUTEX_LOCK, 0, 0, FALLS},
	 {GO, 1, .result = 0},
	 {DO, 2, OP_MUTEX_LOCK, 1, 0},
	 {DO, 3, OP_MUTEX_LOCK, 1, 0, FALLS},
	 {DO, 2, OP_MUTEX_LOCK, 1, 35},
	 {DO, 2, OP_RWLOCK_WRLOCK, 2, 0},
	 {DO, 4, OP_RWLOCK_WRLOCK, 2, 0, FALLS},
	 {DO, 2, OP_RWLOCK_WRLOCK, 2, 35},
	 {DO, 2, OP_RWLOCK_RDLOCK, 2, 35},
     }},
    {"semaphore in the order of coming",
     {ORDERED(CLASS_SEM, WAKE_FIFO)},
     {
	 {DO, 0, OP_SEM_WAIT, 0, 0, FALLS},
	 {DO, 1, OP_SEM_TIMEDWAIT, 0, 0, FALLS},
	 {DO, 2, OP_SEM_POST, 0, 0},
	 {DO, 3, OP_SEM_WAIT, 0, 0, FALLS},
	 {GO, 0, .result = 0},
	 {GO, 1, .result = -1, .marks = GIVES_UP, .choice = CHOICE_TIMEOUT},
	 {DO, 2, OP_SEM_POST, 0, 0},
	 {GO, 3, .result = 0},
     }},
    {"condition variable in the order of coming, then of a queue",
     {ORDERED(CLASS_COND, WAKE_LIFO), ORDERED(CLASS_MUTEX, WAKE_FIFO)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 0, OP_COND_WAIT, 0, 0, FALLS, 1},
	 {DO, 1, OP_MUTEX_LOCK, 1, 0},
	 {DO, 1, OP_COND_WAIT, 0, 0, FALLS, 1},
	 {DO, 2, OP_MUTEX_LOCK, 1, 0},
	 {DO, 2, OP_COND_SIGNAL, 0, 0, BLOCKED, .choice = 1},
	 {STILL, 0},
	 {DO, 3, OP_MUTEX_LOCK, 1, 0, FALLS},
	 {DO, 2, OP_MUTEX_UNLOCK, 1, 0},
	 {STILL, 3},
	 {GO, 1, .result = 0, .marks = BLOCKED},
     }},
    {"spurious wakeups, while they last",
     {{CLASS_COND, .owner = NO_THREAD, .spurious = 1}, OBJECT(CLASS_MUTEX, 0)},
     {
	 {DO, 0, OP_MUTEX_LOCK, 1, 0},
	 {DO, 0, OP_COND_WAIT, 0, 0, FALLS, 1},
	 {STILL, 0},
	 {WAKES, 0, .marks = FALLS, .choice = CHOICE_SPURIOUS},
	 {GO, 0, .result = 0, .marks = BLOCKED},
	 {DO, 0, OP_COND_TIMEDWAIT, 0, 0, FALLS, 1},
	 {SLEEPS_ON, 0},
	 {GO, 0, .marks = ASLEEP | TIMED_OUT | YIELD | BLOCKED | UNKNOWN, .choice = CHOICE_TIMEOUT},
     }},
    {"cancellation",
     {SEM(0), COND, NORMAL},
     {
	 {STUCK, 1, OP_SEM_WAIT, 0},
	 {DO, 0, OP_THREAD_CANCEL, 1, 0, UNKNOWN},
	 {GO, 1, .marks = CANCELS | UNKNOWN},
	 {STUCK, 1, OP_SEM_WAIT, 0}, /* in a clean-up handler it waits as ever */
	 {DO, 2, OP_THREAD_CANCELSTATE, 0, 0, .arg = 1},
	 {STUCK, 2, OP_THREAD_JOIN, 3},
	 {DO, 0, OP_THREAD_CANCEL, 2, 0, UNKNOWN},
	 {STILL, 2},
	 {EXIT, 3},
	 {GO, 2, .result = 0},
	 {DO, 2, OP_THREAD_CANCELSTATE, 0, 0, .arg = 0},
	 {DO, 2, OP_MUTEX_LOCK, 2, 0}, /* no cancellation point */
	 {DO, 4, OP_MUTEX_TRYLOCK, 2, 16, YIELD},
	 {DO, 2, OP_MUTEX_UNLOCK, 2, 0},
	 {DO, 2, OP_THREAD_TESTCANCEL, 0, 0, CANCELS | UNKNOWN},
	 {DO, 4, OP_MUTEX_LOCK, 2, 0},
	 {DO, 4, OP_COND_WAIT, 1, 0, FALLS, 2},
	 {DO, 0, OP_MUTEX_LOCK, 2, 0},
	 {DO, 0, OP_THREAD_CANCEL, 4, 0, UNKNOWN},
	 {GO, 4, .marks = FALLS},
	 {STILL, 4},
	 {DO, 0, OP_MUTEX_UNLOCK, 2, 0},
	 {GO, 4, .marks = CANCELS | UNKNOWN},
	 {STUCK, 0, OP_MUTEX_LOCK, 2},
     }},
    {"asynchronous cancellation",
     {NORMAL},
     {
	 {DO, 0, OP_MUTEX_LOCK, 0, 0},
	 {DO, 1, OP_THREAD_CANCELTYPE, 0, 0, .arg = 1},
	 {STUCK, 1, OP_MUTEX_LOCK, 0},
	 {DO, 0, OP_THREAD_CANCEL, 1, 0, UNKNOWN},
	 {GO, 1, .marks = CANCELS | UNKNOWN},
     }},
};

START_TEST(test_script)
{
	play_script(&scripts[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model objects");
	TCase *tcase = tcase_create("scripts");
	tcase_add_loop_test(tcase, test_script, 0, sizeof scripts / sizeof *scripts);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
