#if Remote
import Foundation
import HTTPTypes
import KeyspanCore
import KeyspanRemote

/// The keys that the publisher and its clients share, and a publisher of them.
struct PublishedSettings {
    static let publisherName = "benchmark"
    /// The group of a quarter of the clients with traits.
    static let otherGroup = "other"
    /// The key whose changes are measured.
    static let number = Defaults.Key<Int>("number", default: -1).published()

    let keys: [Defaults.AnyKey]
    let store = InMemoryStore()
    let publisher: SettingsPublisher

    /// Makes a publisher of that many keys of a text, and of the number.
    init(count: Int, signingKey: SigningKey) throws {
        keys = Self.keys(count: count)
        let defaults = Defaults(store)
        for index in 0..<count { defaults[Self.text(index)] = "The value of the key with the number \(index)" }
        var options = SettingsPublisherOptions()
        // The only events are those of changes, which the clients count.
        options.heartbeat = .seconds(3_600)
        publisher = try SettingsPublisher(
            keys,
            in: store,
            name: Self.publisherName,
            signingKey: signingKey,
            groups: [Self.otherGroup: [InMemoryStore()]],
            options: options
        ) { $0.isIn(25, of: "benchmark") ? Self.otherGroup : "all" }
    }

    /// Gives the number a value.
    func change(to number: Int) { Defaults(store)[Self.number] = number }

    /// The signed document.
    func document() throws -> [UInt8] {
        let response = try get("/settings/all")
        guard case .bytes(let bytes) = response.body else { throw BenchmarkError("the publisher sends no document") }
        return bytes
    }

    /// Asks the publisher.
    ///
    /// - Parameter status: The status that the answer must have.
    @discardableResult
    func get(_ path: String, _ fields: HTTPFields = [:], expecting status: HTTPResponse.Status = .ok) throws
        -> RemoteResponse
    {
        let response = publisher.respond(to: Self.request(path, fields))
        guard response.head.status == status else {
            throw BenchmarkError("the publisher answers with the status \(response.head.status.code)")
        }
        return response
    }

    static func request(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: "settings.example", path: path, headerFields: fields)
    }

    static func keys(count: Int) -> [Defaults.AnyKey] { (0..<count).map { text($0) } + [number] }

    static func text(_ index: Int) -> Defaults.Key<String> {
        Defaults.Key("com.example.app.key." + String(format: "%05d", index), default: "").published()
    }
}

/// Waits for a task on a thread of no task.
func waiting<Result: Sendable>(for body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let result = Locked<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
        let found: Swift.Result<Result, any Error>
        do {
            found = .success(try await body())
        } catch {
            found = .failure(error)
        }
        result.withLock { $0 = found }
        done.signal()
    }
    done.wait()
    guard let found = result.withLock({ $0 }) else { throw BenchmarkError("a task has no result") }
    return try found.get()
}
#endif
