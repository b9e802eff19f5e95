@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of an import or export; `-` is standard input or output.
struct DocumentFile {
    /// The argument as the user wrote it.
    let argument: String

    /// The name for errors.
    var name: String { isStandardStream ? "Standard input" : argument }

    private let fileSystem = InterruptRetryingFileSystem()
    private var isStandardStream: Bool { argument == "-" }

    /// Makes the file for an argument.
    init(argument: String) {
        self.argument = argument
    }

    /// Whether what is written appears on a terminal.
    var isTerminal: Bool {
        if isStandardStream { return StandardStream.output.style.isTerminal }
        guard isSpecial, let file = try? opened(O_WRONLY | O_NOCTTY | O_NONBLOCK) else { return false }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? fileSystem.closeFile(file) }
        return TerminalStyle(descriptor: file.descriptor).isTerminal
    }

    /// Reads the whole file; waits for the other end of a pipe.
    func read() throws(ToolError) -> [UInt8] {
        do {
            guard !isStandardStream else { return try readToEnd(of: StandardStream.input.file) }
            let file = try opened(O_RDONLY)
            // The descriptor was only read, so an error in closing it loses nothing.
            defer { try? fileSystem.closeFile(file) }
            return try readToEnd(of: file)
        } catch {
            throw .failure("\(name) cannot be read (\(error.text)); give the path of a file, or - for standard input.")
        }
    }

    /// The whole file as a text, without one line feed at its end and a byte-order mark at its beginning.
    func text() throws(ToolError) -> String {
        let bytes = try read()
        guard let text = String(validating: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self) else {
            throw .failure("\(name) is not UTF-8; convert it, or store it with -data.")
        }
        return text.utf8.starts(with: "\u{FEFF}".utf8) ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Writes the whole file, replacing an existing one atomically.
    ///
    /// Only the owner can read a new file, because settings may be secrets; an existing file keeps its permissions. A special
    /// file, such as a pipe, is written directly; for a terminal, control characters are escaped.
    func write(_ document: Document, as format: ExportFormat) throws(ToolError) {
        guard !isStandardStream else { return try format.write(document, to: .output) }
        let bytes = try format.bytes(of: document)
        guard !isSpecial else { return try writeDirectly(bytes, as: format) }
        do {
            let path = try fileSystem.absolutePath(of: argument)
            let old = try fileSystem.resolve(path)
            let replacement = AtomicFileReplacement(fileSystem: fileSystem, path: path)
            _ = try replacement.replaceContents(with: bytes, instead: old, mayCreateFolder: false)
        } catch let error as SystemCallError {
            throw unwritable(error)
        } catch {
            throw .failure("\(error)")
        }
    }

    private func unwritable(_ error: SystemCallError) -> ToolError {
        .failure("\(name) cannot be written (\(error.text)); give a path in a folder that you can write to.")
    }

    /// Whether the path names something other than a regular file.
    ///
    /// The system follows links, because those in `/dev/fd` for pipes do not contain the path of a file.
    private var isSpecial: Bool {
        var status = stat()
        return stat(argument, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private func writeDirectly(_ bytes: [UInt8], as format: ExportFormat) throws(ToolError) {
        let file: OpenFile
        do throws(SystemCallError) {
            file = try opened(O_WRONLY)
        } catch {
            throw unwritable(error)
        }
        do {
            let isTerminal = TerminalStyle(descriptor: file.descriptor).isTerminal
            try writeAll(isTerminal ? try format.terminalBytes(bytes) : bytes, to: file)
        } catch {
            // The first failure is the one to report.
            try? fileSystem.closeFile(file)
            throw error
        }
        do throws(SystemCallError) {
            try fileSystem.closeFile(file)
        } catch {
            throw unwritable(error)
        }
    }

    private func writeAll(_ bytes: [UInt8], to file: OpenFile) throws(ToolError) {
        do {
            try fileSystem.writeAll(bytes, to: file)
        } catch {
            throw unwritable(error)
        }
    }

    private func readToEnd(of file: OpenFile) throws(SystemCallError) -> [UInt8] {
        try fileSystem.readToEnd(of: file, expecting: 64 * 1024)
    }

    private func opened(_ flags: Int32) throws(SystemCallError) -> OpenFile {
        let descriptor = open(argument, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError(.open, argument, errno) }
        return OpenFile(descriptor: descriptor, path: argument)
    }
}
