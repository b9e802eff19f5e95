#if Remote
/// Reads the lines of `text/event-stream` as they arrive (WHATWG, *HTML Living Standard*, section 9.2).
///
/// Chunks may end anywhere, also within a line end or a character. The data of a publisher's events is one line, so that
/// the empty line behind it says nothing more. Events of other types, comments and other fields count only as signs of
/// life.
struct EventReader: Sendable {
    /// The most bytes of a line.
    let limit: Int
    /// Whether the last chunk has completed a line.
    private(set) var hasLine = false
    private var line: [UInt8] = []
    private var isChange = false

    /// Makes a reader of a stream.
    init(limit: Int) { self.limit = limit }

    /// Reads a chunk.
    ///
    /// - Returns: The data of the events `changed` in it.
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
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("event:") { isChange = ["event: changed", "event:changed"].contains(text) }
            if isChange, text.hasPrefix("data:") { data.append(text.dropFirst(5).drop { $0 == " " }) }
            line.removeAll(keepingCapacity: true)
        }
        return data
    }
}
#endif
