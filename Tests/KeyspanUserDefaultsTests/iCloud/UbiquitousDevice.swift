import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport

@testable import KeyspanUserDefaults

/// A device with a program whose values are synchronized through a model of iCloud.
final class UbiquitousDevice {
    let local: any PropertyListStore
    let index: Int
    let names: Set<UTF8Text>
    private let model: UbiquitousModel
    private let clock: TestClock
    private(set) var cloud: UbiquitousStore?
    private(set) var synchronizer: StoreSynchronizer?

    init(
        _ index: Int,
        of model: UbiquitousModel,
        names: Set<UTF8Text>,
        clock: TestClock,
        local: any PropertyListStore = InMemoryStore()
    ) {
        self.index = index
        self.model = model
        self.names = names
        self.clock = clock
        self.local = local
        start()
    }

    var isRunning: Bool { synchronizer != nil }

    /// Whether the program runs and has followed the last change of the account, so that a write is for that one.
    var hasFollowed: Bool { cloud?.account.identity == model.values(of: index).accountIdentity }

    /// Starts the program, anew if it runs.
    func start() {
        stop()
        let cloud = UbiquitousStore(model.values(of: index), name: "cloud")
        self.cloud = cloud
        synchronizer = StoreSynchronizer(local, with: cloud) { [clock] in clock.now }
        synchronizer?.add(names)
    }

    func stop() {
        synchronizer = nil
        cloud = nil
    }
}
