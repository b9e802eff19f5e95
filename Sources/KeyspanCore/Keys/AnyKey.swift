extension Defaults {
    /// A key without the type of its value: what keys are declared on, and what lists of keys hold.
    ///
    /// Two keys are equal if the UTF-8 of their names is the same and they name the same store.
    // Unchecked because a class that has a subclass cannot be checked: all its properties are constant and `Sendable`,
    // and its initialiser is internal, so that `Key` and `ThrowingKey` are the only subclasses.
    public class AnyKey: @unchecked Sendable {
        /// The type of keys, so that an extension of ``Defaults/Keys`` can write `Key<Int>`.
        public typealias Key = Defaults.Key

        /// The type of keys that throw, so that an extension of ``Defaults/Keys`` can write `ThrowingKey<Int>`.
        public typealias ThrowingKey = Defaults.ThrowingKey

        /// The name under which a store has the value.
        ///
        /// Any text but the empty one and such with a NUL character; dots have no meaning.
        public final let name: String

        /// The store that the static members of ``Defaults`` use for this key; `nil` for the standard store.
        public final let suite: (any PropertyListStore)?

        final let details: KeyDetails

        /// The key's entry in the eyes of the first tracker that read it, if the key has no other entries.
        final let subject = OnceReference<EntrySubject>()

        init(name: String, suite: (any PropertyListStore)?, details: KeyDetails) {
            self.name = name
            self.suite = suite
            self.details = details
            if details.iCloud { MarkedKeys.add(self) }
        }

        /// What the value is for, if the key says so.
        public final var summary: String? { details.summary }

        /// Whether the value is never shown in descriptions.
        public final var isSecret: Bool { details.isSecret }

        /// Whether the value is to be the same on all devices of a user, where there is a store that can do that.
        ///
        /// `Defaults.iCloud`, which comes with `import Keyspan`, sees to it once it has such a store.
        public final var iCloud: Bool { details.iCloud }

        /// What the key knows because it knows its type; the subclasses answer.
        // Never reached: only the subclasses call the initialiser, which is internal, and they override this.
        var untyped: any UntypedKey { preconditionFailure("AnyKey has no instances of its own") }
    }

    /// Where keys are declared: `extension Defaults.Keys { static let theme = Key<String>("theme", default: "light") }`.
    public typealias Keys = AnyKey

    /// The name that `Defaults` has for its type-erased key.
    public typealias _AnyKey = AnyKey
}

extension Defaults.AnyKey: Hashable {
    public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
        left.name.hasSameUTF8(as: right.name) && left.suite === right.suite
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(UTF8Text(name))
        hasher.combine(suite.map(ObjectIdentifier.init))
    }
}

extension Defaults.AnyKey: CustomStringConvertible {
    /// The key's name.
    public var description: String { name }
}
