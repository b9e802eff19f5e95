/// A type that is a property list by itself: what the `Serializable` of a bridge has to be.
///
/// The package conforms the types that have an exact form among the kinds of ``PropertyListValue``; a type of your own
/// needs a ``Defaults/Bridge`` instead, whose `Serializable` is one of these. Because only these types reach a store, a
/// value that is no property list is refused by the compiler.
public protocol PropertyListConvertible {
    /// This value in its stored form.
    var propertyListValue: PropertyListValue { get }

    /// Makes a value from its stored form, without coercion.
    ///
    /// - Parameter stored: The value found in the store.
    /// - Throws: ``ValueDecodingError`` if the stored value is of another kind or does not fit.
    init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError)
}

extension PropertyListValue: PropertyListConvertible {
    public var propertyListValue: PropertyListValue { self }

    public init(propertyListValue stored: PropertyListValue) {
        self = stored
    }

    /// Makes a value from anything that has a stored form.
    public init(_ value: some PropertyListConvertible) {
        self = value.propertyListValue
    }
}
