import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport

/// The problems that stores of this process have reported from threads of their own.
enum ReportedProblems {
    private static let log: Recorder<Defaults.Problem> = {
        let log = Recorder<Defaults.Problem>()
        Defaults.onProblem { log($0) }
        return log
    }()

    /// Records problems from here on.
    static func begin() { _ = log }

    /// The sentences of the problems of a store.
    static func of(_ store: any PropertyListStore) -> [String] { of(storeNamed: store.name) }

    /// The sentences of the problems of a store.
    static func of(storeNamed name: String) -> [String] { log.values.map(\.description).filter { $0.contains(name) } }

    /// The number of notices of a kind about stores of a name.
    static func count(of kind: EtcdNotice.Kind, storesNamed name: String) -> Int {
        log.values.count { problem in
            guard case .storeNotice(_, let notice as EtcdNotice) = problem else { return false }
            return notice.kind == kind && notice.store == name
        }
    }
}
