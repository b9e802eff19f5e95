import ArgumentParser
import Keyspan

/// Observes a key of a file, and reports each number that it has.
struct ObservingProcess: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "observing-process", shouldDisplay: false)

    @Argument var path: String
    @Argument var key: String

    func run() throws {
        let store = try JSONFileStore(path: path)
        let observation = store.observe(.named([key]), initial: true) { [key] change in
            guard case .integer(let number)? = change[key]?.new else { return }
            ChildProcess.report(number.converted() ?? 0)
        }
        ChildProcess.reportWhatIsSent()
        withExtendedLifetime(observation) {}
    }

    /// The arguments that make this program such a process.
    static func arguments(path: String, key: String) -> [String] { ["observing-process", path, key] }
}
