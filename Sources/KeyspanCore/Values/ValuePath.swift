/// The way from a key's value down to one of its parts, such as `.servers[2].port`.
public struct ValuePath: Sendable, Hashable {
    /// One step of the way.
    public enum Step: Sendable, Hashable {
        /// Into an array, to the element at that index.
        case index(Int)
        /// Into a dictionary, to the entry of that name.
        case name(String)

        public static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.index(let left), .index(let right)): left == right
            case (.name(let left), .name(let right)): left.hasSameUTF8(as: right)
            case (.index, .name), (.name, .index): false
            }
        }

        public func hash(into hasher: inout Hasher) {
            switch self {
            case .index(let index): hasher.combine(index)
            case .name(let name): hasher.combine(UTF8Text(name))
            }
        }
    }

    /// The steps, outermost first; none for the value itself.
    public private(set) var steps: [Step]

    /// Makes a path from its steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// The same way, begun one level further out.
    func nested(under step: Step) -> ValuePath {
        ValuePath([step] + steps)
    }
}

extension ValuePath: CustomStringConvertible {
    /// The path as it would be written after the key, empty for the value itself.
    public var description: String {
        steps.map { step in
            switch step {
            case .index(let index): "[\(index)]"
            case .name(let name): ".\(name)"
            }
        }.joined()
    }
}
