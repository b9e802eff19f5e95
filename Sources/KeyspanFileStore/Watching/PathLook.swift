#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The items on the way from the root to a file, including the file and its companion, at one moment.
///
/// Two looks are equal unless one of these items changed between them. Other items of the folders do not matter.
struct PathLook: Equatable {
    private enum Finding: Equatable {
        case nothing
        case folder(device: UInt64, inode: UInt64)
        case item(FileSignature)
        case failure(SystemCallError)
    }

    private var findings: [Finding] = []
    /// The file systems on the way.
    private(set) var devices: Set<UInt64> = []

    /// The error that ended the way before its end, unless an item was missing.
    var obstacle: SystemCallError? {
        guard case .failure(let error)? = findings.last else { return nil }
        return error
    }

    fileprivate mutating func add(_ status: FileStatus?) {
        guard let status else { return findings.append(.nothing) }
        let signature = status.signature
        devices.insert(signature.device)
        // A folder's size and dates change with any item in it.
        findings.append(
            status.kind == .folder
                ? .folder(device: signature.device, inode: signature.inode)
                : .item(signature)
        )
    }

    fileprivate mutating func add(_ failure: SystemCallError) {
        findings.append(.failure(failure))
    }
}

extension FileSystem {
    /// Resolves a path from the root, one name at a time, through all links, as far as it leads.
    ///
    /// - Parameters:
    ///   - path: The file, or a link that leads to it.
    ///   - companion: Derives the name of the companion from the name of the file.
    ///   - willLook: Called with each item before it is inspected. If the item is watched from then on, every change that makes
    ///     this look stale is reported, also one that happens before this method returns.
    func look<Failure: Error>(
        along path: AbsolutePath,
        companion: (String) -> String,
        willLook: (WatchedItem) throws(Failure) -> Void
    ) throws(Failure) -> PathLook {
        var look = PathLook()
        let root = AbsolutePath("/", relativeTo: "/")
        var folder = root
        var rest = Self.namesFromLast(of: path.text)
        var links = 0
        while let name = rest.popLast() {
            if name == ".." {
                // The path of the folder contains no links, so its parent in the path is its parent on the disk.
                folder = AbsolutePath(folder.folder, relativeTo: "/")
                continue
            }
            let place = AbsolutePath(name, relativeTo: folder.text)
            let companionName = rest.isEmpty ? companion(name) : nil
            try willLook(
                companionName.map { .file(name, companion: $0, folder: folder.text) }
                    ?? .name(name, folder: folder.text)
            )
            let status = record(place, in: &look)
            if status?.kind == .symbolicLink, links < Self.maximumLinks, let target = target(of: place) {
                links += 1
                rest += Self.namesFromLast(of: target)
                if AbsolutePath.isAbsolute(target) { folder = root }
                continue
            }
            if let companionName {
                if status?.kind == .regular { try willLook(.contents(path: place.text)) }
                _ = record(place.sibling(companionName), in: &look)
            }
            guard status?.kind == .folder else { break }
            folder = place
        }
        return look
    }

    /// Adds the item at a path to a look.
    private func record(_ place: AbsolutePath, in look: inout PathLook) -> FileStatus? {
        do {
            let status = try status(ofItemAt: place.text)
            look.add(status)
            return status
        } catch let error where error.errorNumber == ENOENT || error.errorNumber == ENOTDIR {
            look.add(nil)
        } catch {
            look.add(error)
        }
        return nil
    }

    /// The target of a link, or `nil` if it has become another item or cannot be read: then it leads to no file.
    private func target(of link: AbsolutePath) -> String? {
        try? target(ofLinkAt: link.text)
    }

    /// The names in a path from the last to the first, without `.`.
    private static func namesFromLast(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
    }

    /// The limit of Linux (path_resolution(7)), which is higher than that of Apple systems.
    private static var maximumLinks: Int { 40 }
}
