/// One value of the tree that an encoding fills: a container is handed out before its content is known.
final class EncodedNode {
    /// A part of a collection: its final form, or a container that is still being filled.
    enum Part {
        case value(PropertyListValue)
        case node(EncodedNode)
    }

    private enum Content {
        case nothing
        case value(PropertyListValue)
        case array([Part])
        case dictionary(TextDictionary<Part>)
        case failed(ValueEncodingError)
    }

    private var content = Content.nothing

    /// How many elements there are, if this is an array.
    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    /// Makes this a dictionary, or keeps it one.
    func becomeDictionary() {
        switch content {
        case .nothing: content = .dictionary([:])
        case .dictionary: break
        case .value, .array: fail(.excludingContainers)
        case .failed: break
        }
    }

    /// Makes this an array, or keeps it one.
    func becomeArray() {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        case .value, .dictionary: fail(.excludingContainers)
        case .failed: break
        }
    }

    /// Makes this a single value.
    func become(_ value: PropertyListValue) {
        if case .nothing = content { content = .value(value) } else { fail(.excludingContainers) }
    }

    /// Sets an entry of the dictionary; the last one of a name stays.
    func set(_ part: Part, for name: String) {
        guard case .dictionary(var entries) = content else { return fail(.excludingContainers) }
        content = .nothing  // So that the entries are changed in place.
        entries[name] = part
        content = .dictionary(entries)
    }

    /// Adds an element to the array.
    func append(_ part: Part) {
        guard case .array(var elements) = content else { return fail(.excludingContainers) }
        content = .nothing  // So that the elements are changed in place.
        elements.append(part)
        content = .array(elements)
    }

    /// Remembers what is wrong, for those who cannot throw; the first error stays.
    func fail(_ error: ValueEncodingError) {
        if case .failed = content { return }
        content = .failed(error)
    }

    /// The container at that name, if one was handed out.
    func container(for name: String) -> EncodedNode? {
        guard case .dictionary(let entries) = content, case .node(let node) = entries[name] else { return nil }
        return node
    }

    /// The finished value.
    ///
    /// - Throws: ``ValueEncodingError`` if an `encode(to:)` used its containers in a way that has no result.
    var value: PropertyListValue {
        get throws(ValueEncodingError) {
            switch content {
            case .nothing: return .dictionary([:])
            case .value(let value): return value
            case .array(let parts):
                var elements: [PropertyListValue] = []
                elements.reserveCapacity(parts.count)
                for (index, part) in parts.enumerated() {
                    elements.append(try Self.value(of: part, at: .index(index)))
                }
                return .array(elements)
            case .dictionary(let parts):
                var entries: PropertyListDictionary = [:]
                entries.reserveCapacity(parts.count)
                for (name, part) in parts { entries[name] = try Self.value(of: part, at: .name(name)) }
                return .dictionary(entries)
            case .failed(let error): throw error
            }
        }
    }

    private static func value(
        of part: Part,
        at step: ValuePath.Step
    ) throws(ValueEncodingError) -> PropertyListValue {
        switch part {
        case .value(let value): return value
        case .node(let node):
            do {
                return try node.value
            } catch {
                // The path to what is too deep is as long as it is worthless.
                throw error == .nestedTooDeep ? error : error.nested(under: step)
            }
        }
    }
}

extension ValueEncodingError {
    static let excludingContainers = Self(reason: "its encode(to:) asked for containers that exclude each other")

    static let nestedTooDeep = Self(reason: "it is nested deeper than \(PropertyListValue.maximumNesting) levels")
}
