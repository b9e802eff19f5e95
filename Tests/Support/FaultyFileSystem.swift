import Foundation
import KeyspanCore
package import KeyspanFileStore

/// A file system with faults, which keeps a list of the calls that are made.
package final class FaultyFileSystem: FileSystem {
    /// The faults; calls count from 1 from the moment the fault is set.
    package enum Fault {
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

    package struct Call: Equatable, CustomStringConvertible {
        package let call: SystemCall
        package let path: String

        /// The call and the last part of its path; the unique part of a temporary name is left out.
        package var description: String {
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
    package init(_ base: any FileSystem = POSIXFileSystem()) {
        self.base = base
    }

    /// The calls since the fault was set.
    package var calls: [Call] { state.withLock { $0.calls } }

    /// Sets what goes wrong from now on.
    package func inject(_ fault: Fault) {
        state.withLock { $0 = State(fault: fault) }
    }

    package func openFile(_ path: String, for purpose: OpenPurpose) throws(SystemCallError) -> OpenFile {
        try call(.open, path, base.openFile(path, for: purpose))
    }

    package func readBytes(from file: OpenFile, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try call(.read, file.path, base.readBytes(from: file, atMost: count))
    }

    package func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile) throws(SystemCallError) -> Int {
        try call(.write, file.path, base.writeBytes(bytes.prefix(longestWrite), to: file))
    }

    package func readBytes(from file: OpenFile, at offset: Int, atMost count: Int) throws(SystemCallError) -> [UInt8] {
        try call(.pread, file.path, base.readBytes(from: file, at: offset, atMost: count))
    }

    package func writeBytes(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(SystemCallError)
        -> Int
    {
        try call(.pwrite, file.path, base.writeBytes(bytes.prefix(longestWrite), to: file, at: offset))
    }

    package func truncate(_ file: OpenFile, to size: Int) throws(SystemCallError) {
        try call(.ftruncate, file.path, base.truncate(file, to: size))
    }

    package func flushContents(of file: OpenFile) throws(SystemCallError) {
        try call(.fdatasync, file.path, base.flushContents(of: file))
    }

    package func lock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) -> Bool {
        try call(.flock, file.path, base.lock(file, exclusively: isExclusive))
    }

    package func waitForLock(_ file: OpenFile, exclusively isExclusive: Bool) throws(SystemCallError) {
        try call(.flock, file.path, base.waitForLock(file, exclusively: isExclusive))
    }

    package func unlock(_ file: OpenFile) throws(SystemCallError) {
        try call(.flock, file.path, base.unlock(file))
    }

    package func openUnnamedFile(for path: String) -> OpenFile? {
        try? call(.open, path, base.openUnnamedFile(for: path))
    }

    package func nameFile(_ file: OpenFile) throws(SystemCallError) {
        try call(.link, file.path, base.nameFile(file))
    }

    package func names(inFolder path: String) throws(SystemCallError) -> [String] {
        try call(.opendir, path, base.names(inFolder: path))
    }

    package func flush(_ file: OpenFile) throws(SystemCallError) {
        try call(.fsync, file.path, base.flush(file))
    }

    package func closeFile(_ file: OpenFile) throws(SystemCallError) {
        // The descriptor is gone whatever the system answers.
        try base.closeFile(file)
        try begin(.close, file.path)
    }

    package func status(of file: OpenFile) throws(SystemCallError) -> FileStatus {
        try call(.fstat, file.path, base.status(of: file))
    }

    package func status(ofItemAt path: String) throws(SystemCallError) -> FileStatus {
        try call(.lstat, path, base.status(ofItemAt: path))
    }

    package func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(SystemCallError) {
        try call(.fchmod, file.path, base.setPermissions(permissions, of: file))
    }

    package func setModificationTime(_ nanoseconds: Int64, of file: OpenFile) throws(SystemCallError) {
        try call(.futimens, file.path, base.setModificationTime(nanoseconds, of: file))
    }

    package func setOwner(_ owner: UInt32?, group: UInt32?, of file: OpenFile) throws(SystemCallError) {
        try call(.fchown, file.path, base.setOwner(owner, group: group, of: file))
    }

    package func target(ofLinkAt path: String) throws(SystemCallError) -> String {
        try call(.readlink, path, base.target(ofLinkAt: path))
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try call(.rename, newPath, base.renameFile(path, to: newPath))
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemCallError) {
        try call(.link, newPath, base.linkFile(path, to: newPath))
    }

    package func removeFile(_ path: String) throws(SystemCallError) {
        try call(.unlink, path, base.removeFile(path))
    }

    package func makeFolder(_ path: String, permissions: UInt32) throws(SystemCallError) {
        try call(.mkdir, path, base.makeFolder(path, permissions: permissions))
    }

    package func removeFolder(_ path: String) throws(SystemCallError) {
        try call(.rmdir, path, base.removeFolder(path))
    }

    package var nanoseconds: Int64 { base.nanoseconds }

    package var user: UInt32 { base.user }

    package func workingFolder() throws(SystemCallError) -> String {
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
