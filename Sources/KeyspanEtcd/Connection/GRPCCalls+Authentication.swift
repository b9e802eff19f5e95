#if Etcd
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How calls get the token of their user.
extension GRPCCalls {
    /// The longest time for a password: members take one after the other, those of all processes.
    private static let longestAuthentication = Duration.seconds(60)

    /// Makes a call with the token of the user, and once more with a new one if that has ended.
    func withToken<Response: Sendable>(
        _ body: (Metadata) async throws(CallError) -> Response
    ) async throws(CallError) -> Response {
        guard let user else {
            do throws(CallError) {
                return try await body(.ofStores(token: nil))
            } catch {
                // Without credentials, another token cannot be had.
                throw error.kind == .tokenEnded ? error.withKind(.unauthorized) : error
            }
        }
        let known = try await user.token.present(over: ObjectIdentifier(self), by: authentication)
        do throws(CallError) {
            return try await body(.ofStores(token: known.text))
        } catch {
            guard error.kind == .tokenEnded else { throw error }
        }
        let new = try await user.token.present(
            insteadOf: known,
            over: ObjectIdentifier(self),
            by: authentication
        )
        do throws(CallError) {
            return try await body(.ofStores(token: new.text))
        } catch {
            guard error.kind == .tokenEnded else { throw error }
            // Users or roles have changed since the new token was given, and may do so again.
            throw error.withKind(error.reason.contains("revision") ? .busy : .unauthorized)
        }
    }

    /// Asks the member for a token.
    var authentication: @Sendable () async throws(CallError) -> String? {
        { () async throws(CallError) in try await self.authenticate() }
    }

    private func authenticate() async throws(CallError) -> String? {
        guard let credentials = user?.credentials else { return nil }
        do throws(CallError) {
            // Also while the closure of a password runs: etcd closes a connection that has pings alone for forty seconds.
            return try await whileAnswering { [self] () throws(CallError) in
                let request = try await request(with: credentials)
                return try await call(within: max(timeout, Self.longestAuthentication)) { [client] in
                    try await Etcdserverpb_Auth.Client(wrapping: client).authenticate(
                        request,
                        metadata: .ofStores(token: nil),
                        options: $0
                    )
                }.token
            }
        } catch {
            // A cluster without users takes calls without a token.
            guard error.reason.contains("authentication is not enabled") else { throw error }
            return nil
        }
    }

    private func request(with credentials: EtcdCredentials) async throws(CallError) -> Etcdserverpb_AuthenticateRequest
    {
        var request = Etcdserverpb_AuthenticateRequest()
        request.name = credentials.user
        do {
            request.password = try await credentials.currentPassword(upTo: Self.longestAuthentication, on: executor)
        } catch {
            let reason = "the password of the \(credentials) cannot be had (\(error))"
            throw CallError(kind: .unauthorized, endpoint: "\(address)", reason: reason)
        }
        return request
    }

    /// Waits for a call that may take long, as long as the member answers probes.
    private func whileAnswering<Response: Sendable>(
        _ body: @escaping @Sendable () async throws(CallError) -> Response
    ) async throws(CallError) -> Response {
        let outcome = await withTaskGroup(of: Result<Response, CallError>.self) { group in
            group.addTask {
                do throws(CallError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [self] in
                while true {
                    await executor.pause(for: timeout)
                    do throws(CallError) {
                        try await probe(Data([0]))
                    } catch {
                        // A canceled probe says nothing about the member.
                        if error.kind == .unavailable, !Task.isCancelled { end(because: error) }
                        return .failure(error)
                    }
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.silence(of: "\(address)", for: timeout))
        }
        return try outcome.get()
    }
}
#endif
