import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Random changes at the source of several servers, which lag behind it and start anew, and random clients of them.
@Suite
struct RemoteFleetModelTests {
    private static let rounds = TestLevel.current.pick(3, thorough: 30)
    private static let steps = TestLevel.current.pick(80, thorough: 200)

    /// `left` and `right` are written together; `number` differs in each state.
    static let keys: [Defaults.AnyKey] =
        ["left", "right", "number", "extra"].map { Defaults.Key<Int?>($0).published() as Defaults.AnyKey }

    @Test(arguments: [false, true], 0..<rounds)
    func `clients of several servers show whole states of their variant in their order`(
        _ isUnique: Bool,
        _ round: Int
    ) async throws {
        let fleet = try Fleet(isUnique: isUnique)
        let folder = try TemporaryFolder()
        var clients: [FleetClient] = []
        for (index, policy) in [RemoteStoreOptions.Activation.immediately, .onNextLaunch, .manually].enumerated() {
            for (part, cohort) in [nil, "x", "y"].enumerated() {
                let isLive = part == round % 3 || Bool.random()
                clients.append(
                    FleetClient(
                        fleet,
                        policy,
                        cohort,
                        isLive: isLive,
                        cache: folder.path("cache-\(index)-\(part)")
                    )
                )
            }
        }
        for client in clients { try client.start() }
        for _ in 0..<Self.steps {
            try fleet.step()
            guard let client = clients.randomElement() else { continue }
            try await client.step()
            if Int.random(in: 0..<3) == 0 { await Task.yield() }
            if Int.random(in: 0..<10) == 0 { try await Task.sleep(for: .milliseconds(3)) }
        }
        try fleet.settle()
        for client in clients { try await client.settle() }
        for client in clients { client.check() }
    }
}
