/* What GDB asks for with files of the program's machine. */
#include "replay/packets/request_parts.h"

#include <string.h>

static bool parse_number(struct gdb_request *request, struct gdb_cursor *at)
{
	uint64_t number;
	if (!gdb_take_number(at, INT32_MAX, &number))
		return false;
	request->file.number = (uint32_t)number;
	return true;
}

/* "PATH,FLAGS,MODE"; the mode is for files that are made. */
static bool parse_open(struct gdb_request *request, struct gdb_cursor *at)
{
	uint64_t flags, mode;
	if (!gdb_take_digits(request, at) || !gdb_take(at, ',') || !gdb_take_number(at, UINT32_MAX, &flags) ||
	    !gdb_take(at, ',') || !gdb_take_number(at, UINT32_MAX, &mode))
		return false;
	request->file.flags = (uint32_t)flags;
	return true;
}

/* "NUMBER,COUNT,OFFSET" */
static bool parse_pread(struct gdb_request *request, struct gdb_cursor *at)
{
	return parse_number(request, at) && gdb_take(at, ',') &&
	       gdb_take_number(at, UINT64_MAX, &request->length) && gdb_take(at, ',') &&
	       gdb_take_number(at, INT64_MAX, &request->address);
}

static const struct {
	const char *begin;
	bool (*parse)(struct gdb_request *request, struct gdb_cursor *at);
} files[] = {
    [GDB_FILE_SETFS] = {"setfs:", parse_number}, [GDB_FILE_OPEN] = {"open:", parse_open},
    [GDB_FILE_PREAD] = {"pread:", parse_pread},	 [GDB_FILE_FSTAT] = {"fstat:", parse_number},
    [GDB_FILE_CLOSE] = {"close:", parse_number}, [GDB_FILE_READLINK] = {"readlink:", gdb_take_digits},
};

bool gdb_parse_file(struct gdb_request *request, struct gdb_cursor *at)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const size_t length = strlen(files[i].begin);
		if ((size_t)(at->end - at->next) < length || memcmp(at->next, files[i].begin, length) != 0)
			continue;
		at->next += length;
		request->file.kind = (enum gdb_file)i;
		return files[i].parse(request, at);
	}
	request->kind = GDB_UNKNOWN;
	return true;
}
