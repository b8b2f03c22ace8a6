#include "breakpoints/unwind/cfi_reader.h"
#include <string.h>

uint64_t cfi_fixed(struct cfi_reader *reader, size_t size)
{
	uint64_t value = 0;
	if ((size_t)(reader->end - reader->at) < size) {
		reader->bad = true;
		reader->at = reader->end;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	return value;
}

uint64_t cfi_leb(struct cfi_reader *reader)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint64_t byte = cfi_fixed(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->bad = true;
	return 0;
}

struct cfi_reader cfi_part(struct cfi_reader *reader)
{
	uint64_t size = cfi_leb(reader);
	if (size > (uint64_t)(reader->end - reader->at)) {
		reader->bad = true;
		reader->at = reader->end;
		return (struct cfi_reader){.at = reader->at, .end = reader->end, .bad = true};
	}
	const uint8_t *start = reader->at;
	reader->at += size;
	return (struct cfi_reader){.at = start, .end = reader->at, .bad = reader->bad};
}
