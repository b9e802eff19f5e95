import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A question on the terminal that the user answers with yes or no.
enum TerminalQuestion {
    /// Asks on standard error, and returns whether the answer is yes, which an empty line means as well.
    ///
    /// Without a terminal on standard input, and at its end, the answer is no, and nothing is asked.
    static func isAffirmed(_ question: String) throws(ToolError) -> Bool {
        guard isatty(StandardStream.input.file.descriptor) == 1 else { return false }
        while true {
            try StandardStream.error.write(Array("\(question) [Y/n] ".utf8))
            guard let answer = readLine() else { return false }
            switch answer.lowercased() {
            case "", "y", "yes": return true
            case "n", "no": return false
            default: continue
            }
        }
    }
}
