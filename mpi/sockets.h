/* TCP between ranks: connections, and threads that fill them. */
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
    int error; /* errno of what went wrong, 0 while nothing did */
    pthread_t thread;
};

/* The first IPv4 address that is up and begins with the prefix (any but loopback without one; loopback where there is no
 * other). False where there is none. */
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
