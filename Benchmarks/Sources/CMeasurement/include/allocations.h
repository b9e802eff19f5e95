#ifndef KEYSPAN_ALLOCATIONS_H
#define KEYSPAN_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether `keyspan_allocations` counts on this platform: only where the C library is glibc.
bool keyspan_counts_allocations(void);

/// What a thread has asked for.
typedef struct {
    /// The number of calls.
    uint64_t calls;
    /// The bytes of all of them, whatever was freed in between; of a realloc the whole new size.
    uint64_t bytes;
} keyspan_allocation_count;

/// What the calling thread has asked of heap memory since it began.
///
/// Counts malloc, calloc, realloc, posix_memalign and aligned_alloc, called by any code of the process.
keyspan_allocation_count keyspan_allocations(void);

#endif
