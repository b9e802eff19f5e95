#if Remote
import Foundation
import KeyspanCore
import KeyspanRemote

/// The keys that the publisher and its clients share, and a publisher of them.
struct PublishedSettings {
    static let publisherName = "benchmark"
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
        publisher = try SettingsPublisher(keys, in: store, name: Self.publisherName, signingKey: signingKey)
    }

    /// Gives the number a value.
    func change(to number: Int) { Defaults(store)[Self.number] = number }

    /// The signed document.
    func document() async throws -> [UInt8] {
        let response = await publisher.respond(to: RemoteRequest(method: "GET", target: "/settings"))
        guard response.status == 200, case .bytes(let bytes) = response.body else {
            throw BenchmarkError("the publisher answers with the status \(response.status)")
        }
        return bytes
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
