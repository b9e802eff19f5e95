import Configuration
import KeyspanCore
import KeyspanTestSupport

/// The problems that an operation meets.
typealias Problems = Recorder<Defaults.Problem>

extension Problems {
    var descriptions: [String] { values.map(\.description) }

    /// The keys of the values that a provider refused.
    var refusedKeys: [String] {
        values.compactMap { problem in
            guard case .storeFailed(let error) = problem, error.code.description == "valueRefused" else { return nil }
            return error.key
        }
    }

    func collect<Result>(_ operation: () throws -> Result) rethrows -> Result {
        try Defaults.withProblemHandler({ problem in self.record(problem) }, operation: operation)
    }
}

/// The accesses that a reader reports.
final class AccessLog: AccessReporter {
    let events = Recorder<String>()

    func report(_ event: AccessEvent) { events.record("\(event) \(event.providerResults)") }
}
