/// Entries under a ``PropertyListTable`` that are read from a text when they are asked for.
///
/// A document never changes, and its text was validated when the document was made, so reading an entry cannot fail. It may be
/// read from several threads at once.
package protocol TableDocument: AnyObject, Sendable {
    /// The number of entries with a value.
    var count: Int { get }

    /// The number of places for entries; a place may be empty.
    var placeCount: Int { get }

    /// The value of a key, or `nil` if the document has none.
    func value(forKey key: String) -> PropertyListValue?

    /// Whether there is a value for a key; cheaper than reading the value.
    func hasValue(forKey key: String) -> Bool

    /// The entry at a place, from 0 to ``placeCount``; `nil` if the place is empty.
    func entry(at place: Int) -> (key: String, value: PropertyListValue)?

    /// The key of the entry at a place, without reading the value; `nil` if the place is empty.
    func presentKey(at place: Int) -> String?

    /// Whether the entry at a place is empty, or certainly equal to that of another document, without reading either.
    func hasSameEntry(at place: Int, in other: any TableDocument) -> Bool
}
