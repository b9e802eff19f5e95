import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// A file system with faults, which keeps a list of the calls that are made.
final class FaultyFileSystem: FileSystem {
    /// The faults; calls count from 1 from the moment the fault is set.
    enum Fault {
        case none
        /// One call fails.
        case failure(call: Int, errno: Int32)
        /// The next call with that description fails.
        case failureOfNext(String, errno: Int32)
        /// A call and all after it fail, as if the process were killed before it.
        case crash(call: Int)
        /// Every call of one name fails.
        case refusal(SystemCall, errno: Int32)
        /// No write takes more than so many bytes.
        case shortWrites(count: Int)
        /// Something else happens before the next call of one name, which then succeeds.
        case interlude(before: SystemCall, @Sendable () -> Void)
    }

    struct Call: Equatable, CustomStringConvertible {
        let call: SystemCall
        let path: String

        /// The call and the last part of its path; the unique part of a temporary name is left out.
        var description: String {
            let name = path.split(separator: "/").last.map(String.init) ?? "/"
            return "\(call.rawValue) \(name.hasSuffix(".tmp") ? "temporary" : name)"
        }
    }

    private struct State {
        var fault = Fault.none
        var calls: [Call] = []
    }

    private let base: any FileSystem
    private let state = Locked(State())

    /// Makes a file system around another one, the real one unless given.
    init(_ base: any FileSystem = POSIXFileSystem()) {
        self.base = base
    }

    /// The calls since the fault was set.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Sets what goes wrong from now on.
    func inject(_ fault: Fault) {
        state.withLock { $0 = State(fault: fault) }
    }

    func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        try call(.open, path, base.openFile(path, for: purpose))
    }

    func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try call(.read, file.path, base.readBytes(from: file, atMost: count))
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        try call(.write, file.path, base.writeBytes(bytes.prefix(longestWrite), to: file))
    }

    func readBytes(from file: OpenFile, at offset: Int, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try call(.pread, file.path, base.readBytes(from: file, at: offset, atMost: count))
    }

    func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError) -> Int {
        try call(.pwrite, file.path, base.writeBytes(bytes.prefix(longestWrite), to: file, at: offset))
    }

    func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try call(.ftruncate, file.path, base.truncate(file, to: size))
    }

    func flushContents(of file: OpenFile) throws(SystemCallError) {
        try call(.fdatasync, file.path, base.flushContents(of: file))
    }

    func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        try call(.flock, file.path, base.lock(file, exclusively: isExclusive))
    }

    func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        try call(.flock, file.path, base.waitForLock(file, exclusively: isExclusive))
    }

    func unlock(_ file: OpenFile) throws(SystemCallError) {
        try call(.flock, file.path, base.unlock(file))
    }

    func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try call(.opendir, path, base.names(inFolder: path))
    }

    func flush(_ file: OpenFile) throws(SystemCallError) {
        try call(.fsync, file.path, base.flush(file))
    }

    func closeFile(_ file: OpenFile) throws(SystemCallError) {
        // The descriptor is gone whatever the system answers.
        try base.closeFile(file)
        try begin(.close, file.path)
    }

    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        try call(.fstat, file.path, base.status(of: file))
    }

    func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        try call(.lstat, path, base.status(ofItemAt: path))
    }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try call(.fchmod, file.path, base.setPermissions(permissions, of: file))
    }

    func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        try call(.futimens, file.path, base.setModificationTime(nanoseconds, of: file))
    }

    func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        try call(.fchown, file.path, base.setOwner(owner, group: group, of: file))
    }

    func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        try call(.readlink, path, base.target(ofLinkAt: path))
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try call(.rename, newPath, base.renameFile(path, to: newPath))
    }

    func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try call(.link, newPath, base.linkFile(path, to: newPath))
    }

    func removeFile(_ path: String) throws(SystemCallError) {
        try call(.unlink, path, base.removeFile(path))
    }

    func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try call(.mkdir, path, base.makeFolder(path, permissions: permissions))
    }

    func removeFolder(_ path: String) throws(SystemCallError) {
        try call(.rmdir, path, base.removeFolder(path))
    }

    var nanoseconds: Int64 { base.nanoseconds }

    var user: UInt32 { base.user }

    func workingFolder() throws(SystemCallError) -> String {
        try call(.getcwd, ".", base.workingFolder())
    }

    private var longestWrite: Int {
        state.withLock { if case .shortWrites(let count) = $0.fault { count } else { .max } }
    }

    private func call<Result>(
        _ call: SystemCall,
        _ path: String,
        _ body: @autoclosure () throws(SystemCallError) -> Result
    ) throws(SystemCallError) -> Result {
        try begin(call, path)
        return try body()
    }

    private func begin(_ call: SystemCall, _ path: String) throws(SystemCallError) {
        let interlude: (@Sendable () -> Void)? = state.withLock { state in
            guard case .interlude(call, let action) = state.fault else { return nil }
            state.fault = .none
            return action
        }
        interlude?()
        let failure: Int32? = state.withLock { state in
            state.calls.append(Call(call: call, path: path))
            if case .failureOfNext(state.calls.last?.description, let errno) = state.fault {
                state.fault = .none
                return errno
            }
            return switch state.fault {
            case .failure(let number, let errno) where number == state.calls.count: errno
            case .crash(let number) where number <= state.calls.count: EIO
            case .refusal(call, let errno): errno
            default: nil
            }
        }
        if let failure { throw SystemCallError(call, path, failure) }
    }
}
