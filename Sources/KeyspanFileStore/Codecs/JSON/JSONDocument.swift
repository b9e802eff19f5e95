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
    /// Which members are groups of entries.
    let form: EntryForm
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
    ///   - form: How its members stand for entries.
    /// - Throws: ``JSONTextError`` as ``JSONText/parseTable(_:)`` does, and for a key that is there twice if the form refuses that.
    convenience init(_ bytes: [UInt8], as form: EntryForm = .flat) throws(JSONTextError) {
        let (index, hasComments) = try JSONText.read(bytes, allowingComments: form.allowsComments) {
            (reader) throws(JSONFault) in (try reader.readIndex(form), reader.hasComments)
        }
        self.init(bytes, index, as: form, hasComments: hasComments)
    }

    /// Makes a document of a text that is known to be valid.
    init(_ bytes: [UInt8], _ index: JSONIndex, as form: EntryForm, hasComments: Bool) {
        self.bytes = bytes
        self.index = index
        self.form = form
        self.hasComments = hasComments
        kept = .allocate(capacity: index.keptCount)
        for number in 0..<index.keptCount { (kept + number).initialize(to: OnceReference()) }
    }

    /// Makes the document of a text without entries.
    convenience init(emptyAs form: EntryForm) {
        var index = JSONIndex()
        index.groups = [JSONGroup(prefix: "", parent: 0, depth: 0, name: 0..<0, open: 0, close: 1)]
        self.init(Array("{}\n".utf8), index, as: form, hasComments: false)
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
        place(ofKey: key).map { index.entries[$0].isPresent } ?? false
    }

    func entry(at place: Int) -> (key: String, value: PropertyListValue)? {
        value(at: place).map { (key(at: place), $0) }
    }

    func presentKey(at place: Int) -> String? { index.entries[place].isPresent ? key(at: place) : nil }

    func hasSameEntry(at place: Int, in other: any TableDocument) -> Bool {
        let entry = index.entries[place]
        if !entry.isPresent { return true }
        guard let other = other as? JSONDocument else { return false }
        let prefix = index.prefix(ofEntryAt: place)
        return bytes.withUnsafeBufferPointer { here in
            other.bytes.withUnsafeBufferPointer { there in
                // The same key with other escapes, or in another group, is not found, so that its value is compared.
                let place = other.index.place(ofHash: entry.hash) { found, foundPrefix in
                    found.nameHasEscapes == entry.nameHasEscapes && foundPrefix.hasSameUTF8(as: prefix)
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
                index.place(ofHash: UInt32(truncatingIfNeeded: UTF8Hash.of(key))) { entry, prefix in
                    bytes.isKey(key, of: entry, behind: prefix)
                }
            }
        }
    }

    /// The value at a place; `nil` for `null`.
    func value(at place: Int) -> PropertyListValue? {
        let entry = index.entries[place]
        if !entry.isPresent { return nil }
        guard let number = entry.keptNumber else { return read(entry) }
        if let value = kept[number].object { return value.value }
        return kept[number].setIfAbsent(KeptValue(read(entry))).value
    }

    private func read(_ entry: JSONEntry) -> PropertyListValue {
        bytes.withUnsafeBufferPointer { bytes in
            let text = TextCursor(UnsafeBufferPointer(rebasing: bytes[entry.value]))
            var reader = JSONReader(text, allowingComments: form.allowsComments)
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
        bytes.withUnsafeBufferPointer { $0.key(of: index.entries[place], behind: index.prefix(ofEntryAt: place)) }
    }

    /// The keys that get a value and are the names of groups in the text.
    func namesOfGroups(in writes: [(key: String, value: PropertyListValue?)]) -> [String] {
        guard index.groups.count > 1 else { return [] }
        let prefixes = Set(index.groups.map(\.prefix))
        return writes.filter { $0.value != nil && prefixes.contains($0.key + ".") }.map(\.key)
    }

    /// The line of an offset, from 1.
    func line(at offset: Int) -> Int {
        1 + bytes[..<offset].count { $0 == ASCII.lineFeed }
    }
}
