/*
 * kernel_locks CASE: two threads take two locks that are objects of the kernel, in opposite orders: a deadlock, which one after the other
 * doesn't show. Or one changes what is the process's, and the other one asks for it: umask and so on. Or they use such objects and
 * don't wait for each other: output, file, alone, events, pairs, names, joined, own, asks, logs.
 * What needs files makes them in the working directory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static int ends[2][2];
static const char *program;
static const char byte = 'x';
static const char *const names[] = {"first", "second"};
static const char *const taken[] = {"first.taken", "second.taken"};

static void must(int good)
{
	if (!good)
		abort();
}

static void take_token(int lock)
{
	char token;
	must(read(ends[lock][0], &token, 1) == 1);
}

static void give_token(int lock)
{
	must(write(ends[lock][1], &byte, 1) == 1);
}

static void make_pipe(int lock)
{
	must(pipe(ends[lock]) == 0);
	give_token(lock);
}

static void make_pair(int lock)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[lock]) == 0);
	give_token(lock);
}

static void take_event(int lock)
{
	eventfd_t value;
	must(eventfd_read(ends[lock][0], &value) == 0);
}

static void give_event(int lock)
{
	must(eventfd_write(ends[lock][0], 1) == 0);
}

static void make_event(int lock)
{
	ends[lock][0] = eventfd(1, EFD_SEMAPHORE);
	must(ends[lock][0] >= 0);
}

static void change_semaphore(int lock, short by)
{
	struct sembuf change = {.sem_op = by};
	must(semop(ends[lock][0], &change, 1) == 0);
}

static void take_semaphore(int lock)
{
	change_semaphore(lock, -1);
}

static void give_semaphore(int lock)
{
	change_semaphore(lock, 1);
}

static void make_semaphore(int lock)
{
	ends[lock][0] = semget(IPC_PRIVATE, 1, 0600);
	must(ends[lock][0] >= 0);
	give_semaphore(lock);
}

static void remove_semaphore(int lock)
{
	semctl(ends[lock][0], 0, IPC_RMID);
}

static void take_message(int lock)
{
	long message[2];
	must(msgrcv(ends[lock][0], message, 1, 0, 0) == 1);
}

static void give_message(int lock)
{
	const long message[2] = {1, 0};
	must(msgsnd(ends[lock][0], message, 1, 0) == 0);
}

static void make_message(int lock)
{
	ends[lock][0] = msgget(IPC_PRIVATE, 0600);
	must(ends[lock][0] >= 0);
	give_message(lock);
}

static void remove_message(int lock)
{
	msgctl(ends[lock][0], IPC_RMID, NULL);
}

/* Each thread opens the file anew: a lock belongs to what has been opened. */
static _Thread_local int opened[2];

static void take_file(int lock)
{
	opened[lock] = open(lock ? "/etc/passwd" : program, O_RDONLY);
	must(opened[lock] >= 0 && flock(opened[lock], LOCK_EX) == 0);
}

static void give_file(int lock)
{
	close(opened[lock]);
}

static void lock_range(int lock, short type)
{
	struct flock range = {.l_type = type, .l_start = lock, .l_len = 1};
	must(fcntl(ends[0][0], F_OFD_SETLKW, &range) == 0);
}

static void take_range(int lock)
{
	lock_range(lock, F_RDLCK);
}

static void give_range(int lock)
{
	lock_range(lock, F_UNLCK);
}

static void make_range(int lock)
{
	if (!lock)
		ends[0][0] = open(program, O_RDONLY);
}

/* Others without a wait: by turns, until it is free. */
static void make_file(int lock)
{
	int file = open(names[lock], O_CREAT | O_WRONLY, 0600);
	must(file >= 0);
	close(file);
}

static void remove_file(int lock)
{
	unlink(names[lock]);
}

