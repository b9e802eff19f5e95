import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file that a command reads a document from; `-` is standard input.
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

    /// Reads the whole file; waits for the other end of a pipe.
    ///
    /// - Throws: ``ToolError`` if it cannot be read, or if it is larger than the file of a store may be.
    func read() throws(ToolError) -> [UInt8] {
        let limit = FileStoreLimits().fileSize
        let bytes: [UInt8]
        do {
            let file = isStandardStream ? StandardStream.input.file : try OpenFile(opening: argument, O_RDONLY)
            // The descriptor was only read, so an error in closing it loses nothing.
            defer { if !isStandardStream { try? fileSystem.closeFile(file) } }
            bytes = try fileSystem.readToEnd(of: file, expecting: 64 * 1024, atMost: limit)
        } catch {
            throw .failure("\(name) cannot be read (\(error.text)); give the path of a file, or - for standard input.")
        }
        guard bytes.count <= limit else {
            throw .failure("\(FileStoreError.tooLarge(.read, path: name, limit: limit))")
        }
        return bytes
    }

    /// The whole file as a text, without one line feed at its end and a byte-order mark at its beginning.
    func text() throws(ToolError) -> String {
        let bytes = try read()
        guard let text = String(validating: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self) else {
            throw .failure("\(name) is not UTF-8; convert it, or store it with -data.")
        }
        return text.utf8.starts(with: "\u{FEFF}".utf8) ? String(text.unicodeScalars.dropFirst()) : text
    }
}

extension OpenFile {
    /// Opens a file as a path of the shell names it, which may be that of a pipe in `/dev/fd`.
    init(opening path: String, _ flags: Int32) throws(SystemCallError) {
        var descriptor: Int32
        repeat { descriptor = open(path, flags | O_NOCTTY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw SystemCallError(.open, path, errno) }
        self.init(descriptor: descriptor, path: path)
    }
}
