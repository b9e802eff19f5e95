/// A value as a store has it, and whether it is text that someone typed.
///
/// The two belong together: a file over environment variables has a number where the variables have text, and a moment later
/// the layers may be the other way round. So one lookup returns both, and snapshots, changes, edits and caches carry both.
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
    @_spi(StoreAuthors) public init(_ value: PropertyListValue, isText: Bool = false) {
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
    /// <doc:CoercingValues>. Of a dictionary that a ``LayeredStore`` merged from several layers, only the members that come from
    /// layers of text are converted.
    @inlinable public var isText: Bool {
        if case .none = extent { false } else { true }
    }

    /// A member with whether it is text; `nil` if this is not a dictionary, or has no member of that name.
    package func member(_ name: String) -> StoredValue? {
        guard case .dictionary(let members) = value, let member = members[name] else { return nil }
        return StoredValue(member, extent: extent.part(at: .name(name)))
    }
}

/// The parts of a stored value that are text that someone typed: in merged layers, members of one dictionary can come from a
/// file and from environment variables.
@usableFromInline
indirect enum TextExtent: Sendable, Hashable {
    case none
    case whole
    /// Some parts: the value with a truth value in place of each part that is not a dictionary.
    case parts(PropertyListValue)

    /// The text in a dictionary that was merged from two.
    ///
    /// - Parameters:
    ///   - upper: The one whose members hide those of the other.
    ///   - lower: The other one.
    static func merged(_ upper: StoredValue, over lower: StoredValue) -> TextExtent {
        if upper.extent == lower.extent, upper.extent == .none || upper.extent == .whole { return upper.extent }
        let map = upper.textMap.merged(over: lower.textMap)
        guard map.hasLeaf(true) else { return .none }
        return map.hasLeaf(false) ? .parts(map) : .whole
    }

    /// The text in a part of the value.
    @usableFromInline
    func part(at step: ValuePath.Step) -> TextExtent {
        guard case .parts(let map) = self else { return self }
        guard case .name(let name) = step, case .dictionary(let members) = map else { return .none }
        return switch members[name] {
        case nil, .boolean(false): .none
        case .boolean(true): .whole
        case let members?: .parts(members)
        }
    }
}

extension StoredValue {
    /// Makes a dictionary of several entries, in each of which the same is text as before.
    init(entries: TextDictionary<StoredValue>) {
        let hasText = entries.contains(where: \.value.isText)
        self.init(
            .dictionary(entries.mapValues(\.value)),
            extent: hasText ? .parts(.dictionary(entries.mapValues(\.textMap))) : .none
        )
    }

    /// The value with a truth value in place of each part that is not a dictionary: whether it is text.
    fileprivate var textMap: PropertyListValue {
        switch extent {
        case .none: value.mapLeaves(to: false)
        case .whole: value.mapLeaves(to: true)
        case .parts(let map): map
        }
    }
}

extension PropertyListValue {
    /// Whether the value, or a part of it, is not a dictionary.
    var hasLeaf: Bool {
        guard case .dictionary(let members) = self else { return true }
        return members.contains(where: \.value.hasLeaf)
    }

    fileprivate func mapLeaves(to isText: Bool) -> PropertyListValue {
        guard case .dictionary(let members) = self else { return .boolean(isText) }
        return .dictionary(members.mapValues { $0.mapLeaves(to: isText) })
    }

    fileprivate func hasLeaf(_ isText: Bool) -> Bool {
        switch self {
        case .dictionary(let members): members.contains { $0.value.hasLeaf(isText) }
        case let leaf: leaf == .boolean(isText)
        }
    }
}

extension StoredValue: CustomStringConvertible {
    /// The value on one line, for people.
    public var description: String { value.description }
}
