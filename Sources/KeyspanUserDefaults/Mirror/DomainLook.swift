import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// One look at the domains of a `UserDefaults`, each of which is read once and only if needed.
///
/// `UserDefaults` shows one value for a key, wherever it comes from. The domain with a name says which keys have a value of their
/// own. Without that name, a value is the system's or registered if it equals that one, unless the copy has it as own.
struct DomainLook {
    private let source: UserDefaultsSource

    /// The own values, if the name of their domain is known and it has any.
    private(set) lazy var own = source.domain.flatMap { defaults.persistentDomain(forName: $0) }
    private lazy var arguments = defaults.volatileDomain(forName: UserDefaults.argumentDomain)
    private lazy var system = defaults.persistentDomain(forName: UserDefaults.globalDomain) ?? [:]

    private var defaults: UserDefaults { source.reference.defaults }

    init(_ source: UserDefaultsSource) {
        self.source = source
    }

    /// The keys for which there is any value.
    var shownKeys: Set<String> { Set(defaults.dictionaryRepresentation().keys) }

    /// A value for a key, by where it comes from.
    enum Value: Equatable {
        /// The own value; `nil` if there is none.
        case own(PropertyListValue?)
        /// A value below; an own one does not exist.
        case below(PropertyListValue)
        /// A value of an administrator or a launch argument in front, with the own value, if its domain is known.
        case hidden(by: PropertyListValue?, own: PropertyListValue??)
    }

    /// The value of a key that `UserDefaults` shows.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - copy: The own value as far as it is known.
    mutating func value(forKey key: String, copy: PropertyListValue?) -> Value {
        guard let object = defaults.object(forKey: key) else { return .own(nil) }
        let isManaged = defaults.objectIsForced(forKey: key)
        if isManaged || arguments[key] != nil {
            let managed = isManaged ? source.value(of: object, forKey: key) : nil
            let known: PropertyListValue?? = source.domain == nil ? nil : .some(ownValue(forKey: key))
            return .hidden(by: managed, own: known)
        }
        guard let value = source.value(of: object, forKey: key) else { return .own(nil) }
        if let own { return own[key] == nil ? .below(value) : .own(value) }
        if source.domain == nil, value == copy { return .own(value) }
        if liesBelow(value, forKey: key) { return .below(value) }
        // A default that was registered between the two looks is not an own value.
        let isStill = defaults.object(forKey: key).flatMap { try? FoundationValue.value($0) } == value
        return isStill ? .own(value) : self.value(forKey: key, copy: copy)
    }

    private mutating func ownValue(forKey key: String) -> PropertyListValue? {
        own?[key].flatMap { source.value(of: $0, forKey: key) }
    }

    /// Whether a value is the registered default of a key.
    func isRegistered(_ value: PropertyListValue, forKey key: String) -> Bool {
        source.registered.source.value(forKey: key) == value
    }

    /// Whether a lookup would give this value if there were no own one.
    private mutating func liesBelow(_ value: PropertyListValue, forKey key: String) -> Bool {
        guard let object = system[key] else { return isRegistered(value, forKey: key) }
        return (try? FoundationValue.value(object)) == value
    }
}
