internal import Synchronization

/// What was made of one thing for each of the prefixes that it was used with, so that it is made once.
///
/// A list that only grows, so finding something in it takes no lock. It has one element as a rule, because each
/// ``Defaults/Prefixed`` makes keys of its own; a key that several groups share has more.
struct PrefixVariants<Element: Sendable>: ~Copyable, Sendable {
    private final class Variant: Sendable {
        let prefix: Prefix
        let element: Element
        let next = AtomicLazyReference<Variant>()

        init(prefix: Prefix, element: Element) {
            self.prefix = prefix
            self.element = element
        }
    }

    // A shared key that is used with prefixes without end, made at run time, does not fill the memory; beyond these its
    // variants are made anew for each use.
    private static var maximumCount: Int { 8 }

    private let first = AtomicLazyReference<Variant>()

    /// What belongs to a prefix.
    func variant(for prefix: Prefix, make: () -> Element) -> Element {
        var last: Variant?
        var following = first.load()
        var count = 0
        while let variant = following {
            if variant.prefix === prefix || variant.prefix.text == prefix.text { return variant.element }
            (last, following) = (variant, variant.next.load())
            count += 1
        }
        let element = make()
        return count < Self.maximumCount ? append(Variant(prefix: prefix, element: element), after: last) : element
    }

    /// Appends to the list, unless another thread has done that meanwhile; its variant counts then.
    private func append(_ new: Variant, after last: Variant?) -> Element {
        var stored = last?.next.storeIfNil(new) ?? first.storeIfNil(new)
        while stored !== new, stored.prefix.text != new.prefix.text {
            stored = stored.next.storeIfNil(new)
        }
        return stored.element
    }
}
