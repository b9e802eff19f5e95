#if Remote
import HTTPTypes
import KeyspanCore
import KeyspanRemote

/// The costs of a publisher in its own process: of a write beside many clients, of its answers, and of an event.
struct PublisherBenchmarks {
    /// The number of answers or writes of one call.
    private static let operations = 100

    let plan: RemotePlan

    var all: [Benchmark] { [write, answer, notModified, redirect, event] }

    /// A write after many clients with traits of their own, next to one after a single client.
    private var write: Benchmark {
        Benchmark("SettingsPublisher: write beside \(plan.contexts) clients with traits") { [plan] in
            let (many, one) = try (Self.settings(contexts: plan.contexts), Self.settings(contexts: 1))
            return (Self.writes("write", to: many), Self.writes("write beside one client", to: one))
        }
    }

    private var answer: Benchmark {
        Benchmark("SettingsPublisher: answer with a document of 20 keys") {
            let settings = try PublishedSettings(count: 20, signingKey: SigningKey.generate(id: "benchmark"))
            let response = try settings.get("/settings/all")
            return (Self.answers(.ok, of: settings, at: "/settings/all"), Self.sameAnswers(response.head))
        }
    }

    private var notModified: Benchmark {
        Benchmark("SettingsPublisher: answer 304") {
            let settings = try PublishedSettings(count: 20, signingKey: SigningKey.generate(id: "benchmark"))
            guard let tag = try settings.get("/settings/all").head.headerFields[.eTag] else {
                throw BenchmarkError("the publisher sends no entity tag")
            }
            let fields: HTTPFields = [.ifNoneMatch: tag]
            let response = try settings.get("/settings/all", fields, expecting: .notModified)
            return (
                Self.answers(.notModified, of: settings, at: "/settings/all", fields), Self.sameAnswers(response.head)
            )
        }
    }

    private var redirect: Benchmark {
        Benchmark("SettingsPublisher: redirect a client with traits") {
            let settings = try PublishedSettings(count: 20, signingKey: SigningKey.generate(id: "benchmark"))
            let path = Self.path(ofClient: 7)
            let response = try settings.get(path, expecting: .temporaryRedirect)
            return (Self.answers(.temporaryRedirect, of: settings, at: path), Self.sameAnswers(response.head))
        }
    }

    /// A write with many streams in the same process, whose events nobody reads.
    private var event: Benchmark {
        Benchmark("SettingsPublisher: event for each of \(plan.streams) streams") { [plan] in
            let settings = try PublishedSettings(count: 20, signingKey: SigningKey.generate(id: "benchmark"))
            let streams = try (0..<plan.streams).map { _ in try settings.get("/settings/all/changes") }
            let plain = (0..<plan.streams).map { _ in
                AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(1))
            }
            var number = 0
            return (
                Workload("write, yield", operations: plan.streams) {
                    number += 1
                    withExtendedLifetime(streams) { settings.change(to: number) }
                },
                Workload("AsyncStream, yield", operations: plan.streams) {
                    let bytes = [UInt8](repeating: 0x78, count: 100)
                    for stream in plain { stream.continuation.yield(bytes) }
                }
            )
        }
    }

    /// A publisher that many clients have asked, each with traits of its own.
    private static func settings(contexts: Int) throws -> PublishedSettings {
        let settings = try PublishedSettings(count: 20, signingKey: SigningKey.generate(id: "benchmark"))
        for client in 0..<contexts {
            let redirect = try settings.get(path(ofClient: client), expecting: .temporaryRedirect)
            guard let location = redirect.head.headerFields[.location] else {
                throw BenchmarkError("the publisher names no group")
            }
            try settings.get("/\(location)")
        }
        return settings
    }

    private static func path(ofClient client: Int) -> String {
        "/settings?platform=linux&version=1.\(client / 1_000)&cohort=\(client)&bucket=\(client % 1_000)"
    }

    private static func writes(_ name: String, to settings: PublishedSettings) -> Workload {
        var number = 0
        return Workload(name, operations: operations) {
            for _ in 0..<operations {
                number += 1
                settings.change(to: number)
            }
        }
    }

    private static func answers(
        _ status: HTTPResponse.Status,
        of settings: PublishedSettings,
        at path: String,
        _ fields: HTTPFields = [:]
    ) -> Workload {
        let request = PublishedSettings.request(path, fields)
        return Workload("respond", operations: operations) {
            for _ in 0..<operations {
                let response = settings.publisher.respond(to: request)
                guard response.head.status == status else { throw BenchmarkError("the publisher answers otherwise") }
                blackHole(response)
            }
        }
    }

    /// The least work of an answer: the same fields, made anew.
    private static func sameAnswers(_ head: HTTPResponse) -> Workload {
        let fields = head.headerFields.map { ($0.name, $0.value) }
        return Workload("HTTPResponse, \(fields.count) fields", operations: operations) {
            for _ in 0..<operations {
                var answer = HTTPResponse(status: head.status)
                for (name, value) in fields { answer.headerFields[name] = value }
                blackHole(answer)
            }
        }
    }
}
#endif
