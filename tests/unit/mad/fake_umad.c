/* libibumad as the shim of the reader of counters loads it, with a small fabric behind it that does as it is asked.
 *
 * An agent answers at a LID, or at the end of a path: from the first host through its one port to the switch, and on to a
 * host. Byte i of the data of its counters, of port p, is (31 lid + 7 p + i) modulo 256. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { AGENTS = 4096, QUEUE = 1 << 16, MAD = 256, HEAD = 32, CLASS_PORT_INFO = 1, NODE_INFO = 0x11, COUNTERS = 0x12 };
enum { SWITCH_INFO = 0x12, PORT_INFO = 0x15, EXTENDED = 0x1d, SUBNET = 1, DIRECTED = 0x81, SET = 2, PORTS = 64, SWITCH = 10, FIRST = 101 };

struct agent {
    uint64_t guid;
    uint32_t capabilities, capabilities_2, drop, busy, status, other_port, is_silent, is_changed, top, twice, hold, no_extended;
    uint32_t asked, in_flight, most_in_flight, sets;
    uint32_t no_port_info, ports_asked, set_ports;
    uint8_t last_narrow[MAD], last_extended[MAD];
    uint8_t links[PORTS][6]; /* state, physical state, width, speed, extended speed, the second of these */
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
uint32_t fake_most_in_flight, fake_sends, fake_refuse_open, fake_refuse_agent, fake_gone_after, fake_no_subnet, fake_waits, fake_by_path;

struct agent *fake_agent(uint32_t lid) { return &agents[lid]; }

void fake_reset(void) {
    memset(agents, 0, sizeof agents);
    first = count = in_flight = held_lid = 0;
    fake_most_in_flight = fake_sends = fake_refuse_open = fake_refuse_agent = fake_gone_after = fake_no_subnet = fake_waits = fake_by_path = 0;
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
    if (fake_no_subnet == 2 && class != 4) return -1; /* the device is one for counters alone */
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
    int is_subnet = mad[1] == SUBNET || mad[1] == DIRECTED;
    if (is_subnet && attribute == NODE_INFO) put(data + 12, agent->guid, 8), data[36] = 1;
    else if (is_subnet && attribute == PORT_INFO) {
        const uint8_t *link = agent->links[mad[23] % PORTS];
        agent->ports_asked++;
        put(data + 20, 1 << 14, 4);
        data[31] = link[2], data[32] = link[0], data[33] = (uint8_t)(link[1] << 4), data[35] = (uint8_t)(link[3] << 4);
        data[62] = (uint8_t)(link[4] << 4), data[56] = (uint8_t)(link[5] << 5);
    } else if (is_subnet && attribute == SWITCH_INFO) put(data + 6, agent->top, 2), data[11] = (uint8_t)(agent->is_changed << 2);
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
    const uint8_t *sent = (uint8_t *)umad + HEAD, *path = sent + 128;
    if (sent[1] == DIRECTED) lid = sent[7] == 0 ? FIRST : sent[7] == 1 && path[1] == 1 ? SWITCH : sent[7] == 2 ? FIRST - 1u + path[2] : 0;
    if (sent[1] == DIRECTED && (((uint32_t *)umad)[1] != 0xffff || sent[32] != 0xff || sent[35] != 0xff)) lid = 0;
    struct agent *agent = &agents[lid % AGENTS];
    (void)port, (void)id, (void)length, (void)timeout, (void)retries;
    if (fake_gone_after && ++fake_sends > fake_gone_after) return errno = ENODEV, -1;
    memcpy(mad, (uint8_t *)umad + HEAD, MAD);
    agent->asked++;
    if (++agent->in_flight > agent->most_in_flight) agent->most_in_flight = agent->in_flight;
    if (++in_flight > fake_most_in_flight) fake_most_in_flight = in_flight;
    if (mad[1] == 4 && mad[3] == SET) agent->sets++, memcpy(mad[17] == EXTENDED ? agent->last_extended : agent->last_narrow, mad, MAD);
    if (mad[1] != 4 && mad[3] == SET) agent->set_ports++;
    if (agent->is_silent || !agent->guid || (mad[1] == SUBNET && (fake_no_subnet || fake_by_path))) return 0;
    if ((mad[1] == DIRECTED && fake_no_subnet) || (mad[1] != 4 && mad[17] == PORT_INFO && agent->no_port_info)) return 0;
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
