/* libibumad as the shim of the reader of counters loads it, with a small fabric behind it that does as it is asked.
 *
 * An agent answers at a LID. Byte i of the data of its counters, of port p, is (31 lid + 7 p + i) modulo 256. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { AGENTS = 4096, QUEUE = 1 << 16, MAD = 256, HEAD = 32, CLASS_PORT_INFO = 1, NODE_INFO = 0x11, COUNTERS = 0x12 };
enum { SWITCH_INFO = 0x12, EXTENDED = 0x1d, SUBNET = 1, SET = 2 };

struct agent {
    uint64_t guid;
    uint32_t capabilities, capabilities_2, drop, busy, status, other_port, is_silent, is_changed, top, twice, hold, no_extended;
    uint32_t asked, in_flight, most_in_flight, sets;
    uint8_t last_narrow[MAD], last_extended[MAD];
};
struct packet {
    int status;
    uint32_t lid;
    uint8_t mad[MAD];
};

static struct agent agents[AGENTS];
static struct packet queue[QUEUE];
static uint32_t first, count, in_flight, held_lid;
static uint8_t held[MAD];
uint32_t fake_most_in_flight, fake_sends, fake_refuse_open, fake_refuse_agent, fake_gone_after, fake_no_subnet, fake_waits;

struct agent *fake_agent(uint32_t lid) { return &agents[lid]; }

void fake_reset(void) {
    memset(agents, 0, sizeof agents);
    first = count = in_flight = held_lid = 0;
    fake_most_in_flight = fake_sends = fake_refuse_open = fake_refuse_agent = fake_gone_after = fake_no_subnet = fake_waits = 0;
}

int umad_init(void) { return 0; }
int umad_open_port(const char *name, int number) {
    (void)name, (void)number;
    errno = fake_refuse_open ? (int)fake_refuse_open : errno;
    return fake_refuse_open ? -EIO : 3;
}
int umad_close_port(int port) { return (void)port, 0; }
int umad_register(int port, int class, int version, uint8_t rmpp, long *mask) {
    (void)port, (void)version, (void)rmpp, (void)mask;
    errno = fake_refuse_agent ? (int)fake_refuse_agent : errno;
    return fake_refuse_agent ? -1 : class;
}
size_t umad_size(void) { return HEAD; }
void *umad_get_mad(void *umad) { return (uint8_t *)umad + HEAD; }
int umad_status(void *umad) { return ((int *)umad)[0]; }
int umad_set_addr(void *umad, int lid, int qp, int sl, int key) {
    int all[] = {0, lid, qp, sl, key};
    memcpy(umad, all, sizeof all);
    return 0;
}

static void put(uint8_t *at, uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) at[i] = (uint8_t)value;
}

static void push(int status, uint32_t lid, const uint8_t *mad) {
    struct packet *one = &queue[(first + count++) % QUEUE];
    one->status = status, one->lid = lid;
    memcpy(one->mad, mad, MAD);
}

static void answer(struct agent *agent, uint32_t lid, uint8_t *mad) {
    uint8_t *data = mad + 64, port = data[1];
    int attribute = mad[16] << 8 | mad[17];
    mad[3] = 0x81;
    put(mad + 4, agent->status, 2);
    if (agent->busy) agent->busy--, put(mad + 4, 1, 2);
    if (mad[1] == SUBNET && attribute == NODE_INFO) put(data + 12, agent->guid, 8);
    else if (mad[1] == SUBNET && attribute == SWITCH_INFO) put(data + 6, agent->top, 2), data[11] = (uint8_t)(agent->is_changed << 2);
    else if (attribute == CLASS_PORT_INFO) put(data + 2, agent->capabilities, 2), put(data + 4, agent->capabilities_2 << 5, 4);
    else if (attribute == EXTENDED && agent->no_extended) put(mad + 4, 0x0c, 2);
    else {
        for (uint32_t i = 0; i < 192; i++) data[i] = (uint8_t)(31 * lid + 7 * port + i);
        data[1] = agent->other_port ? (uint8_t)(port + 1) : port;
    }
}

int umad_send(int port, int id, void *umad, int length, int timeout, int retries) {
    uint8_t mad[MAD];
    uint32_t lid = ((uint32_t *)umad)[1];
    struct agent *agent = &agents[lid % AGENTS];
    (void)port, (void)id, (void)length, (void)timeout, (void)retries;
    if (fake_gone_after && ++fake_sends > fake_gone_after) return errno = ENODEV, -1;
    memcpy(mad, (uint8_t *)umad + HEAD, MAD);
    agent->asked++;
    if (++agent->in_flight > agent->most_in_flight) agent->most_in_flight = agent->in_flight;
    if (++in_flight > fake_most_in_flight) fake_most_in_flight = in_flight;
    if (mad[3] == SET) agent->sets++, memcpy(mad[17] == EXTENDED ? agent->last_extended : agent->last_narrow, mad, MAD);
    if (agent->is_silent || !agent->guid || (mad[1] == SUBNET && fake_no_subnet)) return 0;
    if (agent->drop) return agent->drop--, push(ETIMEDOUT, lid, mad), 0;
    answer(agent, lid, mad);
    if (agent->hold) { /* It comes during the next sweep, and its data are wrong. */
        agent->hold--;
        memcpy(held, mad, MAD);
        memset(held + 66, 0xee, MAD - 66);
        held_lid = lid;
        return 0;
    }
    push(0, lid, mad);
    if (agent->twice) push(0, lid, mad);
    if (held_lid == lid) push(0, lid, held), held_lid = 0;
    return 0;
}

int umad_poll(int port, int timeout) {
    struct timespec rest = {timeout / 1000, timeout % 1000 * 1000000L};
    (void)port;
    if (count) return 0;
    if (timeout) fake_waits++; /* else it was only looked whether there is more */
    nanosleep(&rest, NULL);
    return errno = ETIMEDOUT, -ETIMEDOUT;
}

int umad_recv(int port, void *umad, int *length, int timeout) {
    (void)port, (void)timeout;
    if (!count) return errno = EAGAIN, -EAGAIN;
    /* Those sent last come first, so that answers are not in the order of requests. */
    struct packet *one = &queue[(first + --count) % QUEUE];
    ((int *)umad)[0] = one->status;
    memcpy((uint8_t *)umad + HEAD, one->mad, MAD);
    *length = MAD;
    if (agents[one->lid].in_flight) agents[one->lid].in_flight--, in_flight--;
    return 0;
}
