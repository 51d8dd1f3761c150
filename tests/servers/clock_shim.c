/* A clock that a file sets: the seconds in it (a double) are added to the time of day, for whoever preloads this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile double *offset;
static int (*real_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("CLOCK_SHIM");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(double), PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) offset = memory;
  if (file >= 0) close(file);
}

int clock_gettime(clockid_t id, struct timespec *time) {
  if (!real_gettime) real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real_gettime(id, time);
  if (offset && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) time->tv_sec += (time_t)*offset;
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *told) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (told) *told = now.tv_sec;
  return now.tv_sec;
}
