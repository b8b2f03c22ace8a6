#include <fmc/tracer/pid_namespace.h>

#include <sys/stat.h>
#include <unistd.h>

/* The kernel gives the first namespace this inode: PROC_PID_INIT_INO of its proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffc

bool in_first_pid_namespace(void)
{
	struct stat namespace;
	return stat("/proc/self/ns/pid", &namespace) == 0 && namespace.st_ino == FIRST_PID_NAMESPACE;
}

bool proc_shows_all(void)
{
	return in_first_pid_namespace() && access("/proc/1/stat", F_OK) == 0;
}
