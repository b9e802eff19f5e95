/// A stream of lines, each of which has left the process when the call returns, so that a kill does not take it back.
struct Output {
    /// The output that the tests read.
    static let standard = Output(descriptor: STDOUT_FILENO)
    /// What went wrong.
    static let error = Output(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    /// Writes a line.
    func write(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { descriptor.write($0) }
            // Nobody is left to be told if this fails.
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}

extension Int32 {
    fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(self, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(self, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(self, bytes.baseAddress, bytes.count)
        #endif
    }
}
