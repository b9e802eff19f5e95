import Keyspan
import Synchronization

/// What was reported, as text.
final class ProblemLog: Sendable {
    private let reported = Mutex<[String]>([])

    var texts: [String] { reported.withLock { $0 } }

    func append(_ problem: Defaults.Problem) {
        reported.withLock { $0.append(problem.description) }
    }
}
