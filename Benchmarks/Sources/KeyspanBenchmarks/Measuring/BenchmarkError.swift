import Foundation

/// A benchmark that cannot measure what it says.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    /// Makes an error from a sentence.
    init(_ description: String) {
        self.description = description
    }

    /// Makes an error from the system call that failed last on this thread.
    static func systemCall(_ name: String) -> BenchmarkError {
        BenchmarkError("\(name): \(String(cString: strerror(errno)))")
    }
}
