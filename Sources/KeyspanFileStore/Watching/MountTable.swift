import KeyspanCore

#if canImport(Darwin)
import Darwin
#endif

/// The mounted file systems whose files other machines or processes can change without the knowledge of this machine's kernel.
package struct MountTable: Sendable {
    private let remoteTypes: [UInt64: String]

    /// Makes a table.
    ///
    /// - Parameter remoteTypes: The types of the remote file systems, such as "nfs4", by their devices.
    package init(remoteTypes: [UInt64: String]) {
        self.remoteTypes = remoteTypes
    }

    /// The type of a remote file system among some devices.
    package func remoteType(among devices: Set<UInt64>) -> String? {
        remoteTypes.first { devices.contains($0.key) }?.value
    }
}

#if canImport(Darwin)
extension MountTable {
    /// The remote file systems that are mounted now.
    package static func current() -> MountTable {
        var mounts = [statfs](repeating: statfs(), count: Int(max(getfsstat(nil, 0, MNT_NOWAIT), 0)))
        let size = mounts.count * MemoryLayout<statfs>.stride
        let count = getfsstat(&mounts, Int32(size), MNT_NOWAIT)
        let remote = mounts.prefix(Int(max(count, 0))).filter { $0.f_flags & UInt32(MNT_LOCAL) == 0 }
        return MountTable(
            remoteTypes: Dictionary(
                // The device in the form of stat(2).
                remote.map { (UInt64(truncatingIfNeeded: $0.f_fsid.val.0), "a network file system") },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}
#else
extension MountTable {
    /// The remote file systems that are mounted now; an empty table where `/proc` is missing.
    package static func current() -> MountTable {
        let fileSystem = InterruptRetryingFileSystem(POSIXFileSystem())
        guard let file = try? fileSystem.openFile("/proc/self/mountinfo", for: .reading) else {
            return MountTable(remoteTypes: [:])
        }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? fileSystem.closeFile(file) }
        let bytes = (try? fileSystem.readToEnd(of: file, expecting: 16_384)) ?? []
        return MountTable(information: String(decoding: bytes, as: UTF8.self))
    }

    /// Parses a text in the form of `/proc/self/mountinfo` (proc(5)).
    package init(information: String) {
        var remoteTypes: [UInt64: String] = [:]
        // By bytes: a space and a combining character behind it, in the name of a mount, are one `Character`.
        for line in information.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            // Any number of fields comes before the lone hyphen, and the type behind it. The third one is the device.
            guard fields.count > 2, let hyphen = fields.dropFirst(6).firstIndex(of: "-"),
                fields.indices.contains(hyphen + 1), let device = Self.device(fields[2])
            else { continue }
            let type = fields[hyphen + 1]
            if Self.isRemote(type) { remoteTypes[device] = type }
        }
        self.init(remoteTypes: remoteTypes)
    }

    /// Makes the device number of stat(2) from its major and minor parts.
    private static func device(_ field: String) -> UInt64? {
        let numbers = field.split(separator: ":").compactMap { UInt64($0) }
        guard numbers.count == 2 else { return nil }
        let (major, minor) = (numbers[0], numbers[1])
        return (minor & 0xFF) | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
    }

    /// Whether the files of a file system are on another machine, or made by another process.
    private static func isRemote(_ type: String) -> Bool {
        type == "fuse" || type.hasUTF8Prefix("fuse.") || remoteTypes.contains(type)
    }

    private static let remoteTypes: Set = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "9p", "virtiofs", "afs", "coda", "ceph", "gfs2", "ocfs2",
        "lustre", "gpfs", "beegfs", "orangefs", "vboxsf", "vmhgfs", "prl_fs",
    ]
}
#endif
