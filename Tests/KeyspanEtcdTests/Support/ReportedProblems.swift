import KeyspanCore
import KeyspanTestSupport

/// The problems that stores of this process have reported from threads of their own.
enum ReportedProblems {
    private static let log: Recorder<String> = {
        let log = Recorder<String>()
        Defaults.onProblem { log($0.description) }
        return log
    }()

    /// Records problems from here on.
    static func begin() { _ = log }

    /// The sentences of the problems of a store.
    static func of(_ store: any PropertyListStore) -> [String] { of(storeNamed: store.name) }

    /// The sentences of the problems of a store.
    static func of(storeNamed name: String) -> [String] { log.values.filter { $0.contains(name) } }
}
