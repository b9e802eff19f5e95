import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A standard stream of the process; unbuffered, so that a line is written when the call returns.
struct StandardStream {
    /// The input, from which a command may read a document.
    static var input: StandardStream { StandardStream(descriptor: ToolContext.current.input, name: "standard input") }
    /// The output for results.
    static var output: StandardStream {
        StandardStream(descriptor: ToolContext.current.output, name: "standard output")
    }
    /// The output for errors and notices.
    static var error: StandardStream { StandardStream(descriptor: ToolContext.current.error, name: "standard error") }

    /// The open file.
    let file: OpenFile

    /// Opens those of the three descriptors that the process was started without.
    ///
    /// Otherwise the next file would get the number of a stream, and the stream's text would go into that file. `/dev/null` is
    /// opened so that reading input and writing output still fail, as they do with a closed descriptor.
    static func reserveDescriptors() {
        for (stream, flags) in [(input, O_WRONLY), (output, O_RDONLY), (error, O_RDONLY)]
        where fcntl(stream.file.descriptor, F_GETFD) < 0 {
            // The system gives the lowest free number, which is this one.
            _ = open("/dev/null", flags)
        }
    }

    private init(descriptor: Int32, name: String) {
        file = OpenFile(descriptor: descriptor, path: name)
    }

    /// The style for this stream.
    var style: TerminalStyle { TerminalStyle(descriptor: file.descriptor) }

    /// Writes text and a newline.
    func writeLine(_ text: String) throws(ToolError) {
        try write(Array((text + "\n").utf8))
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``ToolError`` if the stream rejects them, for example on a full disk, or ``ToolError/closedPipe``.
    func write(_ bytes: [UInt8]) throws(ToolError) {
        do {
            try InterruptRetryingFileSystem().writeAll(bytes, to: file)
        } catch {
            if error.errorNumber == EPIPE { throw .closedPipe }
            throw .failure("The output could not be written (\(error.text)); free space, or write it elsewhere.")
        }
    }
}
