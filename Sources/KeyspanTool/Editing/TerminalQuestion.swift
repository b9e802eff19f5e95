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
    /// Whether there is a terminal to answer on.
    static var isPossible: Bool { isatty(StandardStream.input.file.descriptor) == 1 }

    /// Asks on standard error, and returns whether the answer is yes.
    ///
    /// Without a terminal on standard input, and at its end, the answer is no, and nothing is asked.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - isYes: Whether an empty line means yes.
    static func isAffirmed(_ question: String, byDefault isYes: Bool = true) throws(ToolError) -> Bool {
        guard isPossible else { return false }
        while true {
            try StandardStream.error.write(Array("\(question) \(isYes ? "[Y/n]" : "[y/N]") ".utf8))
            guard let answer = readLine() else { return false }
            switch answer.lowercased() {
            case "": return isYes
            case "y", "yes": return true
            case "n", "no": return false
            default: continue
            }
        }
    }
}
