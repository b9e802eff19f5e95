extension FileSystem {
    /// Returns when the names in an open folder are on the disk, or at once where the file system cannot do that.
    func flushFolder(_ folder: OpenFile) throws(SystemCallError) {
        do {
            try flush(folder)
        } catch let error where error.isNotOffered {
            return
        }
    }

    /// Opens a folder to flush it, and makes it first, with the missing folders above it, if it does not exist.
    ///
    /// New folders are for their owner alone (0700, as the XDG Base Directory Specification asks), and their names are on
    /// the disk when this returns.
    func openOrMakeFolder(_ path: String) throws(SystemCallError) -> OpenFile {
        do {
            return try openFile(path, for: .folder)
        } catch let error where error.isNotFound {
            try makeFolder(path)
            return try openFile(path, for: .folder)
        }
    }

    /// Returns when the names of a folder and of all folders above it are on the disk.
    ///
    /// Another process may have made one of them and have ended before it flushed its name. Ends at a folder that the
    /// process may not read, such as that of all homes: it did not make the folders above that one either.
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
            // Otherwise the next attempt would find a folder whose name may not be on the disk, and not flush it again.
            try? removeFolder(path)
            throw error
        }
    }
}
