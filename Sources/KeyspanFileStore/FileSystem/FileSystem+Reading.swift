extension FileSystem {
    /// Reads all bytes from an open file.
    ///
    /// - Parameters:
    ///   - file: A file that is open for reading.
    ///   - size: How many bytes there probably are; the file may have grown or shrunk since that was asked.
    package func readToEnd(of file: OpenFile, expecting size: Int) throws(SystemCallError) -> [UInt8] {
        var contents: [UInt8] = []
        while true {
            let bytes = try readBytes(from: file, atMost: max(size - contents.count, 4096))
            if bytes.isEmpty { return contents }
            if contents.isEmpty {
                // As a rule this is the whole file, which then is not copied.
                contents = bytes
            } else {
                contents += bytes
            }
        }
    }
}
