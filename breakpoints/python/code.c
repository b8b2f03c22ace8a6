#include "breakpoints/python/python.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_MOST  65536
#define LOCALS_MOST 4096
#define STACK_MOST  4096

/* A copy of a bytes object; NULL: it can't be read, or is empty. */
static uint8_t *read_bytes(struct python *python, uint64_t object, size_t *size)
{
	uint64_t length;
	*size = 0;
	if (!python_word(python, object + PYTHON_LENGTH, &length) || length == 0 || length > TABLE_MOST)
		return NULL;
	uint8_t *bytes = malloc(length);
	if (bytes && python_read(python, object + PYTHON_BYTES, bytes, length)) {
		*size = length;
		return bytes;
	}
	free(bytes);
	return NULL;
}

static const char *file_of(const char *source)
{
	const char *slash = source ? strrchr(source, '/') : NULL;
	return slash && slash[1] ? slash + 1 : source;
}

static bool read_code(struct python *python, struct python_code *code)
{
	const struct python_layout *layout = &python->layout;
	const uint64_t at = code->address;
	if (!python_is(python, at, "code") ||
	    !python_read(python, at + layout->code_locals, &code->locals, 4) ||
	    !python_read(python, at + layout->code_stack, &code->stack, 4) ||
	    !python_read(python, at + layout->code_first_line, &code->first_line, 4) ||
	    !python_word(python, at + layout->code_local_names, &code->names) || code->locals > LOCALS_MOST ||
	    code->stack > STACK_MOST)
		return false;
	code->function = python_text(python, python_pointer(python, at + layout->code_name));
	code->source = python_text(python, python_pointer(python, at + layout->code_filename));
	code->file = file_of(code->source);
	code->lines = read_bytes(python, python_pointer(python, at + layout->code_lines), &code->lines_size);
	if (layout->code_exceptions != NO_OFFSET)
		code->exceptions = read_bytes(python, python_pointer(python, at + layout->code_exceptions),
					      &code->exceptions_size);
	return true;
}

static void free_code(struct python_code *code)
{
	free(code->function);
	free(code->source);
	free(code->lines);
	free(code->exceptions);
	free(code);
}

const struct python_code *python_code(struct python *python, uint64_t address)
{
	struct python_code **bucket = &python->codes[address / 16 % PYTHON_CODE_BUCKETS];
	for (struct python_code *code = *bucket; code; code = code->next)
		if (code->address == address)
			return code;
	struct python_code *code = calloc(1, sizeof(*code));
	if (!code)
		return NULL;
	code->address = address;
	if (!read_code(python, code)) {
		free_code(code);
		return NULL;
	}
	code->next = *bucket;
	*bucket = code;
	return code;
}

void python_codes_free(struct python *python)
{
	for (size_t i = 0; i < PYTHON_CODE_BUCKETS; i++)
		while (python->codes[i]) {
			struct python_code *code = python->codes[i];
			python->codes[i] = code->next;
			free_code(code);
		}
}
