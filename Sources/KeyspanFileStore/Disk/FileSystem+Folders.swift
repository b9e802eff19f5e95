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
    /// New folders belong to their owner alone (0700, as the XDG Base Directory Specification asks), and their names are on the
    /// disk when this method returns.
    func openOrMakeFolder(_ path: String) throws(SystemCallError) -> OpenFile {
        do {
            return try openFile(path, for: .folder)
        } catch let error where error.isNotFound {
            try makeFolder(path)
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

    private func makeFolder(_ path: String) throws(SystemCallError) {
        let parent = try openOrMakeFolder(AbsolutePath(path, relativeTo: "/").folder)
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? closeFile(parent) }
        do {
            try makeFolder(path, permissions: 0o700)
        } catch let error where error.isAlreadyThere {
            return
        }
        do {
            try flushFolder(parent)
        } catch {
            // Otherwise the next attempt would find a folder whose name may not be durable, and not flush it again.
            try? removeFolder(path)
            throw error
        }
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
