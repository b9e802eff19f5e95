@_spi(StoreAuthors) import KeyspanCore
import KeyspanRemote
import KeyspanTestSupport

/// The problems that an operation, and the tasks that it starts, meet.
typealias Problems = Recorder<Defaults.Problem>

extension Problems {
    /// The kinds of the notices of stores and publishers, in their order.
    var kinds: [String] { values.map { $0.fields["kind"] ?? $0.description } }

    func collect<Result>(_ operation: () throws -> Result) rethrows -> Result {
        try Defaults.withProblemHandler({ problem in self.record(problem) }, operation: operation)
    }
}

extension PropertyListValue {
    static func number(_ value: Int) -> Self { .integer(PropertyListInteger(value)) }
}
