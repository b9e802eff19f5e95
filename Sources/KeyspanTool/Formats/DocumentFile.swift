#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of an import or export; `-` is standard input or output.
struct DocumentFile {
    /// What the user wrote.
    let argument: String

    /// What it is called in errors.
    var name: String { isStandardStream ? "Standard input" : argument }

    private var isStandardStream: Bool { argument == "-" }

    /// Reads all of it.
    func read() throws(ToolError) -> [UInt8] {
        do {
            guard !isStandardStream else { return try Descriptor.readToEnd(of: STDIN_FILENO) }
            let descriptor = try Self.opened(argument, O_RDONLY)
            defer { close(descriptor) }
            return try Descriptor.readToEnd(of: descriptor)
        } catch {
            throw .failure("\(name) cannot be read (\(error)); give the path of a file, or - for standard input.")
        }
    }

    /// Writes all of it, replacing a file that is there in one step.
    ///
    /// A new file can be read by its owner only, because settings may be secrets; one that is replaced keeps its
    /// permissions. What is no regular file, such as a pipe, is written to directly.
    func write(_ bytes: [UInt8]) throws(ToolError) {
        guard !isStandardStream else { return try StandardStream.output.write(bytes) }
        do {
            var status = stat()
            let exists = stat(argument, &status) == 0
            if exists, status.st_mode & S_IFMT != S_IFREG {
                let descriptor = try Self.opened(argument, O_WRONLY)
                defer { close(descriptor) }
                try Descriptor.write(bytes, to: descriptor)
            } else {
                try Self.replace(
                    exists ? Self.resolved(argument) : argument,
                    bytes,
                    mode: exists ? status.st_mode : nil
                )
            }
        } catch {
            throw .failure("\(name) cannot be written (\(error)); give a path in a folder that you can write to.")
        }
    }

    private static func replace(_ path: String, _ bytes: [UInt8], mode: mode_t?) throws(POSIXFailure) {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = try opened(temporary, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        do {
            try Descriptor.write(bytes, to: descriptor)
            if let mode { try check(fchmod(descriptor, mode & 0o7777)) }
            try check(fsync(descriptor))
            try check(rename(temporary, path))
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func opened(_ path: String, _ flags: Int32) throws(POSIXFailure) -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        try check(descriptor)
        return descriptor
    }

    /// The path with all links followed, so that a link to the file stays one.
    private static func resolved(_ path: String) throws(POSIXFailure) -> String {
        guard let resolved = realpath(path, nil) else { throw POSIXFailure(code: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func check(_ result: Int32) throws(POSIXFailure) {
        if result < 0 { throw POSIXFailure(code: errno) }
    }
}
