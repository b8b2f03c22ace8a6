/* A guess at what was meant, by the edit distance with transpositions (Damerau 1964). */
#include <fmc/breakpoints/suggest.h>

#include <string.h>

#define NAME_ROOM 40

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	size_t d[NAME_ROOM + 1][NAME_ROOM + 1];
	if (n > NAME_ROOM || m > NAME_ROOM)
		return NAME_ROOM;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[n][m];
}

const char *suggest(const char *typed, const char *const names[], size_t length)
{
	const char *best = NULL;
	size_t best_distance = 3 < strlen(typed) ? 3 : 2; /* closer than this is a typing error */
	for (size_t i = 0; i < length; i++) {
		size_t now = distance(typed, names[i]);
		if (now < best_distance) {
			best_distance = now;
			best = names[i];
		}
	}
	return best;
}
