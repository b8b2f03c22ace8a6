#include "supervisor/execution/retries.h"

#include <string.h>

#define REREADS 2
#define LONG	100

/* Where the compiler tells of every access, computing alone makes that many. */
#define LONG_COMPILED 5000

void retries_break_off(struct retries *retries)
{
	retries->length = retries->since = 0;
}

void retries_anew(struct retries *retries)
{
	retries_break_off(retries);
	retries->in_row = 0;
	retries->open = false;
}

void retries_over(struct retries *retries)
{
	retries_anew(retries);
	retries->tries = 0;
}

void retries_yielded(struct retries *retries)
{
	retries->since = retries->length;
	retries->in_row = 0;
}

/* What the compiler tells of has one function for all places. */
static uint64_t place_of(const struct call *call)
{
	return call->compiled ? call->op.place : call->entry;
}

void retries_add(struct retries *retries, const struct call *call, uint64_t word,
		 const uint64_t registers[RETRY_REGISTERS])
{
	struct retry *retry = &retries->at[retries->length % RETRIES_ROOM];
	retry->entry = place_of(call);
	retry->object = call->object;
	retry->bytes = (uint64_t)call->op.arg;
	retry->word = word;
	retry->calls = call->calls;
	memcpy(retry->registers, registers, sizeof retry->registers);
	retries->length++;
	retries->in_row++;
}

bool retries_added(struct retries *retries, const struct call *call, uint64_t word)
{
	const bool unchanged = word == retries->word;
	/* A store that waits is no more than its own thread's. */
	if (!unchanged || call->op.flags & OP_BUFFERED)
		retries_break_off(retries);
	return unchanged && (uint64_t)call->op.arg <= sizeof retries->word;
}

static bool is_same(const struct retry *retry, const struct call *call,
		    const uint64_t registers[RETRY_REGISTERS])
{
	return retry->entry == place_of(call) && retry->object == call->object &&
	       memcmp(retry->registers, registers, sizeof retry->registers) == 0;
}

static bool is_reread(const struct retry *retry, const struct call *call, uint64_t word)
{
	return retry->entry == place_of(call) && retry->object == call->object && retry->word == word &&
	       (!retry->calls || word);
}

bool retries_are_round(const struct retries *retries, const struct call *call, uint64_t word,
		       const uint64_t registers[RETRY_REGISTERS])
{
	const uint32_t last = retries->length - retries->since;
	uint32_t known = last < RETRIES_ROOM ? last : RETRIES_ROOM, rereads = 0;
	for (uint32_t n = 1; n <= known; n++) {
		const struct retry *retry = &retries->at[(retries->length - n) % RETRIES_ROOM];
		if (is_same(retry, call, registers))
			return true;
		rereads += retries_load(call) && is_reread(retry, call, word);
	}
	return rereads >= REREADS || retries->in_row >= (call->compiled ? LONG_COMPILED : LONG);
}

/* Is what it has found known? */
static bool is_told(const struct retry *retry)
{
	return retry->calls ? retry->word != 0 : retry->bytes > 0 && retry->bytes <= sizeof retry->word;
}

uint32_t retries_since(const struct retries *retries, const struct call *call)
{
	const uint32_t known = retries->length < RETRIES_ROOM ? retries->length : RETRIES_ROOM;
	for (uint32_t n = 1; n <= known; n++) {
		const struct retry *retry = &retries->at[(retries->length - n) % RETRIES_ROOM];
		if (!is_told(retry))
			return 0;
		if (retry->entry == call->entry && retry->object == call->object)
			return retry->bytes == (uint64_t)call->op.arg ? n : 0;
	}
	return 0;
}

/* Scratch at a call: which value it has hangs on how one has come there. */
#define R11 11

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

uint64_t retries_key(const struct retries *retries, uint32_t length, const struct call *call,
		     const uint64_t registers[RETRY_REGISTERS])
{
	uint64_t key = mix(mix(length, call->entry), call->object);
	for (unsigned i = 0; i < RETRY_REGISTERS; i++)
		key = i == R11 ? key : mix(key, registers[i]);
	for (uint32_t i = 0; i < length; i++) {
		const struct retry *seen = &retries->at[(retries->length - length + i) % RETRIES_ROOM];
		key = mix(mix(mix(mix(key, seen->entry), seen->object), seen->bytes), seen->word);
	}
	return key;
}
