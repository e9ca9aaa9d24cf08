// Preloaded into a process, has a system call fail: the n-th of those that touch what lies below a folder, or all from there on.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long left = -1, counted;
static int error_number, for_good;

void fail_below(const char *below, long n, int error, int all_from_there) {
    strncpy(folder, below, sizeof folder - 1);
    left = n;
    counted = 0;
    error_number = error;
    for_good = all_from_there;
}

long calls_counted(void) { return counted; }

static int fails(const char *path) {
    if (left < 0 || !path || strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    counted++;
    if (counted < left || (counted > left && !for_good))
        return 0;
    errno = error_number;
    return 1;
}

static int fails_at(int fd) {
    char link[64], path[PATH_MAX];
    if (left < 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return fails(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                                            \
    int name(const char *path, int flags, ...) {                                                                              \
        va_list rest;                                                                                                         \
        va_start(rest, flags);                                                                                                \
        mode_t mode = va_arg(rest, mode_t);                                                                                   \
        va_end(rest);                                                                                                         \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);                                                        \
        return fails(path) ? -1 : real(path, flags, mode);                                                                    \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void *bytes, size_t count) { return fails_at(fd) ? -1 : REAL(write)(fd, bytes, count); }
ssize_t sendfile64(int out, int in, off64_t *at, size_t count) {
    ssize_t (*real)(int, int, off64_t *, size_t) = dlsym(RTLD_NEXT, "sendfile64");
    return fails_at(out) ? -1 : real(out, in, at, count);
}
ssize_t read(int fd, void *bytes, size_t count) { return fails_at(fd) ? -1 : REAL(read)(fd, bytes, count); }
int fsync(int fd) { return fails_at(fd) ? -1 : REAL(fsync)(fd); }
int mkdir(const char *path, mode_t mode) { return fails(path) ? -1 : REAL(mkdir)(path, mode); }
int chmod(const char *path, mode_t mode) { return fails(path) ? -1 : REAL(chmod)(path, mode); }
int rename(const char *from, const char *to) { return fails(to) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return fails(path) ? -1 : REAL(unlink)(path); }
int rmdir(const char *path) { return fails(path) ? -1 : REAL(rmdir)(path); }
