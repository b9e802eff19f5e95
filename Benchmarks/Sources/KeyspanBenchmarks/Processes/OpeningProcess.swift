import ArgumentParser
import Foundation
import Keyspan

/// Opens a file, and reports how much more memory that took at most than the process had before.
struct OpeningProcess: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "opening-process", shouldDisplay: false)

    @Argument var path: String
    @Argument var small: String

    func run() throws {
        blackHole(try JSONFileStore(path: small).value(forKey: Contents.name(0)))
        let before = try Self.memory("VmRSS:")
        let store = try JSONFileStore(path: path)
        ChildProcess.report(try Self.memory("VmHWM:") - before)
        withExtendedLifetime(store) {}
    }

    /// The arguments that make this program such a process.
    static func arguments(path: String, small: String) -> [String] { ["opening-process", path, small] }

    /// A line of the process's status, in bytes.
    private static func memory(_ name: String) throws -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kilobytes = Int(line.filter(\.isNumber))
        else { throw BenchmarkError("the system does not say how much memory a process has") }
        return kilobytes << 10
    }
}
