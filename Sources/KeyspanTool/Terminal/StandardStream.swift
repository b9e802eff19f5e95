import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A stream that the process was started with; written without a buffer, so that a line is out when the call returns.
struct StandardStream {
    /// Where a command may read a document.
    static let input = StandardStream(descriptor: STDIN_FILENO, name: "standard input")
    /// Where results go.
    static let output = StandardStream(descriptor: STDOUT_FILENO, name: "standard output")
    /// Where everything goes that is no result.
    static let error = StandardStream(descriptor: STDERR_FILENO, name: "standard error")

    /// The open file.
    let file: OpenFile

    private init(descriptor: Int32, name: String) {
        file = OpenFile(descriptor: descriptor, path: name)
    }

    /// The colours for this stream.
    var style: TerminalStyle { TerminalStyle(descriptor: file.descriptor) }

    /// Writes text and a newline.
    func writeLine(_ text: String) throws(ToolError) {
        try write(Array((text + "\n").utf8))
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``ToolError`` if the stream does not take them, as on a full disk.
    func write(_ bytes: [UInt8]) throws(ToolError) {
        do {
            try InterruptRetryingFileSystem().writeAll(bytes, to: file)
        } catch {
            throw .failure("The output could not be written (\(error.text)); give it a place that takes it.")
        }
    }
}
