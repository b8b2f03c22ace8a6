#include "breakpoints/traps/patches.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/assert.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_BYTES 4096

struct span {
	uint64_t address;
	size_t size;
	uint8_t planted[SPAN_BYTES + PATCH_BYTES], original[SPAN_BYTES + PATCH_BYTES];
};

bool patches_add(struct patches *patches, uint64_t address, const void *planted, uint8_t size)
{
	FMC_ASSERT(size <= PATCH_BYTES);
	if (!ARRAY_ONE_MORE(patches->at, patches->length))
		return false;
	struct patch *patch = &patches->at[patches->length++];
	*patch = (struct patch){.address = address, .size = size};
	memcpy(patch->planted, planted, size);
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct patch *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static bool same_page(const struct patch *a, const struct patch *b)
{
	return a->address / SPAN_BYTES == b->address / SPAN_BYTES;
}

enum status patches_load(struct patches *patches, const struct target *target)
{
	if (patches->length == 0)
		return STATUS_OK;
	qsort(patches->at, patches->length, sizeof(*patches->at), by_address);
	patches->spans = calloc(patches->length, sizeof(*patches->spans));
	if (!patches->spans)
		return STATUS_NO_MEMORY;
	for (size_t i = 0, end; i < patches->length; i = end) {
		for (end = i + 1; end < patches->length && same_page(&patches->at[i], &patches->at[end]);
		     end++)
			FMC_ASSERT(patches->at[end].address >=
				   patches->at[end - 1].address + patches->at[end - 1].size);
		struct span *span = &patches->spans[patches->spans_length++];
		span->address = patches->at[i].address;
		span->size = patches->at[end - 1].address + patches->at[end - 1].size - span->address;
		enum status status = target_read(target, span->address, span->original, span->size);
		if (status != STATUS_OK)
			return status;
		memcpy(span->planted, span->original, span->size);
		for (size_t k = i; k < end; k++) {
			struct patch *patch = &patches->at[k];
			size_t offset = patch->address - span->address;
			memcpy(patch->original, span->original + offset, patch->size);
			memcpy(span->planted + offset, patch->planted, patch->size);
		}
	}
	return STATUS_OK;
}

enum status patches_write(const struct patches *patches, struct target *target, bool planted)
{
	for (size_t i = 0; i < patches->spans_length; i++) {
		const struct span *span = &patches->spans[i];
		enum status status =
		    target_write(target, span->address, planted ? span->planted : span->original, span->size);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

void patches_hide(const struct patches *patches, uint64_t address, uint8_t *bytes, size_t size)
{
	size_t low = 0, high = patches->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (patches->at[middle].address + patches->at[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < patches->length && patches->at[low].address < address + size; low++) {
		const struct patch *patch = &patches->at[low];
		for (size_t i = 0; i < patch->size; i++)
			if (patch->address + i >= address && patch->address + i < address + size)
				bytes[patch->address + i - address] = patch->original[i];
	}
}

bool patches_find(const struct patches *patches, uint64_t address, uint8_t *original)
{
	size_t low = 0, high = patches->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct patch *patch = &patches->at[middle];
		if (address < patch->address)
			high = middle;
		else if (address >= patch->address + patch->size)
			low = middle + 1;
		else {
			*original = patch->original[address - patch->address];
			return true;
		}
	}
	return false;
}

void patches_release(struct patches *patches)
{
	free(patches->at);
	free(patches->spans);
	*patches = (struct patches){0};
}
