/// One value of the tree that an encoding fills.
///
/// `Encoder` returns containers before their content is known.
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

    /// The number of elements, if this is an array.
    var arrayCount: Int? {
        if case .array(let elements) = content { elements.count } else { nil }
    }

    /// Makes this a dictionary, unless it already is one.
    func becomeDictionary() {
        switch content {
        case .nothing: content = .dictionary([:])
        case .dictionary: break
        case .value, .array: fail(.excludingContainers)
        case .failed: break
        }
    }

    /// Makes this an array, unless it already is one.
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

    /// Sets an entry of the dictionary.
    ///
    /// For a repeated name, the last value wins.
    func set(_ part: Part, for name: String) {
        guard case .dictionary(var entries) = content else { return fail(.excludingContainers) }
        content = .nothing  // Releases the second reference, so that the entries are changed in place.
        entries[name] = part
        content = .dictionary(entries)
    }

    /// Adds an element to the array.
    func append(_ part: Part) {
        guard case .array(var elements) = content else { return fail(.excludingContainers) }
        content = .nothing  // Releases the second reference, so that the elements are changed in place.
        elements.append(part)
        content = .array(elements)
    }

    /// Records an error for a caller that cannot throw.
    ///
    /// The first error wins.
    func fail(_ error: ValueEncodingError) {
        if case .failed = content { return }
        content = .failed(error)
    }

    /// Puts the members of a set or dictionary, whose order differs between equal values, in the order of their forms.
    ///
    /// - Parameters:
    ///   - length: The number of elements for each member: 2 for the key and the value of a dictionary.
    ///   - form: The form of the elements.
    /// - Throws: ``ValueEncodingError`` if an element has no form.
    func sort(membersOf length: Int, in form: CodableForm) throws(ValueEncodingError) {
        guard case .array(let parts) = content, parts.count > length, parts.count.isMultiple(of: length) else { return }
        let elements = try Self.elements(of: parts, in: form)
        let starts = form.order(ofMembersAt: Array(stride(from: 0, to: elements.count, by: length)), in: elements)
        content = .array(starts.flatMap { elements[$0..<$0 + length].map { .value($0) } })
    }

    /// The container at a name, if one was returned before.
    func container(for name: String) -> EncodedNode? {
        guard case .dictionary(let entries) = content, case .node(let node) = entries[name] else { return nil }
        return node
    }

    /// The finished value.
    ///
    /// - Throws: ``ValueEncodingError`` if an `encode(to:)` used its containers in a way that has no result.
    func value(in form: CodableForm) throws(ValueEncodingError) -> PropertyListValue {
        switch content {
        case .nothing: return form.dictionary([:])
        case .value(let value): return value
        case .array(let parts): return form.array(try Self.elements(of: parts, in: form))
        case .dictionary(let parts):
            var entries = PropertyListDictionary(minimumCapacity: parts.count)
            for (name, part) in parts { entries[name] = try Self.value(of: part, at: .name(name), in: form) }
            return form.dictionary(entries)
        case .failed(let error): throw error
        }
    }

    private static func elements(
        of parts: [Part],
        in form: CodableForm
    ) throws(ValueEncodingError) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        elements.reserveCapacity(parts.count)
        for (index, part) in parts.enumerated() {
            elements.append(try value(of: part, at: .index(index), in: form))
        }
        return elements
    }

    private static func value(
        of part: Part,
        at step: ValuePath.Step,
        in form: CodableForm
    ) throws(ValueEncodingError) -> PropertyListValue {
        switch part {
        case .value(let value): return value
        case .node(let node):
            do {
                return try node.value(in: form)
            } catch {
                // The long path to a value that is nested too deep would not help.
                throw error == .nestedTooDeep ? error : error.nested(under: step)
            }
        }
    }
}

extension ValueEncodingError {
    static let excludingContainers = Self(reason: "its encode(to:) asked for containers that exclude each other")

    static let nestedTooDeep = Self(reason: "it is nested deeper than \(PropertyListValue.maximumNesting) levels")
}
