@_spi(StoreAuthors) package import KeyspanCore

/// The content of one append to a journal: the writes of a batch, or of several that became durable together.
package struct JournalRecord: Sendable {
    /// The write of one key.
    package struct Write: Sendable, Hashable {
        /// The key.
        @UTF8Text package private(set) var key: String
        /// Its new value, or `nil` if it is removed.
        package let value: PropertyListValue?
        /// The value that the settings file had for the key before, or `nil` if it had none.
        package let replaced: ValueFingerprint?
        /// Whether the value is in a dictionary around the key, so that a reader that does not have it yet nests it there.
        package let isInGroup: Bool

        /// Makes a write.
        package init(
            key: String,
            value: PropertyListValue?,
            replaced: ValueFingerprint?,
            isInGroup: Bool = false
        ) {
            self.key = key
            self.value = value
            self.replaced = replaced
            self.isInGroup = isInGroup
        }
    }

    /// The version of the settings file that this record and the following ones continue.
    ///
    /// All earlier records are in that version. `nil` for a record that continues the previous one.
    package var version: FileVersion?
    /// The version of the file that was replaced by one with these writes.
    ///
    /// Such a record counts only after a program has replaced the file by a version made from the older one. It changes
    /// nothing else. `nil` for a record whose writes are not in the file.
    package var replaced: ReplacedVersion?
    /// How many bytes directly before the record were not known to be on the disk when it was written.
    ///
    /// A power failure may leave the record and lose some of these bytes. All others were on the disk before the
    /// record was written.
    package var unflushed = 0
    /// The writes in any order, one for each key; sorted by key when they were read.
    ///
    /// Of two writes for one key only the value of the last one and the fingerprint of the first one are encoded. Those of a
    /// replaced version are read with each access, because few readers need them.
    package var writes: [Write] {
        get {
            switch content {
            case .writes(let writes): writes
            // The checksums of the frame match, so only another program can have written something else.
            case .text(let text): (try? JSONText.parseTable(Array(text))).flatMap { JournalRecord($0) }?.writes ?? []
            }
        }
        set { content = .writes(newValue) }
    }

    private var content: Content

    private enum Content: Sendable {
        case writes([Write])
        /// The payload of the record.
        case text(ArraySlice<UInt8>)
    }

    /// Makes a record.
    package init(
        continuing version: FileVersion? = nil,
        replacing replaced: ReplacedVersion? = nil,
        writes: [Write]
    ) {
        self.version = version
        self.replaced = replaced
        content = .writes(writes)
    }

    /// Makes the bytes of the record for its place in a journal, and the position behind it.
    ///
    /// - Precondition: The text of the values is shorter than 4 GiB.
    package func encoded(at position: JournalPosition) -> (bytes: [UInt8], end: JournalPosition) {
        JournalFrame.encode(JSONText.encode(table), at: position)
    }

    /// Makes the bytes of the record as ``encoded(at:)`` does, unless its text has more than a number of bytes.
    func encoded(at position: JournalPosition, upTo limit: Int) -> (bytes: [UInt8], end: JournalPosition)? {
        let limit = min(limit, Int(UInt32.max))
        var writer = JSONWriter()
        writer.limit = limit
        writer.writeText(table)
        return writer.bytes.count > limit ? nil : JournalFrame.encode(writer.bytes, at: position)
    }
}

extension JournalRecord {
    /// Reads the payload of a frame, or returns `nil` if it is not that of a record.
    init?(payload: ArraySlice<UInt8>) {
        if let history = Self(historyIn: payload) {
            self = history
            return
        }
        guard let table = try? JSONText.parseTable(Array(payload)) else { return nil }
        self.init(table)
    }
}

/// The payload of a record: the text of one table, in which the first character of a name gives the meaning of its value.
///
/// | Member | Meaning |
/// | --- | --- |
/// | `"=key": value` | the key gets the value |
/// | `"-key": true` | the key is removed |
/// | `":key": value`, `"_key": true` | the same for a key that the writer nests in a group |
/// | `"~key": 305419896` | the fingerprint of the value that was replaced |
/// | `" ": [120, 305419896, 1764000000000]` | length, CRC-32C and time of a version that one with the writes replaced |
/// | `"#": [120, 305419896]` | length and CRC-32C of the version of the file that the record continues |
/// | `"!": 128` | how many bytes before the record may not have been on the disk when it was written; without it, none |
///
/// The table is flat because a value may already be nested as deep as JSON text is read.
extension JournalRecord {
    private enum Mark: UInt8, CaseIterable {
        case value = 0x3D  // =
        case removal = 0x2D  // -
        case valueInGroup = 0x3A  // :
        case removalInGroup = 0x5F  // _
        case replaced = 0x7E  // ~
        case version = 0x23  // #
        case replacedVersion = 0x20  // a space, which sorts before the other marks
        case unflushed = 0x21  // !

        func name(for key: String) -> String {
            // By scalars: "=" and a combining character at the start of the key are one `Character`.
            String(Unicode.Scalar(rawValue)) + key
        }
    }

