import KeyspanCore

/// An item that an object or array gets.
struct JSONNewMember {
    enum Content {
        /// A member, and the text of its value if the object has it already, under another name.
        case member(PropertyListValue, text: ArraySlice<UInt8>?)
        /// An element of an array, which has no name.
        case element(PropertyListValue, isOnOneLine: Bool)
    }

    let name: String
    let content: Content

    /// Makes a member of an object.
    init(name: String, value: PropertyListValue, text: ArraySlice<UInt8>? = nil) {
        (self.name, content) = (name, .member(value, text: text))
    }

    /// Makes an element of an array.
    init(element value: PropertyListValue, isOnOneLine: Bool) {
        (name, content) = ("", .element(value, isOnOneLine: isOnOneLine))
    }
}
