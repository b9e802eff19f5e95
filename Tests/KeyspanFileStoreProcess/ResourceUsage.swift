import KeyspanFileStore

/// The memory and open files of a process, and the space of its file on the disk.
package struct ResourceUsage: Sendable {
    /// The largest part of memory that the process ever had, in bytes.
    package let memory: Int
    /// How many files it has open.
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
