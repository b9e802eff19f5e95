extension FileSystem {
    /// Returns when the names in an open folder are on the disk, or at once where the file system cannot do that.
    func flushFolder(_ folder: OpenFile) throws(SystemCallError) {
        do {
            try flush(folder)
        } catch  where error.isNotOffered {
            return
        }
    }

    /// Makes a folder and the missing folders above it, for their owner alone (0700, as the XDG Base Directory
    /// Specification asks), and returns when their names are on the disk.
    func makeFolders(_ path: String) throws(SystemCallError) {
        let parent = AbsolutePath(path, relativeTo: "/").folder
        do {
            try makeFolder(path, permissions: 0o700)
        } catch  where error.isAlreadyThere {
            return
        } catch  where error.isNotFound {
            try makeFolders(parent)
            try makeFolder(path, permissions: 0o700)
        }
        let folder = try openFile(parent, for: .folder)
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? closeFile(folder) }
        try flushFolder(folder)
    }
}
