import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The schema that a domain names in its member `$schema`, as editors expect it.
enum SchemaReference: Equatable {
    /// The path of a file, which need not exist.
    case file(String)
    /// Anything else, such as a URL, in words for an error.
    case elsewhere(String)

    /// The name of the member.
    static let member = "$schema"

    /// Finds the schema of a domain; `nil` if it names none.
    ///
    /// - Parameters:
    ///   - domain: The domain. A relative path in it is relative to the folder of its file, and in a cluster to the working directory: as
    ///     something else than a file it would hide no secrets.
    ///   - members: Its contents.
    init?(of domain: Domain, _ members: PropertyListTable) {
        guard let value = members[Self.member] else { return nil }
        guard let text = value.stringValue else {
            self = .elsewhere(JSONType.of(value).noun)
            return
        }
        let path = Self.path(text, relativeTo: domain.file?.path ?? "")
        self = path.map { .file($0) } ?? .elsewhere(Self.excerpt(of: text).quoted)
    }

    /// The beginning of a reference, for a sentence.
    ///
    /// - Parameter folder: The number of characters before the reference in a path.
    static func excerpt(of text: String, behind folder: Int = 0) -> String {
        let (scalars, most) = (text.unicodeScalars, 60 + folder)
        return scalars.count > most ? "\(String(scalars.prefix(most)))…" : text
    }

    /// The path of a local file; `nil` for a reference to something else.
    private static func path(_ reference: String, relativeTo file: String) -> String? {
        let bytes = reference.utf8
        if reference.hasUTF8Prefix("file:///") { return String(Substring(bytes.dropFirst("file://".utf8.count))) }
        let firstStep = bytes.prefix { $0 != UInt8(ascii: "/") }
        // A scheme, as in https://example.com/schema.json and urn:example:schema.
        guard let first = bytes.first, first != UInt8(ascii: "#"), !firstStep.contains(UInt8(ascii: ":")),
            !bytes.contains(0)
        else {
            return nil
        }
        if first == UInt8(ascii: "/") { return reference }
        let end = file.utf8.lastIndex(of: UInt8(ascii: "/")).map(file.utf8.index(after:)) ?? file.startIndex
        return file[..<end] + reference
    }

    /// The reason why a file cannot be read, as a clause.
    struct Unreadable: Error {
        let reason: String
    }

    /// The most bytes of a schema that a domain names.
    private static let mostBytes = 16 << 20

    /// Reads the file of a schema that a domain names.
    ///
    /// Only a regular file is read, because the domain may be of another user, and a pipe would keep this command waiting.
    ///
    /// - Returns: `nil` if the file has a version that the caller knows.
    static func read(_ path: String, unlessIs known: FileSignature? = nil) throws(Unreadable) -> RegularFile? {
        let fileSystem = InterruptRetryingFileSystem()
        var isKnown = false
        do {
            let location = try fileSystem.absolutePath(of: path)
            let file = try fileSystem.readFile(location, atMost: mostBytes) { (status) throws(FileStoreError) in
                isKnown = status.signature == known
                return !isKnown
            }
            if file != nil || isKnown { return file }
        } catch let error as FileStoreError {
            throw Unreadable(reason: error.reason)
        } catch {
            throw Unreadable(reason: "its path cannot be used")
        }
        throw Unreadable(reason: "it does not exist")
    }
}
