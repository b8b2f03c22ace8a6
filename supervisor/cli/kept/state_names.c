#include "supervisor/cli/kept/state_names.h"

#include <fmc/supervisor/finding.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/trace.h>

static uint64_t mix(uint64_t digest, const char *text, uint64_t number)
{
	digest = (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	for (; *text; text++)
		digest = (digest ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return digest ^ digest >> 32;
}

uint64_t state_names(void)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	for (enum op_kind kind = 0; kind < OP_KINDS; kind++)
		digest = mix(mix(digest, op_name(kind), op_class(kind)), "", op_class2(kind));
	for (enum end_reason end = 0; end <= END_ERROR; end++)
		digest = mix(digest, end_reason_name(end), end);
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		digest = mix(digest, finding_kind_name(kind), kind);
	for (enum strategy strategy = 0; strategy < STRATEGIES; strategy++)
		digest = mix(digest, strategy_name(strategy), strategy);
	return digest;
}
