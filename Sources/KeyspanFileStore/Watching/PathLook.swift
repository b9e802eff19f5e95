#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What was found on the way from the root to a file, the file and its companion included.
///
/// Two looks are equal unless something that counts changed between them. What else is in the folders does not count.
struct PathLook: Equatable {
    private enum Finding: Equatable {
        case nothing
        case folder(device: UInt64, inode: UInt64)
        case item(FileSignature)
        case failure(SystemCallError)
    }

    private var findings: [Finding] = []
    /// The file systems that the way leads through.
    private(set) var devices: Set<UInt64> = []

    /// Why the way could not be followed to its end, unless something is missing there.
    var obstacle: SystemCallError? {
        guard case .failure(let error)? = findings.last else { return nil }
        return error
    }

    fileprivate mutating func add(_ status: FileStatus?) {
        guard let status else { return findings.append(.nothing) }
        let signature = status.signature
        devices.insert(signature.device)
        // A folder's size and dates change with whatever is in it.
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
    /// Follows a path from the root, one name at a time, through all links, as far as it leads.
    ///
    /// - Parameters:
    ///   - path: The file, or a link that leads to it.
    ///   - companion: Makes the name of the companion of the name of the file.
    ///   - willLook: Called with each item before what it tells of is looked at. If the item is watched from then on,
    ///     whatever makes this look out of date is told, also if it happens before this returns.
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
                // There are no links in the path of the folder, so the folder above is the one before it.
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

    /// Adds what is in a place to a look.
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

    /// The target of a link, or nothing if it has become something else or cannot be followed: no file is there, then.
    private func target(of link: AbsolutePath) -> String? {
        try? target(ofLinkAt: link.text)
    }

    /// The names in a path from the last to the first, without those that mean the folder before them.
    private static func namesFromLast(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
    }

    /// The limit of Linux (path_resolution(7)), and more than that of Apple systems.
    private static var maximumLinks: Int { 40 }
}
