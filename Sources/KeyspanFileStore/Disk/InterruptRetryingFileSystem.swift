package import KeyspanCore

/// A file system that repeats each call of another file system that a signal interrupted (`EINTR`).
///
/// `close(2)` is the exception: on Linux the descriptor is gone after an interruption, and its number may already
/// belong to another thread's file.
package struct InterruptRetryingFileSystem: FileSystem {
    private let base: any FileSystem

    /// Makes a file system around another one, by default the real one.
    package init(_ base: any FileSystem = POSIXFileSystem()) {
        self.base = base
    }

    package func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        try retrying { () throws(SystemCallError) in try base.openFile(path, for: purpose) }
    }

    package func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try retrying { () throws(SystemCallError) in try base.readBytes(from: file, atMost: count) }
    }

    package func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        try retrying { () throws(SystemCallError) in try base.writeBytes(bytes, to: file) }
    }

    package func readBytes(
        from file: OpenFile,
        at offset: Int,
        atMost count: Int
    ) throws(SystemCallError) -> [UInt8] {
        try retrying { () throws(SystemCallError) in try base.readBytes(from: file, at: offset, atMost: count) }
    }

    package func writeBytes(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int {
        try retrying { () throws(SystemCallError) in try base.writeBytes(bytes, to: file, at: offset) }
    }

    package func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.truncate(file, to: size) }
    }

    package func flush(_ file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.flush(file) }
    }

    package func flushContents(of file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.flushContents(of: file) }
    }

    package func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        try retrying { () throws(SystemCallError) in try base.lock(file, exclusively: isExclusive) }
    }

    package func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.waitForLock(file, exclusively: isExclusive) }
    }

    package func unlock(_ file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.unlock(file) }
    }

    package func closeFile(_ file: OpenFile) throws(SystemCallError) {
        do {
            try base.closeFile(file)
        } catch let error where error.isInterruption {
            return
        }
    }

    package func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        try retrying { () throws(SystemCallError) in try base.status(of: file) }
    }

    package func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        try retrying { () throws(SystemCallError) in try base.status(ofItemAt: path) }
    }

    package func identity(ofItemAt path: String) throws(SystemCallError) -> ItemIdentity {
        try retrying { () throws(SystemCallError) in try base.identity(ofItemAt: path) }
    }

    package func writeAndFlushBytes(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(SystemCallError) -> Int {
        try retrying { () throws(SystemCallError) in try base.writeAndFlushBytes(bytes, to: file, at: offset) }
    }

    package func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.setPermissions(permissions, of: file) }
    }

    package func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.setModificationTime(nanoseconds, of: file) }
    }

    package func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.setOwner(owner, group: group, of: file) }
    }

    package func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        try retrying { () throws(SystemCallError) in try base.target(ofLinkAt: path) }
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.renameFile(path, to: newPath) }
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.linkFile(path, to: newPath) }
    }

    package func openUnnamedFile(for path: String) -> OpenFile? { base.openUnnamedFile(for: path) }

    package func nameFile(_ file: OpenFile) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.nameFile(file) }
    }

    package func removeFile(_ path: String) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.removeFile(path) }
    }

    package func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.makeFolder(path, permissions: permissions) }
    }

    package func removeFolder(_ path: String) throws(SystemCallError) {
        try retrying { () throws(SystemCallError) in try base.removeFolder(path) }
    }

    package func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try retrying { () throws(SystemCallError) in try base.names(inFolder: path) }
    }

    /// The names of all items in a folder of the real file system, including those that are not UTF-8.
    package func items(inFolder path: String) throws(SystemCallError) -> [OutsideText] {
        try retrying { () throws(SystemCallError) in try POSIXFileSystem().items(inFolder: path) }
    }

    package var nanoseconds: Int64 { base.nanoseconds }

    package var user: UInt32 { base.user }

    package func workingFolder() throws(SystemCallError) -> String {
        try retrying { () throws(SystemCallError) in try base.workingFolder() }
    }

    private func retrying<Result>(_ call: () throws(SystemCallError) -> Result) throws(SystemCallError) -> Result {
        while true {
            do {
                return try call()
            } catch let error where error.isInterruption {
                continue
            }
        }
    }
}
