#define _GNU_SOURCE
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 30 /* s */, PIECE = 1 << 18 };

bool socket_address(const char *prefix, struct in_addr *address) {
    struct ifaddrs *all;
    bool found = false, is_loopback = true;
    if (getifaddrs(&all) != 0) return false;
    for (struct ifaddrs *at = all; at; at = at->ifa_next) {
        char text[INET_ADDRSTRLEN];
        bool loops = at->ifa_flags & IFF_LOOPBACK;
        if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET || !(at->ifa_flags & IFF_UP)) continue;
        struct in_addr there = ((struct sockaddr_in *)(void *)at->ifa_addr)->sin_addr;
        if (!inet_ntop(AF_INET, &there, text, sizeof text)) continue;
        if (prefix && strncmp(text, prefix, strlen(prefix)) != 0) continue;
        if (found && (!is_loopback || loops)) continue;
        *address = there;
        found = true;
        is_loopback = loops;
    }
    freeifaddrs(all);
    return found;
}

static int patient(int handle) {
    struct timeval patience = {PATIENCE, 0};
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return handle;
}

static int closed(int handle) {
    int kept = errno;
    close(handle);
    errno = kept;
    return -1;
}

int socket_listen(struct in_addr address, in_port_t *port) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = address};
    socklen_t length = sizeof own;
    int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) return -1;
    if (bind(handle, (struct sockaddr *)&own, sizeof own) != 0 || listen(handle, 64) != 0 ||
        getsockname(handle, (struct sockaddr *)&own, &length) != 0)
        return closed(handle);
    *port = own.sin_port;
    return patient(handle);
}

int socket_connect(struct in_addr address, in_port_t port) {
    struct sockaddr_in other = {.sin_family = AF_INET, .sin_addr = address, .sin_port = port};
    int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) return -1;
    patient(handle);
    return connect(handle, (struct sockaddr *)&other, sizeof other) == 0 ? handle : closed(handle);
}

int socket_accept(int listening) {
    int handle = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    return handle < 0 ? -1 : patient(handle);
}

/* Sends or receives a whole transfer; false at its end or with errno. */
static bool transfer(struct stream *stream, bool sends) {
    for (size_t done = 0; done < stream->bytes;) {
        size_t piece = stream->bytes - done < PIECE ? stream->bytes - done : PIECE;
        ssize_t moved = sends ? send(stream->socket, stream->buffer, piece, MSG_NOSIGNAL)
                              : recv(stream->socket, stream->buffer, piece, 0);
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) {
            errno = moved == 0 ? (done ? ECONNRESET : 0) : errno;
            return false;
        }
        done += (size_t)moved;
    }
    return true;
}

void *stream_send(void *given) {
    struct stream *stream = given;
    for (int i = 0; i < stream->inner && !stream->error; i++) {
        char answer;
        errno = 0;
        if (!transfer(stream, true) || recv(stream->socket, &answer, 1, 0) != 1) stream->error = errno ? errno : ECONNRESET;
    }
    return NULL;
}

void *stream_receive(void *given) {
    struct stream *stream = given;
    while (transfer(stream, false))
        if (send(stream->socket, "", 1, MSG_NOSIGNAL) != 1) break;
    stream->error = errno;
    return NULL;
}
