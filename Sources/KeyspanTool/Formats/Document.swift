import Keyspan

/// What a document stands for: one value, or all keys of a domain.
///
/// They differ at the top. The dictionary of a domain is never one of the tagged forms of JSON, and does not count as
/// a level of nesting.
enum Document {
    /// A value by itself.
    case value(PropertyListValue)
    /// Keys and values.
    case domain(PropertyListTable)

    /// The value at the top.
    var value: PropertyListValue {
        switch self {
        case .value(let value): value
        case .domain(let table): .dictionary(table.dictionary)
        }
    }

    /// How deep collections may be nested in a document: those of one value, and the domain around it.
    ///
    /// A reader that lets this many pass needs not know which of the two it reads; the store refuses a value that has
    /// all of them.
    static let maximumNesting = PropertyListValue.maximumNesting + 1
}
