/// What stands before the names of a group's keys.
///
/// A class, so that adding one prefix to another gives the same object each time, made once.
@usableFromInline
final class Prefix: Sendable {
    /// The prefix of a group that has none.
    @usableFromInline static let none = Prefix("")

    @usableFromInline let text: String
    @usableFromInline let isEmpty: Bool
    @usableFromInline let sums = PrefixVariants<Prefix>()

    @usableFromInline
    init(_ text: String) {
        self.text = text
        isEmpty = text.isEmpty
    }

    /// The outer prefix with this one behind it.
    @inlinable
    func appended(to outer: Prefix) -> Prefix {
        outer.isEmpty ? self : sums.variant(for: outer) { Prefix(outer.text + text) }
    }
}

extension Defaults.Key {
    /// The key whose name has the prefix before it; the same object each time.
    @inlinable
    func prefixed(by prefix: Prefix) -> Defaults.Key<Value> {
        prefix.isEmpty ? self : variants.variant(for: prefix) { renamedKey(prefix.text + name) }
    }
}
