/* What semaphores, queues of messages and connections of sockets hold, as digests. */
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/ready.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MSG_COPY
#define MSG_COPY 040000
#endif

/* Whoever uses what is gone is told so. */
static bool is_gone(void)
{
	return errno == EINVAL || errno == EIDRM;
}

#define MOST_VALUES 256
bool kernel_semaphores_digest(uint64_t id, uint64_t *digest)
{
	unsigned short values[MOST_VALUES];
	struct semid_ds about;
	union {
		struct semid_ds *about;
		unsigned short *values;
	} argument = {&about};
	if (semctl((int)id, 0, IPC_STAT, argument) != 0)
		return is_gone();
	argument.values = values;
	if (about.sem_nsems > MOST_VALUES || semctl((int)id, 0, GETALL, argument) != 0)
		return false;
	*digest = kernel_mix(*digest, values, about.sem_nsems * sizeof *values);
	return true;
}

#define MESSAGE_BYTES 65536
struct message {
	long type;
	char text[MESSAGE_BYTES];
};

static bool add_messages(int queue, struct message *message, uint64_t *digest)
{
	ssize_t length;
	for (long i = 0; message; i++) {
		if ((length = msgrcv(queue, message, MESSAGE_BYTES, i, IPC_NOWAIT | MSG_COPY)) < 0)
			return errno == ENOMSG;
		*digest = kernel_mix(*digest, message, offsetof(struct message, text) + (size_t)length);
	}
	return false;
}

static bool is_empty_queue(int queue, bool *empty)
{
	struct msqid_ds about;
	const bool found = msgctl(queue, IPC_STAT, &about) == 0;
	*empty = !found || about.msg_qnum == 0;
	return found || is_gone();
}

static bool messages_digest(int queue, uint64_t *digest)
{
	bool empty;
	if (!is_empty_queue(queue, &empty) || empty)
		return empty;
	struct message *message = malloc(sizeof *message);
	const bool told = add_messages(queue, message, digest);
	free(message);
	return told;
}

/* Somebody who is told when a first message comes would be told of it once more. */
static bool tells_nobody(int queue)
{
	char text[256];
	const ssize_t length = pread(queue, text, sizeof text - 1, 0);
	text[length < 0 ? 0 : length] = '\0';
	const char *who = strstr(text, "NOTIFY_PID:");
	return who && atoi(who + strlen("NOTIFY_PID:")) == 0;
}

/* They can be seen only by taking them; what goes back in this order is in the order in which it was. */
static bool add_letters(int queue, const struct mq_attr *about, uint64_t *digest)
{
	const size_t size = (size_t)about->mq_msgsize, most = (size_t)about->mq_curmsgs;
	char *letters = calloc(most, size);
	struct {
		ssize_t length;
		unsigned priority;
	} *each = calloc(most, sizeof *each);
	size_t taken = 0, i;
	bool told = letters && each;
	while (told && taken < most &&
	       (each[taken].length =
		    mq_receive(queue, letters + taken * size, size, &each[taken].priority)) >= 0)
		taken++;
	told = told && taken == most;
	for (i = 0; i < taken; i++) {
		const size_t length = (size_t)each[i].length;
		*digest = kernel_mix(*digest, letters + i * size, length);
		*digest = kernel_mix(*digest, &each[i].priority, sizeof each[i].priority);
		told &= mq_send(queue, letters + i * size, length, each[i].priority) == 0;
	}
	free(letters);
	free(each);
	return told;
}

/* Nobody who could have the queue as well gets on meanwhile: what isn't there for a moment would be missed, or others come in its place. */
static bool all_stand(const struct process *process)
{
	bool stand = !process->drive && target_descendants(process->target) == 0;
	for (uint32_t t = 0; t < process->threads_length && stand; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		stand = !tracee || tracee->life != TRACEE_RUNNING;
	}
	return stand;
}

/* What is asked of the first descriptor that leads to a queue; may_take: of one that has no name any more. */
struct letters {
	uint64_t file;
	bool may_take;
	uint64_t *digest;
	bool found, told;
};

static bool look_at_letters(struct target *target, int descriptor, int copy, void *context)
{
	struct letters *letters = context;
	struct mq_attr about;
	struct stat file;
	char path[48];
	if (copy < 0 || fstat(copy, &file) != 0 ||
	    (file.st_ino ^ (uint64_t)file.st_dev << 40) != letters->file || mq_getattr(copy, &about) != 0)
		return true;
	letters->found = true;
	letters->told = about.mq_curmsgs == 0;
	const bool takes = !letters->told && letters->may_take && file.st_nlink == 0;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(target), descriptor);
	const int own = takes ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
	if (own >= 0) {
		letters->told = tells_nobody(own) && add_letters(own, &about, letters->digest);
		close(own);
	}
	return false;
}

bool kernel_queue_digest(const struct process *process, uint64_t id, uint64_t *digest)
{
	const uint64_t of_posix = UINT64_C(1) << 63;
	struct letters letters = {.file = id & ~of_posix, .digest = digest};
	if (!(id & of_posix))
		return messages_digest((int)id, digest);
	letters.may_take = all_stand(process);
	(void)kernel_all_descriptors(process, look_at_letters, &letters);
	return letters.told;
}

/* What has come to all sockets, and is still there. */
#define MOST_BYTES (1u << 20)
struct received {
	unsigned char *bytes;
	uint64_t *digest;
};

static int option_of(int socket, int name)
{
	int value = 0;
	socklen_t size = sizeof value;
	return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/* Of what is before the first message, or the first who connects, more isn't to be seen. */
static bool look_at_socket(struct target *target, int descriptor, int copy, void *context)
{
	const struct received *received = context;
	struct stat file;
	int unsent = 0;
	(void)target;
	if (copy < 0 || fstat(copy, &file) != 0 || !S_ISSOCK(file.st_mode))
		return true;
	const bool streams = option_of(copy, SO_TYPE) == SOCK_STREAM,
		   listens = option_of(copy, SO_ACCEPTCONN);
	const int ready = ready_now(copy, POLLIN | POLLOUT | POLLRDHUP);
	if (ready < 0 || ((listens || !streams) && ready & POLLIN) ||
	    (option_of(copy, SO_DOMAIN) != AF_UNIX && ioctl(copy, SIOCOUTQ, &unsent) == 0 && unsent))
		return false;
	*received->digest = kernel_mix(*received->digest, &descriptor, sizeof descriptor);
	*received->digest = kernel_mix(*received->digest, &ready, sizeof ready);
	const ssize_t length =
	    !listens && ready & POLLIN ? recv(copy, received->bytes, MOST_BYTES, MSG_PEEK | MSG_DONTWAIT) : 0;
	if (length > 0)
		*received->digest = kernel_mix(*received->digest, received->bytes, (size_t)length);
	return length < MOST_BYTES;
}

bool kernel_connections_digest(const struct process *process, uint64_t *digest)
{
	struct received received = {malloc(MOST_BYTES), digest};
	const bool told = received.bytes && kernel_all_descriptors(process, look_at_socket, &received);
	free(received.bytes);
	return told;
}
