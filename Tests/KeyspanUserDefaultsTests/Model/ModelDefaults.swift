#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanUserDefaults

/// An object of the model; Apple forbids subclasses, so this is one of the interface alone.
final class ModelDefaults: UserDefaults {
    private let model: ModelPreferences
    private let domain: String

    init?(_ model: ModelPreferences, _ domain: String) {
        self.model = model
        self.domain = domain
        // A suite of its own, which stays empty.
        super.init(suiteName: "org.keyspan.model")
    }

    override func object(forKey key: String) -> Any? { model.shown(key, in: domain).map(FoundationValue.object) }

    override func set(_ value: Any?, forKey key: String) {
        // A model of values that are property lists.
        let value = value.flatMap { try? FoundationValue.value($0) }
        model.write(value, forKey: key, in: domain, through: ObjectIdentifier(self))
    }

    override func removeObject(forKey key: String) {
        model.write(nil, forKey: key, in: domain, through: ObjectIdentifier(self))
    }

    override func dictionaryRepresentation() -> [String: Any] {
        model.noteWholeRead()
        let domains = [
            model.registered, model.table(of: UserDefaults.globalDomain), model.table(of: domain), model.arguments,
            model.managed,
        ]
        return domains.reduce(into: [:]) { shown, table in
            for (key, value) in table { shown[key] = FoundationValue.object(value) }
        }
    }

    override func persistentDomain(forName name: String) -> [String: Any]? {
        let table = model.table(of: name)
        return table.isEmpty ? nil : Self.objects(of: table)
    }

    override func volatileDomain(forName name: String) -> [String: Any] {
        switch name {
        case UserDefaults.argumentDomain: Self.objects(of: model.arguments)
        case UserDefaults.registrationDomain: Self.objects(of: model.registered)
        default: [:]
        }
    }

    override func objectIsForced(forKey key: String) -> Bool { model.managed[key] != nil }

    override func register(defaults: [String: Any]) {
        for (key, object) in defaults {
            if let value = try? FoundationValue.value(object) { model.register([key: value]) }
        }
    }

    override func synchronize() -> Bool { true }

    private static func objects(of table: PropertyListTable) -> [String: Any] {
        table.reduce(into: [:]) { $0[$1.key] = FoundationValue.object($1.value) }
    }
}
#endif
