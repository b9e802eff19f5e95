#if Service
public import KeyspanCore
public import Logging
public import Metrics
public import ServiceLifecycle
internal import UnixSignals

/// Keeps the settings of a server in order while a `ServiceGroup` runs it: reloads them on `SIGHUP`, records their metrics, and saves
/// them before the process ends.
///
/// ```swift
/// // With the trait Service
/// let settings = KeyspanService([store], logger: logger)
/// try await ServiceGroup(configuration: settings.groupConfiguration(with: [server])).run()
/// ```
///
/// A group shuts its services down in reverse order. So this one is the **first** of its group: the other services may write settings
/// until they have ended, and these writes are then saved.
///
/// **On `SIGHUP`** every store that is a `ReloadableStore` reads its source. A version that cannot be read, or that is rejected, is
/// logged as a warning, and the values before stay in effect. The stores are reloaded at once, outside of the cooperative pool. Signals
/// that arrive while a store reloads make it reload once more.
///
/// **While it runs** the ``StoreMetrics`` of the stores are recorded.
///
/// **On graceful shutdown and on cancellation** every store is synchronized, all at once, outside of the cooperative pool. A store that
/// fails, or has not answered at the end of ``Configuration/flushTimeout``, is logged as an error with the names of its unsaved keys,
/// and ``run()`` throws ``UnsavedStoresError``. A disk that hangs holds up neither the other stores nor the deadline nor the exit of the
/// process, which makes no further attempt for a file store that did not answer, until that answers. Its thread stays blocked until then.
/// The last meters are recorded after that, which takes a second at most: a metrics backend that hangs does not hold up the end either.
///
/// If the group has a `maximumGracefulShutdownDuration` or a `maximumCancellationDuration`, choose a shorter `flushTimeout`.
///
/// **If another service returns or fails**, a `ServiceGroup` cancels all of its services at once by default, and the settings may be
/// saved before the others have written their last ones. These are then saved by the store itself, in the background or at the exit
/// of the process, if it does that. ``groupConfiguration(with:)`` ends the group in order instead.
public struct KeyspanService: Service {
    /// How a service behaves.
    public struct Configuration: Sendable {
        /// How long the stores may take to be saved at the end: 5 seconds by default.
        public var flushTimeout: Duration
        /// Whether `SIGHUP` reloads the stores: `true` by default.
        ///
        /// Otherwise the signal keeps its effect, which is to end the process unless the program handles it.
        public var reloadsOnHangup: Bool
        /// How often the meters of the stores are recorded: each 10 seconds by default; `nil` for no metrics at all.
        public var meterInterval: Duration?

        /// Makes a configuration.
        public init(
            flushTimeout: Duration = .seconds(5),
            reloadsOnHangup: Bool = true,
            meterInterval: Duration? = .seconds(10)
        ) {
            self.flushTimeout = flushTimeout
            self.reloadsOnHangup = reloadsOnHangup
            self.meterInterval = meterInterval
        }
    }

    private let stores: [any PropertyListStore]
    private let logger: Logger
    private let configuration: Configuration
    private let metrics: StoreMetrics?
    /// The thread on which meters are recorded, in order: a backend or a store may block it.
    private let meterThread = BlockingWork(limit: 1)

    /// Makes a service for stores.
    ///
    /// - Parameters:
    ///   - stores: The stores. A store with layers stands for its layers.
    ///   - logger: Receives reloads, and what could not be reloaded or saved.
    ///   - configuration: How the service behaves.
    ///   - metricsFactory: Makes the metrics, now. If `nil`, the factory of the process does.
    public init(
        _ stores: [any PropertyListStore],
        logger: Logger,
        configuration: Configuration = Configuration(),
        metricsFactory: (any MetricsFactory)? = nil
    ) {
        self.stores = LeafStores.of(stores)
        self.logger = logger
        self.configuration = configuration
        metrics = configuration.meterInterval.map { _ in StoreMetrics(of: stores, factory: metricsFactory) }
    }

    /// Makes a service for the store of values.
    ///
    /// - Parameters:
    ///   - defaults: The values. Of a store with layers, the layers are saved and reloaded.
    ///   - logger: Receives reloads, and what could not be reloaded or saved.
    ///   - configuration: How the service behaves.
    ///   - metricsFactory: Makes the metrics, now. If `nil`, the factory of the process does.
    public init(
        _ defaults: Defaults,
        logger: Logger,
        configuration: Configuration = Configuration(),
        metricsFactory: (any MetricsFactory)? = nil
    ) {
        self.init([defaults.store], logger: logger, configuration: configuration, metricsFactory: metricsFactory)
    }

