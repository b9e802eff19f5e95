@_spi(StoreAuthors) import KeyspanFileStore

extension SimulatedDisk: FileSystem {
    func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        OpenFile(descriptor: try perform(.open, path) { try $0.open(path, for: purpose) }, path: path)
    }

    func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try perform(.read, file.path) { try $0.read(file.descriptor, at: nil, atMost: count) }
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        try perform(.write, file.path) { try $0.write(bytes, to: file.descriptor, at: nil) }
    }

    func readBytes(from file: OpenFile, at offset: Int, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try perform(.pread, file.path) { try $0.read(file.descriptor, at: offset, atMost: count) }
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError) -> Int {
        try perform(.pwrite, file.path) { try $0.write(bytes, to: file.descriptor, at: offset) }
    }

    func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try perform(.ftruncate, file.path) { try $0.truncate(file.descriptor, to: size) }
    }

    func flush(_ file: OpenFile) throws(SystemCallError) {
        try perform(.fsync, file.path) { try $0.flush(file.descriptor, contentsOnly: false) }
    }

    func flushContents(of file: OpenFile) throws(SystemCallError) {
        try perform(.fdatasync, file.path) { try $0.flush(file.descriptor, contentsOnly: true) }
    }

    func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        try perform(.flock, file.path) { try $0.lock(file.descriptor, exclusively: isExclusive) }
    }

    func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        let end = ContinuousClock.now + .seconds(60)
        while try !lock(file, exclusively: isExclusive) {
            guard ContinuousClock.now < end else { throw SystemCallError(.flock, file.path, EDEADLK) }
            usleep(500)  // The pace of the tries.
        }
    }

    func unlock(_ file: OpenFile) throws(SystemCallError) {
        try perform(.flock, file.path) { try $0.unlock(file.descriptor) }
    }

    func closeFile(_ file: OpenFile) throws(SystemCallError) {
        try perform(.close, file.path) { try $0.close(file.descriptor) }
    }

    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        try perform(.fstat, file.path) { try $0.status(file.descriptor) }
    }

    func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        try perform(.lstat, path) { try $0.status(at: path) }
    }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try perform(.fchmod, file.path) { try $0.setPermissions(permissions, of: file.descriptor) }
    }

    func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        try perform(.futimens, file.path) { try $0.setModificationTime(nanoseconds, of: file.descriptor) }
    }

    func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        try perform(.fchown, file.path) { try $0.setOwner(owner, group: group, of: file.descriptor) }
    }

    func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        try perform(.readlink, path) { try $0.target(ofLinkAt: path) }
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try perform(.rename, newPath) { try $0.rename(path, to: newPath) }
    }

    func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try perform(.link, newPath) { try $0.link(path, to: newPath) }
    }

    func removeFile(_ path: String) throws(SystemCallError) {
        try perform(.unlink, path) { try $0.unlink(path) }
    }

    func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try perform(.mkdir, path) { _ = try $0.makeNamed(.folder([:]), at: path, permissions: permissions) }
    }

    func removeFolder(_ path: String) throws(SystemCallError) {
        try perform(.rmdir, path) { try $0.removeFolder(path) }
    }

    func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try perform(.opendir, path) { try $0.names(inFolder: path) }
    }

    var nanoseconds: Int64 { state.clock ?? POSIXFileSystem().nanoseconds }

    var user: UInt32 { 0 }

    func workingFolder() throws(SystemCallError) -> String {
        state.properties.workingFolder
    }
}
