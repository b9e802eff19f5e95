internal import KeyspanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Writes problems to standard error for programs that have set no handler.
///
/// It is here because the core does no I/O.
package enum StandardErrorReport {
    /// Begins to write problems; does nothing the second time.
    package static func begin() {
        _ = installation
    }

    private static let installation: Void = ProblemReporter.shared.setFallback { problem in
        let line = Array("keyspan: \(problem)\n".utf8)
        // One call for each line keeps the lines of several threads apart. If standard error cannot be written there is
        // no other place to say so.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
