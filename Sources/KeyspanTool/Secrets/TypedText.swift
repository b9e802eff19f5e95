import KeyspanCore
import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A value that a person types, or that another program writes to standard input.
enum TypedText {
    /// Reads standard input to its end; on a terminal it asks for the value.
    ///
    /// A secret is one line that the terminal does not show.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - domain: The domain, whose schema says whether the value is secret.
    static func value(ofKey key: String, in domain: Domain) throws(ToolError) -> String {
        let terminal = StandardStream.input.file.descriptor
        guard isatty(terminal) == 1 else { return try DocumentFile(argument: "-").text() }
        let name = ControlCharacters.escaped(in: key.quoted)
        if domain.secretMask(try domain.snapshot()).mayBeSecret(key) {
            return try line(from: terminal, "Value of \(name), which is not shown: ")
        }
        try StandardStream.error.writeLine("Value of \(name), with Ctrl-D after its last line:")
        return try DocumentFile(argument: "-").text()
    }

    /// The most bytes of a line that a terminal passes on.
    ///
    /// It drops the rest of a longer one, and does not say so.
    private static let mostBytes = 4094

    /// Reads a line that the terminal does not show.
    ///
    /// A signal that ends or stops the process takes effect only while the terminal shows what is typed.
    private static func line(from terminal: Int32, _ question: String) throws(ToolError) -> String {
        var shown = termios()
        guard tcgetattr(terminal, &shown) == 0 else {
            throw .failure("The terminal cannot hide what is typed; write the value to standard input.")
        }
        var silent = shown
        silent.c_lflag = silent.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ICANON) | tcflag_t(ECHONL)
        while true {
            TerminationSignals.hold(alsoStopping: true)
            tcsetattr(terminal, TCSAFLUSH, &silent)
            defer {
                tcsetattr(terminal, TCSAFLUSH, &shown)
                TerminationSignals.release()
            }
            try StandardStream.error.write(Array(question.utf8))
            // A terminal is readable when it has a whole line.
            var event = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            while event.revents == 0, TerminationSignals.arrived == nil { poll(&event, 1, 100) }
            if event.revents == 0 { continue }
            let bytes = readLine(from: terminal)
            guard !bytes.isEmpty else { throw .failure("No value was typed, and nothing was changed; type one.") }
            guard bytes.count <= mostBytes else {
                throw .failure(
                    "The line is longer than a terminal passes on, and nothing was changed; write the value to standard input."
                )
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .failure("The typed value is not UTF-8; write it to standard input, with -data.")
            }
            return text
        }
    }

    /// Reads the line that a terminal has; Ctrl-D ends one as well.
    private static func readLine(from terminal: Int32) -> [UInt8] {
        var part = [UInt8](repeating: 0, count: 4096)
        // A second call would wait for another line.
        let count = read(terminal, &part, part.count)
        var line = part.prefix(max(0, count))
        if line.last == UInt8(ascii: "\n") {
            line.removeLast()
        } else {
            // The cursor is still behind the question.
            try? StandardStream.error.write([UInt8(ascii: "\n")])
        }
        return Array(line)
    }
}
