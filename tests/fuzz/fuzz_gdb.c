/*
 * Any bytes as what GDB sends: packets are taken out of them and understood. What depends on no process is done with
 * them: registers are written, and have then what was written; conditions are evaluated.
 */
#include "replay/packets/agent.h"
#include "replay/packets/frame.h"
#include "replay/packets/registers.h"
#include "replay/packets/request.h"
#include "tests/fuzz/require.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A processor with everything. */
static const struct gdb_layout layout = {
    .present = 0x2e7,
    .offset = {
	[GDB_AVX] = 576, [GDB_OPMASK] = 1088, [GDB_ZMM] = 1152, [GDB_HIGH_ZMM] = 1664, [GDB_PKRU] = 2688}};

static void write_register(const struct gdb_request *r)
{
	static struct gdb_registers registers = {.area_length = 2696};
	unsigned char value[GDB_REGISTER] = {0}, now[GDB_REGISTER];
	size_t size = gdb_register_size(&layout, r->number);
	if (size == 0 || size != r->data_length)
		return;
	memcpy(value, r->data, size);
	require(gdb_register_write(&layout, &registers, r->number, value) != GDB_CHANGED_NONE, "not written");
	require(gdb_register_read(&layout, &registers, r->number, now) == size, "another size");
	/* Control registers of the x87 are shorter than GDB has them, and its tags are kept in few bits. */
	require(size == 4 || memcmp(now, value, size) == 0, "another value");
}

/* Each register has its number; memory, up to where addresses are too large, the lowest byte of its address. */
static bool read_register(void *context, uint32_t number, uint64_t *value)
{
	(void)context;
	*value = number;
	return number < 24;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	memset(to, (int)(address & 0xff), size);
	return address < UINT64_C(1) << 47;
}

static void evaluate_conditions(const struct gdb_request *r, const unsigned char *payload, size_t length)
{
	static const struct gdb_agent_state state = {NULL, read_register, read_memory};
	uint64_t value;
	require(r->conditions_length <= GDB_CONDITIONS, "number of conditions");
	for (size_t i = 0; i < r->conditions_length; i++) {
		const struct gdb_code *code = &r->conditions[i];
		require(code->bytes >= payload && code->length <= GDB_CONDITION_LENGTH &&
			    code->bytes + code->length <= payload + length,
			"condition outside of the payload");
		gdb_agent_evaluate(code->bytes, code->length, &state, &value);
	}
}

static void check_request(const struct gdb_request *r, const char *payload, size_t length)
{
	const unsigned char *begin = (const unsigned char *)payload;
	if (r->kind == GDB_MALFORMED)
		return;
	require(!r->data || (r->data >= begin && r->data + r->data_length <= begin + length),
		"data outside of the payload");
	require(r->kind != GDB_RESUME || (r->actions.length > 0 && r->actions.length <= GDB_ACTIONS),
		"number of actions");
	if (r->kind == GDB_INSERT)
		evaluate_conditions(r, begin, length);
	require(r->thread.thread >= GDB_ALL && r->thread.process >= GDB_ALL, "thread");
	if (r->kind == GDB_WRITE_REGISTER)
		write_register(r);
}

/* The payload exactly as long as it is, so that reading after it is seen. */
static void try_payload(const char *bytes, size_t length)
{
	struct gdb_request request;
	char *payload = malloc(length + !length);
	require(payload, "no memory");
	memcpy(payload, bytes, length);
	gdb_request_parse(&request, payload, length);
	check_request(&request, payload, length);
	free(payload);
}

/* A file instead of a stream: it ends where the input does. */
static void try_stream(const uint8_t *data, size_t size, bool interrupt)
{
	static struct gdb_frame frame;
	static int in = -1, out = -1;
	enum gdb_frame_event event;
	if (in < 0) {
		in = memfd_create("input", MFD_CLOEXEC);
		out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	}
	require(in >= 0 && out >= 0, "no files");
	require(ftruncate(in, 0) == 0 && pwrite(in, data, size, 0) == (ssize_t)size, "can't write");
	lseek(in, 0, SEEK_SET);
	gdb_frame_init(&frame, in, out);
	gdb_frame_send(&frame, (const char *)data, size);
	while ((event = gdb_frame_read(&frame)) != GDB_FRAME_CLOSED) {
		if (interrupt)
			(void)gdb_frame_interrupted(&frame);
		if (event == GDB_FRAME_PACKET)
			try_payload(frame.payload, frame.length);
	}
	gdb_frame_release(&frame);
}

/* The first byte says as what. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] % 4 == 0)
		try_stream(data + 1, size - 1, data[0] % 8 == 0);
	else
		try_payload((const char *)data + 1, size - 1);
	return 0;
}
