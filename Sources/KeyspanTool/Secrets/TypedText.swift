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
        let signals = PostponedSignals()
        let name = ControlCharacters.escaped(in: key.quoted)
        if domain.secretMask(try domain.snapshot()).mayBeSecret(key) {
            return try line(from: terminal, "Value of \(name), which is not shown: ", signals)
        }
        signals.deliver()
        try StandardStream.error.writeLine("Value of \(name), with Ctrl-D after its last line:")
        return try DocumentFile(argument: "-").text()
    }

    /// Reads a line that the terminal does not show.
    ///
    /// A signal that ends or stops the process takes effect only while the terminal shows what is typed.
    private static func line(
        from terminal: Int32,
        _ question: String,
        _ signals: PostponedSignals
    ) throws(ToolError) -> String {
        var shown = termios()
        guard tcgetattr(terminal, &shown) == 0 else {
            throw .failure("The terminal cannot hide what is typed; write the value to standard input.")
        }
        var silent = shown
        silent.c_lflag = silent.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ICANON) | tcflag_t(ECHONL)
        while true {
            signals.postpone()
            tcsetattr(terminal, TCSAFLUSH, &silent)
            var bytes: [UInt8]?
            defer {
                tcsetattr(terminal, TCSAFLUSH, &shown)
                signals.deliver()
            }
            try StandardStream.error.write(Array(question.utf8))
            // A terminal is readable when it has a whole line.
            var event = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            while event.revents == 0, !signals.haveArrived { poll(&event, 1, 100) }
            if event.revents != 0 { bytes = readLine(from: terminal) }
            guard let bytes else { continue }
            guard !bytes.isEmpty else { throw .failure("No value was typed, and nothing was changed; type one.") }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .failure("The typed value is not UTF-8; write it to standard input, with -data.")
            }
            return text
        }
    }

    private static func readLine(from terminal: Int32) -> [UInt8] {
        var (line, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while line.last != UInt8(ascii: "\n") {
            let count = read(terminal, &part, part.count)
            guard count > 0 else {
                // The cursor is still behind the question.
                try? StandardStream.error.write([UInt8(ascii: "\n")])
                break
            }
            line += part.prefix(count)
        }
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        return line
    }
}

/// The signals by which a terminal or a person ends or stops a command, which wait while the terminal is changed.
private struct PostponedSignals {
    private static let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
    private let signals: sigset_t
    private let former: sigset_t

    /// Postpones the signals, also in threads that this one makes.
    init() {
        var (signals, former) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        for number in Self.numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        (self.signals, self.former) = (signals, former)
    }

    func postpone() {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether a signal waits.
    var haveArrived: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return Self.numbers.contains { sigismember(&pending, $0) == 1 }
    }

    /// Lets the signals take effect, those that wait as well.
    func deliver() {
        var former = former
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }
}
