import KeyspanCore

/// What a file held when it was read.
struct FileContents: Sendable {
    /// The keys and values.
    var table: PropertyListTable
    /// The contents as bytes, in short.
    var version: FileVersion
    /// The file as the system knows it; `nil` if there is none, or if it may have changed while it was read.
    var signature: FileSignature?
    /// Whether the bytes and the name of the file are known to be on the disk.
    var isFlushed = false

    /// There is no file.
    static let missing = FileContents(table: PropertyListTable(), version: .missing, signature: nil, isFlushed: true)
}
