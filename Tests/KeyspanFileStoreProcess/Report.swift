import KeyspanFileStore

/// The beginnings of the lines that a process writes, before what they say.
package enum Report {
    /// A violated invariant.
    package static let fault = "fault: "
    /// The number of observed states.
    package static let looks = "looks: "
    /// The values when the store was opened.
    package static let found = "found: "
    /// The next write.
    package static let attempted = "attempted: "
    /// A durable write.
    package static let acknowledged = "acknowledged: "
    /// The work is done, or begins to be felt by others.
    package static let ready = "ready"
    /// A quantity that must stay bounded.
    package static let usage = "usage: "
    /// The sum of the writers' numbers in the changes that came in by themselves.
    package static let received = "received: "
}

/// Writes a line, which has left the process when the call returns, so that a kill does not take it back.
func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        // Nobody is left to be told if this fails.
        if count < 0, errno != EINTR { return }
        rest = rest.dropFirst(max(count, 0))
    }
}

/// The memory and open files of a process, and the space of its file on the disk.
package struct ResourceUsage: Sendable {
    /// The largest part of memory that the process ever had, in bytes.
    package let memory: Int
    /// The number of its open files.
    package let openFiles: Int
    /// The size of the journal, in bytes.
    package let journal: Int

    /// Looks at this process.
    init(beside path: String) {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        #if canImport(Darwin)
        memory = usage.ru_maxrss
        #else
        memory = usage.ru_maxrss * 1_024
        #endif
        openFiles = (0..<1_024).count { fcntl($0, F_GETFD) >= 0 }
        let file = AbsolutePath(path, relativeTo: "/")
        let journal = file.sibling(".\(file.name).journal")
        self.journal = (try? POSIXFileSystem().status(ofItemAt: journal.text).signature.size) ?? 0
    }

    /// It as a line.
    var text: String { "\(memory) \(openFiles) \(journal)" }

    /// Reads ``text``.
    package init?(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        (memory, openFiles, journal) = (numbers[0], numbers[1], numbers[2])
    }
}
