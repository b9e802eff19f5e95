// Those of the C declarations of Apple's system library that the sources use. The facts are those of the public headers of the
// system (xnu and Libc): 64-bit file numbers, as on every system that the package supports.

#pragma once

// sys/types.h
typedef __INT32_TYPE__ dev_t;
typedef __UINT16_TYPE__ mode_t;
typedef __UINT16_TYPE__ nlink_t;
typedef __UINT64_TYPE__ ino_t;
typedef __UINT32_TYPE__ uid_t;
typedef __UINT32_TYPE__ gid_t;
typedef __INT32_TYPE__ pid_t;
typedef __UINT32_TYPE__ id_t;
typedef __INT64_TYPE__ off_t;
typedef __INT64_TYPE__ blkcnt_t;
typedef __INT32_TYPE__ blksize_t;
typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;
typedef long time_t;

// sys/errno.h; the values that the system has
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ELOOP 62
#define ENAMETOOLONG 63
#define EDQUOT 69
#define ESTALE 70
#define ENOLCK 77
#define ENOSYS 78
#define EILSEQ 92
#define EOPNOTSUPP 102
char *strerror(int error);

// sys/fcntl.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_EVTONLY 0x00008000
#define O_NOCTTY 0x00020000
#define O_DIRECTORY 0x00100000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_SYMLINK_FOLLOW 0x0040
#define AT_REMOVEDIR 0x0080
#define O_CLOEXEC 0x01000000
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
#define F_GETFD 1
#define F_FULLFSYNC 51
int open(const char *path, int flags, ...);
int openat(int folder, const char *path, int flags, ...);
int fcntl(int file, int command, ...);
int flock(int file, int operation);
int sched_yield(void);

// string.h, stdlib.h, crt_externs.h
size_t strlen(const char *text);

typedef __UINT32_TYPE__ socklen_t;
#define AF_INET 2
#define AF_INET6 30
#define INET6_ADDRSTRLEN 46
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);
int inet_pton(int family, const char *text, void *address);
char *strdup(const char *text);
void free(void *memory);
char *getenv(const char *name);
char ***_NSGetEnviron(void);

// time.h
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC = 6,
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time);
int nanosleep(const struct timespec *time, struct timespec *rest);

// sys/stat.h
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec;
    struct timespec st_mtimespec;
    struct timespec st_ctimespec;
    struct timespec st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    __UINT32_TYPE__ st_flags;
    __UINT32_TYPE__ st_gen;
    __INT32_TYPE__ st_lspare;
    __INT64_TYPE__ st_qspare[2];
};
int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int file, struct stat *status);
int fstatat(int folder, const char *path, struct stat *status, int flags);
int fchmod(int file, mode_t mode);
int fchmodat(int folder, const char *path, mode_t mode, int flags);
int futimens(int file, const struct timespec times[2]);
int mkdir(const char *path, mode_t mode);

// dirent.h
struct dirent {
    ino_t d_ino;
    __UINT64_TYPE__ d_seekoff;
    __UINT16_TYPE__ d_reclen;
    __UINT16_TYPE__ d_namlen;
    __UINT8_TYPE__ d_type;
    char d_name[1024];
};
typedef struct {
    int __dd_fd;
} DIR;
DIR *opendir(const char *path);
DIR *fdopendir(int folder);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);

// sys/mount.h
typedef struct fsid {
    __INT32_TYPE__ val[2];
} fsid_t;
#define MNT_NOWAIT 2
#define MNT_LOCAL 0x00001000
struct statfs {
    __UINT32_TYPE__ f_bsize;
    __INT32_TYPE__ f_iosize;
    __UINT64_TYPE__ f_blocks;
    __UINT64_TYPE__ f_bfree;
    __UINT64_TYPE__ f_bavail;
    __UINT64_TYPE__ f_files;
    __UINT64_TYPE__ f_ffree;
    fsid_t f_fsid;
    uid_t f_owner;
    __UINT32_TYPE__ f_type;
    __UINT32_TYPE__ f_flags;
    __UINT32_TYPE__ f_fssubtype;
    char f_fstypename[16];
    char f_mntonname[1024];
    char f_mntfromname[1024];
    __UINT32_TYPE__ f_flags_ext;
    __UINT32_TYPE__ f_reserved[7];
};
int getfsstat(struct statfs *systems, int size, int flags);

