/* Certificates as data. */
#include "supervisor/certificate/tree.h"

#include "supervisor/certificate/mix.h"

#include <stdlib.h>
#include <string.h>

static const char *const method_names[CERTIFICATE_METHODS] = {"reversal", "every", "bound", "delays",
							      "conservative"};

const char *certificate_method_name(enum certificate_method method)
{
	return method_names[method];
}

enum certificate_method certificate_method_by_name(const char *name, size_t length)
{
	unsigned method = 0;
	while (method < CERTIFICATE_METHODS &&
	       (strlen(method_names[method]) != length || memcmp(method_names[method], name, length) != 0))
		method++;
	return (enum certificate_method)method;
}

bool certificate_method_bounded(enum certificate_method method)
{
	return method != CERTIFICATE_REVERSAL && method != CERTIFICATE_EVERY;
}

void certificate_init(struct certificate *certificate)
{
	*certificate = (struct certificate){.fair_k = 1};
}

void certificate_release(struct certificate *certificate)
{
	free(certificate->begin);
	free(certificate->ops);
	free(certificate->states);
	free(certificate->seen);
	free(certificate->sets);
	free(certificate->ready);
	free(certificate->met);
	free(certificate->nodes);
	free(certificate->ends);
	certificate_init(certificate);
}

struct step *certificate_steps(const struct certificate *certificate, uint32_t end, size_t *length)
{
	const uint32_t last = certificate->ends[end].node;
	*length = 0;
	for (uint32_t n = last; n != 0; n = certificate->nodes[n].parent)
		++*length;
	struct step *steps = calloc(*length ? *length : 1, sizeof *steps);
	size_t at = *length;
	for (uint32_t n = last; steps && n != 0; n = certificate->nodes[n].parent)
		steps[--at] = certificate->nodes[n].step;
	return steps;
}

void certificate_digest(const void *bytes, size_t length, uint64_t digest[2])
{
	const unsigned char *at = bytes;
	digest[0] = mix(length);
	digest[1] = mix(length + 1);
	for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, at + i, length - i < sizeof word ? length - i : sizeof word);
		digest[0] = mix(digest[0] ^ word);
		digest[1] = mix(digest[1] + word);
	}
}
