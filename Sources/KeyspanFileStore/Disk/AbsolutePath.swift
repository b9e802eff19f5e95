package import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A path that begins at the root, so that it keeps its meaning when the working folder changes.
///
/// The path is not normalized, because after a symbolic link `..` is not the folder before it. Two paths are equal if their UTF-8 is.
package struct AbsolutePath: Sendable, Hashable {
    /// The path as text.
    @UTF8Text package private(set) var text: String

    /// Makes a path from a text; a relative one starts from a folder.
    package init(_ text: String, relativeTo folder: String) {
        self.text = Self.isAbsolute(text) ? text : Self.join(folder, text)
    }

    /// Whether a path begins at the root.
    package static func isAbsolute(_ text: String) -> Bool {
        text.utf8.first == separator
    }

    /// The name after the last separator; empty if the path ends with a separator.
    package var name: String { String(text[text.utf8.index(after: lastSeparator)...]) }

    /// The folder that the file is in.
    package var folder: String {
        let start = text.startIndex
        return lastSeparator == start ? "/" : String(text[start..<lastSeparator])
    }

    /// A file of another name in the same folder.
    package func sibling(_ name: String) -> AbsolutePath {
        AbsolutePath(name, relativeTo: folder)
    }

    /// Found in bytes, as the system does: a separator and a combining mark after it are one `Character`.
    private var lastSeparator: String.Index {
        // An absolute path has a separator at its start.
        text.utf8.lastIndex(of: Self.separator) ?? text.startIndex
    }

    private static let separator = UInt8(ascii: "/")

    private static func join(_ folder: String, _ name: String) -> String {
        folder.utf8.last == separator ? folder + name : "\(folder)/\(name)"
    }
}

/// The file that a path leads to after its links are followed.
package struct ResolvedFile {
    /// The path of the file, which need not exist yet.
    package let path: AbsolutePath
    /// The status of the file; `nil` if it does not exist yet.
    package let status: FileStatus?
    /// The file itself or a link to it that another user could have planted, so that nothing may be written there.
    package private(set) var planted: PlantedItem?
}

/// An item that another user could have put where a save would write: a link in a folder to which others may add, or another item in a sticky
/// folder to which every user may add, such as `/tmp`.
package struct PlantedItem: Sendable, Hashable {
    /// Where it is.
    @UTF8Text package private(set) var path: String
    /// The user that it belongs to.
    package let owner: UInt32
}

extension FileSystem {
    /// Makes a path absolute; a relative one starts from the current working folder.
    package func absolutePath(of path: String) throws(SystemCallError) -> AbsolutePath {
        AbsolutePath(path, relativeTo: AbsolutePath.isAbsolute(path) ? "/" : try workingFolder())
    }

    /// Follows the symbolic links in the place of a file, so that a save replaces the file and not a link to it.
    ///
    /// Links in the place of folders are left to the system. A link to nothing leads to the file that it names, as
    /// with `open(2)`.
    ///
    /// The kernel's protection of links and files in sticky folders (proc_sys_fs(5)) does not know of links that this method follows,
    /// so the result says if an item is planted.
    ///
    /// - Throws: `ELOOP` after more than 40 links, the limit of Linux (path_resolution(7)).
    package func resolve(_ path: AbsolutePath) throws(SystemCallError) -> ResolvedFile {
        var path = path
        var planted: PlantedItem?
        for _ in 0...40 {
            guard !path.name.isEmpty else { throw SystemCallError(.readlink, path.text, EISDIR) }
            let status: FileStatus
            do {
                status = try self.status(ofItemAt: path.text)
            } catch let error where error.isNotFound {
                return ResolvedFile(path: path, status: nil, planted: planted)
            }
            if planted == nil, isPlanted(status, at: path) {
                planted = PlantedItem(path: path.text, owner: status.owner)
            }
            guard status.kind == .symbolicLink else {
                return ResolvedFile(path: path, status: status, planted: planted)
            }
            path = path.sibling(try target(ofLinkAt: path.text))
        }
        throw SystemCallError(.readlink, path.text, ELOOP)
    }

    /// Whether another user could have put an item in its place to choose what is written.
    package func isPlanted(_ item: FileStatus, at path: AbsolutePath) -> Bool {
        // The dot makes lstat(2) follow links in the place of the folder.
        guard item.owner != user, let folder = try? status(ofItemAt: path.folder + "/.") else { return false }
        return item.isPlanted(in: folder, for: user)
    }
}

extension FileStatus {
    /// Whether an item of a folder was possibly put there by somebody other than a user, root and the owner of the folder.
    ///
    /// A link leads a write elsewhere, so it counts wherever others may add items. Another item counts only in a
    /// sticky folder: root and the folder's owner could replace it, but the new version has its mode, and with root its owner, who could
    /// then read what is written.
    package func isPlanted(in folder: FileStatus, for user: UInt32) -> Bool {
        // In a namespace of users, all users without a number there have this one (user_namespaces(7)). The system's setting for it is
        // hardly ever changed, and reading it would cost each save a file.
        let unknown: UInt32 = 65_534
        let isOfFolder = owner == folder.owner && owner != unknown
        if owner == user || owner == 0 || isOfFolder { return false }
        if kind == .symbolicLink { return folder.permissions & 0o022 != 0 }
        return folder.isSticky && folder.permissions & 0o002 != 0
    }
}

/// The identity of the file that a path leads to, through any links: its folder and its name there.
///
/// Names are compared byte by byte, as Linux does. Where the system treats two spellings of a name as one, as on APFS, each
/// spelling has a table of its own, and the tables treat each other like two processes.
package enum FileIdentity: Sendable, Hashable {
    /// A file in an existing folder, which need not exist yet: its name, or its path from that folder if others are missing on the way.
    case inFolder(device: UInt64, inode: UInt64, name: UTF8Text)
    /// A file that cannot be found, or that is found by its path after its folder was replaced.
    case path(UTF8Text)

    /// Resolves a path.
    package init(of path: AbsolutePath, in fileSystem: any FileSystem) {
        // Opening the file reports the error, if there is one.
        self = Self.inFolders(on: path, in: fileSystem).first { _ in true } ?? .path(UTF8Text(path.text))
    }

    /// The identities that the file has had while folders on the way were missing, from the present one on.
    package static func inFolders(on path: AbsolutePath, in fileSystem: any FileSystem) -> some Sequence<FileIdentity> {
        let file = try? fileSystem.resolve(path).path
        return sequence(state: file.map { (folder: $0.folder, name: $0.name) }) { place in
            while let (folder, name) = place {
                let above = AbsolutePath(folder, relativeTo: "/")
                let isNamed = !above.name.isEmpty && above.name != "."
                place = folder == "/" ? nil : (above.folder, isNamed ? "\(above.name)/\(name)" : name)
                // The dot makes lstat(2) follow a link in the place of the folder.
                guard let status = try? fileSystem.status(ofItemAt: folder + "/.") else { continue }
                return .inFolder(device: status.signature.device, inode: status.signature.inode, name: UTF8Text(name))
            }
            return nil
        }
    }

    /// Whether the folder of the file is missing.
    var isWithoutFolder: Bool {
        switch self {
        case .inFolder(_, _, let name): name.wrappedValue.utf8.contains(UInt8(ascii: "/"))
        case .path: true
        }
    }
}
