#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The access of one store to the connection that it shares with others.
///
/// A store whose session ends while the connection stays makes pauses of its own; for a new connection, all stores wait together.
final class ClusterConnector: Sendable {
    private struct Standing {
        /// The connections that have not answered this store as they should.
        var avoided: Set<UInt64> = []
        var backoff = Backoff(first: .milliseconds(20), longest: .seconds(5))
        /// The pause before the next session.
        var pause: Duration?
        /// Whether the store has asked for a session before.
        var hasAsked = false
    }

    private let shared: SharedConnection
    private let probed: Data
    private let standing = Locked(Standing())

    /// - Parameters:
    ///   - shared: The connection to use.
    ///   - probed: A key that probes of the connection may read.
    init(to shared: SharedConnection, probing probed: Data) {
        (self.shared, self.probed) = (shared, probed)
    }

    /// Joins the present connection, or waits for the attempt that is under way, and runs a body over it until the body or the session ends.
    ///
    /// - Throws: The failure of the attempt, after all addresses of one member were tried, or the error that has ended the session.
    func withConnection(
        _ body: @escaping @Sendable (any ClusterCalls) async throws(CallError) -> Void
    ) async throws(CallError) {
        let (pause, avoided, isNew) = standing.withLock { standing in
            defer { (standing.pause, standing.hasAsked) = (nil, true) }
            return (standing.pause, standing.avoided, !standing.hasAsked)
        }
        if let pause { await shared.executor.pause(for: pause) }
        let session = try await shared.join(avoiding: avoided, probing: probed, isNew: isNew)
        let outcome: Result<Void, CallError> = await withTaskGroup(of: Result<Void, CallError>.self) { group in
            group.addTask {
                do throws(CallError) {
                    return .success(try await body(session))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { .failure(await session.waitUntilEnded()) }
            defer { group.cancelAll() }
            return await group.next() ?? .success(())
        }
        // A canceled task says nothing about the connection.
        if Task.isCancelled { session.leave() }
        if case .failure(let error) = outcome, error.isFaultOfMember { session.end() }
        session.leave()
        noteEnd(of: session, outcome)
        shared.leave(session)
        try outcome.get()
    }

    /// Decides how the store asks for its next session.
    private func noteEnd(of session: ClusterSession, _ outcome: Result<Void, CallError>) {
        standing.withLock { standing in
            switch session.ending {
            case .lost, nil:
                // The shared connection makes the pause.
                (standing.avoided, standing.pause) = ([], nil)
                standing.backoff.reset()
                return
            case .givenUp: standing.avoided.insert(session.link.number)
            case .left: break
            }
            // A member that has compacted the history of a watch is asked again at once, unless it has never delivered anything.
            if session.isEstablished, case .failure(let error) = outcome, error.kind == .compacted { return }
            if session.isEstablished { standing.backoff.reset() }
            standing.pause = standing.backoff.next()
        }
    }
}
#endif
