#if canImport(Glibc)
import Glibc

/// System calls of Linux that the C library has, and that Swift does not import because they are extensions of GNU.
///
/// Each method returns `nil` where the kernel or the file system does not offer the call.
enum LinuxCalls {
    private typealias Statx =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer) -> Int32
    private typealias Pwritev2 = @convention(c) (Int32, UnsafeRawPointer, Int32, off_t, Int32) -> Int

    private static let statx: Statx? = function("statx")
    private static let pwritev2: Pwritev2? = function("pwritev2")

    /// A function of the C library; `nil` in a version of the library without it.
    private static func function<Function>(_ name: String) -> Function? {
        // Safe if the types above are those of the manual pages: a pointer of dlsym(3) is a pointer to the C function.
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }

    /// The number and the size of an item: `statx(2)` without the times.
    ///
    /// Asking for the times of a file has a price: since Linux 6.13 the next write must give the file a time of its own, which
    /// makes a flush of that write half as expensive again.
    static func identity(ofItemAt path: String) throws(SystemCallError) -> ItemIdentity? {
        guard let statx else { return nil }
        let result = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer -> (ItemIdentity, Int32) in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            // The buffer is not empty, so it has an address.
            let address = buffer.baseAddress.unsafelyUnwrapped
            let isDone = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, inodeMask | sizeMask, address) == 0
            let (major, minor) = (buffer.number(at: 136, UInt32.self), buffer.number(at: 140, UInt32.self))
            let identity = ItemIdentity(
                device: device(major: UInt64(major), minor: UInt64(minor)),
                inode: buffer.number(at: 32, UInt64.self),
                size: Int(truncatingIfNeeded: buffer.number(at: 40, UInt64.self))
            )
            return (identity, isDone ? 0 : errno)
        }
        switch result.1 {
        case 0: return result.0
        case ENOSYS: return nil
        default: throw SystemCallError(.statx, path, result.1)
        }
    }

    /// Writes bytes to an offset and flushes them: `pwritev2(2)` with `RWF_DSYNC`.
    static func writeAndFlush(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int? {
        guard let pwritev2 else { return nil }
        let (count, failure) = bytes.withUnsafeBytes { buffer in
            // The call reads the bytes and does not change them.
            var vector = iovec(iov_base: .init(mutating: buffer.baseAddress), iov_len: buffer.count)
            return (pwritev2(file.descriptor, &vector, 1, off_t(offset), flushingFlag), errno)
        }
        if count >= 0 { return count }
        switch failure {
        case ENOSYS, EOPNOTSUPP: return nil
        default: throw SystemCallError(.pwritev2, file.path, failure)
        }
    }

    /// `STATX_INO`.
    private static let inodeMask: UInt32 = 0x100
    /// `STATX_SIZE`.
    private static let sizeMask: UInt32 = 0x200
    /// `RWF_DSYNC`.
    private static let flushingFlag: Int32 = 2

    /// The number of a device as `stat(2)` has it: makedev(3).
    private static func device(major: UInt64, minor: UInt64) -> UInt64 {
        (major & 0xFFFF_F000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFF_FF00) << 12 | minor & 0xFF
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Number.Type) -> Number {
        loadUnaligned(fromByteOffset: offset, as: Number.self)
    }
}
#endif
