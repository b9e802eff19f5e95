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
