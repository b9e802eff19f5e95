#if TOML
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The places of the names of a TOML text that is well formed.
///
/// TOMLKit says nothing of places. And it must not see a text that is not well formed: its parser, toml++, then stops the process in a
/// debug build, and assumes in an optimized one that there is no such text. Keys of many parts would exhaust its stack, NUL characters
/// end its strings, and reals lose digits without an error.
final class TOMLPlaces {
    enum Kind {
        /// A table that exists because a table in it does.
        case implicit
        /// A table that a key with dots makes, which cannot have a header.
        case dotted
        case table
        case arrayOfTables
        case value
    }

    var place: LineAndColumn
    var kind: Kind
    /// The names in the table, or in the last table of an array.
    var members: TextDictionary<TOMLPlaces> = [:]

    init(_ kind: Kind, at place: LineAndColumn) {
        self.kind = kind
        self.place = place
    }

    /// Finds the places of a text.
    ///
    /// - Throws: `TextFileError` for a text that TOMLKit must not see, and for a name that is there twice.
    static func find(in bytes: [UInt8]) throws(TextFileError) -> TOMLPlaces {
        var scanner = TOMLScanner(bytes)
        try scanner.scanText()
        return scanner.root
    }
}
#endif
