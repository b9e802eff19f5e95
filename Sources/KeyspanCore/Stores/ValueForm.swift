extension Defaults {
    /// The form in which keys write values of types that a property list has no kind for: `Codable` types, URLs, and collections of them.
    ///
    /// Every key reads both forms from every store, so the form is the business of the store alone. It matters to the people and the other
    /// programs that read the store.
    public enum ValueForm: Sendable, Hashable {
        /// JSON text in a string: `"{\"host\":\"db\",\"port\":5432}"`, `"\"dark\""`.
        ///
        /// The Defaults library writes and reads this form. It is that of `UserDefaults`, and of stores that name no other. A write replaces the
        /// whole value, with the members that its type does not know.
        case jsonText
        /// As people write it: `{"host": "db", "port": 5432}`, `"dark"`.
        ///
        /// A value that could be mistaken in this form, such as an enumeration's raw value `"1"` in quotation marks, is written as JSON
        /// text. A value that the store has as JSON text keeps that form. Of a value in the readable form, a write keeps the members that its type
        /// does not know.
        case readable
    }
}
