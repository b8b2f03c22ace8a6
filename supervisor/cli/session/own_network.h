#ifndef FMC_SUPERVISOR_CLI_SESSION_OWN_NETWORK_H
#define FMC_SUPERVISOR_CLI_SESSION_OWN_NETWORK_H

#include "supervisor/cli/options/options.h"

/*
 * --own-network: fmc goes into a network of its own, with all processes that it starts from now on; who may not do that as it is, in
 * a user namespace in which users and groups are as before. Before there is a second thread. False after a line about why it can't be.
 */
bool own_network_enter(const struct options *options);

#endif
