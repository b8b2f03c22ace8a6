/*
 * Which functions touch memory for their caller: threads and signals. What they do to mutexes and the like is the model's; this is what they read
 * besides, and the variables into which they write their results (not what is left of a sleep, which only a signal leaves).
 */
#include "breakpoints/effects/memory_table.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#define READS_ATTRIBUTES(argument) READS_OF(argument, pthread_attr_t)
#define READS_TIME(argument)	   READS_OF(argument, struct timespec)

const struct memory_call memory_table_threads[] = {
    {"pthread_create", {WRITES_OF(0, pthread_t), READS_ATTRIBUTES(1)}},
    {"pthread_join", {WRITES(1, WORD)}},
    {"pthread_tryjoin_np", {WRITES(1, WORD)}},
    {"pthread_timedjoin_np", {WRITES(1, WORD), READS_TIME(2)}},
    {"pthread_clockjoin_np", {WRITES(1, WORD), READS_TIME(3)}},
    {"pthread_key_create", {WRITES_OF(0, pthread_key_t), WRITES(KEYS, STATE)}},
    {"__pthread_key_create", {WRITES_OF(0, pthread_key_t), WRITES(KEYS, STATE)}},
    {"pthread_key_delete", {WRITES(KEYS, STATE)}},
    {"pthread_setcancelstate", {WRITES(1, NUMBER)}},
    {"pthread_setcanceltype", {WRITES(1, NUMBER)}},
    {"pthread_getschedparam", {WRITES(1, NUMBER), WRITES_OF(2, struct sched_param)}},
    {"pthread_setschedparam", {READS_OF(2, struct sched_param)}},
    {"pthread_getcpuclockid", {WRITES_OF(1, clockid_t)}},
    {"pthread_getname_np", {WRITES(1, BYTES_2)}},
    {"pthread_setname_np", {READS(1, STRING)}},
    {"pthread_getaffinity_np", {WRITES(2, BYTES_1)}},
    {"pthread_setaffinity_np", {READS(2, BYTES_1)}},
    {"pthread_sigmask", {READS(1, WORD), WRITES(2, WORD)}},
    {"pthread_getattr_np", {WRITES_OF(1, pthread_attr_t)}},
    {"pthread_attr_init", {WRITES_OF(0, pthread_attr_t)}},
    {"pthread_attr_destroy", {WRITES(0, ONE)}},
    {"pthread_attr_setdetachstate", {WRITES(0, ONE)}},
    {"pthread_attr_getdetachstate", {READS_ATTRIBUTES(0), WRITES(1, NUMBER)}},
    {"pthread_attr_setguardsize", {WRITES(0, ONE)}},
    {"pthread_attr_getguardsize", {READS_ATTRIBUTES(0), WRITES(1, WORD)}},
    {"pthread_attr_setstacksize", {WRITES(0, ONE)}},
    {"pthread_attr_getstacksize", {READS_ATTRIBUTES(0), WRITES(1, WORD)}},
    {"pthread_attr_setstack", {WRITES(0, ONE)}},
    {"pthread_attr_getstack", {READS_ATTRIBUTES(0), WRITES(1, WORD), WRITES(2, WORD)}},
    {"pthread_attr_setschedparam", {WRITES(0, ONE), READS_OF(1, struct sched_param)}},
    {"pthread_attr_getschedparam", {READS_ATTRIBUTES(0), WRITES_OF(1, struct sched_param)}},
    {"pthread_attr_setschedpolicy", {WRITES(0, ONE)}},
    {"pthread_attr_setinheritsched", {WRITES(0, ONE)}},
    {"pthread_attr_setscope", {WRITES(0, ONE)}},
    {"pthread_attr_setaffinity_np", {WRITES(0, ONE), READS(2, BYTES_1)}},
    {"pthread_mutex_timedlock", {READS_TIME(1)}},
    {"pthread_mutex_clocklock", {READS_TIME(2)}},
    {"pthread_cond_timedwait", {READS_TIME(2)}},
    {"pthread_cond_clockwait", {READS_TIME(3)}},
    {"pthread_rwlock_timedrdlock", {READS_TIME(1)}},
    {"pthread_rwlock_timedwrlock", {READS_TIME(1)}},
    {"pthread_rwlock_clockrdlock", {READS_TIME(2)}},
    {"pthread_rwlock_clockwrlock", {READS_TIME(2)}},
    {"sem_timedwait", {READS_TIME(1)}},
    {"sem_clockwait", {READS_TIME(2)}},
    {"sem_getvalue", {WRITES(1, NUMBER)}},
    {"sem_open", {READS(0, STRING)}},
    {"sem_unlink", {READS(0, STRING)}},
    {"thrd_create", {WRITES_OF(0, thrd_t)}},
    {"thrd_join", {WRITES(1, NUMBER)}},
    {"thrd_sleep", {READS_TIME(0)}},
    {"mtx_timedlock", {READS_TIME(1)}},
    {"cnd_timedwait", {READS_TIME(2)}},
    {"tss_create", {WRITES_OF(0, tss_t), WRITES(KEYS, STATE)}},
    {"tss_delete", {WRITES(KEYS, STATE)}},
    {"nanosleep", {READS_TIME(0)}},
    {"clock_nanosleep", {READS_TIME(2)}},
    {"time", {WRITES_OF(0, time_t)}},
    {"atexit", {WRITES(EXITS, STATE)}},
    {"on_exit", {WRITES(EXITS, STATE)}},
    {"__cxa_atexit", {WRITES(EXITS, STATE)}},
    {"exit", {READS(EXITS, STATE)}},
    {"at_quick_exit", {WRITES(QUICK_EXITS, STATE)}},
    {"__cxa_at_quick_exit", {WRITES(QUICK_EXITS, STATE)}},
    {"quick_exit", {READS(QUICK_EXITS, STATE)}},
    {"sigemptyset", {WRITES(0, WORD)}},
    {"sigfillset", {WRITES(0, WORD)}},
    {"sigaddset", {WRITES(0, WORD)}},
    {"sigdelset", {WRITES(0, WORD)}},
    {"sigismember", {READS(0, WORD)}},
    {"sigprocmask", {READS(1, WORD), WRITES(2, WORD)}},
    {"sigpending", {WRITES(0, WORD)}},
    {"sigsuspend", {READS(0, WORD)}},
    {"sigaction", {READS_OF(1, struct sigaction), WRITES_OF(2, struct sigaction)}},
    {0},
};
