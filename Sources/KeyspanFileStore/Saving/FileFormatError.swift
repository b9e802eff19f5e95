/// Bytes that a codec cannot make keys and values of, in the clauses that ``FileStoreError`` is made of.
package struct FileFormatError: Error {
    /// What is wrong, and where, as a clause without a full stop.
    package let reason: String
    /// What to do about it, as a clause without a full stop, if the codec knows better than "correct the file".
    package let remedy: String?
    /// The codec's own error.
    package let underlying: any Error

    /// Makes an error of a codec's own one.
    package init(reason: String, remedy: String?, underlying: any Error) {
        self.reason = reason
        self.remedy = remedy
        self.underlying = underlying
    }
}
