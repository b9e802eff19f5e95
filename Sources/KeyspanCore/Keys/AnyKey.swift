internal import Observation

extension Defaults {
    /// A key without the type of its value, for declaring keys and for lists of keys.
    ///
    /// Two keys are equal if the UTF-8 of their names is the same and their suite is the same store.
    // Unchecked because the compiler cannot check a class with subclasses. All properties are constant and `Sendable`, and the
    // initializer is internal, so `TypedKey` is the only direct subclass.
    public class AnyKey: @unchecked Sendable {
        /// The type of keys, so that an extension of ``Defaults/Keys`` can write `Key<Int>`.
        public typealias Key = Defaults.Key

        /// The type of keys that throw, so that an extension of ``Defaults/Keys`` can write `ThrowingKey<Int>`.
        public typealias ThrowingKey = Defaults.ThrowingKey

        /// The name under which a store has the value.
        ///
        /// Any non-empty string without a NUL character, except those of the entries in which the library itself keeps records, such as
        /// `keyspan.kept`: their writes fail with ``StoreError/Code/invalidKey``. A dot is a character like any other, except that a file store which was opened
        /// with the key finds `tls.port` also in an object named `tls`.
        public final let name: String

        /// The store that the static members of ``Defaults`` use for this key; `nil` for the standard store.
        public final let suite: (any PropertyListStore)?

        final let details: KeyDetails

        /// Whether the name is that of an entry of the library itself, which an edit refuses to write.
        @usableFromInline final let isReserved: Bool

        /// The key's entry as the first tracker that read it knows it, if the key has no other entries.
        final let subject = OnceReference<EntrySubject>()

        init(name: String, suite: (any PropertyListStore)?, details: KeyDetails) {
            self.name = name
            self.suite = suite
            self.details = details
            isReserved = LibraryEntries.isReserved(name)
            if details.iCloud { MarkedKeys.add(self) }
        }

        /// The purpose of the value, if the key states it.
        public final var summary: String? { details.summary }

        /// Whether descriptions hide the value.
        public final var isSecret: Bool { details.isSecret }

        /// Whether the value may leave the process for clients of a settings server.
        package final var isPublished: Bool { details.isPublished }

        /// Whether the value is synchronized among a user's devices.
        ///
        /// `Defaults.iCloud`, which comes with `import Keyspan`, does that once a shared store has been chosen.
        package final var iCloud: Bool { details.iCloud }

        // Everything below depends on the type of the value. `TypedKey` implements it.

        /// The names of the entries that hold the value.
        package var entryNames: [String] { notTyped() }

        /// Moves the stored value to the kept values if the key cannot use it, before it is replaced or removed.
        func keepUnreadable(in edit: inout PropertyListEdit) { notTyped() }

        /// Adds the stored form of the current default.
        func addDefault(to values: inout PropertyListTable) throws(WriteError.Cause) { notTyped() }

        /// The problems of the stored value: it cannot be read, or breaks a rule.
        package func problems(in table: PropertyListTable, of store: any PropertyListStore) -> [InvalidValue] {
            notTyped()
        }

        /// The error, without the value, for a stored form that the key can read and that breaks a rule; `nil` for any other.
        package func ruleError(for stored: StoredValue, in store: any PropertyListStore) -> ReadError? { notTyped() }

        /// The kind of the value's stored form, by the type of the value.
        package var storedKind: StoredKind { notTyped() }

        /// Whether the key can read its entries in full and its rules allow them; absent ones make no difference.
        package func canRead(_ entries: PropertyListTable) -> Bool { notTyped() }

        /// The form in which people write the value of a stored form; `nil` if it is unreadable, or has no such form.
        package func readableForm(of stored: StoredValue) -> PropertyListValue? { notTyped() }

        /// Writes a value that a person entered, or the text of one, to an edit; or throws and leaves the edit unchanged.
        ///
        /// - Parameters:
        ///   - given: The value or text.
        ///   - edit: The edit.
        ///   - store: The store that is edited.
        func write(
            _ given: StoredValue,
            into edit: inout PropertyListEdit,
            of store: any PropertyListStore
        ) throws(InvalidGivenValue) {
            notTyped()
        }

        /// A plain key with the same properties that shows its value nowhere.
        package var concealedVariant: AnyKey { notTyped() }

        /// The same key under another name.
        func renamed(_ name: String) -> AnyKey { notTyped() }

