import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The place that a command writes a document to, which is opened once: another look at its path could find something else.
struct DocumentTarget {
    private enum Place {
        /// Standard output.
        case output
        /// A pipe, a terminal or another device.
        case stream(OpenFile)
        /// A file to replace, or one that does not exist yet.
        case file(AbsolutePath, ResolvedFile)
    }

    /// The name for errors.
    private let name: String
    private let place: Place
    private let fileSystem: any FileSystem

    /// Opens the place; waits for the reader of a pipe.
    ///
    /// - Parameters:
    ///   - argument: A path, or `-` or `/dev/stdout` for standard output.
    ///   - domain: The domain whose contents are written.
    ///   - fileSystem: The file system.
    /// - Throws: ``ToolError`` if nothing can or may be written there: over a file that a store keeps or that is read-only, over any file if
    ///   the domain has entries that cannot be read, and where another user could have planted a file or a link.
    init(
        _ argument: String,
        for domain: Domain,
        in fileSystem: any FileSystem = InterruptRetryingFileSystem()
    ) throws(ToolError) {
        self.fileSystem = fileSystem
        if Self.isStandardOutput(argument) {
            (name, place) = ("Standard output", .output)
            let output = try? fileSystem.status(of: StandardStream.output.file)
            try Self.check(output, named: name, for: domain, in: fileSystem)
            return
        }
        name = argument
        let (path, found) = try Self.writing(to: name) { () throws(SystemCallError) in
            let path = try fileSystem.absolutePath(of: argument)
            return (path, try fileSystem.resolve(path))
        }
        if let planted = found.planted {
            throw .failure("\(FileStoreError.planted(.replace, path: argument, planted))")
        }
        try Self.check(found.status, named: name, for: domain, in: fileSystem)
        try found.status?.refuseReadOnly(named: name)
        // It may be the last complete backup.
        if ToolContext.current.isIncomplete, found.status?.kind == .regular {
            throw .failure("\(name) stays as it is, because entries cannot be read; export to a new file.")
        }
        if found.path.isNamedLikeJournal {
            throw .failure("\(name) has the name of a journal, which a program would read; export to another file.")
        }
        guard (try? fileSystem.status(ofItemAt: found.path.journal.text)) == nil else {
            throw .failure(
                "\(name) is the file of a program, whose journal is beside it; export to another file, or change this one with "
                    + "`keyspan import`."
            )
        }
        place = try Self.writing(to: name) { () throws(SystemCallError) in
            try Self.open(path, found, in: fileSystem)
        }
    }

    /// Whether an argument stands for standard output.
    static func isStandardOutput(_ argument: String) -> Bool {
        argument == "-" || argument == "/dev/stdout"
    }

    /// Whether what is written appears on a terminal.
    var isTerminal: Bool {
        switch place {
        case .output: StandardStream.output.style.isTerminal
        case .stream(let file): TerminalStyle(descriptor: file.descriptor).isTerminal
        case .file: false
        }
    }

    /// Writes the whole document, once; says on standard error if other users can read it.
    ///
    /// An existing file is replaced atomically and keeps its permissions. Only the owner can read a new file, because settings may be
    /// secrets. A signal that ends the process waits until the file is complete.
    func write(_ bytes: [UInt8]) throws(ToolError) {
        let target: FileStatus?
        switch place {
        case .output:
            try StandardStream.output.write(bytes)
            target = try? fileSystem.status(of: StandardStream.output.file)
        case .stream(let file):
            try Self.writing(to: name) { () throws(SystemCallError) in
                do throws(SystemCallError) {
                    try fileSystem.writeAll(bytes, to: file)
                } catch {
                    // The first failure is the one to report.
                    try? fileSystem.closeFile(file)
                    throw error
                }
                try fileSystem.closeFile(file)
            }
            target = nil
        case .file(let path, let old):
            let replacement = AtomicFileReplacement(fileSystem: fileSystem, path: path, unnamed: true)
            do throws(FileStoreError) {
                try TerminationSignals.deferred { () throws(FileStoreError) in
                    _ = try replacement.replaceContents(with: bytes, instead: old, mayCreateFolder: false)
                }
            } catch {
                throw .failure("\(error)")
            }
            target = old.status
        }
        guard let target, target.kind == .regular, target.permissions & 0o044 != 0 else { return }
        KeyspanCommand.report(
            "\(name) is a file that other users can read (mode 0\(String(target.permissions, radix: 8))), and has all values, "
                + "secrets included; `chmod go-r` takes this right away."
        )
    }

    /// Throws for the file of the domain itself, whose store would not know of the replacement.
    private static func check(
        _ target: FileStatus?,
        named name: String,
        for domain: Domain,
        in fileSystem: any FileSystem
    ) throws(ToolError) {
        guard let target else { return }
        let file = domain.file.flatMap { try? fileSystem.resolve(fileSystem.absolutePath(of: $0.path)) }
        let journal = file.flatMap { try? fileSystem.status(ofItemAt: $0.path.journal.text) }
        for own in [file?.status, journal] where own?.signature.isSameFile(as: target.signature) == true {
            throw .failure("\(name) is the file of the domain \(domain.name.quoted) itself; export to another file.")
        }
    }

    /// Opens what was found, and no other thing that has got its name since.
    ///
    /// A file is not opened, because it is replaced.
    private static func open(
        _ path: AbsolutePath,
        _ found: ResolvedFile,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> Place {
        if found.status?.kind == .regular { return .file(path, found) }
        let file: OpenFile
        do throws(SystemCallError) {
            // A link in /dev/fd to a pipe has not its path, so only the system can follow it.
            file =
                try found.status == nil
                ? OpenFile(opening: path.text, O_WRONLY) : OpenFile(opening: found.path.text, O_WRONLY | O_NOFOLLOW)
        } catch let error where error.isNotFound {
            return .file(path, found)
        }
        do throws(SystemCallError) {
            let status = try fileSystem.status(of: file)
            guard status.kind == .special, found.status?.signature.isSameFile(as: status.signature) != false,
                !fileSystem.isPlanted(status, at: found.path)
            else { throw SystemCallError(.open, path.text, ESTALE) }
        } catch {
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            try? fileSystem.closeFile(file)
            throw error
        }
        return .stream(file)
    }

    private static func writing<Result>(
        to name: String,
        _ body: () throws(SystemCallError) -> Result
    ) throws(ToolError) -> Result {
        do {
            return try body()
        } catch {
            if error.errorNumber == EPIPE { throw .closedPipe }
            throw .failure("\(name) cannot be written (\(error.text)); give a path in a folder that you can write to.")
        }
    }
}
