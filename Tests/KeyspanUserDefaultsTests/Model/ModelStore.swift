#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport

@testable import KeyspanUserDefaults

/// A store of a model, with the notifications of Apple's systems.
final class ModelStore: Sendable {
    let store: UserDefaultsStore
    let values: MirroredDomain
    let registered: RegisteredDefaults

    private let later = Recorder<@Sendable () -> Void>()
    private let performed = Locked(0)

    /// Opens the store of a domain.
    ///
    /// - Parameter isNamed: Whether the store knows the name of the domain; it does not of an object that the program has made.
    init(_ model: ModelPreferences, domain: String = "own", isNamed: Bool = true) {
        let reference = UserDefaultsReference(model.makeDefaults(domain))
        let registered = RegisteredDefaults(
            of: RegistrationSource(of: { reference.defaults }) {
                reference.defaults.volatileDomain(forName: UserDefaults.registrationDomain)
            }
        )
        let source = UserDefaultsSource(
            reference,
            domain: isNamed ? domain : nil,
            registered: registered,
            store: "model"
        )
        let managed = SystemDomain(.aboveOwnValues, of: source)
        let system = SystemDomain(.belowOwnValues, of: source)
        values = MirroredDomain(
            source,
            name: "model",
            changes: ModelChanges(model, domain),
            managed: managed,
            system: system
        ) {
            [later] in
            later($0)
        }
        store = UserDefaultsStore(
            name: "model",
            values: values,
            source: values,
            surroundings: SurroundingLayers(
                managed: managed,
                arguments: InMemoryStore(model.arguments),
                system: system,
                registered: registered
            )
        )
        self.registered = registered
    }

    /// Performs what was put off for a second.
    func performLater() {
        let actions = later.values
        let first = performed.withLock { performed in
            defer { performed = actions.count }
            return performed
        }
        for action in actions[first...] { action() }
    }
}
#endif
