/* Numbers and bytes, written and read again. */
#include <fmc/supervisor/saved.h>

#include <stdlib.h>
#include <string.h>

void saver_release(struct saver *saver)
{
	free(saver->at);
	*saver = (struct saver){0};
}

static bool reserve(struct saver *saver, size_t more)
{
	if (saver->failed || more > SIZE_MAX / 2 - saver->length) {
		saver->failed = true;
		return false;
	}
	if (saver->length + more <= saver->room)
		return true;
	size_t room = saver->room ? 2 * saver->room : 256;
	if (room < saver->length + more)
		room = saver->length + more;
	unsigned char *at = realloc(saver->at, room);
	saver->failed = !at;
	if (!at)
		return false;
	saver->at = at;
	saver->room = room;
	return true;
}

void save_long_number(struct saver *saver, uint64_t number)
{
	if (!reserve(saver, 10))
		return;
	for (; number >= SAVED_MORE; number >>= 7)
		saver->at[saver->length++] = (unsigned char)(number | SAVED_MORE);
	saver->at[saver->length++] = (unsigned char)number;
}

/* The sign goes into the lowest bit, so that small negative numbers are short too. */
void save_signed(struct saver *saver, int64_t number)
{
	uint64_t bits = (uint64_t)number;
	save_number(saver, number < 0 ? ~bits << 1 | 1 : bits << 1);
}

void save_double(struct saver *saver, double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	save_number(saver, bits);
}

void save_bytes(struct saver *saver, const void *bytes, size_t length)
{
	save_number(saver, length);
	if (length == 0 || !reserve(saver, length))
		return;
	memcpy(saver->at + saver->length, bytes, length);
	saver->length += length;
}

void save_text(struct saver *saver, const char *text)
{
	save_number(saver, text != NULL);
	if (text)
		save_bytes(saver, text, strlen(text));
}

void load_refuse(struct loader *loader)
{
	loader->failed = true;
	loader->left = 0;
}

uint64_t load_long_number(struct loader *loader)
{
	uint64_t number = 0;
	for (unsigned shift = 0; shift < 64 && loader->left > 0; shift += 7) {
		unsigned char byte = *loader->at++;
		uint64_t bits = byte & (SAVED_MORE - 1);
		loader->left--;
		if (bits << shift >> shift != bits)
			break;
		number |= bits << shift;
		if (!(byte & SAVED_MORE))
			return number;
	}
	load_refuse(loader);
	return 0;
}

uint64_t load_most(struct loader *loader, uint64_t most)
{
	uint64_t number = load_number(loader);
	if (number <= most)
		return number;
	load_refuse(loader);
	return 0;
}

bool load_bool(struct loader *loader)
{
	return load_most(loader, 1) == 1;
}

int64_t load_signed(struct loader *loader)
{
	uint64_t bits = load_number(loader);
	return (int64_t)(bits & 1 ? ~(bits >> 1) : bits >> 1);
}

double load_double(struct loader *loader)
{
	uint64_t bits = load_number(loader);
	double number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

size_t load_count(struct loader *loader, size_t least)
{
	uint64_t count = load_number(loader);
	if (count <= loader->left / least)
		return (size_t)count;
	load_refuse(loader);
	return 0;
}

const void *load_bytes(struct loader *loader, size_t *length)
{
	*length = load_count(loader, 1);
	if (loader->failed)
		return NULL;
	const void *bytes = loader->at;
	loader->at += *length;
	loader->left -= *length;
	return bytes;
}

char *load_text(struct loader *loader)
{
	size_t length;
	if (!load_bool(loader))
		return NULL;
	const char *bytes = load_bytes(loader, &length);
	if (!bytes || memchr(bytes, '\0', length)) {
		load_refuse(loader);
		return NULL;
	}
	return strndup(bytes, length);
}
