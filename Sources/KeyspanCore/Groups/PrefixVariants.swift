/// What was made of one thing for each of the prefixes that it was used with, so that it is made once.
///
/// A list that only grows, so finding something in it takes no lock. It has one element as a rule, because each
/// ``Defaults/Prefixed`` makes keys of its own; a key that several groups share has more.
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

    // A shared key that is used with prefixes without end, made at run time, does not fill the memory; beyond these its
    // variants are made anew for each use.
    private static var maximumCount: Int { 8 }

    @usableFromInline let first = OnceReference<Variant>()

    init() {}

    /// What belongs to a prefix.
    @inlinable
    func variant(for prefix: Prefix, make: () -> Element) -> Element {
        if let first = first.object, first.prefix === prefix { return first.element }
        return laterVariant(for: prefix, make: make)
    }

    /// What belongs to a prefix, which need not be the same object or the first one.
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

    /// Appends to the list, unless another thread has done that meanwhile; its variant counts then.
    private func append(_ new: Variant, after last: Variant?) -> Element {
        var stored = last?.next.setIfAbsent(new) ?? first.setIfAbsent(new)
        while stored !== new, !stored.prefix.text.hasSameUTF8(as: new.prefix.text) {
            stored = stored.next.setIfAbsent(new)
        }
        return stored.element
    }
}
