// One import for all files of these tests, which do without Foundation: it would bring the names of Dispatch along.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif
