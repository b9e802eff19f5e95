#if !canImport(Darwin)
import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

@Suite
struct UserDefaultsStoreConformanceTests {
    /// Opens a suite, without what the test runner was started with and what other tests register.
    private static func open(_ suite: String) throws -> UserDefaultsStore {
        let surroundings = SurroundingLayers(
            arguments: LaunchArgumentsStore([]),
            registered: RegistrationDomain()
        )
        return try UserDefaultsStore(SuiteName(suite), surroundings: surroundings)
    }

    @Test(arguments: StoreConformance.all + StoreConformance.depth)
    func `a store of a UserDefaults suite keeps the promises of a store`(check: StoreConformance) async throws {
        try await check.verify(
            scale: .ofLevel,
            makeStore: { try Self.open(Suites.makeName()) },
            reopen: { try Self.open(String($0.dropFirst("UserDefaults suite ".count))) },
            medium: {
                let name = Suites.makeName()
                return .init { try Self.open(name) }
            },
            patience: .seconds(60)
        )
    }
}
#endif
