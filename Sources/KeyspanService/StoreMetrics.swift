#if Service
public import KeyspanCore
public import Metrics

/// The metrics of stores, by swift-metrics.
///
/// | Label | Kind | What it counts or measures |
/// | --- | --- | --- |
/// | `keyspan.reloads` | counter | versions of the source, written by others, that took effect |
/// | `keyspan.rejections` | counter | versions that were rejected or of which more is held back, and reloads that failed |
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
/// their own. Stores of one name have one set of metrics: their entries are added up, and the greater age counts. No label and no
/// dimension depends on a key or a value. The metrics of a name are destroyed when the last object that records them is released, so a
/// program that opens and closes stores exports those of open stores only.
///
/// All but the meters are recorded as things happen, once for each store, however many objects record it. The meters are recorded by
/// ``recordMeters()``, which a ``KeyspanService`` calls at intervals. A store that does not report its activity, such as one in memory, has
/// the meter of its entries only.
///
/// The metrics are made once, with the factory that is in effect at that time, so bootstrap the metrics system first. Safe to use from any
/// thread.
public final class StoreMetrics: Sendable {
    private let recordings: [(metrics: NamedMetrics, source: ObjectIdentifier)]

    /// Begins to record the metrics of stores, until this object is released.
    ///
    /// - Parameters:
    ///   - stores: The stores. A store with layers stands for its layers.
    ///   - factory: Makes the metrics. If `nil`, the factory of the process does.
    public init(of stores: [any PropertyListStore], factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        recordings = LeafStores.of(stores).map { NamedMetrics.add($0, factory: factory) }
    }

    deinit {
        for (metrics, source) in recordings { metrics.remove(source) }
    }

    /// Records the number of entries of each store, and whether its contents match its source, as they are now; from memory.
    public func recordMeters() {
        var recorded: Set<ObjectIdentifier> = []
        for (metrics, _) in recordings where recorded.insert(ObjectIdentifier(metrics)).inserted {
            metrics.recordMeters()
        }
    }
}

/// The metrics of all stores of one name in one backend, shared by all objects that record them.
private final class NamedMetrics: Sendable {
    /// A store, or those that share one activity, such as the stores on one file.
    private struct Source {
        let store: any PropertyListStore
        var observation: StoreObservation?
        var users = 0
    }

    private struct State {
        var sources: [ObjectIdentifier: Source] = [:]
        var activity: ActivityMetrics?
    }

    // Those of each name, one for each backend. Handlers are made and destroyed under this lock: a backend returns a present handler
    // again, which must not be the one that another thread is about to destroy.
    private static let inUse = Locked<[String: [NamedMetrics]]>([:])

    private let name: String
    private let factory: any MetricsFactory
    private let handler: any MeterHandler
    private let entries: Meter
    private let state = Locked(State())

    private init(_ name: String, _ handler: any MeterHandler, _ factory: any MetricsFactory) {
        (self.name, self.factory, self.handler) = (name, factory, handler)
        entries = Meter(label: "keyspan.entries", dimensions: [("store", name)], handler: handler, factory: factory)
    }

    /// Begins to record a store, unless that is done already; ``remove(_:)`` ends it.
    ///
    /// - Returns: The metrics, and what stands for the store.
    static func add(
        _ store: any PropertyListStore,
        factory: any MetricsFactory
    ) -> (metrics: NamedMetrics, source: ObjectIdentifier) {
        let (name, reporting) = (store.name, store.activityReporting)
        let shared = (reporting as? any ActivityBroadcasting)?.activity
        let source = shared.map { ObjectIdentifier($0) } ?? ObjectIdentifier(store)
        let (metrics, activity) = inUse.withLock { inUse in
            let present = inUse[name] ?? []
            let metrics = of(name, factory, among: present)
            if !present.contains(where: { $0 === metrics }) { inUse[name] = present + [metrics] }
            return (metrics, metrics.use(source, of: store, reports: reporting != nil))
        }
        if let reporting, let activity {
            metrics.keep(reporting.observeActivity(activity.record), of: source)
        }
        return (metrics, source)
    }

    /// The metrics of a name in the backend of a factory.
    private static func of(
        _ name: String,
        _ factory: any MetricsFactory,
        among present: [NamedMetrics]
    ) -> NamedMetrics {
        // A factory of several backends makes a new handler for each call, around those of the backends.
        if let metrics = present.first(where: { $0.factory as AnyObject === factory as AnyObject }) { return metrics }
        // Factories that are values are copies of one another, but their backend has one handler for a label and its dimensions.
        let handler = factory.makeMeter(label: "keyspan.entries", dimensions: [("store", name)])
        return present.first { $0.handler === handler } ?? NamedMetrics(name, handler, factory)
    }

