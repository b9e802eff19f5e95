#include "allocations.h"

#ifdef __GLIBC__

#include <errno.h>
#include <stddef.h>

// glibc lets a program replace malloc and its relatives by defining them ("Replacing malloc" in its manual), and
// exports its own under these names. `free` stays glibc's, because so does the memory.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t elements, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Of each thread, so that neither a thread in the background nor the counting itself disturbs a measurement.
static _Thread_local keyspan_allocation_count allocated;

static void count(size_t size) {
    allocated.calls++;
    allocated.bytes += size;
}

bool keyspan_counts_allocations(void) { return true; }

keyspan_allocation_count keyspan_allocations(void) { return allocated; }

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t elements, size_t size) {
    // Where the product overflows, which glibc refuses, the number of bytes means nothing.
    count(elements * size);
    return __libc_calloc(elements, size);
}

void *realloc(void *memory, size_t size) {
    count(size);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    count(size);
    void *block = __libc_memalign(alignment, size);
    if (block == NULL) return ENOMEM;
    *memory = block;
    return 0;
}

#else

bool keyspan_counts_allocations(void) { return false; }

keyspan_allocation_count keyspan_allocations(void) { return (keyspan_allocation_count){0, 0}; }

#endif
