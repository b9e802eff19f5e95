@_spi(StoreAuthors) import KeyspanCore

/// Reads binary property lists (`bplist00`), keeping integers and reals apart.
///
/// Many collections may share one object, which would let a small file stand for an endless value. Two limits prevent that:
/// - The reader rejects more than ``valuesAtLeast`` values if they are also more than the document has bytes: where only scalars
///   are shared, each value has a byte of its own.
/// - A long string or data is made once, but other formats write it wherever it is shared. Each counts with its length wherever
///   it is shared, and the reader rejects more than ``contentAtLeast`` bytes if they are also more than ``contentPerByte`` times
///   those of the document.
struct BinaryPropertyListReader {
    /// The number of values that any document may stand for.
    static let valuesAtLeast = 1 << 16

    /// The number of bytes that the long strings and data of any document may have together, wherever they are shared.
    static let contentAtLeast = 16 << 20
    /// The number of bytes of long strings and data that a larger document may have for each of its own bytes.
    static let contentPerByte = 64

    /// The length from which on a string or data is made once for all collections that share it.
    static let longCount = 64

    private let objects: BinaryPropertyListObjects
    /// The long strings and data, by their offset.
    private var longScalars: [Int: PropertyListValue] = [:]
    private var openCollections: [OpenCollection] = []
    private var valuesLeft: Int
    private var contentLeft: Int

    /// A collection of which some items are still unread.
    private struct OpenCollection {
        var collection: GrowingCollection
        let start: Int
        /// The references to the keys, if this is a dictionary.
        let keys: BinaryPropertyListObjects.References?
        let items: BinaryPropertyListObjects.References
        var nextItem = 0
    }

    /// Begins with the trailer.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(BinaryFault) {
        objects = try BinaryPropertyListObjects(bytes)
        valuesLeft = max(Self.valuesAtLeast, bytes.count)
        contentLeft = Self.contentLimit(bytes.count)
    }

    private static func contentLimit(_ count: Int) -> Int { max(contentAtLeast, count * contentPerByte) }

    /// Reads a whole document of any value.
    mutating func readDocument(levels: Int) throws(BinaryFault) -> PropertyListValue {
        try readValue(ofObject: UInt64(objects.root), levels: levels)
    }

    /// Reads a whole document with a dictionary.
    mutating func readTable() throws(BinaryFault) -> PropertyListTable {
        let start = try objects.offset(of: UInt64(objects.root))
        var position = start
        guard case .dictionary(let keys, let items) = try objects.readObject(at: &position) else {
            throw BinaryFault(.topLevelDictionary, at: start)
        }
        var table = PropertyListTable()
        for index in 0..<items.count {
            let key = try readKey(index, of: keys, in: start)
            let value = try readValue(
                ofObject: objects.target(of: index, in: items),
                levels: PropertyListValue.maximumNesting
            )
            guard table.updateValue(value, forKey: key) == nil else { throw BinaryFault(.duplicateKey, at: start) }
        }
        return table
    }

    private mutating func readValue(ofObject object: UInt64, levels: Int) throws(BinaryFault) -> PropertyListValue {
        var finished = try readScalarOrOpen(object, levels: levels)
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
        let (index, items) = (openCollections[innermost].nextItem, openCollections[innermost].items)
        guard index < items.count else { return openCollections.removeLast().collection.value }
        openCollections[innermost].nextItem += 1
        if let keys = openCollections[innermost].keys {
            let key = try readKey(index, of: keys, in: openCollections[innermost].start)
            openCollections[innermost].collection.key = key
        }
        return try readScalarOrOpen(objects.target(of: index, in: items), levels: levels)
    }

    /// Reads a key of the dictionary that starts at an offset.
    private mutating func readKey(
        _ index: Int,
        of keys: BinaryPropertyListObjects.References,
        in dictionary: Int
    ) throws(BinaryFault) -> String {
        let start = try objects.offset(of: objects.target(of: index, in: keys))
        var position = start
        let object = try objects.readObject(at: &position)
        guard case .string(let key)? = try makeScalar(object, at: start) else {
            throw BinaryFault(.keyKind, at: dictionary)
        }
        return key
    }

    /// Reads a scalar, or opens a collection.
    ///
    /// - Returns: The scalar; `nil` for a collection.
    private mutating func readScalarOrOpen(_ object: UInt64, levels: Int) throws(BinaryFault) -> PropertyListValue? {
        let start = try objects.offset(of: object)
        valuesLeft -= 1
        guard valuesLeft >= 0 else {
            throw BinaryFault(.tooManyValues(max(Self.valuesAtLeast, objects.size)), at: start)
        }
        var position = start
        switch try objects.readObject(at: &position) {
        case .array(let items): try open(items, keys: nil, at: start, levels: levels)
        case .dictionary(let keys, let items): try open(items, keys: keys, at: start, levels: levels)
        case let scalar: return try makeScalar(scalar, at: start)
        }
        return nil
    }

    private mutating func open(
        _ items: BinaryPropertyListObjects.References,
        keys: BinaryPropertyListObjects.References?,
        at start: Int,
        levels: Int
    ) throws(BinaryFault) {
        guard openCollections.count < levels else { throw BinaryFault(.nesting, at: start) }
        let collection = GrowingCollection(isDictionary: keys != nil)
        openCollections.append(OpenCollection(collection: collection, start: start, keys: keys, items: items))
    }

    /// Makes the value of an object that starts at an offset; `nil` for a collection.
    private mutating func makeScalar(
        _ object: BinaryPropertyListObjects.Object,
        at start: Int
    ) throws(BinaryFault) -> PropertyListValue? {
        let (length, size) =
            switch object {
            case .data(let range), .ascii(let range): (range.count, range.count)
            case .utf16(let range): (range.count / 2, range.count)
            default: (0, 0)
            }
        guard length >= Self.longCount else { return try objects.scalar(object, at: start) }
        let value: PropertyListValue?
        if let known = longScalars[start] {
            value = known
        } else {
            value = try objects.scalar(object, at: start)
            longScalars[start] = value
        }
        guard size <= contentLeft else {
            throw BinaryFault(.tooMuchContent(Self.contentLimit(objects.size)), at: start)
        }
        contentLeft -= size
        return value
    }
}
