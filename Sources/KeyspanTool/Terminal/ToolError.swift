/// Why a command did not do what it was asked, in one sentence, and the exit status that says so to a script.
struct ToolError: Error, Equatable {
    /// The exit statuses of the tool besides 0.
    enum Status: Int32 {
        /// A domain or key that does not exist, or a failure of the file system; the status of `defaults` for both.
        case failure = 1
        /// Arguments that cannot be understood: `EX_USAGE` of `sysexits.h`.
        case usage = 64
    }

    /// The exit status.
    let status: Status
    /// What is wrong and what to do about it, as a sentence with its full stop.
    let message: String

    /// Arguments that cannot be understood.
    static func usage(_ message: String) -> ToolError {
        ToolError(status: .usage, message: message)
    }

    /// Something that does not exist or could not be done.
    static func failure(_ message: String) -> ToolError {
        ToolError(status: .failure, message: message)
    }
}

extension ToolError: CustomStringConvertible {
    var description: String { message }
}
