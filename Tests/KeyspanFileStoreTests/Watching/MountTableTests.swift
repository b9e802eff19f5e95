#if os(Linux)
import KeyspanFileStore
import Testing

@Suite
struct MountTableTests {
    private static let information = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        40 27 0:45 / /home rw,relatime shared:12 master:3 - nfs4 server:/home rw,vers=4.2
        41 27 0:300 / /mnt/sshfs rw - fuse.sshfs user@host: rw
        42 27 8:2 / /mnt/windows rw - fuseblk /dev/sda2 rw
        43 27 0:46 / /mnt/with\\040space rw - cifs //server/share rw
        45 27 0:48 \u{301}a \u{200D}b \u{301}c - nfs \u{301}server rw
        46 27 0:49 / /mnt/a rw - tmpfs \u{301} rw
        47 27 0:50 / /mnt/b rw - smb3 a rw
        broken line
        44 27
        """

    @Test(
        arguments: [
            (0x2D, "nfs4"), (0x10_002C, "fuse.sshfs"), (0x2E, "cifs"), (0x30, "nfs"), (0x31, nil), (0x32, "smb3"),
            (0xFE00, nil), (0x15, nil), (0x802, nil),
        ] as [(UInt64, String?)]
    )
    func `a table of mounted file systems knows the remote ones by their devices`(device: UInt64, type: String?) {
        #expect(MountTable(information: Self.information).remoteType(among: [1, device, 2]) == type)
    }

    @Test func `a table of mounted file systems reads that of the process`() throws {
        let device = try POSIXFileSystem().status(ofItemAt: "/proc").signature.device
        #expect(MountTable.current().remoteType(among: [device]) == nil)
    }
}
#endif
