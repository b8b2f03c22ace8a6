#ifndef FMC_SUPERVISOR_CLI_ATTACH_ACCOUNT_JSON_H
#define FMC_SUPERVISOR_CLI_ATTACH_ACCOUNT_JSON_H

#include <fmc/supervisor/account.h>

#include <jansson.h>

/*
 * An account as JSON, the fields of which are listed in fmc-attach(1). movement: of each thread, with the time in between; NULL:
 * none. To be given to json_save().
 */
json_t *account_json(const struct account *account, const struct movement *movement, uint64_t interval_ns);

#endif