static void take_exclusive(int lock)
{
	int file;
	while ((file = open(names[lock], O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
		sched_yield();
	close(file);
}

static void take_link(int lock)
{
	while (link(names[lock], taken[lock]) != 0)
		sched_yield();
}

static void give_link(int lock)
{
	unlink(taken[lock]);
}

static void take_directory(int lock)
{
	while (mkdir(names[lock], 0700) != 0)
		sched_yield();
}

static void give_directory(int lock)
{
	rmdir(names[lock]);
}

static void take_name(int lock)
{
	while (rename(names[lock], taken[lock]) != 0)
		sched_yield();
}

static void give_name(int lock)
{
	must(rename(taken[lock], names[lock]) == 0);
}

static void make_fifo(int lock)
{
	unlink(names[lock]);
	must(mkfifo(names[lock], 0600) == 0);
	ends[lock][0] = ends[lock][1] = open(names[lock], O_RDWR);
	remove_file(lock);
	give_token(lock);
}

static void set_content(int lock, char value)
{
	must(pwrite(ends[lock][0], &value, 1, 0) == 1);
}

static void take_content(int lock)
{
	char value = 0;
	while (pread(ends[lock][0], &value, 1, 0) != 1 || value)
		sched_yield();
	set_content(lock, 1);
}

static void give_content(int lock)
{
	set_content(lock, 0);
}

static void make_content(int lock)
{
	ends[lock][0] = open(names[lock], O_CREAT | O_TRUNC | O_RDWR, 0600);
	set_content(lock, 0);
}

static void make_memory(int lock)
{
	ends[lock][0] = memfd_create(names[lock], 0);
	set_content(lock, 0);
}

/* What has been read is read. */
static void take_position(int lock)
{
	char value;
	while (read(ends[lock][0], &value, 1) != 1)
		sched_yield();
}

static void give_position(int lock)
{
	must(lseek(ends[lock][0], 0, SEEK_SET) == 0);
}

static void make_position(int lock)
{
	make_content(lock);
	close(ends[lock][0]);
	ends[lock][0] = open(names[lock], O_RDONLY);
}

static void take_description(int lock)
{
	struct flock range = {.l_type = F_WRLCK, .l_len = 1};
	opened[lock] = open(names[lock], O_RDWR);
	while (fcntl(opened[lock], F_OFD_SETLK, &range) != 0)
		sched_yield();
}

static char values[2];

static ssize_t copy_memory(char *own, char *value, int writes)
{
	struct iovec here = {own, 1}, there = {value, 1};
	return writes ? process_vm_writev(getpid(), &here, 1, &there, 1, 0)
		      : process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}

static void take_copy(int lock)
{
	char own = 0;
	while (copy_memory(&own, &values[lock], 0) != 1 || own)
		sched_yield();
	own = 1;
	must(copy_memory(&own, &values[lock], 1) == 1);
}

static void give_copy(int lock)
{
	char own = 0;
	must(copy_memory(&own, &values[lock], 1) == 1);
}

static sigset_t signal_of(int lock)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, lock ? SIGUSR1 : SIGUSR2);
	return set;
}

static void give_signal(int lock)
{
	must(kill(getpid(), lock ? SIGUSR1 : SIGUSR2) == 0);
}

static void make_signal(int lock)
{
	sigset_t set = signal_of(lock);
	sigprocmask(SIG_BLOCK, &set, NULL);
	give_signal(lock);
}

static void take_signal(int lock)
{
	sigset_t set = signal_of(lock);
	int got;
	must(sigwait(&set, &got) == 0);
}

static void try_signal(int lock)
{
	sigset_t set = signal_of(lock);
	const struct timespec now = {0};
	while (sigtimedwait(&set, NULL, &now) < 0)
		sched_yield();
}

static void make_signals(int lock)
{
	sigset_t set = signal_of(lock);
	make_signal(lock);
	ends[lock][0] = signalfd(-1, &set, 0);
}

static void take_signals(int lock)
{
	struct signalfd_siginfo got;
	must(read(ends[lock][0], &got, sizeof got) == sizeof got);
}

static void give_letter(int lock)
{
	must(mq_send(ends[lock][0], &byte, 1, 0) == 0);
}

static void take_letter(int lock)
{
	char letter;
	must(mq_receive(ends[lock][0], &letter, 1, NULL) == 1);
}

static void make_letter(int lock)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
	const char *name = lock ? "/fmc-kernel-locks-1" : "/fmc-kernel-locks-0";
	ends[lock][0] = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	must(ends[lock][0] >= 0);
	mq_unlink(name);
	give_letter(lock);
}

