/// Which file a path leads to, whatever links and names are on the way: its folder and its name there.
package enum FileIdentity: Sendable, Hashable {
    /// A file in a folder that exists; there need not be a file yet.
    case inFolder(device: UInt64, inode: UInt64, name: String)
    /// A file in a folder that does not exist, or that cannot be looked at.
    case path(String)

    /// Follows a path.
    package init(of path: AbsolutePath, in fileSystem: any FileSystem) {
        do {
            let file = try fileSystem.resolve(path).path
            // The dot makes lstat(2) follow links in the place of the folder.
            let folder = try fileSystem.status(ofItemAt: file.folder + "/.").signature
            self = .inFolder(device: folder.device, inode: folder.inode, name: file.name)
        } catch {
            // Opening the file tells what is wrong, if something is.
            self = .path(path.text)
        }
    }
}
