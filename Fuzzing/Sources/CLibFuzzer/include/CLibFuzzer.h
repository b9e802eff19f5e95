#ifndef C_LIB_FUZZER_H
#define C_LIB_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer as a library: calls the function with one input after another until the options in the arguments say stop.
///
/// See https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(
    int *_Nonnull argc,
    char *_Nullable *_Nonnull *_Nonnull argv,
    int (*_Nonnull testOneInput)(const uint8_t *_Nullable bytes, size_t count)
);

#endif
