@_spi(StoreAuthors) internal import KeyspanFileStore

/// Reads TOML texts in the form that ``TOMLFileStore`` describes.
struct TOMLText: TextFormat {
    var name: String { "TOML" }

    func parse(_ bytes: [UInt8]) throws(TextFileError) -> ParsedText {
        if let error = TextFileError(ifNotText: bytes) { throw error }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var scanner = TOMLScanner(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes)
        let root = try scanner.scanText()
        var tree = TextTree()
        try tree.open(isMapping: true, at: root.place)
        try root.appendMembers(to: &tree)
        return TextTree.text(of: try tree.close())
    }
}
