import Dispatch
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The real file system with a disk that can be full, or not answer when bytes are flushed.
final class FailingFileSystem: FileSystem {
    private struct State {
        var isFull = false
        var isHanging = false
        var waiting: [DispatchSemaphore] = []
    }

    private let base = POSIXFileSystem()
    private let state = Locked(State())

    /// Whether every write fails.
    var isFull: Bool {
        get { state.withLock(\.isFull) }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// The number of threads that wait for the disk.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Lets every write wait from now on.
    func hang() {
        state.withLock { $0.isHanging = true }
    }

    /// Lets the disk answer again.
    func answer() {
        let waiting = state.withLock { state in
            defer { (state.isHanging, state.waiting) = (false, []) }
            return state.waiting
        }
        for thread in waiting { thread.signal() }
    }

    private func beginWrite(_ call: SystemCall, _ path: String) throws(SystemCallError) {
        let (isFull, hold) = state.withLock { state -> (Bool, DispatchSemaphore?) in
            guard state.isHanging else { return (state.isFull, nil) }
            let hold = DispatchSemaphore(value: 0)
            state.waiting.append(hold)
            return (state.isFull, hold)
        }
        _ = hold?.wait(timeout: .now() + 120)
        if isFull { throw SystemCallError(call, path, 28) }
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        try beginWrite(.write, file.path)
        return try base.writeBytes(bytes, to: file)
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError) -> Int {
        try beginWrite(.pwrite, file.path)
        return try base.writeBytes(bytes, to: file, at: offset)
    }

    func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        try base.openFile(path, for: purpose)
    }

    func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try base.readBytes(from: file, atMost: count)
    }

    func readBytes(
        from file: OpenFile,
        at offset: Int,
        atMost count: Int
    ) throws(SystemCallError) -> [UInt8] {
        try base.readBytes(from: file, at: offset, atMost: count)
    }

    func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try base.truncate(file, to: size)
    }

    func flushContents(of file: OpenFile) throws(SystemCallError) {
        try base.flushContents(of: file)
    }

    func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        try base.lock(file, exclusively: isExclusive)
    }

    func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        try base.waitForLock(file, exclusively: isExclusive)
    }

    func unlock(_ file: OpenFile) throws(SystemCallError) {
        try base.unlock(file)
    }

    func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try base.names(inFolder: path)
    }

    func flush(_ file: OpenFile) throws(SystemCallError) {
        try base.flush(file)
    }

    func closeFile(_ file: OpenFile) throws(SystemCallError) {
        try base.closeFile(file)
    }

    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        try base.status(of: file)
    }

    func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        try base.status(ofItemAt: path)
    }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try base.setPermissions(permissions, of: file)
    }

    func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        try base.setModificationTime(nanoseconds, of: file)
    }

    func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        try base.setOwner(owner, group: group, of: file)
    }

    func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        try base.target(ofLinkAt: path)
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try base.renameFile(path, to: newPath)
    }

    func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try base.linkFile(path, to: newPath)
    }

    func removeFile(_ path: String) throws(SystemCallError) {
        try base.removeFile(path)
    }

    func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try base.makeFolder(path, permissions: permissions)
    }

    func removeFolder(_ path: String) throws(SystemCallError) {
        try base.removeFolder(path)
    }

    var nanoseconds: Int64 { base.nanoseconds }

    var user: UInt32 { base.user }

    func workingFolder() throws(SystemCallError) -> String {
        try base.workingFolder()
    }
}