// unistd.h, stdio.h and stdlib.h
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define PATH_MAX 1024
ssize_t read(int file, void *bytes, size_t count);
ssize_t write(int file, const void *bytes, size_t count);
ssize_t pread(int file, void *bytes, size_t count, off_t offset);
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset);
int ftruncate(int file, off_t size);
int fsync(int file);
int close(int file);
int fchown(int file, uid_t owner, gid_t group);
ssize_t readlink(const char *path, char *target, size_t size);
int rename(const char *path, const char *newPath);
int link(const char *path, const char *newPath);
int linkat(int folder, const char *path, int newFolder, const char *newPath, int flags);
int unlink(const char *path);
int unlinkat(int folder, const char *path, int flags);
int rmdir(const char *path);
char *getcwd(char *path, size_t size);
uid_t geteuid(void);
pid_t getpid(void);
pid_t getpgrp(void);
pid_t tcgetpgrp(int terminal);
int isatty(int file);
int atexit(void (*function)(void));
void exit(int status) __attribute__((noreturn));
void _exit(int status) __attribute__((noreturn));

// pthread.h
struct _opaque_pthread_t;
typedef struct _opaque_pthread_t *pthread_t;
pthread_t _Nonnull pthread_self(void);
typedef struct {
    long signature;
    char opaque[56];
} pthread_attr_t;
#define PTHREAD_CREATE_DETACHED 2
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_create(pthread_t _Nullable *_Nonnull thread, const pthread_attr_t *_Nullable attributes,
                   void *_Nullable (*_Nonnull start)(void *_Nonnull), void *_Nullable argument);

// signal.h
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGUSR1 30
#define SIGUSR2 31
typedef __UINT32_TYPE__ sigset_t;
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int sigwait(const sigset_t *set, int *signal);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int signal);
int sigdelset(sigset_t *set, int signal);
int sigismember(const sigset_t *set, int signal);
int sigpending(sigset_t *set);
int kill(pid_t process, int signal);
int raise(int signal);
unsigned int alarm(unsigned int seconds);
typedef struct {
    int si_signo;
    int si_errno;
    int si_code;
    pid_t si_pid;
    uid_t si_uid;
    int si_status;
    void *si_addr;
    void *si_value;
    long si_band;
    unsigned long __pad[7];
} siginfo_t;

// spawn.h, sys/wait.h
#define POSIX_SPAWN_SETSIGDEF 0x0004
typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;
int posix_spawnattr_init(posix_spawnattr_t *attributes);
int posix_spawnattr_destroy(posix_spawnattr_t *attributes);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *attributes, const sigset_t *signals);
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags);
int posix_spawn(pid_t *identifier, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);
pid_t waitpid(pid_t identifier, int *status, int options);
#define WEXITED 0x00000004
#define WNOWAIT 0x00000020
typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
int waitid(idtype_t kind, id_t identifier, siginfo_t *information, int options);

// poll.h
#define POLLIN 0x0001
struct pollfd {
    int fd;
    short events;
    short revents;
};
int poll(struct pollfd *files, unsigned int count, int timeout);

// termios.h
#define ECHO 0x00000008
#define ECHONL 0x00000010
#define ICANON 0x00000100
#define TCSANOW 0
#define TCSAFLUSH 2
typedef unsigned long tcflag_t;
struct termios {
    tcflag_t c_iflag;
    tcflag_t c_oflag;
    tcflag_t c_cflag;
    tcflag_t c_lflag;
    unsigned char c_cc[20];
    unsigned long c_ispeed;
    unsigned long c_ospeed;
};
int tcgetattr(int terminal, struct termios *settings);
int tcsetattr(int terminal, int when, const struct termios *settings);
