import KeyspanCore

/// An array or dictionary of a document of which not all items have been read.
struct GrowingCollection {
    let isDictionary: Bool
    /// The key of the next item of a dictionary.
    var key = ""
    /// Where that key is.
    var keyOffset = 0

    private var elements: [PropertyListValue] = []
    private var entries: PropertyListDictionary = [:]

    init(isDictionary: Bool) {
        self.isDictionary = isDictionary
    }

    /// The collection.
    var value: PropertyListValue { isDictionary ? .dictionary(entries) : .array(elements) }

    /// Adds an item.
    ///
    /// - Returns: Whether the key was new.
    mutating func add(_ value: PropertyListValue) -> Bool {
        if isDictionary { return entries.updateValue(value, forKey: key) == nil }
        elements.append(value)
        return true
    }
}
