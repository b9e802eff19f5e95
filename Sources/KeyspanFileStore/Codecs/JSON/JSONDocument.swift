@_spi(StoreAuthors) import KeyspanCore

/// A JSON text whose top level is an object, with an index of its members: the content of a JSON file as it was read.
///
/// The text is validated whole when the document is made, as strictly as by ``JSONText/parseTable(_:)``, without an allocation for
/// each member. A value is made when it is first asked for; one that takes an allocation is kept then.
final class JSONDocument: TableDocument {
    /// The text.
    let bytes: [UInt8]
    /// The places of the members.
    let index: JSONIndex
    /// Whether the names of the members are sorted by their UTF-8.
    let isSorted: Bool

    /// The values that are kept once they were read.
    // Allocated with the document and released with it; `OnceReference` may be used by several threads at once.
    nonisolated(unsafe) private let kept: UnsafeMutablePointer<OnceReference<KeptValue>>

    /// A value that was read.
    private final class KeptValue: Sendable {
        let value: PropertyListValue

        init(_ value: PropertyListValue) {
            self.value = value
        }
    }

    /// The size of the largest text, whose offsets the entries of the index hold.
    static let maximumSize = Int(UInt32.max)

    /// Validates a text.
    ///
    /// - Parameter bytes: The text in UTF-8, of at most ``maximumSize`` bytes.
    /// - Throws: ``JSONTextError`` as ``JSONText/parseTable(_:)`` does.
    convenience init(_ bytes: [UInt8]) throws(JSONTextError) {
        let (index, isSorted) = try JSONText.read(bytes) { (reader) throws(JSONFault) in try reader.readIndex() }
        self.init(bytes, index, isSorted: isSorted)
    }

    /// Makes a document of a text that is known to be valid.
    init(_ bytes: [UInt8], _ index: JSONIndex, isSorted: Bool) {
        self.bytes = bytes
        self.index = index
        self.isSorted = isSorted
        kept = .allocate(capacity: index.keptCount)
        for number in 0..<index.keptCount { (kept + number).initialize(to: OnceReference()) }
    }

    deinit {
        kept.deinitialize(count: index.keptCount)
        kept.deallocate()
    }

    var count: Int { index.count }

    var placeCount: Int { index.entries.count }

    func value(forKey key: String) -> PropertyListValue? {
        place(ofKey: key).flatMap { value(at: $0) }
    }

    func hasValue(forKey key: String) -> Bool {
        place(ofKey: key).map { !index.entries[$0].isNull } ?? false
    }

    func entry(at place: Int) -> (key: String, value: PropertyListValue)? {
        value(at: place).map { (name(at: place), $0) }
    }

    func hasSameEntry(at place: Int, in other: any TableDocument) -> Bool {
        let entry = index.entries[place]
        if entry.isNull { return true }
        guard let other = other as? JSONDocument else { return false }
        return bytes.withUnsafeBufferPointer { here in
            other.bytes.withUnsafeBufferPointer { there in
                let place = other.index.place(ofHash: entry.hash) { found in
                    found.nameHasEscapes == entry.nameHasEscapes
                        && there.raw(found.name).hasSameBytes(as: here.raw(entry.name))
                }
                guard let place else { return false }
                return there.raw(other.index.entries[place].value).hasSameBytes(as: here.raw(entry.value))
            }
        }
    }

    /// The place of the member with a name, whose value may be `null`.
    func place(ofKey key: String) -> Int? {
        var text = key
        return text.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            return bytes.withUnsafeBufferPointer { bytes in
                index.place(ofHash: UInt32(truncatingIfNeeded: UTF8Hash.of(name))) { entry in
                    entry.nameHasEscapes
                        ? Self.name(of: entry, in: bytes).hasSameUTF8(as: key)
                        : bytes.raw(entry.name).hasSameBytes(as: name)
                }
            }
        }
    }

    /// The value at a place; `nil` for `null`.
    func value(at place: Int) -> PropertyListValue? {
        let entry = index.entries[place]
        if entry.isNull { return nil }
        guard let number = entry.keptNumber else { return read(entry) }
        if let value = kept[number].object { return value.value }
        return kept[number].setIfAbsent(KeptValue(read(entry))).value
    }

    private func read(_ entry: JSONEntry) -> PropertyListValue {
        bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(TextCursor(UnsafeBufferPointer(rebasing: bytes[entry.value])))
            do throws(JSONFault) {
                return try reader.readValue()
            } catch {
                // The same reader, or one that accepts less, has read these bytes when the document was made.
                preconditionFailure("a validated JSON value cannot be read: \(error)")
            }
        }
    }

    /// The name of the member at a place.
    func name(at place: Int) -> String {
        name(of: index.entries[place])
    }

    private func name(of entry: JSONEntry) -> String {
        bytes.withUnsafeBufferPointer { Self.name(of: entry, in: $0) }
    }

    /// The name of a member, without escapes.
    static func name(of entry: JSONEntry, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard entry.nameHasEscapes else { return String(decoding: bytes[entry.name], as: UTF8.self) }
        let quoted = bytes[entry.start...Int(entry.nameEnd)]
        var reader = JSONReader(TextCursor(UnsafeBufferPointer(rebasing: quoted)))
        // The reader has read these bytes before, so it does not throw.
        return (try? reader.readString()) ?? ""
    }
}
