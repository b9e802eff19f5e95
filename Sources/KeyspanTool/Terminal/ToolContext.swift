import KeyspanCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The environment and the standard streams of a run: those of the process, unless a test runs a command in its own process.
struct ToolContext: Sendable {
    /// The context of the present run.
    @TaskLocal static var current = ToolContext()

    /// Returns the value of an environment variable.
    var variable: @Sendable (String) -> OutsideText? = { OutsideText.variable($0) }
    /// The descriptor from which a command may read a document.
    var input = STDIN_FILENO
    /// The descriptor for results.
    var output = STDOUT_FILENO
    /// The descriptor for errors and notices.
    var error = STDERR_FILENO

    /// Whether a domain has entries that could not be read, which was reported: what a command prints of it is incomplete.
    var isIncomplete: Bool {
        get { incompleteness.isKnown.load(ordering: .relaxed) }
        nonmutating set { incompleteness.isKnown.store(newValue, ordering: .relaxed) }
    }

    private let incompleteness = Incompleteness()

    private final class Incompleteness: Sendable {
        let isKnown = Atomic(false)
    }
}
