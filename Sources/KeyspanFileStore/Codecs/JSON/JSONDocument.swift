@_spi(StoreAuthors) import KeyspanCore

/// A JSON text whose top level is an object, with an index of its entries: the content of a JSON file as it was read.
///
/// The text is validated whole when the document is made, as strictly as by ``JSONText/parseTable(_:)``, without an allocation for
/// each member. A value is made when it is first asked for; one that takes an allocation is kept then.
final class JSONDocument: TableDocument {
    /// The text.
    let bytes: [UInt8]
    /// The places of the entries.
    let index: JSONIndex
    /// Whether the text may have comments, and commas behind last members.
    let allowsComments: Bool
    /// Whether the text has comments.
    let hasComments: Bool

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
    /// - Parameters:
    ///   - bytes: The text in UTF-8, of at most ``maximumSize`` bytes.
    ///   - allowsComments: Whether it may have comments, and commas behind last members.
    /// - Throws: ``JSONTextError`` as ``JSONText/parseTable(_:)`` does.
    convenience init(_ bytes: [UInt8], allowingComments allowsComments: Bool = false) throws(JSONTextError) {
        let (index, hasComments) = try JSONText.read(bytes, allowingComments: allowsComments) {
            (reader) throws(JSONFault) in (try reader.readIndex(), reader.hasComments)
        }
        self.init(bytes, index, allowingComments: allowsComments, hasComments: hasComments)
    }

    /// Makes a document of a text that is known to be valid.
    init(_ bytes: [UInt8], _ index: JSONIndex, allowingComments allowsComments: Bool, hasComments: Bool) {
        self.bytes = bytes
        self.index = index
        self.allowsComments = allowsComments
        self.hasComments = hasComments
        kept = .allocate(capacity: index.keptCount)
        for number in 0..<index.keptCount { (kept + number).initialize(to: OnceReference()) }
    }

    /// Makes the document of a text without entries.
    convenience init(emptyAllowingComments allowsComments: Bool) {
        let index = JSONIndex(of: JSONObject(open: 0, close: 1))
        self.init(Array("{}\n".utf8), index, allowingComments: allowsComments, hasComments: false)
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
        value(at: place).map { (key(at: place), $0) }
    }

    func presentKey(at place: Int) -> String? { index.entries[place].isNull ? nil : key(at: place) }

    func hasSameEntry(at place: Int, in other: any TableDocument) -> Bool {
        let entry = index.entries[place]
        if entry.isNull { return true }
        guard let other = other as? JSONDocument else { return false }
        return bytes.withUnsafeBufferPointer { here in
            other.bytes.withUnsafeBufferPointer { there in
                // The same key with other escapes is not found, so that its value is compared.
                let place = other.index.place(ofHash: entry.hash) { found in
                    found.nameHasEscapes == entry.nameHasEscapes
                        && there.raw(found.name).hasSameBytes(as: here.raw(entry.name))
                }
                guard let place else { return false }
                return there.raw(other.index.entries[place].value).hasSameBytes(as: here.raw(entry.value))
            }
        }
    }

    /// The place of the entry with a key, whose value may be `null`.
    func place(ofKey key: String) -> Int? {
        var text = key
        return text.withUTF8 { key in
            let key = UnsafeRawBufferPointer(key)
            return bytes.withUnsafeBufferPointer { bytes in
                index.place(ofHash: UInt32(truncatingIfNeeded: UTF8Hash.of(key))) { bytes.isKey(key, of: $0) }
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
            let text = TextCursor(UnsafeBufferPointer(rebasing: bytes[entry.value]))
            var reader = JSONReader(text, allowingComments: allowsComments)
            do throws(JSONFault) {
                return try reader.readValue()
            } catch {
                // The same reader, or one that accepts less, has read these bytes when the document was made.
                preconditionFailure("a validated JSON value cannot be read: \(error)")
            }
        }
    }

    /// The key of the entry at a place.
    func key(at place: Int) -> String {
        bytes.withUnsafeBufferPointer { $0.key(of: index.entries[place]) }
    }
}
