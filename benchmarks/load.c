// Plays scripts of HTTP requests over N keep-alive connections, with one request in flight on each.
//
//   cc -O2 -o load load.c;  ./load PORT CONNECTIONS SECONDS SCRIPTS [--loop] [--save ANSWERS]
//
// SCRIPTS: for each script u32 count, then count times u32 length and the request's bytes (little endian). A connection
// takes the next script when its own is through; with --loop the scripts begin again, else the load ends when a
// connection finds none. ANSWERS gets u32 length and the bytes of each answer's body, in the order in which they came.
// Prints one JSON line: rate, latencies, statuses, what this client itself cost.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ROOM (1 << 18)
#define STATUSES 600

typedef struct { char *at; uint32_t left; } Script;
typedef struct { int fd; Script script; char *request; uint32_t length, sent; char got[ROOM]; size_t size; double began; } Connection;

static Script *scripts;
static size_t count_of_scripts, next_script;
static int is_loop, is_through;
static float *latencies;
static size_t answered, room_for_latencies = 1 << 16;
static long statuses[STATUSES];
static FILE *answers;

static void fail(const char *what) { perror(what); exit(1); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint32_t read_u32(const char *at) { uint32_t value; memcpy(&value, at, 4); return value; }

static void read_scripts(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) fail(name);
  fseek(file, 0, SEEK_END);
  size_t size = ftell(file);
  rewind(file);
  char *data = malloc(size + 1);
  if (fread(data, 1, size, file) != size) fail(name);
  fclose(file);
  scripts = malloc(sizeof(Script) * (size / 8 + 1));
  for (char *at = data; at < data + size;) {
    Script script = { at + 4, read_u32(at) };
    scripts[count_of_scripts++] = script;
    at += 4;
    for (uint32_t n = 0; n < script.left; n++) at += 4 + read_u32(at);
  }
}

static void push(Connection *c) {
  while (c->sent < c->length) {
    ssize_t n = send(c->fd, c->request + c->sent, c->length - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) fail("send");
    c->sent += n;
  }
}

static void ask(Connection *c) {
  while (!c->script.left) {
    if (next_script == count_of_scripts) {
      if (!is_loop) { is_through = 1; return; }
      next_script = 0;
    }
    c->script = scripts[next_script++];
  }
  c->length = read_u32(c->script.at);
  c->request = c->script.at + 4;
  c->script.at += 4 + c->length;
  c->script.left--;
  c->sent = c->size = 0;
  c->began = now();
  push(c);
}

static Connection *open_connection(int port, int epoll) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  Connection *c = calloc(1, sizeof(Connection));
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(c->fd, (void *)&address, sizeof address)) fail("connect");
  int one = 1;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
  epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
  return c;
}

static void note(Connection *c, int status, const char *body, uint32_t length) {
  if (status >= STATUSES) status = 0;
  if (++statuses[status] == 1 && status >= 400) fprintf(stderr, "%.*s\n%.*s\n", (int)length, body, (int)c->length, c->request);
  if (answers) { fwrite(&length, 4, 1, answers); fwrite(body, 1, length, answers); }
  if (answered == room_for_latencies) latencies = realloc(latencies, (room_for_latencies *= 2) * sizeof(float));
  latencies[answered++] = (float)(now() - c->began);
}

static void hear(Connection *c) {
  ssize_t n = recv(c->fd, c->got + c->size, ROOM - 1 - c->size, 0);
  if (n < 0 && errno == EAGAIN) return;
  if (n <= 0) { fprintf(stderr, "the server has closed a connection\n"); exit(1); }
  c->size += n;
  c->got[c->size] = 0;
  char *end = strstr(c->got, "\r\n\r\n");
  if (!end) return;
  int status = atoi(c->got + 9);
  char *told = strcasestr(c->got, "content-length:");
  size_t length = status != 304 && told && told < end ? strtoul(told + 15, 0, 10) : 0;
  if (c->size < (size_t)(end + 4 - c->got) + length) return;
  note(c, status, end + 4, length);
  ask(c);
}

static int compare(const void *a, const void *b) { float x = *(float *)a, y = *(float *)b; return (x > y) - (x < y); }

static double latency(double share) { return answered ? 1e3 * latencies[(size_t)((answered - 1) * share)] : 0; }

static void report(double seconds) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double own = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  qsort(latencies, answered, sizeof(float), compare);
  printf("{\"seconds\":%.4f,\"requests\":%zu,\"p50\":%.4f,\"p99\":%.4f,\"own\":%.4f,\"statuses\":{", seconds, answered,
         latency(0.5), latency(0.99), own);
  for (int status = 0, first = 1; status < STATUSES; status++)
    if (statuses[status]) { printf("%s\"%d\":%ld", first ? "" : ",", status, statuses[status]); first = 0; }
  printf("}}\n");
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  int connections = atoi(argv[2]);
  for (int n = 5; n < argc; n++) {
    if (!strcmp(argv[n], "--loop")) is_loop = 1;
    if (!strcmp(argv[n], "--save") && n + 1 < argc && !(answers = fopen(argv[n + 1], "wb"))) fail(argv[n + 1]);
  }
  read_scripts(argv[4]);
  latencies = malloc(room_for_latencies * sizeof(float));
  int epoll = epoll_create1(0);
  Connection **all = calloc(connections, sizeof *all);
  for (int n = 0; n < connections; n++) all[n] = open_connection(atoi(argv[1]), epoll);
  double began = now(), end = began + atof(argv[3]);
  for (int n = 0; n < connections; n++) ask(all[n]);
  struct epoll_event events[256];
  while (!is_through && now() < end) {
    int heard = epoll_wait(epoll, events, 256, 100);
    for (int n = 0; n < heard; n++) hear(events[n].data.ptr);
  }
  report(now() - began);
  return answers ? fclose(answers) : 0;
}
