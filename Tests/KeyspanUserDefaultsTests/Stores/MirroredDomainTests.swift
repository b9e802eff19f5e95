#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// The store of Apple's systems, over the `UserDefaults` that there is here.
@Suite
struct MirroredDomainTests {
    private static func open(_ suite: String) -> MirroredDomain {
        let reference = UserDefaultsReference(UserDefaults(suiteName: suite) ?? .standard)
        let source = UserDefaultsSource(reference, domain: nil, registered: .ofProcess, store: suite)
        return MirroredDomain(source, name: suite, changes: NoUserDefaultsChanges())
    }

    @Test(arguments: StoreConformance.all)
    func `a mirrored UserDefaults keeps the promises of a store`(check: StoreConformance) async throws {
        // The platform decides the durable form: on Linux, XML without the fractions of dates.
        try await check.verify(scale: .ofLevel, makeStore: { Self.open(Suites.makeName()) }, patience: .seconds(60))
    }

    @Test(arguments: StoreConformance.all, [true, false])
    func `a store of Apple's UserDefaults keeps the promises of a store`(check: StoreConformance, isNamed: Bool)
        async throws
    {
        try await check.verify(
            scale: .ofLevel,
            makeStore: { ModelStore(ModelPreferences(), isNamed: isNamed).store },
            patience: .seconds(60)
        )
    }

    @Test func `a mirrored UserDefaults reports a value that is not a property list once, reads none, and leaves it`()
        throws
    {
        let suite = Suites.makeName()
        // A date cannot be refused by corelibs, so what is foreign comes from a subclass.
        let defaults = ForeignUserDefaults(suiteName: suite)
        let problems = Recorder<Defaults.Problem>()
        let store = try Defaults.withProblemHandler({ problems($0) }) {
            let store = try UserDefaultsStore(#require(defaults))
            try store.refresh()
            #expect(store.value(forKey: "foreign") == nil)
            #expect(store.value(forKey: "own") == 1)
            return store
        }
        withExtendedLifetime(store) {}
        #expect(problems.count == 1)
        let text = problems.last?.description ?? ""
        #expect(text.contains("\"foreign\"") && text.contains("UUID"))
    }
}

/// A `UserDefaults` in which something is that no property list can hold.
private final class ForeignUserDefaults: UserDefaults {
    override func dictionaryRepresentation() -> [String: Any] { ["foreign": [UUID()], "own": 1] }

    override func object(forKey defaultName: String) -> Any? { dictionaryRepresentation()[defaultName] }
}
#endif
