#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The file from which a store starts: the documents of the version in force and of the one that was fetched.
///
/// The first line names the format, the second one is JSON that names the server and says which documents follow, as
/// they were received. Those of another server count as none. The file is replaced as a whole, so it always has both
/// versions as they were together.
final class RemoteCache: Sendable {
    /// The contents of the file.
    struct Content: Sendable {
        /// The document in force.
        var active: [UInt8]?
        /// The document that was fetched last; the same as that in force if it is.
        var fetched: [UInt8]?
        /// When the server last proved that this is the present one.
        var lastProof: Date?
    }

    /// The file is not one of this format.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// The most attempts to replace the file; each one that another process precedes is that one's success.
    private static let maximumAttempts = 100

    private static let format = "keyspan-remote-cache 2"

    private let fileSystem: any FileSystem
    private let path: AbsolutePath
    private let server: String
    private let sizeLimit: Int
    private let queue = DispatchQueue(label: "keyspan.remote.cache")
    /// The signature of the file as this store has written it last, if it is known.
    private let written = Locked<FileSignature?>(nil)

    /// Names a file, which need not exist yet.
    ///
    /// - Parameters:
    ///   - path: The path; a relative one starts from the current working folder.
    ///   - server: The name of the server: the URL of its document without a query.
    ///   - fileSystem: The file system.
    ///   - maximumSize: The most bytes of a message.
    init(path: String, of server: String, in fileSystem: any FileSystem, maximumSize: Int) throws {
        if path.isEmpty || path.utf8.contains(0) { throw Damage(description: "the path is not that of a file") }
        self.fileSystem = InterruptRetryingFileSystem(fileSystem)
        self.path = try self.fileSystem.absolutePath(of: path)
        self.server = server
        sizeLimit = 2 * maximumSize + (1 << 16)
    }

    /// Reads the file; `nil` if there is none, or it is that of another server.
    func read() throws -> Content? {
        guard let bytes = try fileSystem.readFile(path, atMost: sizeLimit)?.bytes else { return nil }
        return try content(of: bytes)
    }

    private func content(of bytes: [UInt8]) throws -> Content? {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 3, lines.removeLast().isEmpty, lines[0].elementsEqual(Self.format.utf8) else {
            throw Damage(description: "its first line is not that of a cache, or its last one is cut off")
        }
        guard let members = try? JSONText.parseTable(Array(lines[1])), let isActive = members["active"]?.booleanValue,
            let isFetched = members["fetched"]?.booleanValue,
            lines.count == 2 + (isActive ? 2 : 0) + (isFetched ? 2 : 0)
        else { throw Damage(description: "its second line does not describe the rest") }
        guard members["server"]?.stringValue?.hasSameUTF8(as: server) == true else { return nil }
        var documents = stride(from: 2, to: lines.count, by: 2).map {
            Array(lines[$0]) + [0x0A] + Array(lines[$0 + 1]) + [0x0A]
        }
        var content = Content()
        content.active = isActive ? documents.removeFirst() : nil
        content.fetched = documents.first ?? content.active
        content.lastProof = members["confirmed"]?.stringValue.flatMap { Date(messageText: $0) }
        return content
    }

    private func bytes(of content: Content) -> [UInt8] {
        let isFetched = content.fetched != nil && content.fetched != content.active
        var members: PropertyListDictionary = [
            "server": .string(server), "active": .boolean(content.active != nil), "fetched": .boolean(isFetched),
        ]
        members["confirmed"] = content.lastProof.map { .string($0.messageText) }
        var bytes = Array("\(Self.format)\n".utf8)
        bytes += JSONText.encodeOnOneLine(.dictionary(members))
        bytes.append(0x0A)
        for document in [content.active, isFetched ? content.fetched : nil] { bytes += document ?? [] }
        return bytes
    }

    /// Replaces the file.
    ///
    /// - Parameter find: Finds the new contents beside those that another process may have written; `nil` to leave the
    ///   file.
    private func replace(_ find: (Content?) -> Content?) throws {
        let replacement = AtomicFileReplacement(fileSystem: fileSystem, path: path)
        for attempt in 0..<Self.maximumAttempts {
            let old = try fileSystem.resolve(path)
            let signature = old.status?.signature
            let isOwn = signature == nil || signature == written.withLock(\.self)
            // Damaged contents are replaced.
            let other = isOwn ? nil : try? read()
            guard let content = find(other) else { return }
            if attempt > 0, let other, other.fetched == content.fetched, other.active == content.active { return }
            do throws(FileStoreError) {
                let new = try replacement.replaceContents(
                    with: bytes(of: content),
                    instead: old,
                    mayCreateFolder: true
                )
                // What another process has written is compared again the next time.
                let isMerged = other.map { $0.fetched == content.fetched || $0.active == content.active } ?? false
                written.withLock { $0 = isMerged ? nil : new }
                // Another process may have come between the comparison and the replacement, with an older version. Where
                // the times of files are coarse, that is never known.
                if new != nil || attempt >= 3 { return }
            } catch {
                // Another process has the same file, and may have newer contents.
                if !error.isSuperseded { throw error }
            }
        }
        throw Damage(description: "other programs keep replacing it")
    }

    /// Writes the file in the background, after all writes that were asked for before.
    ///
    /// - Parameters:
    ///   - find: Finds the contents beside those that another process may have written; `nil` to leave the file.
    ///   - complete: Called with the error, before ``wait()`` returns. It must not wait for the cache.
    func update(
        _ find: @escaping @Sendable (Content?) -> Content?,
        then complete: @escaping @Sendable ((any Error)?) -> Void
    ) {
        queue.async { [self] in
            do {
                try replace(find)
                complete(nil)
            } catch {
                complete(error)
            }
        }
    }

    /// Returns when all writes that were asked for before are done.
    func wait() {
        queue.sync {}
    }
}
#endif
