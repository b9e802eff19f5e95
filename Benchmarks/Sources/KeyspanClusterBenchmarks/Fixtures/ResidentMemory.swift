#if Etcd || Remote
import Foundation

/// The memory of this process.
enum ResidentMemory {
    /// In bytes.
    static var now: Int {
        get throws {
            guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                let kilobytes = Int(line.filter(\.isNumber))
            else { throw BenchmarkError("the system does not say how much memory a process has") }
            return kilobytes << 10
        }
    }
}
#endif
