extension TextDictionary {
    /// The names of a dictionary, which contain those for which it has a value.
    public struct Keys {
        @usableFromInline let names: Dictionary<UTF8Text, Value>.Keys

        @inlinable
        init(names: Dictionary<UTF8Text, Value>.Keys) {
            self.names = names
        }

        /// Whether a name with the same UTF-8 is there; O(1).
        @inlinable
        public func contains(_ name: String) -> Bool { names.contains(UTF8Text(name)) }
    }
}

extension TextDictionary.Keys: Collection {
    /// The place of a name, which is that of its entry.
    public typealias Index = TextDictionary.Index

    @inlinable
    public var startIndex: Index { names.startIndex }

    @inlinable
    public var endIndex: Index { names.endIndex }

    @inlinable
    public var count: Int { names.count }

    @inlinable
    public var isEmpty: Bool { names.isEmpty }

    @inlinable
    public func index(after index: Index) -> Index { names.index(after: index) }

    @inlinable
    public subscript(position: Index) -> String { names[position].wrappedValue }

    // Generic code asks this before it compares one by one, by Unicode's canonical equivalence.
    @inlinable
    public func _customContainsEquatableElement(_ name: String) -> Bool? { contains(name) }
}

extension TextDictionary.Keys: Sendable where Value: Sendable {}
