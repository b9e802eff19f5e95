#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The failure of a system call.
struct POSIXFailure: Error {
    /// Its `errno`.
    let code: Int32
}

extension POSIXFailure: CustomStringConvertible {
    /// The system's words for the code, beginning in lower case to stand within a sentence.
    var description: String {
        guard let words = strerror(code).map({ String(cString: $0) }) else { return "error \(code)" }
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
