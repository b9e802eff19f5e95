#if Remote
/// Reads the lines of `text/event-stream` as they arrive (WHATWG, *HTML Living Standard*, section 9.2).
///
/// Chunks may end anywhere, also within a line end or a character. An event of a publisher is one line of data, so the
/// lines that name its type and end it say nothing more, and comments and other fields count only as signs of life.
struct EventReader: Sendable {
    /// The most bytes of a line.
    let limit: Int
    /// Whether the last chunk has completed a line.
    private(set) var hasLine = false
    private var line: [UInt8] = []

    /// Makes a reader of a stream.
    init(limit: Int) { self.limit = limit }

    /// Reads a chunk.
    ///
    /// - Returns: The data that it completes.
    /// - Throws: ``RemoteStoreError`` for a line that is too long.
    mutating func read(_ chunk: [UInt8]) throws(RemoteStoreError) -> [Substring] {
        var data: [Substring] = []
        hasLine = false
        for byte in chunk {
            if byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
                line.append(byte)
                if line.count > limit { throw RemoteStoreError.tooLarge(limit: limit) }
                continue
            }
            // A line feed behind a carriage return ends an empty line, as a line between events is.
            hasLine = true
            if line.starts(with: "data:".utf8) {
                let value = line.dropFirst(5)
                data.append(
                    Substring(decoding: value.first == UInt8(ascii: " ") ? value.dropFirst() : value, as: UTF8.self)
                )
            }
            line.removeAll(keepingCapacity: true)
        }
        return data
    }
}
#endif
