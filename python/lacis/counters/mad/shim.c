/* Many management datagrams (MADs) in flight at a time, over libibumad.
 *
 * The library is loaded when a device is opened, so that a C compiler is all that building takes. What a MAD's data
 * mean is not known here: a request has up to 24 bytes of data, or of the path by which it is routed, and an answer all it has.
 *
 * A request is sent again when it is lost or when the node is busy. A node that has answered nothing, while a
 * request to it was sent as often as allowed, is taken for silent, and its other requests are not sent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAD_BYTES = 256, DATA_AT = 64, DATA_BYTES = MAD_BYTES - DATA_AT, BODY_BYTES = 24, RESPONSE = 0x80, GRACE = 100 /* ms */ };
enum { SUBNET_CLASS = 0x01, PERFORMANCE_CLASS = 0x04, DIRECTED_CLASS = 0x81, BUSY = 0x0001, STATUS_BITS = 0x7fff };
enum { HOPS_AT = 7, ENDS_AT = 32, PATH_AT = 128, NO_LID = 0xffff };
enum { TRY_BITS = 3, INDEX_BITS = 22, MOST = 1 << INDEX_BITS, TRIES = 1 << TRY_BITS, SWEEP_AT = INDEX_BITS + TRY_BITS };
enum state { WAITING = 0, ANSWERED = 1, LOST = 2, SILENT = 3, REFUSED = 4, IN_FLIGHT = 5 };
enum opening { OPENED = 0, NO_MEMORY = 1, NO_LIBRARY = 2, OLD_LIBRARY = 3, NO_DEVICE = 4, NO_AGENT = 5 };

/* Both structures are read and written by numpy: their layout is that of device.py. */
struct request {
    uint32_t node, modifier;
    uint16_t lid, attribute;
    uint8_t management_class, method, service_level, hops;
    uint8_t body[BODY_BYTES];
};

struct answer {
    int64_t time; /* [ns since 1970] */
    uint16_t status;
    uint8_t state, tries;
    int32_t error;
    uint8_t data[DATA_BYTES];
};

struct library {
    int (*init)(void), (*open_port)(const char *, int), (*close_port)(int), (*status)(void *);
    int (*enlist)(int, int, int, uint8_t, long *), (*set_addr)(void *, int, int, int, int);
    int (*send)(int, int, void *, int, int, int), (*recv)(int, void *, int *, int), (*poll)(int, int);
    size_t (*size)(void);
    void *(*mad)(void *);
};

struct slot {
    uint32_t next, previous; /* among those that wait at a node, or among those in flight, oldest first */
    int64_t sent;            /* [ms] */
};

struct node {
    uint32_t first, in_flight;
    uint8_t is_listed, has_answered;
};

struct device {
    struct library lib;
    int port, subnet_agent, directed_agent, performance_agent;
    uint8_t *buffer;
    uint32_t sweep; /* a number in each transaction, by which answers to an earlier sweep are recognised */

    const struct request *requests;
    struct answer *answers;
    uint32_t count, nodes, left, in_flight, most, most_a_node, tries;
    int timeout; /* [ms] */
    struct slot *slot;
    uint32_t oldest, newest;
    struct node *node;
    uint32_t *ready, ready_at, ready_count; /* a ring of nodes that may be sent to */
};

#define NONE UINT32_MAX

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t milliseconds(void) { return nanoseconds(CLOCK_MONOTONIC) / 1000000; }

static void put(uint8_t *at, uint32_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) at[i] = (uint8_t)value;
}

static uint32_t get(const uint8_t *at, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | at[i];
    return value;
}

static int load(struct library *lib, const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NO_LIBRARY;
    const char *names[] = {"umad_init", "umad_open_port", "umad_close_port", "umad_status",  "umad_register",
                           "umad_set_addr", "umad_send", "umad_recv",       "umad_size", "umad_get_mad", "umad_poll"};
    void *into[] = {&lib->init,     &lib->open_port, &lib->close_port, &lib->status, &lib->enlist,
                    &lib->set_addr, &lib->send,      &lib->recv,       &lib->size,   &lib->mad, &lib->poll};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(handle, names[i]);
        if (!found) return OLD_LIBRARY;
        memcpy(into[i], &found, sizeof found);
    }
    return OPENED;
}

void lacis_mad_end(struct device *device) {
    free(device->slot), free(device->node), free(device->ready), device->slot = NULL, device->node = NULL, device->ready = NULL;
}

void lacis_mad_close(struct device *device) {
    if (device->port >= 0) device->lib.close_port(device->port);
    lacis_mad_end(device);
    free(device->buffer), free(device);
}

/* Whether the port takes datagrams of the subnet's manager. */
int lacis_mad_manages(const struct device *device) { return device->subnet_agent >= 0 && device->directed_agent >= 0; }

