/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * The engine's process: a fork of the manager, so that it sees the subnet object as it is without copying it, and so that
 * whatever goes wrong in it ends nothing else.
 */
#define _GNU_SOURCE
#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Pages of address space that this process has. */
static unsigned long pages_in_use(void)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	if (statm) {
		if (fscanf(statm, "%lu", &pages) != 1)
			pages = 0;
		fclose(statm);
	}
	return pages;
}

/* The child's life. It never returns into the manager's code, and runs none of its handlers. */
static _Noreturn void live_apart(void (*work)(void *), void *argument, rlim_t address_space, pid_t manager)
{
	static const int handled[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGCHLD };
	const struct rlimit none = { 0, 0 };

	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++)
		signal(handled[i], SIG_DFL);
	/* It ends with the manager, also with one that ended before this line. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != manager)
		_exit(1);
	setrlimit(RLIMIT_CORE, &none);
	if (address_space) {
		const struct rlimit limit = { address_space, address_space };
		setrlimit(RLIMIT_AS, &limit);
	}
	work(argument);
	_exit(0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the last holder of the pipe's other end is gone. False when the time is over. */
static bool wait_for_end(int fd, uint32_t time_s)
{
	int64_t end = now_ms() + (int64_t)time_s * 1000;

	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		int64_t left = end - now_ms();
		if (left <= 0)
			return false;
		int found = poll(&poll_fd, 1, left > INT32_MAX ? INT32_MAX : (int)left);
		if (found > 0)
			return true;
		if (found < 0 && errno != EINTR)
			return false;
	}
}

enum ending run_apart(void (*work)(void *), void *argument, uint32_t time_s, uint32_t memory_mib, int *detail)
{
	int ends[2];
	int status = 0;
	pid_t manager = getpid();
	rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
	unsigned long pages = pages_in_use();
	rlim_t address_space = pages ? pages * page + ((rlim_t)memory_mib << 20) : 0;

	*detail = 0;
	if (pipe2(ends, O_CLOEXEC)) {
		*detail = errno;
		return NOT_STARTED;
	}
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		live_apart(work, argument, address_space, manager);
	}
	if (child < 0)
		*detail = errno;
	close(ends[1]);
	bool in_time = child > 0 && wait_for_end(ends[0], time_s);
	close(ends[0]);
	if (child < 0)
		return NOT_STARTED;
	if (!in_time)
		kill(child, SIGKILL);
	pid_t waited;
	while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	if (!in_time)
		return TOOK_TOO_LONG;
	/* Where the manager leaves its children to the system, the answer itself says whether it is whole. */
	if (waited == child && WIFSIGNALED(status)) {
		*detail = WTERMSIG(status);
		return DIED;
	}
	return ENDED;
}

void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void shared_memory_free(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}
