/// The failure of a command: a sentence for people, and the exit status for scripts.
struct ToolError: Error, Equatable {
    /// The exit statuses of the tool besides 0.
    enum Status: Int32, CaseIterable {
        /// Two domains differ, or a domain violates its schema, as for diff(1).
        case difference = 1
        /// Something could not be done, such as reading a file.
        case failure = 2
        /// A domain or a key does not exist, or nothing was found.
        case absent = 3
        /// Arguments that cannot be understood: `EX_USAGE` of `sysexits.h`.
        case usage = 64
        /// A standard stream that is a pipe without a reader: what a shell shows for an end by SIGPIPE.
        case closedPipe = 141
    }

    /// The exit status.
    let status: Status
    /// The error and its remedy, as a sentence with a full stop; empty if there is nothing to report, or if that was done before.
    let message: String

    /// Nobody reads a standard stream anymore, which people need no message about.
    static let closedPipe = ToolError(status: .closedPipe, message: "")

    /// Arguments that cannot be understood.
    static func usage(_ message: String) -> ToolError {
        ToolError(status: .usage, message: message)
    }

    /// A missing domain or key.
    static func absent(_ message: String) -> ToolError {
        ToolError(status: .absent, message: message)
    }

    /// An operation that failed.
    static func failure(_ message: String) -> ToolError {
        ToolError(status: .failure, message: message)
    }
}

extension ToolError: CustomStringConvertible {
    var description: String { message }
}
