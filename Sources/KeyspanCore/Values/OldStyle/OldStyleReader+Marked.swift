extension OldStyleReader {
    /// The value of a text that begins as only a property list does, with a bracket or a quotation mark.
    ///
    /// - Returns: `nil` for any other text, which may begin like that as well.
    static func parseMarked(_ text: String) -> PropertyListValue? {
        guard let first = text.utf8.first, "{(<\"".utf8.contains(first) else { return nil }
        return try? parse(text)
    }
}
