import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The own values of a `UserDefaults`, without launch arguments above them and the values of the system and registered defaults below.
struct UserDefaultsSource: MirroredSource {
    let reference: UserDefaultsReference
    /// The name of the domain with the own values, if it is known.
    let domain: String?
    let registered: RegisteredDefaults
    let ownCalls = OwnCalls()

    private let reports: ForeignValueReports

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - reference: The `UserDefaults`.
    ///   - domain: The name of the domain with its own values, if it is known.
    ///   - registered: The registered defaults.
    ///   - store: The name of the store, for reports of values that are not property lists.
    init(_ reference: UserDefaultsReference, domain: String?, registered: RegisteredDefaults, store: String) {
        self.reference = reference
        self.domain = domain
        self.registered = registered
        reports = ForeignValueReports(store: store)
    }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        var look = DomainLook(self)
        var values: TextDictionary<PropertyListValue?> = [:]
        let names: Set<UTF8Text>
        switch keys {
        case .named(let named): names = named
        case .all:
            // Without the values of the system, of which there may be thousands, if the own ones are known.
            let shown = look.own.map { Set($0.keys) } ?? look.shownKeys
            names = Set(shown.map { UTF8Text($0) }).union(copy.map { UTF8Text($0.key) })
        }
        for name in names.lazy.map(\.wrappedValue) {
            // Own as far as anything tells, and without a look at whole domains, of which a read of all keys needs only one.
            if keys != .all, let known = copy[name], known == shownValue(forKey: name),
                known != registered.mirror.contents.value(forKey: name)
            {
                values[name] = known
                continue
            }
            switch look.value(forKey: name, copy: copy[name]) {
            case .own(let value): values[name] = .some(value)
            case .below: values[name] = .some(nil)
            case .hidden(_, let own): values[name] = own
            }
        }
        return values
    }

    /// Converts an object, and reports one that is not a property list.
    func value(of object: Any, forKey key: String) -> PropertyListValue? { reports.value(of: object, forKey: key) }

    func perform(_ batch: PropertyListBatch, comparingWith copy: PropertyListTable?) {
        var copy = copy
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key):
                if let copy, has(value, forKey: key, copy: copy[key]) { continue }
                ownCalls.call { reference.defaults.set(FoundationValue.object(value), forKey: key) }
            case .remove(let key):
                if let copy, has(nil, forKey: key, copy: copy[key]) { continue }
                ownCalls.call { reference.defaults.removeObject(forKey: key) }
            case .removeAll:
                var look = DomainLook(self)
                for key in look.own.map({ Set($0.keys) }) ?? look.shownKeys {
                    ownCalls.call { reference.defaults.removeObject(forKey: key) }
                }
                copy = nil
            }
        }
    }

    /// Whether a key surely has this own value.
    private func has(_ value: PropertyListValue?, forKey key: String, copy: PropertyListValue?) -> Bool {
        if let own = domain.flatMap({ reference.defaults.persistentDomain(forName: $0) }) {
            guard let object = own[key], let value else { return own[key] == nil && value == nil }
            return (try? FoundationValue.value(object)) == value
        }
        guard let value else { return reference.defaults.object(forKey: key) == nil }
        return copy == value && shownValue(forKey: key) == value
    }

    private func shownValue(forKey key: String) -> PropertyListValue? {
        reference.defaults.object(forKey: key).flatMap { try? FoundationValue.value($0) }
    }
}