        /// The key with the prefix before its name; the same object each time.
        func untypedVariant(prefixedBy prefix: Prefix) -> AnyKey { notTyped() }

        // Never called: only subclasses call the initializer, and `TypedKey` overrides the members that call this.
        private func notTyped() -> Never { preconditionFailure("AnyKey has no instances of its own") }
    }

    /// The type on which keys are declared: `extension Defaults.Keys { static let theme = Key<String>("theme", default: "light") }`.
    public typealias Keys = AnyKey

    /// The name of the type-erased key in Defaults.
    public typealias _AnyKey = AnyKey
}

extension Defaults.AnyKey {
    /// Removes the entries of the value, and keeps the value if the key cannot read it.
    final func remove(from edit: inout PropertyListEdit) {
        keepUnreadable(in: &edit)
        for entry in entryNames {
            edit[entry] = nil
        }
    }
}

extension Defaults.AnyKey {
    /// The sources of the value's entries; `nil` if there are none.
    final func provenance(in store: any PropertyListStore, findingLines: Bool) -> Provenance? {
        let names = entryNames
        let found = store.provenance(ofKeys: names, findingLines: findingLines)
        return Provenance(joining: names.compactMap { found[$0] })
    }
}

extension Defaults.AnyKey: Hashable {
    @_spi(StoreAuthors) public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
        left.name.hasSameUTF8(as: right.name) && left.suite === right.suite
    }

    @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
        hasher.combine(UTF8Text(name))
        hasher.combine(suite.map(ObjectIdentifier.init))
    }
}

extension Defaults.AnyKey: CustomStringConvertible {
    /// The key's name.
    public var description: String { name }
}

/// The properties of a key beyond its name, its type and its default.
@usableFromInline
struct KeyDetails: Sendable {
    /// The purpose of the value, in a sentence.
    var summary: String?

    /// Whether the value must not be shown.
    var isSecret = false

    /// Whether the value may leave the process for clients of a settings server.
    var isPublished = false

    /// Whether the value is synchronized among a user's devices.
    var iCloud = false

    @usableFromInline
    init(summary: String? = nil, isSecret: Bool = false, iCloud: Bool = false) {
        self.summary = summary
        self.isSecret = isSecret
        self.iCloud = iCloud
    }
}

/// One entry of a store, whose reads and changes `Observation` tracks.
final class EntrySubject: Observable, Sendable {
    /// The tracker that the subject belongs to.
    let tracker: UInt64

    private let registrar = ObservationRegistrar()

    init(tracker: UInt64) {
        self.tracker = tracker
    }

    /// The tracked property, without content because observers read the store.
    private var entry: Void { () }

    // Stored, because a literal is looked up each time.
    private let path: any KeyPath<EntrySubject, Void> & Sendable = \.entry

    /// Records that the entry is read now, if this happens inside `withObservationTracking`.
    func access() {
        registrar.access(self, keyPath: path)
    }

    /// Notifies the observers of the entry that it has changed.
    func change() {
        registrar.withMutation(of: self, keyPath: path) {}
    }
}

extension Defaults {
    /// The name of a key as its own type, which your code can extend with names and with functions that make names.
    ///
    /// ```swift
    /// extension Defaults.KeyName {
    ///     static let theme: Self = "appearance.theme"
    ///
    ///     static func endpoint(of environment: String) -> Self { "endpoint.\(environment)" }
    /// }
    ///
    /// let endpoint = Defaults.Key<String>(.endpoint(of: "staging"), default: "https://localhost")
    /// ```
    public struct KeyName: Sendable, Hashable, Identifiable, RawRepresentable, ExpressibleByStringInterpolation {
        /// The name under which a store has the value.
        package let name: String

        /// The name, for code that treats names as raw values.
        public var rawValue: String { name }

        /// The name, which identifies the key within a store.
        public var id: String { name }

        /// Makes a key's name from a string.
        public init(_ name: String) {
            self.name = name
        }

        public init(rawValue name: String) {
            self.init(name)
        }

        public init(stringLiteral name: String) {
            self.name = name
        }
    }
}

// Written out, because the standard library's versions for types with raw values compare these as `String` does.
extension Defaults.KeyName {
    /// Whether the UTF-8 of the names is the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.hasSameUTF8(as: right.name)
    }

    /// Whether the UTF-8 of the names differs.
    public static func != (left: Self, right: Self) -> Bool { !(left == right) }

    @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
        hasher.combine(UTF8Text(name))
    }
}

extension Defaults.KeyName: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
