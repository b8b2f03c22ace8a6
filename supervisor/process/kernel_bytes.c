/* What is in pipes and queues of sockets, as a digest: states of a program that differ in that alone aren't the same. */
#include "supervisor/process/kernel_objects.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_BYTES (1u << 20)

static uint64_t mix(uint64_t digest, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	return digest ^ length << 32;
}

/* As much as the pipe can have; a copy of it, in a pipe of fmc's own. */
static ssize_t look_into_pipe(int copy, unsigned char *bytes)
{
	int own[2];
	ssize_t length = -1;
	if (pipe2(own, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	if (fcntl(own[1], F_SETPIPE_SZ, fcntl(copy, F_GETPIPE_SZ)) >= 0 &&
	    tee(copy, own[1], MOST_BYTES, SPLICE_F_NONBLOCK) > 0)
		length = read(own[0], bytes, MOST_BYTES);
	close(own[0]);
	close(own[1]);
	return length;
}

static bool add(const struct process *process, const struct process_object *object, unsigned char *bytes,
		uint64_t *digest)
{
	const int copy = kernel_duplicate(process, object->kernel.descriptors[0]);
	if (copy < 0)
		return object->kernel.descriptors[0] < 0; /* nobody reads it any more */
	const ssize_t length = object->class == CLASS_PIPE
				   ? look_into_pipe(copy, bytes)
				   : recv(copy, bytes, MOST_BYTES, MSG_PEEK | MSG_DONTWAIT);
	close(copy);
	if (length > 0)
		*digest = mix(*digest, bytes, (size_t)length);
	return length > 0;
}

bool kernel_digest(const struct process *process, uint64_t *digest)
{
	unsigned char *bytes = NULL;
	bool good = true;
	*digest = UINT64_C(0xcbf29ce484222325);
	for (uint32_t i = 0; i < process->kernel_length && good; i++) {
		const struct process_object *object = &process->objects[process->kernel[i]];
		struct object_state state;
		model_object_state(process->model->model, process->kernel[i], &state);
		if ((object->class != CLASS_PIPE && object->class != CLASS_SOCKET) || !state.count)
			continue;
		if (!bytes)
			bytes = malloc(MOST_BYTES);
		good = bytes && add(process, object, bytes, digest);
	}
	free(bytes);
	return good;
}
