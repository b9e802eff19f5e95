extension FileSystem {
    /// Writes all bytes to an open file, behind those that were written last.
    package func writeAll(_ bytes: [UInt8], to file: OpenFile) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try writeBytes(rest, to: file)
            // write(2) does not answer 0 for a regular file; if a file system does, asking again would never end.
            if count == 0 { throw .nothingWritten(to: file.path) }
            rest = rest.dropFirst(count)
        }
    }
}
