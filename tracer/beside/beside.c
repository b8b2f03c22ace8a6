/* fmc's end: the keeper is asked, and heard. */
#include "tracer/beside/state.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/clock.h>
#include <fmc/tracer/target.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
/* So often it is looked whether the user wants an end; a signal may come just before a wait. */
#define LOOK_MS 500

enum status beside_new(const struct beside_setting *setting, struct beside **out, char why[256])
{
	int ends[2];
	struct beside *beside = calloc(1, sizeof *beside);
	*out = NULL;
	if (!beside || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		snprintf(why, 256, "can't start what runs beside the program: %s", strerror(errno));
		free(beside);
		return STATUS_SYSTEM;
	}
	beside->keeper = fork();
	if (beside->keeper == 0)
		keeper_live(setting, ends[1]);
	close(ends[1]);
	beside->socket = ends[0];
	if (beside->keeper > 0) {
		*out = beside;
		return STATUS_OK;
	}
	snprintf(why, 256, "can't start what runs beside the program: %s", strerror(errno));
	close(ends[0]);
	free(beside);
	return STATUS_SYSTEM;
}

void beside_free(struct beside *beside)
{
	if (!beside)
		return;
	asleep_forget(beside);
	close(beside->socket);
	while (waitpid(beside->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	free(beside);
}

static enum status ask(struct beside *beside, enum keeper_asks asks, size_t command)
{
	const struct keeper_request request = {asks, (uint32_t)command};
	return send(beside->socket, &request, sizeof request, MSG_NOSIGNAL) == sizeof request ? STATUS_OK
											      : STATUS_GONE;
}

/* The next that the keeper tells. */
static enum status hear(struct beside *beside, uint64_t deadline, bool interruptible,
			struct keeper_reply *reply)
{
	struct pollfd watched = {.fd = beside->socket, .events = POLLIN};
	for (;;) {
		const uint64_t now = clock_now();
		const uint64_t left_ms = deadline <= now ? 0 : (deadline - now) / MS + 1;
		const int left = left_ms < LOOK_MS ? (int)left_ms : LOOK_MS;
		const int ready = poll(&watched, 1, left);
		if (interruptible && tracer_interrupted())
			return STATUS_INTERRUPTED;
		if (ready > 0)
			break;
		if (left == 0)
			return STATUS_TIMEOUT;
	}
	return recv(beside->socket, reply, sizeof *reply, 0) == sizeof *reply ? STATUS_OK : STATUS_GONE;
}

enum status beside_start(struct beside *beside, size_t command)
{
	struct keeper_reply reply = {.tells = KEEPER_ENDED};
	enum status status = ask(beside, KEEPER_START, command);
	while (status == STATUS_OK && reply.tells != KEEPER_STARTED)
		status = hear(beside, UINT64_MAX, false, &reply);
	return status;
}

enum status beside_wait(struct beside *beside, int timeout_ms, int *status)
{
	struct keeper_reply reply;
	const uint64_t deadline = timeout_ms ? clock_now() + (uint64_t)timeout_ms * MS : 0;
	const enum status heard = hear(beside, deadline, timeout_ms != 0, &reply);
	if (heard == STATUS_OK)
		*status = reply.value;
	return heard;
}

enum status beside_kill(struct beside *beside, size_t *left)
{
	struct keeper_reply reply = {.tells = KEEPER_ENDED};
	enum status status = ask(beside, KEEPER_KILL, 0);
	/* Its end may have been told before. */
	while (status == STATUS_OK && reply.tells != KEEPER_KILLED)
		status = hear(beside, UINT64_MAX, false, &reply);
	if (left)
		*left = status == STATUS_OK ? (size_t)reply.value : 0;
	return status;
}
