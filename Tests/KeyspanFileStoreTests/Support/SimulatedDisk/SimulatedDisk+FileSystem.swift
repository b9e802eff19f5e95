@_spi(StoreAuthors) import KeyspanFileStore

extension SimulatedDisk: FileSystem {
    func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        let descriptor = try perform(.open, path) { (machine) throws(ErrorNumber) in
            try machine.open(path, for: purpose)
        }
        return OpenFile(descriptor: descriptor, path: path)
    }

    func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try perform(.read, file.path) { (machine) throws(ErrorNumber) in
            try machine.read(file.descriptor, at: nil, atMost: count)
        }
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        try perform(.write, file.path) { (machine) throws(ErrorNumber) in
            try machine.write(bytes, to: file.descriptor, at: nil)
        }
    }

    func readBytes(from file: OpenFile, at offset: Int, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try perform(.pread, file.path) { (machine) throws(ErrorNumber) in
            try machine.read(file.descriptor, at: offset, atMost: count)
        }
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError) -> Int {
        try perform(.pwrite, file.path) { (machine) throws(ErrorNumber) in
            try machine.write(bytes, to: file.descriptor, at: offset)
        }
    }

    func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try perform(.ftruncate, file.path) { (machine) throws(ErrorNumber) in
            try machine.truncate(file.descriptor, to: size)
        }
    }

    func flush(_ file: OpenFile) throws(SystemCallError) {
        try perform(.fsync, file.path) { (machine) throws(ErrorNumber) in
            try machine.flush(file.descriptor, contentsOnly: false)
        }
    }

    func flushContents(of file: OpenFile) throws(SystemCallError) {
        try perform(.fdatasync, file.path) { (machine) throws(ErrorNumber) in
            try machine.flush(file.descriptor, contentsOnly: true)
        }
    }

    func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        try perform(.flock, file.path) { (machine) throws(ErrorNumber) in
            try machine.lock(file.descriptor, exclusively: isExclusive)
        }
    }

    func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        while try !lock(file, exclusively: isExclusive) { usleep(500) }
    }

    func unlock(_ file: OpenFile) throws(SystemCallError) {
        try perform(.flock, file.path) { (machine) throws(ErrorNumber) in try machine.unlock(file.descriptor) }
    }

    func closeFile(_ file: OpenFile) throws(SystemCallError) {
        try perform(.close, file.path) { (machine) throws(ErrorNumber) in try machine.close(file.descriptor) }
    }

    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        try perform(.fstat, file.path) { (machine) throws(ErrorNumber) in try machine.status(file.descriptor) }
    }

    func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        try perform(.lstat, path) { (machine) throws(ErrorNumber) in try machine.status(at: path) }
    }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try perform(.fchmod, file.path) { (machine) throws(ErrorNumber) in
            try machine.setPermissions(permissions, of: file.descriptor)
        }
    }

    func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        try perform(.futimens, file.path) { (machine) throws(ErrorNumber) in
            try machine.setModificationTime(nanoseconds, of: file.descriptor)
        }
    }

    func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        try perform(.fchown, file.path) { (machine) throws(ErrorNumber) in
            try machine.setOwner(owner, group: group, of: file.descriptor)
        }
    }

    func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        try perform(.readlink, path) { (machine) throws(ErrorNumber) in try machine.target(ofLinkAt: path) }
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try perform(.rename, newPath) { (machine) throws(ErrorNumber) in try machine.rename(path, to: newPath) }
    }

    func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try perform(.link, newPath) { (machine) throws(ErrorNumber) in try machine.link(path, to: newPath) }
    }

    func removeFile(_ path: String) throws(SystemCallError) {
        try perform(.unlink, path) { (machine) throws(ErrorNumber) in try machine.unlink(path) }
    }

    func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try perform(.mkdir, path) { (machine) throws(ErrorNumber) in
            _ = try machine.makeNamed(.folder([:]), at: path, permissions: permissions)
        }
    }

    func removeFolder(_ path: String) throws(SystemCallError) {
        try perform(.rmdir, path) { (machine) throws(ErrorNumber) in try machine.removeFolder(path) }
    }

    func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try perform(.opendir, path) { (machine) throws(ErrorNumber) in try machine.names(inFolder: path) }
    }

    var nanoseconds: Int64 { state.clock ?? POSIXFileSystem().nanoseconds }

    var user: UInt32 { 0 }

    func workingFolder() throws(SystemCallError) -> String {
        state.properties.workingFolder
    }
}
