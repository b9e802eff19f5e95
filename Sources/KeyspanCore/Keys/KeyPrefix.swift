/// The prefix of the names of a group's keys.
///
/// It is a class so that appending a prefix to another one returns the same object each time.
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

    /// The outer prefix followed by this one.
    @inlinable
    func appended(to outer: Prefix) -> Prefix {
        outer.isEmpty ? self : sums.variant(for: outer) { Prefix(outer.text + text) }
    }
}

/// The variants of a key or a prefix, one for each prefix that it was used with.
///
/// The list only grows, so a lookup takes no lock. It usually has one element, because each prefixed group makes its own keys;
/// a key that several groups share has more.
@usableFromInline
struct PrefixVariants<Element: Sendable>: ~Copyable, Sendable {
    @usableFromInline
    final class Variant: Sendable {
        @usableFromInline let prefix: Prefix
        @usableFromInline let element: Element
        @usableFromInline let next = OnceReference<Variant>()

        init(prefix: Prefix, element: Element) {
            self.prefix = prefix
            self.element = element
        }
    }

    // Limits the memory for a shared key that is used with ever new prefixes; more variants are made anew for each use.
    private static var maximumCount: Int { 8 }

    @usableFromInline let first = OnceReference<Variant>()

    init() {}

    /// The variant for a prefix.
    @inlinable
    func variant(for prefix: Prefix, make: () -> Element) -> Element {
        if let first = first.object, first.prefix === prefix { return first.element }
        return laterVariant(for: prefix, make: make)
    }

    /// The variant for a prefix that is not the object of the first one.
    @usableFromInline
    func laterVariant(for prefix: Prefix, make: () -> Element) -> Element {
        var last: Variant?
        var following = first.object
        var count = 0
        while let variant = following {
            if variant.prefix.text.hasSameUTF8(as: prefix.text) { return variant.element }
            (last, following) = (variant, variant.next.object)
            count += 1
        }
        let element = make()
        return count < Self.maximumCount ? append(Variant(prefix: prefix, element: element), after: last) : element
    }

    /// Appends a variant, or returns the one that another thread has added for the same prefix meanwhile.
    private func append(_ new: Variant, after last: Variant?) -> Element {
        var stored = last?.next.setIfAbsent(new) ?? first.setIfAbsent(new)
        while stored !== new, !stored.prefix.text.hasSameUTF8(as: new.prefix.text) {
            stored = stored.next.setIfAbsent(new)
        }
        return stored.element
    }
}
