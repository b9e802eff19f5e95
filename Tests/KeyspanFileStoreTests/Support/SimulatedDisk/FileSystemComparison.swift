@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Makes the same random calls on two file systems, with so few names that they often meet.
struct FileSystemComparison {
    private struct Pair {
        let first: OpenFile
        let second: OpenFile
    }

    private let first: any FileSystem
    private let second: any FileSystem
    private let folder: String
    private var generator: SeededGenerator
    private var openFiles: [Pair] = []

    /// The calls that were made and both answers.
    private(set) var history: [String] = []

    init(_ first: any FileSystem, _ second: any FileSystem, folder: String, seed: UInt64) {
        (self.first, self.second, self.folder) = (first, second, folder)
        generator = SeededGenerator(seed: seed)
    }

    /// Makes one call on both.
    ///
    /// - Returns: Whether the answers are the same.
    mutating func compareNext() -> Bool {
        switch Int.random(in: 0..<40, using: &generator) {
        case 0..<8: compareOpening()
        case 8..<11 where !openFiles.isEmpty: compareClosing()
        case 11..<25 where !openFiles.isEmpty: compareCallOnFile()
        default: compareCallOnPath()
        }
    }

    /// Closes what is open.
    mutating func closeAll() {
        for pair in openFiles {
            try? first.closeFile(pair.first)
            try? second.closeFile(pair.second)
        }
        openFiles = []
    }

    private mutating func compareOpening() -> Bool {
        let path = path()
        let purpose = pick([OpenPurpose.reading, .updating, .creating, .creating, .folder])
        let firstFile = Self.answer { try first.openFile(path, for: purpose) }
        let secondFile = Self.answer { try second.openFile(path, for: purpose) }
        if case (.success(let first), .success(let second)) = (firstFile, secondFile) {
            openFiles.append(Pair(first: first, second: second))
        }
        return note("open \(path) for \(purpose)", firstFile.map { _ in "" }, secondFile.map { _ in "" })
    }

    private mutating func compareClosing() -> Bool {
        let pair = openFiles.remove(at: Int.random(in: 0..<openFiles.count, using: &generator))
        return note(
            "close \(pair.first.path)",
            Self.answer { try first.closeFile(pair.first) }.map { "" },
            Self.answer { try second.closeFile(pair.second) }.map { "" }
        )
    }

    private mutating func compareCallOnFile() -> Bool {
        let offset = pick([0, 1, 5, 700, -1])
        let count = pick([0, 1, 3, 1000])
        let bytes = [UInt8](repeating: .random(in: 1...9, using: &generator), count: count)[...]
        return switch Int.random(in: 0..<12, using: &generator) {
        case 0: compare("read \(count)") { "\(try $0.readBytes(from: $1, atMost: count))" }
        case 1: compare("pread \(offset) \(count)") { "\(try $0.readBytes(from: $1, at: offset, atMost: count))" }
        case 2: compare("write \(count)") { "\(try $0.writeBytes(bytes, to: $1))" }
        case 3: compare("pwrite \(offset) \(count)") { "\(try $0.writeBytes(bytes, to: $1, at: offset))" }
        case 4: compare("ftruncate \(offset)") { "\(try $0.truncate($1, to: offset))" }
        case 5: compare("fsync") { "\(try $0.flush($1))" }
        case 6: compare("fdatasync") { "\(try $0.flushContents(of: $1))" }
        case 7: compareLocking(exclusively: true)
        case 8: compareLocking(exclusively: false)
        case 9: compare("flock none") { "\(try $0.unlock($1))" }
        case 10: compare("fchmod") { "\(try $0.setPermissions(0o640, of: $1))" }
        default: compare("fstat") { Self.text(try $0.status(of: $1)) }
        }
    }

    /// Repeats the call on the first: a file that was closed stays locked as long as a process that another test is just starting has
    /// its descriptor.
    private mutating func compareLocking(exclusively isExclusive: Bool) -> Bool {
        let pair = pick(openFiles)
        let second = Self.answer { "\(try self.second.lock(pair.second, exclusively: isExclusive))" }
        var first = second
        eventually("the lock is free, or not, as in the other file system") {
            first = Self.answer { "\(try self.first.lock(pair.first, exclusively: isExclusive))" }
            return first == second
        }
        return note("flock \(isExclusive ? "exclusive" : "shared") of \(pair.first.path)", first, second)
    }

    private mutating func compareCallOnPath() -> Bool {
        let (path, other) = (path(), path())
        return switch Int.random(in: 0..<13, using: &generator) {
        case 0..<2: compare("mkdir \(path)") { "\(try $0.makeFolder(path, permissions: 0o700))" }
        case 2: compare("rmdir \(path)") { "\(try $0.removeFolder(path))" }
        case 3: compare("unlink \(path)") { "\(try $0.removeFile(path))" }
        case 4..<7: compare("rename \(path) \(other)") { "\(try $0.renameFile(path, to: other))" }
        case 7: compare("readlink \(path)") { try $0.target(ofLinkAt: path) }
        case 8..<10: compare("opendir \(path)") { "\(try $0.names(inFolder: path).sorted())" }
        case 10: compare("link \(path) \(other)") { "\(try $0.linkFile(path, to: other))" }
        default: compare("lstat \(path)") { Self.text(try $0.status(ofItemAt: path)) }
        }
    }

    private mutating func compare(_ call: String, _ body: (any FileSystem, OpenFile) throws -> String) -> Bool {
        let pair = pick(openFiles)
        return note(
            "\(call) of \(pair.first.path)",
            Self.answer { try body(first, pair.first) },
            Self.answer { try body(second, pair.second) }
        )
    }

    private mutating func compare(_ call: String, _ body: (any FileSystem) throws -> String) -> Bool {
        note(call, Self.answer { try body(first) }, Self.answer { try body(second) })
    }

    private mutating func note(_ call: String, _ first: Answer<String>, _ second: Answer<String>) -> Bool {
        history.append("\(call): \(first == second ? "\(first)" : "\(first), but \(second)")")
        return first == second
    }

    private mutating func path() -> String {
        let names = ["a", "a", "b", "c", "a/a", "a/b", "b/a", "a/a/b", "missing/a"]
        let oddNames = ["link", "link/a", "up", "up/a", "loop", "loop/a", "a/../b", "./a", "a/.", "a/.."]
        return "\(folder)/\(pick(Bool.random(using: &generator) ? names : oddNames))"
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private typealias Answer<Value> = Result<Value, SystemCallError>

    private static func answer<Value>(_ body: () throws -> Value) -> Answer<Value> {
        do {
            return .success(try body())
        } catch let error as SystemCallError {
            return .failure(error)
        } catch {
            preconditionFailure("a file system throws nothing else: \(error)")
        }
    }

    /// The common part of two file systems: without numbers, times and the attributes of folders.
    private static func text(_ status: FileStatus) -> String {
        let kind = "\(status.kind) \(status.permissions) \(status.owner) \(status.group)"
        return status.kind == .folder ? kind : "\(kind) \(status.links) links, \(status.size) bytes"
    }
}