static void give_expiry(int lock)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 1};
	must(timerfd_settime(ends[lock][0], 0, &soon, NULL) == 0);
}

static void take_expiry(int lock)
{
	uint64_t times;
	must(read(ends[lock][0], &times, sizeof times) == sizeof times);
}

static void make_expiry(int lock)
{
	ends[lock][0] = timerfd_create(CLOCK_MONOTONIC, 0);
	give_expiry(lock);
}

static void give_event_of(int lock)
{
	close(open(names[lock], O_RDONLY));
}

static void take_event_of(int lock)
{
	char events[4096];
	must(read(ends[lock][0], events, sizeof events) > 0);
}

static void make_event_of(int lock)
{
	make_file(lock);
	ends[lock][0] = inotify_init();
	must(inotify_add_watch(ends[lock][0], names[lock], IN_OPEN) >= 0);
	give_event_of(lock);
}

static void nothing(int lock)
{
	(void)lock;
}

static void print(int lock)
{
	printf("%d\n", lock);
	fflush(stdout);
}

static void read_file(int lock)
{
	char text[64];
	int file = open(lock ? "/etc/passwd" : program, O_RDONLY);
	must(file >= 0 && read(file, text, sizeof text) > 0);
	close(file);
}

static void use_own_pipe(int lock)
{
	int own[2];
	char token;
	must(pipe(own) == 0 && write(own[1], &byte, 1) == 1 && read(own[0], &token, 1) == 1);
	close(own[0]);
	close(own[1]);
	(void)lock;
}

static void use_own_event(int lock)
{
	eventfd_t value;
	int own = eventfd(1, 0);
	must(own >= 0 && eventfd_read(own, &value) == 0);
	close(own);
	(void)lock;
}

static void use_own_pair(int lock)
{
	int own[2];
	char token;
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, own) == 0);
	must(write(own[1], &byte, 1) == 1 && read(own[0], &token, 1) == 1);
	close(own[0]);
	close(own[1]);
	(void)lock;
}

static void write_own(const char *name)
{
	char token;
	int file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
	must(file >= 0 && write(file, &byte, 1) == 1 && pread(file, &token, 1, 0) == 1);
	close(file);
}

/* Each thread has names of its own. */
static _Thread_local int me;

static void use_own_names(int lock)
{
	if (lock)
		return;
	write_own(names[me]);
	must(rename(names[me], taken[me]) == 0 && access(taken[me], F_OK) == 0 && unlink(taken[me]) == 0);
}

static void write_for_main(int lock)
{
	if (!lock)
		write_own(names[me]);
}

/* When both have been joined. */
static void read_all(int lock)
{
	char token;
	int file = open(names[lock], O_RDONLY);
	must(file >= 0 && read(file, &token, 1) == 1 && token == byte);
	close(file);
	remove_file(lock);
}

static void list_folder(void)
{
	DIR *folder = opendir(".");
	must(folder != NULL);
	while (readdir(folder))
		;
	closedir(folder);
}

/* What each of these does is to be seen, not what comes of it. */
static void change_or_ask_umask(int change)
{
	if (change)
		umask(077);
	else
		close(open(taken[0], O_CREAT | O_WRONLY, 0666));
}

static void change_or_ask_folder(int change)
{
	char path[4096];
	must(change ? chdir("/") == 0 : getcwd(path, sizeof path) != NULL);
}

static void keep_or_ask_folder(int keep)
{
	char path[4096];
	const int here = open(".", O_RDONLY | O_DIRECTORY);
	must(keep ? getcwd(path, sizeof path) && chdir(path) == 0 && fchdir(here) == 0
		  : getcwd(path, sizeof path) != NULL);
	close(here);
}

