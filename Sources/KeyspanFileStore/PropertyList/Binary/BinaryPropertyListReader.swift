import KeyspanCore

/// Reads binary property lists (`bplist00`), keeping integers and reals apart.
///
/// Every offset is checked. An object may be shared by many collections, which would let a small file stand for an
/// endless value. So long strings and data are made once, and more than ``valuesAtLeast`` values are refused if they are
/// also more than the document has bytes: where nothing but scalars is shared, each value has a byte of its own. What is
/// made once in memory is written as often as it is shared, in other formats, so each long string and data counts with its
/// length wherever it is shared: more than ``contentAtLeast`` bytes are refused if they are also more than ``contentPerByte``
/// times those of the document.
///
/// The parts are in extensions by what they read: collections here, scalars in their own file.
struct BinaryPropertyListReader {
    /// How the documents begin, of whatever version.
    static let beginning = Array("bplist".utf8)
    /// How many values any document may stand for.
    static let valuesAtLeast = 1 << 16

    /// How many bytes the long strings and data of any document may have together, wherever they are shared.
    static let contentAtLeast = 16 << 20
    /// How many bytes of long strings and data a larger document may have for each of its own.
    static let contentPerByte = 64

    let bytes: BinaryBytes
    let trailer: BinaryPropertyListTrailer
    /// The strings and data of some length, by their offset.
    var longScalars: [Int: PropertyListValue] = [:]
    private var openCollections: [OpenCollection] = []
    private var valuesLeft: Int
    private var contentLeft: Int

    /// A collection of which not all items have been read.
    private struct OpenCollection {
        var collection: GrowingCollection
        let start: Int
        /// How many items are left.
        var left: Int
        /// Where the reference to the next key is, if it is a dictionary.
        var nextKey: Int
        /// Where the reference to the next item is.
        var nextItem: Int

        /// Steps to the next item, and answers where the references to its key and to itself are.
        mutating func next(width: Int) -> (key: Int, item: Int) {
            left -= 1
            defer { (nextKey, nextItem) = (nextKey + width, nextItem + width) }
            return (nextKey, nextItem)
        }
    }

    /// Begins with the trailer.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(BinaryFault) {
        guard bytes.dropFirst(Self.beginning.count).first == UInt8(ascii: "0") else {
            throw BinaryFault(.version, at: 0)
        }
        self.bytes = BinaryBytes(bytes)
        trailer = try BinaryPropertyListTrailer(of: self.bytes)
        valuesLeft = max(Self.valuesAtLeast, bytes.count)
        contentLeft = Self.contentLimit(bytes.count)
    }

    /// Counts a long string or data with its length.
    mutating func charge(_ size: Int, at start: Int) throws(BinaryFault) {
        guard size <= contentLeft else {
            throw BinaryFault(.tooMuchContent(Self.contentLimit(bytes.count)), at: start)
        }
        contentLeft -= size
    }

    private static func contentLimit(_ count: Int) -> Int { max(contentAtLeast, count * contentPerByte) }

    /// Reads a whole document of any value.
    mutating func readDocument(levels: Int) throws(BinaryFault) -> PropertyListValue {
        try readValue(ofObject: UInt64(trailer.root), levels: levels)
    }

    /// Reads a whole document with a dictionary.
    mutating func readTable() throws(BinaryFault) -> PropertyListTable {
        let start = try trailer.offset(ofObject: UInt64(trailer.root), in: bytes)
        guard try open(at: start, levels: 1), openCollections[0].collection.isDictionary else {
            throw BinaryFault(.topLevelDictionary, at: start)
        }
        var dictionary = openCollections.removeLast()
        var table = PropertyListTable()
        while dictionary.left > 0 {
            let next = dictionary.next(width: trailer.referenceWidth)
            let key = try readKey(at: next.key, of: start)
            let value = try readValue(
                ofObject: try readReference(at: next.item),
                levels: PropertyListValue.maximumNesting
            )
            guard table.updateValue(value, forKey: key) == nil else { throw BinaryFault(.duplicateKey, at: start) }
        }
        return table
    }

    private mutating func readValue(ofObject index: UInt64, levels: Int) throws(BinaryFault) -> PropertyListValue {
        var finished = try readScalarOrOpen(index, levels: levels)
        while true {
            if let value = finished {
                guard let innermost = openCollections.indices.last else { return value }
                guard openCollections[innermost].collection.add(value) else {
                    throw BinaryFault(.duplicateKey, at: openCollections[innermost].start)
                }
            }
            finished = try readItemOrClose(levels: levels)
        }
    }

    /// Reads the next item of the innermost collection, or takes the collection if there is none.
    ///
    /// - Returns: The item or the collection; `nil` if a collection was opened.
    private mutating func readItemOrClose(levels: Int) throws(BinaryFault) -> PropertyListValue? {
        let innermost = openCollections.count - 1
        guard openCollections[innermost].left > 0 else { return openCollections.removeLast().collection.value }
        let next = openCollections[innermost].next(width: trailer.referenceWidth)
        if openCollections[innermost].collection.isDictionary {
            let key = try readKey(at: next.key, of: openCollections[innermost].start)
            openCollections[innermost].collection.key = key
        }
        return try readScalarOrOpen(try readReference(at: next.item), levels: levels)
    }

    /// Reads the key to which a reference leads.
    private mutating func readKey(at offset: Int, of dictionary: Int) throws(BinaryFault) -> String {
        let start = try trailer.offset(ofObject: try readReference(at: offset), in: bytes)
        guard case .string(let key) = try readScalar(at: start) else { throw BinaryFault(.keyKind, at: dictionary) }
        return key
    }

    private func readReference(at offset: Int) throws(BinaryFault) -> UInt64 {
        guard let reference = bytes.number(at: offset, width: trailer.referenceWidth) else {
            throw BinaryFault(.objectCutOff, at: offset)
        }
        return reference
    }

    /// Reads a value that has no parts, or steps into a collection.
    ///
    /// - Returns: The value; `nil` for a collection.
    private mutating func readScalarOrOpen(_ index: UInt64, levels: Int) throws(BinaryFault) -> PropertyListValue? {
        let start = try trailer.offset(ofObject: index, in: bytes)
        valuesLeft -= 1
        guard valuesLeft >= 0 else {
            throw BinaryFault(.tooManyValues(max(Self.valuesAtLeast, bytes.count)), at: start)
        }
        return try open(at: start, levels: levels) ? nil : try readScalar(at: start)
    }

    /// Steps into the collection at an offset, if there is one.
    private mutating func open(at start: Int, levels: Int) throws(BinaryFault) -> Bool {
        var position = start
        let marker = try readMarker(at: &position)
        let isDictionary = marker & 0xF0 == 0xD0
        guard isDictionary || marker & 0xF0 == 0xA0 else { return false }
        guard openCollections.count < levels else { throw BinaryFault(.nesting, at: start) }
        let count = try readCount(marker, at: &position)
        let width = trailer.referenceWidth
        // No count is so large that the products overflow: each reference has a byte before the table.
        guard count <= (trailer.table - position) / (isDictionary ? 2 * width : width) else {
            throw BinaryFault(.objectCutOff, at: start)
        }
        openCollections.append(
            OpenCollection(
                collection: GrowingCollection(isDictionary: isDictionary),
                start: start,
                left: count,
                nextKey: position,
                nextItem: isDictionary ? position + count * width : position
            )
        )
        return true
    }
}
