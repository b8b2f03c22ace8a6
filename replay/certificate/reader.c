/* What is read from a line, and what is said of one that can't be. */
#include "replay/certificate/format.h"

bool certificate_number(struct certificate_parser *p, uint64_t most, uint64_t *number)
{
	const char *first = p->at;
	uint64_t value = 0;
	for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
		const unsigned digit = (unsigned)(*p->at - '0');
		if (value > (most - digit) / 10 && value * 10 + digit > most)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	return p->at > first && p->at - first < 20 && value <= most;
}

bool certificate_blank(struct certificate_parser *p)
{
	const char *first = p->at;
	while (p->at < p->end && *p->at == ' ')
		p->at++;
	return p->at > first;
}
