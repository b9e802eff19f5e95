#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output or standard error, written without a buffer, so that a line is out when the call returns.
struct StandardStream {
    /// Where results go.
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// Where everything goes that is no result.
    static let error = StandardStream(descriptor: STDERR_FILENO)

    /// The file descriptor.
    let descriptor: Int32

    /// The colours for this stream.
    var style: TerminalStyle { TerminalStyle(descriptor: descriptor) }

    /// Writes text and a newline.
    func writeLine(_ text: String) throws(ToolError) {
        try write(Array((text + "\n").utf8))
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``ToolError`` if the stream does not take them, as on a full disk.
    func write(_ bytes: [UInt8]) throws(ToolError) {
        do {
            try Descriptor.write(bytes, to: descriptor)
        } catch {
            throw .failure("The output could not be written (\(error)); give it a place that takes it.")
        }
    }
}
