import Dispatch
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting

@testable import KeyspanEtcd

/// Several stores on one cluster, whose threads write and observe while members and connections fail.
struct ClusterModel {
    private static let space = KeySpace(prefix: "app/")
    /// The key that no store may write.
    static let forbidden = "forbidden"

    private var random: SeededGenerator
    private let cluster: SimulatedCluster
    private let record = ModelRecord()
    private var writers: [ModelWriter] = []
    private let writesPerThread = 16
    /// How long each thread may take.
    private let patience = Duration.seconds(30)

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        cluster = SimulatedCluster(members: Int.random(in: 1...3, using: &random))
        cluster.state.change { $0.history.limits.forbidden = ["app/\(Self.forbidden)"] }
    }

    /// Runs the model.
    ///
    /// - Returns: What went wrong.
    mutating func run() throws -> [String] {
        var stores: [(store: SimulatedStore, isPending: Bool)] = []
        for number in 0..<Int.random(in: 2...3, using: &random) {
            let isPending = Bool.random(using: &random)
            stores.append((try open("store\(number)", isPending: isPending), isPending))
        }
        // A store that does not write shows nothing but what the watch delivers.
        let reader = try open("reader", isPending: false)
        var observers: [(observer: ModelObserver, observation: StoreObservation)] = []
        for store in stores.map(\.store) + [reader] {
            let observer = ModelObserver(store.name, record)
            observers.append((observer, store.observe(.all, initial: true) { observer.receive($0) }))
        }
        try work(on: stores)
        heal(stores.map(\.store))
        let history = cluster.history
        let truth = cluster.texts(prefix: "app/")
        for (store, (observer, _)) in zip(stores.map(\.store) + [reader], observers) {
            if !becomes(within: .seconds(5), { store.texts == truth }) {
                record.fail("\(store.name) has \(store.texts) instead of \(truth)")
            }
            if !becomes(within: .seconds(15), { observer.values == truth }) {
                record.fail("the observer of \(store.name) has \(observer.values) instead of \(truth)")
            }
        }
        record.compareWrites(with: history)
        compareCounters(with: history)
        for writer in writers {
            writer.compareOwn(with: truth)
            writer.compareRefused(with: truth)
        }
        observers.last?.observer.compareStates(with: history, in: Self.space)
        for (index, store) in stores.enumerated() where !store.isPending {
            observers[index].observer.compareSequences(with: history, in: Self.space)
        }
        for (_, observation) in observers { observation.cancel() }
        return record.failures
    }

    private mutating func open(_ name: String, isPending: Bool) throws -> SimulatedStore {
        // A write is given up before the first call has ended, or after some attempts.
        let timeout = Int.random(in: 50...300, using: &random)
        let callTimeout = Int.random(in: 30...120, using: &random)
        let store = try SimulatedStore(of: cluster, name: name, patience: 100) {
            if isPending { $0.writes = .background() }
            ($0.timeout, $0.callTimeout) = (.milliseconds(timeout), .milliseconds(callTimeout))
        }
        return store
    }

    private mutating func work(on stores: [(store: SimulatedStore, isPending: Bool)]) throws {
        cluster.setChaos(SimulatedChaos(seed: random.next(), rate: Int.random(in: 0...40, using: &random)))
        var threads: [(name: String, call: BackgroundCall<Void>)] = []
        for (index, (store, isPending)) in stores.enumerated() {
            for thread in 0..<2 {
                let name = "\(index).\(thread)"
                let writer = ModelWriter(name, store, isPending: isPending, cluster, record, seed: random.next())
                writers.append(writer)
                threads.append((name, BackgroundCall { [writesPerThread] in try writer.run(writesPerThread) }))
            }
        }
        let operating = Locked(SeededGenerator(seed: random.next()))
        let cluster = cluster
        let done = Locked(false)
        let operation = BackgroundCall {
            while !done.withLock(\.self) {
                operating.withLock { cluster.suffer(&$0) }
                rest(seconds: 0.01)
            }
        }
        let deadline = ContinuousClock.now + patience
        for (name, call) in threads where !becomes(within: max(.zero, deadline - .now), { call.isDone }) {
            record.fail("thread \(name) hangs")
        }
        done.withLock { $0 = true }
        try operation.result()
        for (_, call) in threads where call.isDone { try call.result() }
    }

    /// Ends all faults, and waits until what happens late has happened and all writes are sent.
    private func heal(_ stores: [SimulatedStore]) {
        cluster.heal()
        cluster.deliverWhatIsUnderWay()
        rest(seconds: 0.2)
        for store in stores {
            // A store that has lost its connection may pause for seconds.
            if !becomes(within: .seconds(20), { (try? store.synchronize()) != nil }) {
                record.fail("\(store.name) does not synchronize")
            }
            // A transaction that was given up is decided once nothing waits.
            if !becomes(
                within: .seconds(5),
                { store.engine.state.read { $0.queue.entries.isEmpty && $0.flight == nil } }
            ) {
                record.fail("\(store.name) has work left")
            }
        }
    }

    /// Each update of a counter goes on from the one before.
    private func compareCounters(with history: SimulatedHistory) {
        var last = 0
        for revision in history.revisions {
            for event in revision.events where event.kv.key == Data("app/counter".utf8) && event.type == .put {
                let text = String(decoding: event.kv.value, as: UTF8.self)
                let number = Int(text.dropFirst().prefix { $0 != "#" }) ?? -1
                if number != last + 1 { record.fail("the counter went from \(last) to \(text) at \(revision.number)") }
                last = number
            }
        }
    }
}

extension SimulatedCluster {
    /// Lets one thing happen to the cluster by chance.
    fileprivate func suffer(_ random: inout SeededGenerator) {
        let member = Int.random(in: 0..<endpoints.count, using: &random)
        let isEnd = Bool.random(using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0: change(member: member) { $0.isDown = !isEnd }
        case 1: change(member: member) { $0.isFrozen = !isEnd }
        case 2: change(member: member) { $0.hasNoLeader = !isEnd }
        case 3: setLagging(!isEnd, member: member)
        case 4: change(member: member) { $0.holdsWatches = !isEnd }
        case 5: compact()
        case 6: breakConnections()
        case 7: announceProgress()
        case 8:
            state.change { $0.breaksBetweenEvents = 1 }
        case 9, 10:
            change { ($0.isDown, $0.isFrozen, $0.hasNoLeader, $0.holdsWatches) = (false, false, false, false) }
            setLagging(false)
        case 11: put("\"etcdctl \(random.next())\"", forKey: "app/shared\(Int.random(in: 0..<3, using: &random))")
        case 12: remove("app/shared\(Int.random(in: 0..<3, using: &random))")
        default: break
        }
    }
}
