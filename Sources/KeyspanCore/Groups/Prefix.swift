/// What stands before the names of a group's keys.
///
/// A class, so that adding one prefix to another gives the same object each time, made once.
@usableFromInline
final class Prefix: Sendable {
    /// The prefix of a group that has none.
    @usableFromInline static let none = Prefix("")

    @usableFromInline let text: String
    private let sums = PrefixVariants<Prefix>()

    init(_ text: String) {
        self.text = text
    }

    /// The outer prefix with this one behind it.
    @usableFromInline
    func appended(to outer: Prefix) -> Prefix {
        if outer.text.isEmpty { return self }
        return sums.variant(for: outer) { Prefix(outer.text + text) }
    }
}

extension Defaults.Key {
    /// The key whose name has the prefix before it; the same object each time.
    @usableFromInline
    func prefixed(by prefix: Prefix) -> Defaults.Key<Value> {
        if prefix.text.isEmpty { return self }
        return variants.variant(for: prefix) { renamedKey(prefix.text + name) }
    }
}