static void change_or_use_folder(int change)
{
	if (change)
		must(chdir("/") == 0);
	else
		close(open(names[0], O_RDONLY));
}

static void change_or_list_folder(int change)
{
	if (change)
		make_file(1);
	else
		list_folder();
}

static void change_or_ask_mode(int change)
{
	struct stat about;
	must(change ? chmod(names[0], 0400) == 0 : stat(names[0], &about) == 0);
}

static void change_or_ask_size(int change)
{
	struct stat about;
	must(change ? write(ends[0][0], &byte, 1) == 1 : stat(names[0], &about) == 0);
}

static void take_attribute(int change)
{
	char value;
	if (change)
		(void)fsetxattr(ends[0][0], "user.taken", &byte, 1, XATTR_CREATE);
	else
		(void)getxattr(names[0], "user.taken", &value, 1);
}

static void change_or_ask_limit(int change)
{
	struct rlimit limit;
	must(getrlimit(RLIMIT_CORE, &limit) == 0);
	if (change)
		must(setrlimit(RLIMIT_CORE, &limit) == 0);
}

static void change_or_ask_priority(int change)
{
	if (change)
		must(setpriority(PRIO_PROCESS, (id_t)getpid(), 3) == 0);
	else
		(void)getpriority(PRIO_PROCESS, (id_t)getpid());
}

static void change_or_ask_user(int change)
{
	if (change)
		must(syscall(SYS_setresuid, -1, -1, -1) == 0);
	else
		(void)getuid();
}

static void change_or_ask_handler(int change)
{
	struct sigaction action = {.sa_handler = SIG_IGN};
	must(sigaction(SIGUSR1, change ? &action : NULL, change ? NULL : &action) == 0);
}

static void change_or_ask_option(int change)
{
	must(change ? prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0
		    : prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) >= 0);
}

static void send_or_look(int change)
{
	sigset_t set;
	if (change)
		give_signal(0);
	else
		must(sigpending(&set) == 0);
}

static void make_or_look(int change)
{
	if (change)
		make_file(0);
	else
		(void)access(names[0], F_OK);
}

static void take_shared(int lock)
{
	int file;
	while ((file = shm_open(lock ? "/fmc-kernel-locks-1" : "/fmc-kernel-locks-0",
				O_CREAT | O_EXCL | O_RDWR, 0600)) < 0)
		sched_yield();
	close(file);
}

static void give_shared(int lock)
{
	shm_unlink(lock ? "/fmc-kernel-locks-1" : "/fmc-kernel-locks-0");
}

static void read_input(int lock)
{
	char value;
	(void)lock;
	(void)!read(STDIN_FILENO, &value, 1);
}

/* One of both threads alone does all of it; the other one a little of what it doesn't change. */
static void change_own(int lock)
{
	struct rlimit limit;
	struct stat about;
	if (lock || me)
		return;
	must(getrlimit(RLIMIT_CORE, &limit) == 0 && setrlimit(RLIMIT_CORE, &limit) == 0);
	umask(022);
	write_own(names[0]);
	must(chmod(names[0], 0600) == 0 && stat(names[0], &about) == 0);
	list_folder();
	must(chdir(".") == 0);
	(void)setpriority(PRIO_PROCESS, 0, 1);
	signal(SIGUSR2, SIG_IGN);
	unlink(names[0]);
}

static void ask_all(int lock)
{
	char path[4096];
	struct stat about;
	(void)lock;
	must(getcwd(path, sizeof path) && stat(program, &about) == 0);
	change_or_ask_limit(0);
	change_or_ask_priority(0);
	change_or_ask_user(0);
	change_or_ask_handler(0);
	list_folder();
}

/* One file that both write to. */
static void append(int lock)
{
	int file = open(names[0], O_CREAT | O_APPEND | O_WRONLY, 0600);
	must(file >= 0 && write(file, &byte, 1) == 1);
	close(file);
	(void)lock;
}

