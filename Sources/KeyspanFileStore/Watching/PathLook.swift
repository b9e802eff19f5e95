import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The items on the way from the root to a watched file or folder, and those that belong to it, at one moment.
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

    /// The first error that ended a way before its end, unless an item was missing.
    private(set) var obstacle: SystemCallError?

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
        obstacle = obstacle ?? failure
        findings.append(.failure(failure))
    }
}

extension PathLook {
    /// The end of a way.
    fileprivate enum Way {
        case toFile(companion: ((String) -> String)?)
        case toFolder

        var isToFile: Bool { if case .toFile = self { true } else { false } }

        var companion: ((String) -> String)? { if case .toFile(let companion) = self { companion } else { nil } }
    }
}

extension FileSystem {
    /// Looks at a target, and at all items on the way to it.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - willLook: Called with each item before it is inspected. If the item is watched from then on, every change that makes
    ///     this look stale is reported, also one that happens before this method returns.
    func look<Failure: Error>(
        at target: WatchTarget,
        willLook: (WatchedItem) throws(Failure) -> Void
    ) throws(Failure) -> PathLook {
        var look = PathLook()
        switch target {
        case .file(let path, let companion):
            try follow(path, .toFile(companion: companion), in: &look, willLook: willLook)
        case .folder(let path):
            var seen: Set<WatchedItem> = []
            // The ways to the files have most items in common.
            func willLookOnce(_ item: WatchedItem) throws(Failure) {
                if seen.insert(item).inserted { try willLook(item) }
            }
            guard let folder = try follow(path, .toFolder, in: &look, willLook: willLookOnce) else { break }
            try willLookOnce(.items(folder: folder.text))
            for name in namesOfFiles(in: folder, look: &look) {
                let file = AbsolutePath(name, relativeTo: folder.text)
                try follow(file, .toFile(companion: nil), in: &look, willLook: willLookOnce)
            }
        }
        return look
    }

    /// The names in a folder that can be files of settings, and the link to their present version.
    private func namesOfFiles(in folder: AbsolutePath, look: inout PathLook) -> [String] {
        do {
            let names = try names(inFolder: folder.text).filter { name in
                SettingsFolder.isFileName(name) || name.hasSameUTF8(as: SettingsFolder.versionLink)
            }
            return Array(names.sorted { $0.utf8Precedes($1) }.prefix(SettingsFolder.maximumFileCount))
        } catch let error where error.isNotFound {
            look.add(nil)
        } catch {
            look.add(error)
        }
        return []
    }

    /// Resolves a path from the root, one name at a time, through all links, as far as it leads.
    ///
    /// - Returns: The folder that the path leads to; `nil` if it leads to no folder.
    @discardableResult
    private func follow<Failure: Error>(
        _ path: AbsolutePath,
        _ way: PathLook.Way,
        in look: inout PathLook,
        willLook: (WatchedItem) throws(Failure) -> Void
    ) throws(Failure) -> AbsolutePath? {
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
            let isFile = rest.isEmpty && way.isToFile
            let companion = isFile ? way.companion?(name) : nil
            try willLook(
                isFile
                    ? .file(name, companion: companion, folder: folder.text)
                    : .name(name, folder: folder.text)
            )
            let status = record(place, in: &look)
            if status?.kind == .symbolicLink, links < Self.maximumLinks, let target = target(of: place) {
                links += 1
                rest += Self.namesFromLast(of: target)
                if AbsolutePath.isAbsolute(target) { folder = root }
                continue
            }
            if isFile, status?.kind == .regular { try willLook(.contents(path: place.text)) }
            if let companion { _ = record(place.sibling(companion), in: &look) }
            guard status?.kind == .folder else { return nil }
            folder = place
        }
        return folder
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
