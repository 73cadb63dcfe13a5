// An LD_PRELOAD library that makes a process's file calls fail on purpose.
//   FAULT_PATH  only files whose path contains this text (without it nothing is counted)
//   FAULT_OPS   comma-separated calls to count: write, pwrite, fsync, fdatasync, rename, unlink, ftruncate (default: all)
//   FAULT_N     the call that meets the fault, counted from 1; 0 or unset only counts
//   FAULT_MODE  kill (default): SIGKILL before the call; torn: half of a write, then SIGKILL; short: half of a write is reported
//               as such; EIO, ENOSPC: the call fails; lie: a write or sync says it is done and does nothing
//   FAULT_STICKY  set: every call from FAULT_N on
//   FAULT_THREAD  main: only calls of the first thread; others: all but those
//   FAULT_LOG   a file to which the number of calls counted is appended at exit
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault { NONE, FAIL, SHORT, TORN, LIE };

static long counted;

__attribute__((destructor)) static void report(void) {
  const char *log = getenv("FAULT_LOG");
  FILE *file = log ? fopen(log, "a") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", counted);
  fclose(file);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  pause();
}

// A whole word of the list: "write" must not match "pwrite".
static int is_listed(const char *list, const char *op) {
  size_t length = strlen(op);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (!strncmp(at, op, length) && (at[length] == ',' || at[length] == 0)) return 1;
  return 0;
}

static int is_other_thread(void) {
  const char *thread = getenv("FAULT_THREAD");
  return thread && (syscall(SYS_gettid) == getpid()) != !strcmp(thread, "main");
}

static enum fault fault_at(const char *op, const char *path) {
  const char *part = getenv("FAULT_PATH"), *ops = getenv("FAULT_OPS"), *mode = getenv("FAULT_MODE"), *n = getenv("FAULT_N");
  if (!part || !strstr(path, part) || (ops && !is_listed(ops, op)) || is_other_thread()) return NONE;
  long call = __sync_add_and_fetch(&counted, 1), at = n ? atol(n) : 0;
  if (at == 0 || (getenv("FAULT_STICKY") ? call < at : call != at)) return NONE;
  if (!mode || !strcmp(mode, "kill")) die();
  if (!strcmp(mode, "short")) return SHORT;
  if (!strcmp(mode, "torn")) return TORN;
  if (!strcmp(mode, "lie")) return LIE;
  return FAIL;
}

static enum fault fault_on(const char *op, int fd) {
  if (!getenv("FAULT_PATH")) return NONE;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NONE;
  path[length] = 0;
  return fault_at(op, path);
}

static int fail(void) {
  const char *mode = getenv("FAULT_MODE");
  errno = mode && !strcmp(mode, "ENOSPC") ? ENOSPC : EIO;
  return -1;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  switch (fault_on("write", fd)) {
    case NONE: return real(fd, bytes, size);
    case SHORT: return real(fd, bytes, size / 2);
    case TORN: real(fd, bytes, size / 2); die(); return -1;
    case LIE: return size;
    default: return fail();
  }
}

#define PWRITE(name) \
  ssize_t name(int fd, const void *bytes, size_t size, off64_t offset) { \
    REAL(ssize_t, #name, int, const void *, size_t, off64_t); \
    switch (fault_on("pwrite", fd)) { \
      case NONE: return real(fd, bytes, size, offset); \
      case SHORT: return real(fd, bytes, size / 2, offset); \
      case TORN: real(fd, bytes, size / 2, offset); die(); return -1; \
      case LIE: return size; \
      default: return fail(); \
    } \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

static ssize_t total(const struct iovec *parts, int count) {
  ssize_t size = 0;
  for (int i = 0; i < count; i++) size += parts[i].iov_len;
  return size;
}

// Of several buffers, half means the first one's half.
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
  switch (fault_on("write", fd)) {
    case NONE: return real(fd, parts, count);
    case SHORT: return real(fd, &half, 1);
    case TORN: real(fd, &half, 1); die(); return -1;
    case LIE: return total(parts, count);
    default: return fail();
  }
}

#define PWRITEV(name) \
  ssize_t name(int fd, const struct iovec *parts, int count, off64_t offset) { \
    REAL(ssize_t, #name, int, const struct iovec *, int, off64_t); \
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2}; \
    switch (fault_on("pwrite", fd)) { \
      case NONE: return real(fd, parts, count, offset); \
      case SHORT: return real(fd, &half, 1, offset); \
      case TORN: real(fd, &half, 1, offset); die(); return -1; \
      case LIE: return total(parts, count); \
      default: return fail(); \
    } \
  }
PWRITEV(pwritev)
PWRITEV(pwritev64)

#define SYNC(name) \
  int name(int fd) { \
    REAL(int, #name, int); \
    switch (fault_on(#name, fd)) { \
      case NONE: return real(fd); \
      case LIE: return 0; \
      default: return fail(); \
    } \
  }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  return fault_at("rename", to) == NONE ? real(from, to) : fail();
}

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  return fault_at("unlink", path) == NONE ? real(path) : fail();
}

#define FTRUNCATE(name, offset) \
  int name(int fd, offset length) { \
    REAL(int, #name, int, offset); \
    return fault_on("ftruncate", fd) == NONE ? real(fd, length) : fail(); \
  }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)