static const struct kind {
	const char *name;
	void (*make)(int), (*take)(int), (*give)(int),
	    (*remove)(int); /* without take: give, by one thread (1) and by the other */
} kinds[] = {
    {"pipe", make_pipe, take_token, give_token, nothing},
    {"socketpair", make_pair, take_token, give_token, nothing},
    {"eventfd", make_event, take_event, give_event, nothing},
    {"semop", make_semaphore, take_semaphore, give_semaphore, remove_semaphore},
    {"msgrcv", make_message, take_message, give_message, remove_message},
    {"flock", nothing, take_file, give_file, nothing},
    {"fcntl", make_range, take_range, give_range, nothing},
    {"setlk", make_file, take_description, give_file, remove_file},
    {"fifo", make_fifo, take_token, give_token, nothing},
    {"exclusive", nothing, take_exclusive, remove_file, nothing},
    {"link", make_file, take_link, give_link, remove_file},
    {"mkdir", nothing, take_directory, give_directory, nothing},
    {"rename", make_file, take_name, give_name, remove_file},
    {"content", make_content, take_content, give_content, remove_file},
    {"memfd", make_memory, take_content, give_content, nothing},
    {"position", make_position, take_position, give_position, remove_file},
    {"process_vm", nothing, take_copy, give_copy, nothing},
    {"sigwait", make_signal, take_signal, give_signal, nothing},
    {"sigtimedwait", make_signal, try_signal, give_signal, nothing},
    {"signalfd", make_signals, take_signals, give_signal, nothing},
    {"mq", make_letter, take_letter, give_letter, nothing},
    {"timerfd", make_expiry, take_expiry, give_expiry, nothing},
    {"inotify", make_event_of, take_event_of, give_event_of, remove_file},
    {"shm", nothing, take_shared, give_shared, nothing},
    {"output", nothing, print, nothing, nothing},
    {"file", nothing, read_file, nothing, nothing},
    {"alone", nothing, use_own_pipe, nothing, nothing},
    {"events", nothing, use_own_event, nothing, nothing},
    {"pairs", nothing, use_own_pair, nothing, nothing},
    {"names", nothing, use_own_names, nothing, nothing},
    {"joined", nothing, write_for_main, nothing, read_all},
    {"own", nothing, change_own, nothing, nothing},
    {"asks", nothing, ask_all, nothing, nothing},
    {"logs", nothing, append, nothing, nothing},
    {"stdin", nothing, read_input, nothing, nothing},
    {"umask", nothing, NULL, change_or_ask_umask, nothing},
    {"cwd", nothing, NULL, change_or_ask_folder, nothing},
    {"stays", nothing, NULL, keep_or_ask_folder, nothing},
    {"relative", nothing, NULL, change_or_use_folder, nothing},
    {"listing", remove_file, NULL, change_or_list_folder, nothing},
    {"chmod", make_file, NULL, change_or_ask_mode, nothing},
    {"size", make_content, NULL, change_or_ask_size, nothing},
    {"xattr", make_content, NULL, take_attribute, nothing},
    {"rlimit", nothing, NULL, change_or_ask_limit, nothing},
    {"priority", nothing, NULL, change_or_ask_priority, nothing},
    {"setuid", nothing, NULL, change_or_ask_user, nothing},
    {"sigaction", nothing, NULL, change_or_ask_handler, nothing},
    {"prctl", nothing, NULL, change_or_ask_option, nothing},
    {"sigpending", make_signal, NULL, send_or_look, nothing},
    {"create", remove_file, NULL, make_or_look, nothing},
};

static const struct kind *kind;

static void *take_both(void *argument)
{
	me = argument != NULL;
	if (!kind->take) {
		kind->give(me);
		return NULL;
	}
	kind->take(me);
	kind->take(!me);
	kind->give(!me);
	kind->give(me);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	program = argv[0];
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind)
		return 64;
	for (int i = 0; i < 2; i++)
		kind->make(i);
	for (int i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, take_both, i ? threads : NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		kind->remove(i);
	return 0;
}