/* Opens a port; an empty name is the first device, and number 0 its first active port. The library stays loaded. */
int lacis_mad_open(struct device **opened, const char *library, const char *name, int number, int *error) {
    struct device *device = calloc(1, sizeof *device);
    *opened = NULL, *error = 0;
    if (!device) return NO_MEMORY;
    device->port = -1, errno = 0;
    int failed = load(&device->lib, library);
    if (!failed && device->lib.init() < 0) failed = NO_DEVICE;
    if (!failed && (device->port = device->lib.open_port(*name ? name : NULL, number)) < 0) failed = NO_DEVICE;
    if (failed == NO_DEVICE) *error = errno ? errno : -device->port;
    if (!failed) {
        device->performance_agent = device->lib.enlist(device->port, PERFORMANCE_CLASS, 1, 0, NULL);
        device->subnet_agent = device->lib.enlist(device->port, SUBNET_CLASS, 1, 0, NULL);
        device->directed_agent = device->lib.enlist(device->port, DIRECTED_CLASS, 1, 0, NULL);
        if (device->performance_agent < 0) failed = NO_AGENT, *error = errno;
    }
    if (!failed && !(device->buffer = calloc(1, device->lib.size() + MAD_BYTES))) failed = NO_MEMORY;
    return failed ? lacis_mad_close(device), failed : (*opened = device, failed);
}

static void enlist(struct device *device, uint32_t number) {
    struct node *node = &device->node[number];
    if (node->is_listed || node->first == NONE || node->in_flight >= device->most_a_node) return;
    node->is_listed = 1;
    device->ready[(device->ready_at + device->ready_count++) % device->nodes] = number;
}

/* Begins a sweep: `most` requests in flight at a time, of them `most_a_node` to a node, each sent up to `tries` times. */
int lacis_mad_begin(struct device *device, const struct request *requests, struct answer *answers, uint32_t count,
                    uint32_t nodes, uint32_t most, uint32_t most_a_node, uint32_t tries, int timeout) {
    lacis_mad_end(device);
    if (count > MOST || tries < 1 || tries > TRIES || most < 1 || most_a_node < 1) return -EINVAL;
    device->requests = requests, device->answers = answers;
    device->count = device->left = count, device->nodes = nodes;
    device->most = most, device->most_a_node = most_a_node, device->tries = tries, device->timeout = timeout;
    device->in_flight = device->ready_at = device->ready_count = 0;
    device->oldest = device->newest = NONE;
    device->sweep++;
    device->slot = malloc((count + 1) * sizeof *device->slot), device->ready = malloc((nodes + 1) * sizeof *device->ready);
    device->node = calloc(nodes + 1, sizeof *device->node);
    if (!device->slot || !device->ready || !device->node) return -ENOMEM;
    for (uint32_t n = 0; n < nodes; n++) device->node[n].first = NONE;
    for (uint32_t i = count; i-- > 0;) {
        if (requests[i].node >= nodes) return -EINVAL;
        device->slot[i].next = device->node[requests[i].node].first;
        device->node[requests[i].node].first = i;
        answers[i].state = WAITING, answers[i].tries = 0, answers[i].status = 0, answers[i].error = 0;
    }
    for (uint32_t n = 0; n < nodes; n++) enlist(device, n);
    return 0;
}

static void finish(struct device *device, uint32_t index, enum state state) {
    device->answers[index].state = (uint8_t)state;
    device->left--;
}

/* Takes a request out of flight: it is done, or is to be sent again. */
static void land(struct device *device, uint32_t index, enum state state) {
    struct answer *answer = &device->answers[index];
    uint32_t number = device->requests[index].node;
    struct node *node = &device->node[number];
    struct slot *slot = &device->slot[index];
    *(slot->previous == NONE ? &device->oldest : &device->slot[slot->previous].next) = slot->next;
    *(slot->next == NONE ? &device->newest : &device->slot[slot->next].previous) = slot->previous;
    device->in_flight--, node->in_flight--;
    if (state == WAITING && answer->tries < device->tries) {
        answer->state = WAITING;
        slot->next = node->first, node->first = index;
    } else {
        finish(device, index, state == WAITING ? LOST : state);
        if (state == WAITING && !node->has_answered)
            for (; node->first != NONE; node->first = device->slot[node->first].next) finish(device, node->first, SILENT);
    }
    enlist(device, number);
}

static int transmit(struct device *device, uint32_t index) {
    const struct request *request = &device->requests[index];
    struct answer *answer = &device->answers[index];
    uint8_t *mad = device->lib.mad(device->buffer);
    int is_directed = request->management_class == DIRECTED_CLASS, is_data = request->management_class == PERFORMANCE_CLASS;
    memset(device->buffer, 0, device->lib.size() + MAD_BYTES);
    device->lib.set_addr(device->buffer, is_directed ? NO_LID : request->lid, is_data, request->service_level, is_data ? (int)0x80010000 : 0);
    mad[0] = 1, mad[1] = request->management_class, mad[2] = 1, mad[3] = request->method;
    uint32_t transaction = device->sweep << SWEEP_AT | (uint32_t)answer->tries << INDEX_BITS | index;
    put(mad + 12, transaction, 4); /* the kernel has the upper half */
    put(mad + 16, request->attribute, 2);
    put(mad + 20, request->modifier, 4);
    memcpy(mad + (is_directed ? PATH_AT : DATA_AT), request->body, BODY_BYTES);
    if (is_directed) mad[HOPS_AT] = request->hops, memset(mad + ENDS_AT, 0xff, 4); /* both ends of the path have no LID */
    int agent = is_directed ? device->directed_agent : is_data ? device->performance_agent : device->subnet_agent;
    if (agent < 0) return EPROTONOSUPPORT;
    errno = 0;
    int done = device->lib.send(device->port, agent, device->buffer, MAD_BYTES, device->timeout, 0);
    return done >= 0 ? 0 : errno ? errno : EIO;
}

