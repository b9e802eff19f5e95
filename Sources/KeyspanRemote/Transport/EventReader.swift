#if Remote
/// An event of a stream.
struct ServerEvent: Sendable, Equatable {
    /// The type; `message` if the stream names none.
    var type: String
    /// The lines of data, joined by line feeds.
    var data: [UInt8]
}

/// Reads `text/event-stream` as it arrives (WHATWG, *HTML Living Standard*, section 9.2.6).
///
/// Chunks may end anywhere, also within a line end or a character. The event that is not complete at the end of the
/// stream is dropped, as the standard says. The fields `id` and `retry` are ignored: an event says everything, and the
/// store chooses its pauses itself.
struct EventReader: Sendable {
    /// A line or an event has more bytes than the limit.
    struct TooLarge: Error {
        let limit: Int
    }

    /// The most bytes of an event's data, and of a line besides the name of its field.
    let limit: Int

    /// The number of lines so far.
    private(set) var lineCount = 0

    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    /// Whether a carriage return has ended the last line, after which a line feed ends none.
    private var isAfterCarriageReturn = false
    /// Whether the first line was read, before which there may be a byte-order mark.
    private var hasBegun = false

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The bytes of a line besides its value: the name of a field, a colon and a space.
    private static let lineReserve = 64

    /// Makes a reader of a stream.
    init(limit: Int) {
        self.limit = limit
    }

    /// Reads a chunk.
    ///
    /// - Returns: The events that it completes.
    /// - Throws: ``TooLarge``.
    mutating func read(_ chunk: [UInt8]) throws(TooLarge) -> [ServerEvent] {
        var events: [ServerEvent] = []
        var rest = chunk[...]
        if isAfterCarriageReturn, let first = rest.first {
            isAfterCarriageReturn = false
            if first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
        }
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            try append(rest[..<end])
            if let event = try finishLine() { events.append(event) }
            let isCarriageReturn = rest[end] == UInt8(ascii: "\r")
            rest = rest[(end + 1)...]
            if isCarriageReturn {
                if rest.isEmpty { isAfterCarriageReturn = true }
                if rest.first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
            }
        }
        try append(rest)
        return events
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(TooLarge) {
        guard bytes.count <= limit + Self.lineReserve - line.count else { throw TooLarge(limit: limit) }
        line += bytes
    }

    /// Reads a line, and returns the event that it completes.
    private mutating func finishLine() throws(TooLarge) -> ServerEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        lineCount += 1
        var text = line[...]
        if !hasBegun {
            hasBegun = true
            if text.starts(with: Self.byteOrderMark) { text = text.dropFirst(Self.byteOrderMark.count) }
        }
        if text.isEmpty { return dispatch() }
        let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        if colon == text.startIndex { return nil }
        var value = text[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try readField(text[..<colon], value)
        return nil
    }

    private mutating func readField(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(TooLarge) {
        switch String(decoding: name, as: UTF8.self) {
        case "data":
            guard data.count + value.count < limit else { throw TooLarge(limit: limit) }
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "event":
            type = String(decoding: value, as: UTF8.self)
        default:
            break
        }
    }

    private mutating func dispatch() -> ServerEvent? {
        defer { (data, hasData, type) = ([], false, "") }
        // As the standard says: an event without a line of data is none.
        if !hasData { return nil }
        return ServerEvent(type: type.isEmpty ? "message" : type, data: data)
    }
}
#endif
