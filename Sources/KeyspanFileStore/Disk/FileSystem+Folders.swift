extension FileSystem {
    /// Flushes the names in an open folder to the disk; does nothing where the file system cannot do that.
    func flushFolder(_ folder: OpenFile) throws(SystemCallError) {
        do {
            try flush(folder)
        } catch let error where error.isNotOffered {
            return
        }
    }

    /// Opens a folder to flush it, and first creates it, with the missing folders above it, if it does not exist.
    ///
    /// New folders belong to their owner alone (0700, as the XDG Base Directory Specification asks) unless they follow the umask, and
    /// their names are on the disk when this method returns.
    func openOrMakeFolder(
        _ path: String,
        _ newFiles: FileStoreOptions.NewFiles = .areForOwner
    ) throws(SystemCallError) -> OpenFile {
        do {
            return try openFile(path, for: .folder)
        } catch let error where error.isNotFound {
            try makeFolder(path, newFiles)
            return try openFile(path, for: .folder)
        }
    }

    /// Flushes the names of a folder and of all folders above it to the disk.
    ///
    /// Another process may have created one of them and ended before it flushed the name. The method stops at a folder that the
    /// process may not read, such as `/home`: the process did not create the folders above it either.
    func flushNames(ofFoldersTo path: String) throws(SystemCallError) {
        var path = AbsolutePath(path, relativeTo: "/")
        while path.text != "/" {
            let folder: OpenFile
            do {
                folder = try openFile(path.folder, for: .folder)
            } catch let error where error.isWriteProtection {
                return
            }
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            defer { try? closeFile(folder) }
            try flushFolder(folder)
            path = AbsolutePath(path.folder, relativeTo: "/")
        }
    }

    private func makeFolder(_ path: String, _ newFiles: FileStoreOptions.NewFiles) throws(SystemCallError) {
        let parent = try openOrMakeFolder(AbsolutePath(path, relativeTo: "/").folder, newFiles)
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? closeFile(parent) }
        let time = nanoseconds
        do {
            try makeFolder(path, permissions: newFiles.folderPermissions)
        } catch let error where error.isAlreadyThere {
            return
        }
        if user == 0 { try giveNewFolder(path, in: parent, since: time) }
        do {
            try flushFolder(parent)
        } catch {
            // Otherwise the next attempt would find a folder whose name may not be durable, and not flush it again.
            try? removeFolder(path)
            throw error
        }
    }
}

extension FileSystem {
    /// Gives a folder that root has just made to the owner of the folder around it.
    ///
    /// - Parameter time: When it was made, or before. The owner of the folder around it can put another folder of root in its place, but none
    ///   that is as new: only root can change what is in that one.
    private func giveNewFolder(_ path: String, in parent: OpenFile, since time: Int64) throws(SystemCallError) {
        let around = try status(of: parent)
        if around.owner == 0 { return }
        let folder = try openFile(path, for: .newFolder)
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? closeFile(folder) }
        let new = try status(of: folder)
        // The times of files advance in ticks, of two seconds at most.
        guard new.owner == 0, new.signature.modified >= time - 2_000_000_000 else { return }
        try around.give(folder, in: self)
    }
}

/// The names in a folder that has one file for each setting, such as Docker and Kubernetes mount for secrets.
enum SettingsFolder {
    /// The link by which Kubernetes replaces all files of a mounted folder in one step.
    static let versionLink = "..data"

    /// The largest number of files that are read and watched.
    static let maximumFileCount = 1000

    /// Whether a file of that name can be a setting: hidden names are those of editors, and of versions of the folder.
    static func isFileName(_ name: String) -> Bool { name.utf8.first != UInt8(ascii: ".") }
}
