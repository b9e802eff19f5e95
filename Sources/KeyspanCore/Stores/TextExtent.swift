/// Which parts of a stored value are text that someone typed: where layers are merged, members of one dictionary can come from
/// a file and from environment variables.
@usableFromInline
indirect enum TextExtent: Sendable, Hashable {
    case none
    case whole
    /// The parts that are: the value with a truth value in the place of each part that is no dictionary.
    case parts(PropertyListValue)

    /// What is text in a dictionary that was merged from two.
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

    /// What is text in a part of the value.
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
    /// Makes one value of several.
    init(members: TextDictionary<StoredValue>) {
        let value = PropertyListValue.dictionary(members.mapValues(\.value))
        let hasText = members.contains { $0.value.isText }
        self.init(value, extent: hasText ? .parts(.dictionary(members.mapValues(\.textMap))) : .none)
    }

    /// The value with a truth value in the place of each part that is no dictionary: whether it is text.
    fileprivate var textMap: PropertyListValue {
        switch extent {
        case .none: value.mapLeaves(to: false)
        case .whole: value.mapLeaves(to: true)
        case .parts(let map): map
        }
    }
}

extension PropertyListValue {
    /// Whether a part of the value is no dictionary, or the value is none.
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
