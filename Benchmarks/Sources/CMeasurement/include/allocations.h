#ifndef KEYSPAN_ALLOCATIONS_H
#define KEYSPAN_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether `keyspan_allocations` counts on this platform: only where the C library is glibc.
bool keyspan_counts_allocations(void);

/// How often the calling thread has asked for heap memory since it began.
///
/// Counts calls of malloc, calloc, realloc, posix_memalign and aligned_alloc by all code of the process.
uint64_t keyspan_allocations(void);

#endif
