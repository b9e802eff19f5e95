@_exported public import KeyspanCore
@_exported public import KeyspanFileStore

#if canImport(Darwin)
@_exported public import KeyspanUserDefaults
#endif
