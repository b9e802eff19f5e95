package import KeyspanCore

/// Which file a path leads to, whatever links and names are on the way: its folder and its name there.
///
/// Names are compared byte by byte, as Linux does. Where the system takes two spellings of a name for one, as on APFS, each
/// spelling has a table of its own, and the tables treat each other like two processes.
package enum FileIdentity: Sendable, Hashable {
    /// A file in a folder that exists; there need not be a file yet.
    case inFolder(device: UInt64, inode: UInt64, name: UTF8Text)
    /// A file in a folder that does not exist, or that cannot be looked at.
    case path(UTF8Text)

    /// Follows a path.
    package init(of path: AbsolutePath, in fileSystem: any FileSystem) {
        do {
            let file = try fileSystem.resolve(path).path
            // The dot makes lstat(2) follow links in the place of the folder.
            let folder = try fileSystem.status(ofItemAt: file.folder + "/.").signature
            self = .inFolder(device: folder.device, inode: folder.inode, name: UTF8Text(file.name))
        } catch {
            // Opening the file tells what is wrong, if something is.
            self = .path(UTF8Text(path.text))
        }
    }
}
