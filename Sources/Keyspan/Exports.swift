@_exported public import KeyspanCore
@_exported public import KeyspanFileStore