    /// The record as a table.
    var table: PropertyListTable {
        var table = PropertyListTable()
        for write in writes {
            let set = (write.isInGroup ? Mark.valueInGroup : .value).name(for: write.key)
            let remove = (write.isInGroup ? Mark.removalInGroup : .removal).name(for: write.key)
            if let replaced = write.replaced, table[set] == nil, table[remove] == nil {
                table[Mark.replaced.name(for: write.key)] = .integer(PropertyListInteger(UInt64(replaced.rawValue)))
            }
            table[set] = write.value
            table[remove] = write.value == nil ? true : nil
        }
        if let version {
            table[Mark.version.name(for: "")] = .array(version.fields)
        }
        if unflushed > 0 {
            table[Mark.unflushed.name(for: "")] = .integer(PropertyListInteger(unflushed))
        }
        if let replaced {
            let fields = replaced.version.fields + [.integer(PropertyListInteger(replaced.time))]
            table[Mark.replacedVersion.name(for: "")] = .array(fields)
        }
        return table
    }

    /// Reads a record from a table, or returns `nil` if the table is not that of a record.
    init?(_ table: PropertyListTable) {
        var values: TextDictionary<PropertyListValue?> = [:]
        var fingerprints: TextDictionary<ValueFingerprint> = [:]
        var keysInGroups: Set<UTF8Text> = []
        for (name, content) in table {
            guard let mark = name.utf8.first.flatMap(Mark.init(rawValue:)) else { return nil }
            let key = String(name.unicodeScalars.dropFirst())
            switch (mark, content) {
            case (.value, let value), (.valueInGroup, let value):
                guard values.updateValue(value, forKey: key) == nil else { return nil }
                if mark == .valueInGroup { keysInGroups.insert(key) }
            case (.removal, .boolean(true)), (.removalInGroup, .boolean(true)):
                guard values.updateValue(nil, forKey: key) == nil else { return nil }
                if mark == .removalInGroup { keysInGroups.insert(key) }
            case (.replaced, .integer(let integer)):
                guard let checksum = integer.converted(to: UInt32.self) else { return nil }
                fingerprints[key] = ValueFingerprint(rawValue: checksum)
            case (.version, .array(let fields)):
                guard key.isEmpty, let version = FileVersion(fields) else { return nil }
                self.version = version
            case (.replacedVersion, .array(let fields)):
                guard
                    key.isEmpty, fields.count == 3, let version = FileVersion(Array(fields.prefix(2))),
                    case .integer(let time) = fields[2], let time = time.converted(to: Int64.self)
                else { return nil }
                replaced = ReplacedVersion(version, at: time)
            case (.unflushed, .integer(let integer)):
                guard key.isEmpty, let count = integer.converted(to: Int.self), count > 0 else { return nil }
                unflushed = count
            default: return nil
            }
        }
        content = .writes(
            values.sortedByName().map { key, value in
                Write(
                    key: key,
                    value: value,
                    replaced: fingerprints.removeValue(forKey: key),
                    isInGroup: keysInGroups.contains(key)
                )
            }
        )
        guard fingerprints.isEmpty else { return nil }
    }

    /// Reads the beginning of a record about a replaced version; `nil` for any other.
    ///
    /// Every opening of a file comes across such records, and has no use for their writes.
    private init?(historyIn payload: ArraySlice<UInt8>) {
        let head = payload.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(TextCursor(bytes))
            return try? reader.readMembers {
                $0 == Mark.replacedVersion.name(for: "") || $0 == Mark.unflushed.name(for: "")
            }
        }
        guard let head, let record = Self(PropertyListTable(head)), record.replaced != nil else { return nil }
        self = record
        content = .text(payload)
    }
}

extension JournalRecord: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.version == right.version && left.replaced == right.replaced && left.unflushed == right.unflushed
            && left.writes == right.writes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(replaced)
        hasher.combine(unflushed)
        hasher.combine(writes)
    }
}

extension FileVersion {
    fileprivate var fields: [PropertyListValue] {
        [UInt64(size), UInt64(checksum)].map { .integer(PropertyListInteger($0)) }
    }

    fileprivate init?(_ fields: [PropertyListValue]) {
        guard
            fields.count == 2, case .integer(let size) = fields[0], case .integer(let checksum) = fields[1],
            let size = size.converted(to: Int.self), size >= 0, let checksum = checksum.converted(to: UInt32.self)
        else { return nil }
        self.init(size: size, checksum: checksum)
    }
}

extension JournalRecord {
    /// Whether it does more than removing.
    var storesValues: Bool { writes.contains { $0.value != nil } }
}

extension PropertyListTable {
    /// Applies the write of a record.
    ///
    /// - Parameter value: The value, which the format of the file may hold in another form.
    mutating func apply(_ write: JournalRecord.Write, value: PropertyListValue?) {
        set(value, named: write.key, nestingIfNew: write.isInGroup)
    }
}
