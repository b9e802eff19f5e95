#if Service
public import KeyspanCore
public import Metrics

/// The metrics of stores, by swift-metrics.
///
/// | Label | Kind | What it counts or measures |
/// | --- | --- | --- |
/// | `keyspan.reloads` | counter | versions of the source, written by others, that took effect |
/// | `keyspan.rejections` | counter | versions that were rejected or held back in part, and reloads that failed |
/// | `keyspan.save.failures` | counter | attempts to save that failed |
/// | `keyspan.conflicts` | counter | batches that were rejected because a value was not the expected one |
/// | `keyspan.reload.duration` | timer | reading, checking and admitting what others wrote |
/// | `keyspan.save.duration` | timer | writing to the file or its journal |
/// | `keyspan.flush.duration` | timer | `synchronize()`, until everything is durable |
/// | `keyspan.saved.bytes` | counter | bytes written to the file and its journal |
/// | `keyspan.entries` | meter | entries of the store |
/// | `keyspan.unsaved.entries` | meter | entries whose values are in the memory of this process only |
/// | `keyspan.contents.age.seconds` | meter | time since the store last read a version of its source that it accepted |
/// | `keyspan.contents.stale.seconds` | meter | time since the source has had a version that is rejected or unreadable; 0 if its present one is in effect |
///
/// Each has one dimension, `store`: the name of the store, such as the path of its file. The layers of a `LayeredStore` are stores of
/// their own. No label and no dimension depends on a key or a value, so their number does not grow while the program runs.
///
/// All but the meters are recorded as things happen. The meters are recorded by ``recordMeters()``, which a ``KeyspanService`` calls at
/// intervals. A store that does not report its activity, such as one in memory, has the meter of its entries only.
///
/// The metrics are made once, with the factory that is in effect at that time, so bootstrap the metrics system first. Safe to use from any
/// thread.
public final class StoreMetrics: Sendable {
    private let meters: [StoreMeters]
    private let observations: [StoreObservation]

    /// Begins to record the metrics of stores, until this object is released.
    ///
    /// - Parameters:
    ///   - stores: The stores. A store with layers stands for its layers.
    ///   - factory: Makes the metrics. If `nil`, the factory of the process does.
    public init(of stores: [any PropertyListStore], factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        let stores = LeafStores.of(stores)
        meters = stores.map { StoreMeters(of: $0, factory: factory) }
        var sources: Set<ObjectIdentifier> = []
        observations = stores.compactMap { store in
            guard let store = store.activityReporting else { return nil }
            // Stores on one file share its activity, which must not be counted twice.
            if let activity = (store as? any ActivityBroadcasting)?.activity,
                !sources.insert(ObjectIdentifier(activity)).inserted
            {
                return nil
            }
            let counts = ActivityMetrics(ofStore: store.name, factory: factory)
            return store.observeActivity(counts.record)
        }
    }

    /// Records the number of entries of each store, and whether its contents match its source, as they are now; from memory.
    public func recordMeters() {
        for meters in meters { meters.record() }
    }
}

/// The metrics of a store's activity.
private struct ActivityMetrics: Sendable {
    private let reloads: Counter
    private let rejections: Counter
    private let saveFailures: Counter
    private let conflicts: Counter
    private let savedBytes: Counter
    private let reloadDuration: Timer
    private let saveDuration: Timer
    private let flushDuration: Timer

    init(ofStore name: String, factory: any MetricsFactory) {
        let dimensions = [("store", name)]
        func counter(_ label: String) -> Counter { Counter(label: label, dimensions: dimensions, factory: factory) }
        func timer(_ label: String) -> Timer { Timer(label: label, dimensions: dimensions, factory: factory) }
        reloads = counter("keyspan.reloads")
        rejections = counter("keyspan.rejections")
        saveFailures = counter("keyspan.save.failures")
        conflicts = counter("keyspan.conflicts")
        savedBytes = counter("keyspan.saved.bytes")
        reloadDuration = timer("keyspan.reload.duration")
        saveDuration = timer("keyspan.save.duration")
        flushDuration = timer("keyspan.flush.duration")
    }

    @Sendable func record(_ activity: StoreActivity) {
        switch activity {
        case .reloaded(let duration):
            reloads.increment()
            reloadDuration.record(duration: duration)
        case .rejected: rejections.increment()
        case .saved(let bytes, let duration):
            savedBytes.increment(by: bytes)
            saveDuration.record(duration: duration)
        case .saveFailed: saveFailures.increment()
        case .flushed(let duration): flushDuration.record(duration: duration)
        case .conflict: conflicts.increment()
        }
    }
}

/// The metrics of a store's state.
private struct StoreMeters: Sendable {
    private let store: any PropertyListStore
    private let entries: Meter
    private let contents: (reporting: any ActivityReporting, unsaved: Meter, age: Meter, staleness: Meter)?

    init(of store: any PropertyListStore, factory: any MetricsFactory) {
        let dimensions = [("store", store.name)]
        func meter(_ label: String) -> Meter { Meter(label: label, dimensions: dimensions, factory: factory) }
        self.store = store
        entries = meter("keyspan.entries")
        contents = store.activityReporting.map {
            (
                $0, meter("keyspan.unsaved.entries"), meter("keyspan.contents.age.seconds"),
                meter("keyspan.contents.stale.seconds")
            )
        }
    }

    func record() {
        entries.set(store.snapshot().count)
        guard let contents else { return }
        let (status, now) = (contents.reporting.contentsStatus, ContinuousClock.now)
        contents.unsaved.set(contents.reporting.unsavedKeys.count)
        if let lastGood = status.lastGood { contents.age.set(lastGood.duration(to: now) / .seconds(1)) }
        contents.staleness.set((status.staleSince?.duration(to: now) ?? .zero) / .seconds(1))
    }
}
#endif
