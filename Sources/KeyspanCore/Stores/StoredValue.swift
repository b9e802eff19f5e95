/// A value as a store has it, together with what has to be known to read it.
///
/// Whether a value is text belongs to the value: a file over environment variables has a number where the variables have
/// text, and a moment later it may be the other way round. So both are looked up at once and travel together, through
/// snapshots, changes, edits and caches.
public struct StoredValue: Sendable, Hashable {
    /// The value.
    public let value: PropertyListValue

    /// Which of its parts are text.
    @usableFromInline let extent: TextExtent

    /// Makes a stored value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isText: Whether it is text that someone typed.
    @inlinable
    public init(_ value: PropertyListValue, isText: Bool = false) {
        self.init(value, extent: isText ? .whole : .none)
    }

    @usableFromInline
    init(_ value: PropertyListValue, extent: TextExtent) {
        self.value = value
        switch extent {
        case .none: self.extent = .none
        // An empty dictionary is the same, whoever typed it.
        case .whole, .parts: self.extent = value.hasLeaf ? extent : .none
        }
    }

    /// Whether the value, or a part of it, is text that a person or another program typed, in place of a number or truth value.
    ///
    /// So it is for launch arguments and environment variables. Keys of other types then convert the text, by
    /// ``CoercionTable``. Of a dictionary that a ``LayeredStore`` merged from several layers, only the members that come from
    /// layers of text are converted.
    @inlinable public var isText: Bool {
        if case .none = extent { false } else { true }
    }
}
