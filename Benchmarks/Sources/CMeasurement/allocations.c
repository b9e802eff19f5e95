#include "allocations.h"

#ifdef __GLIBC__

#include <errno.h>
#include <stddef.h>

// glibc lets a program replace malloc and its relatives by defining them ("Replacing malloc" in its manual), and
// exports its own under these names. `free` stays glibc's, because so does the memory.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Of each thread, so that neither a thread in the background nor the counting itself disturbs a measurement.
static _Thread_local uint64_t allocations;

bool keyspan_counts_allocations(void) { return true; }

uint64_t keyspan_allocations(void) { return allocations; }

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    allocations++;
    void *allocated = __libc_memalign(alignment, size);
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}

#else

bool keyspan_counts_allocations(void) { return false; }

uint64_t keyspan_allocations(void) { return 0; }

#endif