    /// Counts one more user of a store; called under the lock of ``inUse``.
    ///
    /// - Returns: The metrics that are to record the activity of the store, if that has to begin.
    private func use(
        _ source: ObjectIdentifier,
        of store: any PropertyListStore,
        reports: Bool
    ) -> ActivityMetrics? {
        let (isNew, present) = state.withLock { state in
            state.sources[source, default: Source(store: store)].users += 1
            return (state.sources[source]?.users == 1, state.activity)
        }
        guard isNew, reports else { return nil }
        if let present { return present }
        let made = ActivityMetrics(ofStore: name, factory: factory)
        state.withLock { $0.activity = made }
        return made
    }

    /// Keeps the observation of a store until its last user is removed.
    private func keep(_ observation: StoreObservation, of source: ObjectIdentifier) {
        // Another thread may have removed the store meanwhile, or removed and added it.
        let superfluous = state.withLock { state in
            if state.sources[source] == nil { return observation as StoreObservation? }
            defer { state.sources[source]?.observation = observation }
            return state.sources[source]?.observation
        }
        superfluous?.cancel()
    }

    /// Ends one recording of a store, and the metrics with the last one.
    func remove(_ source: ObjectIdentifier) {
        let removed = state.withLock { state -> Source? in
            state.sources[source]?.users -= 1
            return state.sources[source]?.users == 0 ? state.sources.removeValue(forKey: source) : nil
        }
        removed?.observation?.cancel()
        Self.inUse.withLock { inUse in
            let (isUnused, activity) = state.withLock { ($0.sources.isEmpty, $0.activity) }
            guard isUnused, let position = inUse[name]?.firstIndex(where: { $0 === self }) else { return }
            inUse[name]?.remove(at: position)
            if inUse[name]?.isEmpty == true { inUse[name] = nil }
            entries.destroy()
            activity?.destroy()
        }
    }

    func recordMeters() {
        let (stores, activity) = state.withLock { ($0.sources.values.map(\.store), $0.activity) }
        entries.set(stores.reduce(0) { $0 + $1.snapshot().count })
        activity?.record(stores.compactMap(\.activityReporting))
    }
}

/// The metrics of what stores do with their sources.
private struct ActivityMetrics: Sendable {
    private let reloads: Counter
    private let rejections: Counter
    private let saveFailures: Counter
    private let conflicts: Counter
    private let savedBytes: Counter
    private let reloadDuration: Timer
    private let saveDuration: Timer
    private let flushDuration: Timer
    private let unsaved: Meter
    private let age: Meter
    private let staleness: Meter

    init(ofStore name: String, factory: any MetricsFactory) {
        let dimensions = [("store", name)]
        func counter(_ label: String) -> Counter { Counter(label: label, dimensions: dimensions, factory: factory) }
        func timer(_ label: String) -> Timer { Timer(label: label, dimensions: dimensions, factory: factory) }
        func meter(_ label: String) -> Meter { Meter(label: label, dimensions: dimensions, factory: factory) }
        reloads = counter("keyspan.reloads")
        rejections = counter("keyspan.rejections")
        saveFailures = counter("keyspan.save.failures")
        conflicts = counter("keyspan.conflicts")
        savedBytes = counter("keyspan.saved.bytes")
        reloadDuration = timer("keyspan.reload.duration")
        saveDuration = timer("keyspan.save.duration")
        flushDuration = timer("keyspan.flush.duration")
        unsaved = meter("keyspan.unsaved.entries")
        age = meter("keyspan.contents.age.seconds")
        staleness = meter("keyspan.contents.stale.seconds")
    }

    func destroy() {
        for counter in [reloads, rejections, saveFailures, conflicts, savedBytes] { counter.destroy() }
        for timer in [reloadDuration, saveDuration, flushDuration] { timer.destroy() }
        for meter in [unsaved, age, staleness] { meter.destroy() }
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

    /// Records the state of stores.
    func record(_ stores: [any ActivityReporting]) {
        let (contents, now) = (stores.map(\.contentsStatus), ContinuousClock.now)
        unsaved.set(stores.reduce(0) { $0 + $1.unsavedKeys.count })
        if let lastGood = contents.compactMap(\.lastGood).min() { age.set(lastGood.duration(to: now) / .seconds(1)) }
        staleness.set((contents.compactMap(\.staleSince).min()?.duration(to: now) ?? .zero) / .seconds(1))
    }
}
#endif
