import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The own values of a `UserDefaults`, without launch arguments above them and the system's values and registered defaults below.
///
/// `UserDefaults` shows one value for a key, wherever it comes from. The domain with a name says which keys have a value of their
/// own. Without that name, a value is the system's or registered if it equals that one, unless the copy knows it as written.
struct UserDefaultsSource: MirroredSource {
    let reference: UserDefaultsReference
    /// The name of the domain with the own values, if it is known.
    let domain: String?
    let ownCalls = OwnCalls()

    private let registered: RegistrationSource
    private let reports: ForeignValueReports

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - reference: The `UserDefaults`.
    ///   - domain: The name of the domain with its own values, if it is known.
    ///   - registered: The registered defaults.
    ///   - store: The name of the store, for reports of values that are not property lists.
    init(_ reference: UserDefaultsReference, domain: String?, registered: RegistrationSource, store: String) {
        self.reference = reference
        self.domain = domain
        self.registered = registered
        reports = ForeignValueReports(store: store)
    }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        var look = Look(self)
        var values: TextDictionary<PropertyListValue?> = [:]
        switch keys {
        case .named(let names):
            for name in names.lazy.map(\.wrappedValue) {
                values[name] = look.value(of: reference.defaults.object(forKey: name), forKey: name, copy: copy[name])
            }
        case .all:
            for (key, _) in copy { values[key] = .some(nil) }
            for (key, object) in reference.defaults.dictionaryRepresentation() {
                values[key] = look.value(of: object, forKey: key, copy: look.own == nil ? copy[key] : nil)
            }
        }
        return values
    }

    func perform(_ batch: PropertyListBatch, comparing isComparing: Bool) {
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key):
                if isComparing, has(value, forKey: key) { continue }
                ownCalls.call { reference.defaults.set(FoundationValue.object(value), forKey: key) }
            case .remove(let key):
                if isComparing, has(nil, forKey: key) { continue }
                ownCalls.call { reference.defaults.removeObject(forKey: key) }
            case .removeAll:
                var look = Look(self)
                let own = look.own
                for key in (own ?? reference.defaults.dictionaryRepresentation()).keys {
                    ownCalls.call { reference.defaults.removeObject(forKey: key) }
                }
            }
        }
    }

    /// Whether a key surely has this own value.
    private func has(_ value: PropertyListValue?, forKey key: String) -> Bool {
        guard let object = reference.defaults.object(forKey: key) else { return value == nil }
        var look = Look(self)
        guard value != nil else { return look.own.map { $0[key] == nil } ?? false }
        return look.value(of: object, forKey: key, copy: nil) == .some(value)
    }

    /// One look at the domains, each of which is read once and only if needed.
    private struct Look {
        private let source: UserDefaultsSource

        /// The own values, if the name of their domain is known; a domain without values is `nil` to `UserDefaults`.
        private(set) lazy var own = source.domain.map { defaults.persistentDomain(forName: $0) ?? [:] }
        private lazy var arguments = defaults.volatileDomain(forName: UserDefaults.argumentDomain)
        private lazy var registered = source.registered.objects()
        private lazy var system = defaults.persistentDomain(forName: UserDefaults.globalDomain) ?? [:]

        private var defaults: UserDefaults { source.reference.defaults }

        init(_ source: UserDefaultsSource) {
            self.source = source
        }

        /// The own value of a key, for an object that `UserDefaults` shows.
        ///
        /// - Parameter copy: The own value as far as it is known; the same one is not looked up.
        /// - Returns: The value, `.some(nil)` if there is none, and `nil` if the object tells nothing about it.
        mutating func value(of object: Any?, forKey key: String, copy: PropertyListValue?) -> PropertyListValue?? {
            guard let object else { return .some(nil) }
            let value = source.reports.value(of: object, forKey: key)
            if let copy, value == copy { return copy }
            if arguments[key] != nil {
                guard let own else { return nil }
                return .some(own[key].flatMap { source.reports.value(of: $0, forKey: key) })
            }
            guard let value else { return .some(nil) }
            // A value that neither is own nor lies below is a managed one, which no write changes.
            return own?[key] != nil || !liesBelow(value, forKey: key) ? value : .some(nil)
        }

        /// Whether a lookup would give this value if there were no own one.
        private mutating func liesBelow(_ value: PropertyListValue, forKey key: String) -> Bool {
            let below = system[key] ?? registered[key]
            return below.flatMap { try? FoundationValue.value($0) } == value
        }
    }
}

/// The values of the system, of the keys that the copy asks for.
struct SystemSource: MirroredSource {
    private let reference: UserDefaultsReference
    private let reports = ForeignValueReports(store: "UserDefaults of the system")

    /// Makes a source.
    init(_ reference: UserDefaultsReference) {
        self.reference = reference
    }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        var values: TextDictionary<PropertyListValue?> = [:]
        var system: [String: Any]?
        let names = if case .named(let names) = keys { names.map(\.wrappedValue) } else { copy.map(\.key) }
        for name in names {
            // A key that shows nothing has nothing here either, and most keys of a program show nothing at first.
            let isShown = reference.defaults.object(forKey: name) != nil
            if isShown { system = system ?? reference.defaults.persistentDomain(forName: UserDefaults.globalDomain) }
            values[name] = .some(isShown ? system?[name].flatMap { reports.value(of: $0, forKey: name) } : nil)
        }
        return values
    }

    // Nothing writes to the layer.
    func perform(_ batch: PropertyListBatch, comparing isComparing: Bool) {}
}
