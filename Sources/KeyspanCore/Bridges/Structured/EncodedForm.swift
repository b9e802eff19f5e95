/// A form that an encoder gives a value: a property list, or JSON text.
///
/// Equal values have equal forms, in each process and on each device.
protocol EncodedForm {
    /// The name of the form in errors.
    static var formatName: String { get }

    /// The form of `nil` where it occupies a place.
    static var null: Self { get }

    /// The form of a value without containers; `nil` if its type encodes itself in this form.
    static func form(of leaf: some StructuredLeaf) throws(ValueEncodingError) -> Self?

    /// The form of an array.
    static func array(_ elements: [Self]) -> Self

    /// The form of a dictionary.
    static func dictionary(_ entries: TextDictionary<Self>) -> Self

    /// Whether one form comes before another where the order has no meaning, as in a set.
    static func isOrderedBefore(_ left: Self, _ right: Self) -> Bool
}

extension PropertyListValue: EncodedForm {
    static var formatName: String { "the structured form" }

    static var null: PropertyListValue { StructuredNull.form }

    static func form(of leaf: some StructuredLeaf) throws(ValueEncodingError) -> PropertyListValue? {
        StructuredNull.escape(try leaf.structuredForm())
    }
}
