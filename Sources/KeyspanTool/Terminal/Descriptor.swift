#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Whole reads and writes of POSIX file descriptors, with interrupted calls repeated.
enum Descriptor {
    /// Writes all of the bytes.
    ///
    /// - Throws: The error of the call that failed.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(POSIXFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { posixWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw POSIXFailure(code: errno)
            }
        }
    }

    /// Reads to the end.
    ///
    /// - Throws: The error of the call that failed.
    static func readToEnd(of descriptor: Int32) throws(POSIXFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 {
                return bytes
            } else if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw POSIXFailure(code: errno)
            }
        }
    }

    // Within this type `write` is the method above.
    private static func posixWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes, count)
        #elseif canImport(Darwin)
        Darwin.write(descriptor, bytes, count)
        #endif
    }
}
