#if Remote
import Foundation
import KeyspanCore
import KeyspanRemote

/// The work of a client and of a server with one document, next to what Foundation needs to parse its JSON.
struct DocumentBenchmarks {
    /// The number of documents that a client takes before another one begins anew.
    private static let documents = 100

    let plan: RemotePlan

    var all: [Benchmark] { [take, sign] }

    /// A client that verifies a document and lets its values come into force.
    private var take: Benchmark {
        Benchmark("RemoteStore: take a document of \(plan.keys) keys") { [plan] in
            let key = try SigningKey.generate(id: "benchmark")
            let settings = try PublishedSettings(count: plan.keys, signingKey: key)
            let documents = try (0..<Self.documents).map { number in
                settings.change(to: number)
                return try settings.document()
            }
            let json = documents.map { document in Data(document[(document.firstIndex(of: 0x0A) ?? 0)...]) }
            var store: RemoteStore?
            return (
                Workload(
                    "verify, apply",
                    operations: Self.documents,
                    prepare: { store = try Self.store(documents, plan, key) }
                ) {
                    guard let store else { throw BenchmarkError("there is no store") }
                    try waiting { for _ in 0..<Self.documents { try await store.fetch() } }
                    guard Defaults(store)[PublishedSettings.number] == Self.documents - 1 else {
                        throw BenchmarkError("the store does not have the last document")
                    }
                },
                Workload("JSONSerialization, parse", operations: Self.documents) {
                    for text in json { blackHole(try JSONSerialization.jsonObject(with: text)) }
                }
            )
        }
    }

    /// A server that reads its store after a change and signs the document.
    private var sign: Benchmark {
        Benchmark("SettingsPublisher: change and sign a document of \(plan.keys) keys") { [plan] in
            let settings = try PublishedSettings(count: plan.keys, signingKey: SigningKey.generate(id: "benchmark"))
            var number = 0
            let document = try settings.document()
            let json = Data(document[(document.firstIndex(of: 0x0A) ?? 0)...])
            return (
                Workload("read, compare, sign", operations: Self.documents) {
                    for _ in 0..<Self.documents {
                        number += 1
                        settings.change(to: number)
                        blackHole(try settings.document())
                    }
                },
                Workload("JSONSerialization, parse", operations: Self.documents) {
                    for _ in 0..<Self.documents { blackHole(try JSONSerialization.jsonObject(with: json)) }
                }
            )
        }
    }

    private static func store(_ documents: [[UInt8]], _ plan: RemotePlan, _ key: SigningKey) throws -> RemoteStore {
        try DocumentTransport(documents).makeStore(count: plan.keys, verificationKey: key.verificationKey)
    }
}
#endif