    /// The configuration of a group with this service and others, which ends in order: after the others, and then saves.
    ///
    /// The group shuts down on `SIGTERM` and `SIGINT`, and also when one of the services returns or fails; `run()` of the group throws the
    /// error of that service in the end. A service that does not end when the group shuts down gracefully holds it up; set
    /// `maximumGracefulShutdownDuration` to cancel it.
    ///
    /// - Parameter services: The other services, in the order in which they start.
    public func groupConfiguration(with services: [any Service]) -> ServiceGroupConfiguration {
        ServiceGroupConfiguration(
            services: ([self] + services).map {
                .init(
                    service: $0,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup
                )
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
    }

    /// Runs until the group shuts down or the task is canceled, and then saves the stores.
    ///
    /// - Throws: ``UnsavedStoresError`` if a store could not be saved in time.
    public func run() async throws(UnsavedStoresError) {
        // Before anything that may take long: until then, the signal ends the process.
        let hangups = configuration.reloadsOnHangup ? await UnixSignalsSequence(trapping: .sighup) : nil
        // None of these is a child task: they may wait for a disk or a backend that does not answer, and the end must not wait for it.
        let following = Task { if let hangups { await reloadStores(on: hangups) } }
        let recording = Task { await recordMeters() }
        await shutdown()
        following.cancel()
        recording.cancel()
        let failure = await saveStores()
        // The last values come last, for what collects them after the end.
        if let metrics {
            _ = await answers(of: [{ @Sendable in metrics.recordMeters() }], on: meterThread, within: .seconds(1))
        }
        if let failure { throw failure }
    }

    /// Returns when the group shuts down or the task is canceled.
    private func shutdown() async {
        do {
            try await gracefulShutdown()
        } catch {
            // Canceled: the stores are saved as well.
        }
    }
}

// MARK: - While it runs

extension KeyspanService {
    /// Reloads each store for the signals that arrive, until the task is canceled.
    private func reloadStores(on hangups: UnixSignalsSequence) async {
        logger.debug("Settings are reloaded on SIGHUP", metadata: ["keyspan.stores": .names(of: stores)])
        await withDiscardingTaskGroup { group in
            // A store that does not answer must not hold up the next reload of the others.
            let requests = stores.compactMap { $0 as? any ReloadableStore }.map { store in
                let (requests, continuation) = AsyncStream.makeStream(
                    of: Void.self,
                    bufferingPolicy: .bufferingNewest(1)
                )
                group.addTask {
                    // A canceled stream still has the request that it buffers.
                    for await _ in requests where !Task.isCancelled { await reload(store) }
                }
                return continuation
            }
            for await _ in hangups {
                for request in requests { request.yield() }
            }
            for request in requests { request.finish() }
        }
    }

    private func reload(_ store: any ReloadableStore) async {
        do throws(StoreError) {
            try await store.reload()
            logger.info("Settings were reloaded", metadata: ["keyspan.store": "\(store.name)"])
        } catch {
            logger.log(.warning, about: error)
        }
    }

    private func recordMeters() async {
        guard let interval = configuration.meterInterval, let metrics else { return }
        while !Task.isCancelled {
            await meterThread.run { metrics.recordMeters() }
            do {
                // An interval of zero must not keep a thread busy.
                try await Task.sleep(for: min(max(interval, .milliseconds(1)), .longestSleep))
            } catch {
                // Canceled.
            }
        }
    }
}

// MARK: - At the end

extension KeyspanService {
    private func saveStores() async -> UnsavedStoresError? {
        let saving = StoreSaving(of: stores, within: configuration.flushTimeout)
        let failures = await saving.failures()
        if failures.isEmpty {
            logger.debug("Settings are saved", metadata: ["keyspan.stores": .names(of: stores)])
            return nil
        }
        for failure in failures { logger.log(failure) }
        return UnsavedStoresError(failures: failures)
    }
}

extension Logger {
    /// Logs an error of a store that a caller received.
    fileprivate func log(_ level: Level, about error: StoreError) {
        log(
            level: level,
            "\(error.description)",
            metadata: Defaults.Problem.storeFailed(error).metadata,
            source: "Keyspan"
        )
    }

    /// Logs a store that could not be saved.
    fileprivate func log(_ failure: UnsavedStoresError.Failure) {
        var metadata: Metadata = ["keyspan.store": "\(failure.store)"]
        if case .failed(let error) = failure.cause {
            metadata.merge(Defaults.Problem.storeFailed(error).metadata) { $1 }
        }
        metadata["keyspan.unsavedCount"] = "\(failure.unsavedKeys.count)"
        metadata["keyspan.unsavedKeys"] = .array(failure.unsavedKeys.prefix(100).map { .string($0) })
        log(level: .error, "\(failure.description)", metadata: metadata, source: "Keyspan")
    }
}

extension Logger.MetadataValue {
    fileprivate static func names(of stores: [any PropertyListStore]) -> Logger.MetadataValue {
        .array(stores.map { .string($0.name) })
    }
}
#endif
