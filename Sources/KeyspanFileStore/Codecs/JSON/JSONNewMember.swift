import KeyspanCore

/// An item that an object or array gets.
struct JSONNewMember {
    enum Content {
        case member(PropertyListValue)
        /// An element of an array, which has no name.
        case element(PropertyListValue, isOnOneLine: Bool)
    }

    let name: String
    let content: Content

    /// Makes a member of an object.
    init(name: String, value: PropertyListValue) {
        (self.name, content) = (name, .member(value))
    }

    /// Makes an element of an array.
    init(element value: PropertyListValue, isOnOneLine: Bool) {
        (name, content) = ("", .element(value, isOnOneLine: isOnOneLine))
    }
}
