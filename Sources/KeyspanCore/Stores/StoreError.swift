/// The failure of a store: its kind, the key and the store, the reason, and the remedy.
///
/// The failed call has had no effect, unless its code says otherwise. The texts never contain a value.
public struct StoreError: Error, Sendable {
    /// What happened, as a value to compare with; a store of your own may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The effect of a failed commit, for programs that report to a person.
        package let effect: Effect

        /// The effect of a batch whose commit failed.
        package enum Effect: Sendable {
            /// Nothing of the batch happened.
            case none
            /// The batch happened.
            case applied
            /// The batch may have happened.
            case unknown
        }

        /// Makes a code of your own.
        public init(_ name: String) {
            self.init(name, effect: .none)
        }

        /// Makes a code of failed commits that may have had an effect.
        package init(_ name: String, effect: Effect) {
            description = name
            self.effect = effect
        }

        public static func == (left: Self, right: Self) -> Bool { left.description.hasSameUTF8(as: right.description) }

        public func hash(into hasher: inout Hasher) { hasher.combine(UTF8Text(description)) }

        /// The key is empty or has a character that no key can have.
        public static let invalidKey = Code("invalidKey")
        /// The value has more levels of collections than ``PropertyListValue/maximumNesting``.
        public static let nestingTooDeep = Code("nestingTooDeep")
        /// The value, or the store with it, would be larger than the store allows.
        public static let tooLarge = Code("tooLarge")
        /// The store's format cannot hold the value, or not under that key.
        public static let unsupportedValue = Code("unsupportedValue")
        /// The store, or the layer that was named, cannot be written.
        public static let readOnly = Code("readOnly")
        /// A key did not hold the value that the batch expected.
        ///
        /// Reading it again and repeating the write helps, unless there is an ``StoreError/underlying`` error: then the
        /// store's validation has refused the newer value that the batch would depend on, and will again.
        public static let conflict = Code("conflict")
        /// Applied writes could not be made durable: they are in memory, and a later `synchronize()` tries again.
        public static let notDurable = Code("notDurable", effect: .applied)
        /// The disk failed, so a batch that the store applies only together with the disk was not applied.
        public static let notApplied = Code("notApplied")
        /// A validation, rule or `Codable` type that examines the contents of a store has written, reloaded or synchronized that
        /// store, or one whose own validation waits for it.
        public static let validating = Code("validating")
    }

    /// What happened.
    public let code: Code
    /// The name of the store.
    public let store: String
    /// The key that it happened to, if it was one.
    public let key: String?
    /// The reason, as a clause without a full stop.
    public let reason: String
    /// The remedy, as a clause without a full stop.
    public let remedy: String
    /// The error that caused this one, if there is one.
    public let underlying: (any Error)?
    /// The keys of the batch that failed, apart from ``key``; empty outside of a batch.
    private(set) var otherKeys: [String] = []

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What happened.
    ///   - store: The name of the store.
    ///   - key: The key that it happened to, if it was one.
    ///   - reason: The reason, as a clause without a full stop and without any value.
    ///   - remedy: The remedy, as a clause without a full stop.
    ///   - underlying: The error that caused this one.
    public init(
        _ code: Code,
        store: String,
        key: String? = nil,
        reason: String,
        remedy: String,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.store = store
        self.key = key
        self.reason = reason
        self.remedy = remedy
        self.underlying = underlying
    }
}

extension StoreError: CustomStringConvertible {
    /// The error in one sentence with the key's name in quotes, or those of a batch, at most five.
    public var description: String { sentence(about: subject) }

    /// The error in one sentence.
    func sentence(about subject: String) -> String { "\(subject): \(reason); \(remedy)." }

    private var subject: String {
        guard let key else { return otherKeys.isEmpty ? store : "keys \(otherKeys.shortList()) of \(store)" }
        let place = "key \(key.quoted) of \(store)"
        return otherKeys.isEmpty ? place : "\(place), in one batch with \(otherKeys.shortList(4))"
    }

    /// The same failure of a batch, with the names of its keys: stores name at most the one that is the reason.
    package func naming(_ batch: PropertyListBatch) -> StoreError {
        var (names, known): ([String], Set<UTF8Text>) = ([], [])
        batch.writes.forEach { write in
            // Entries of the library itself do not belong to keys of the program.
            if write.removesAll || write.key.hasUTF8Prefix("keyspan.") { return }
            if known.insert(UTF8Text(write.key)).inserted { names.append(write.key) }
        }
        let key = key ?? (names.count == 1 ? names[0] : nil)
        var error = StoreError(code, store: store, key: key, reason: reason, remedy: remedy, underlying: underlying)
        error.otherKeys = names.filter { !(key?.hasSameUTF8(as: $0) ?? false) }
        return error
    }
}

extension Collection<String> {
    /// The first names in quotes, and the number of the others.
    package func shortList(_ count: Int = 5) -> String {
        let rest = self.count > count ? " and \(self.count - count) more" : ""
        return prefix(count).map(\.quoted).joined(separator: ", ") + rest
    }
}

extension StoreError {
    /// Whether the same write can succeed after its keys have been read again.
    package var isRepeatable: Bool { code == .conflict && underlying == nil }

    /// The same failure of `apply(_:)`, of which a store of a program may say ``Code/notDurable``, as if the batch were applied.
    var beforeApplying: StoreError {
        guard code == .notDurable else { return self }
        return StoreError(.notApplied, store: store, key: key, reason: reason, remedy: remedy, underlying: underlying)
    }

    /// The same failure of a call that has applied a batch before: whatever its code, the batch is in memory.
    var afterApplying: StoreError {
        if code == .notDurable { return self }
        return StoreError(.notDurable, store: store, key: key, reason: reason, remedy: remedy, underlying: self)
    }

    static func invalidKey(_ key: String, store: String, reason: String) -> StoreError {
        StoreError(.invalidKey, store: store, key: key, reason: reason, remedy: "give the key another name")
    }

    static func nestingTooDeep(key: String, store: String) -> StoreError {
        StoreError(
            .nestingTooDeep,
            store: store,
            key: key,
            reason: "the value has more than \(PropertyListValue.maximumNesting) nested collections",
            remedy: "store it in a flatter form"
        )
    }

    package static func conflict(key: String, store: String) -> StoreError {
        StoreError(
            .conflict,
            store: store,
            key: key,
            reason: "the key does not hold the value that the batch expected",
            remedy: "read it again and repeat the write"
        )
    }
}

extension StoreError {
    /// A batch for a store that can only be read.
    ///
    /// - Parameters:
    ///   - batch: The batch, whose first key the error names.
    ///   - store: The name of the store.
    ///   - remedy: The remedy, as a clause without a full stop.
    package static func readOnly(_ batch: PropertyListBatch, store: String, remedy: String) -> StoreError {
        StoreError(.readOnly, store: store, key: batch.firstKey, reason: "it can only be read", remedy: remedy)
    }
}

extension PropertyListBatch {
    /// The key of the first write; `nil` if that removes all keys.
    var firstKey: String? {
        writes.isEmpty || writes.first.removesAll ? nil : writes.first.key
    }
}
