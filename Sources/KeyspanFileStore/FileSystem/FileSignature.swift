/// What `stat(2)` tells of a file that differs after it was replaced or written to.
///
/// Two writes of the same length within one tick of the file system's clock (some milliseconds) can look alike, even those
/// of two files, because inode numbers are used again. See ``FileSystem/isSettled(_:)``.
package struct FileSignature: Sendable, Hashable {
    /// The file system that it is on.
    package let device: UInt64
    /// The file within its file system; another one takes the number when it is gone.
    package let inode: UInt64
    /// The number of bytes.
    package let size: Int
    /// When the contents were changed, in nanoseconds since 1970.
    package let modified: Int64
    /// When the contents, the name or the attributes were changed, in nanoseconds since 1970.
    package let changed: Int64

    /// Makes a signature.
    package init(device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// Whether both are of one file, whatever was done to it.
    package func isSameFile(as other: FileSignature) -> Bool {
        device == other.device && inode == other.inode
    }
}

extension FileSystem {
    /// Whether a file that is written again would differ in its times, because the clock has ticked since it was changed.
    ///
    /// Kernels let the times of files advance in ticks of up to 10 milliseconds, and some file systems count whole seconds
    /// or pairs of them. A time in the future is that of another clock, about which nothing is known.
    func isSettled(_ signature: FileSignature) -> Bool {
        let second: Int64 = 1_000_000_000
        let countsSeconds = signature.changed % second == 0 && signature.modified % second == 0
        return nanoseconds &- signature.changed >= (countsSeconds ? 2 * second : second / 50)
    }
}