/* Sends as much as may be in flight; the error that ends all, or 0. */
static int send_some(struct device *device, int64_t now) {
    while (device->in_flight < device->most && device->ready_count) {
        uint32_t number = device->ready[device->ready_at];
        struct node *node = &device->node[number];
        device->ready_at = (device->ready_at + 1) % device->nodes, device->ready_count--;
        node->is_listed = 0;
        uint32_t index = node->first;
        if (index == NONE) continue;
        int failed = transmit(device, index);
        if ((failed == EAGAIN || failed == ENOMEM || failed == ENOBUFS) && device->in_flight) return enlist(device, number), 0;
        if (failed == ENODEV || failed == EBADF || failed == EPERM) return failed;
        struct slot *slot = &device->slot[index];
        node->first = slot->next;
        if (failed) {
            device->answers[index].error = failed;
            finish(device, index, REFUSED);
        } else {
            *slot = (struct slot){NONE, device->newest, now};
            *(device->newest == NONE ? &device->oldest : &device->slot[device->newest].next) = index;
            device->newest = index;
            device->answers[index].state = IN_FLIGHT, device->answers[index].tries++;
            device->in_flight++, node->in_flight++;
        }
        enlist(device, number);
    }
    return 0;
}

/* What came: an answer, or the news that none came. */
static void take(struct device *device, int length) {
    const uint8_t *mad = device->lib.mad(device->buffer);
    uint32_t transaction = get(mad + 12, 4), index = transaction & (MOST - 1), try = transaction >> INDEX_BITS & (TRIES - 1);
    uint32_t is_earlier = (transaction >> SWEEP_AT) ^ (device->sweep & (UINT32_MAX >> SWEEP_AT));
    if (length < DATA_AT || index >= device->count || is_earlier) return;
    const struct request *request = &device->requests[index];
    struct answer *answer = &device->answers[index];
    if (answer->state != IN_FLIGHT || get(mad + 16, 2) != request->attribute || mad[1] != request->management_class) return;
    int failed = device->lib.status(device->buffer);
    if (failed) { /* of an earlier try it says nothing about the one in flight */
        answer->error = failed;
        if (try + 1 == answer->tries) land(device, index, WAITING);
        return;
    }
    if (!(mad[3] & RESPONSE)) return;
    device->node[request->node].has_answered = 1;
    answer->status = (uint16_t)(get(mad + 4, 2) & STATUS_BITS);
    answer->time = nanoseconds(CLOCK_REALTIME), answer->error = 0;
    memset(answer->data, 0, DATA_BYTES);
    memcpy(answer->data, mad + DATA_AT, (size_t)(length < MAD_BYTES ? length : MAD_BYTES) - DATA_AT);
    land(device, index, answer->status & BUSY && answer->tries < device->tries ? WAITING : ANSWERED);
}

/* Gives up what was sent long ago and is in flight still; how long the oldest of the rest may yet take [ms]. */
static int expire(struct device *device, int64_t now) {
    int64_t patience = device->timeout + GRACE;
    for (uint32_t oldest; (oldest = device->oldest) != NONE;) {
        if (now - device->slot[oldest].sent < patience) return (int)(patience - (now - device->slot[oldest].sent));
        device->answers[oldest].error = ETIMEDOUT;
        land(device, oldest, WAITING);
    }
    return (int)patience;
}

/* Works for some time [ms], so that the caller hears interrupts; the requests that are left, or an error below 0. */
int64_t lacis_mad_step(struct device *device, int budget) {
    int64_t end = milliseconds() + budget;
    for (int64_t now; device->left && (now = milliseconds()) < end;) {
        int patience = expire(device, now), failed = send_some(device, now);
        if (failed) return -failed;
        if (!device->in_flight) continue;
        if (patience > end - now) patience = (int)(end - now);
        /* All that is there is taken before more is sent, so that neither side waits for the other at each datagram. */
        for (errno = 0; device->lib.poll(device->port, patience) == 0 && errno == 0; patience = 0) {
            int length = MAD_BYTES;
            if (device->lib.recv(device->port, device->buffer, &length, 0) >= 0) take(device, length), errno = 0;
        }
        if (errno == ENODEV || errno == EBADF) return -errno;
        if (errno == EINTR) break;
    }
    return device->left;
}
