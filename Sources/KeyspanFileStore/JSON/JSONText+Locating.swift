import KeyspanCore

extension JSONText {
    /// The values of some keys of a table, with the lines in which their names are.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - bytes: The text in UTF-8.
    /// - Throws: ``JSONTextError`` as ``parseTable(_:)`` does.
    static func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(JSONTextError) -> TextDictionary<LocatedValue> {
        var starts: [(key: String, offset: Int)] = []
        let table = try read(bytes) { (reader) throws(JSONFault) in
            try reader.readTable { name, offset in
                if keys.contains(name) { starts.append((name, offset)) }
            }
        }
        return LocatedValue.values(of: table, at: starts, in: bytes)
    }
}
