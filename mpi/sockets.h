/* TCP between ranks: connections, and threads that send and receive. */
#ifndef LACIS_SOCKETS_H
#define LACIS_SOCKETS_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct stream {
    int socket;
    size_t bytes; /* of a transfer */
    char *buffer;
    int inner;
    int error; /* errno, or 0 */
    pthread_t thread;
};

/* The first IPv4 address that is up and begins with the prefix, if one is given; loopback only where there is no other.
 * False where there is none. */
bool socket_address(const char *prefix, struct in_addr *address);
/* A listening socket and its port; -1 with errno. */
int socket_listen(struct in_addr address, in_port_t *port);
int socket_connect(struct in_addr address, in_port_t port);
int socket_accept(int listening);
/* Sends `inner` transfers, each answered by one byte. For threads; takes a struct stream. */
void *stream_send(void *stream);
/* Answers transfers until the sender closes. */
void *stream_receive(void *stream);

#endif
