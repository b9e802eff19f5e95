internal import KeyspanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A folder with one file for each secret, as Docker and Kubernetes mount them, and how its files are read as one version.
struct SecretFolder: Sendable {
    /// The files that were read, and those that were refused.
    struct Contents: Sendable {
        /// The text of each file by its name, without one line end at the end.
        var texts: TextDictionary<OutsideText> = [:]
        /// Why a file is not taken as a value, by its name.
        var refusals: TextDictionary<FileStoreError> = [:]
    }

    /// A state of the folder that the system tells apart from others.
    private struct Version: Equatable {
        /// The folder with the files: the target of `..data`, or else the folder itself.
        let folder: AbsolutePath
        let signature: FileSignature
    }

    /// The folder, or a link that leads to it.
    let path: AbsolutePath
    /// Whether files are read that every user of the system may read.
    let allowsWorldReadable: Bool
    let fileSystem: any FileSystem

    /// How often the folder is read again because it has changed meanwhile, before the attempt fails.
    private static let attempts = 8

    /// Reads all files of one version.
    ///
    /// - Returns: `nil` if the folder does not exist.
    /// - Throws: ``FileStoreError`` if the folder, or a file that is not refused, cannot be read at the moment.
    func read() throws(FileStoreError) -> Contents? {
        for _ in 0..<Self.attempts {
            guard let version = try version() else { return nil }
            let outcome = Result { () throws(FileStoreError) in try readFiles(of: version) }
            // Otherwise the files are of two versions, or an error is that of a version that was just removed.
            if try self.version() == version { return try outcome.get() }
        }
        throw .changing(.readFolder, path: path.text)
    }

    /// The path of a file, as a person finds it.
    func path(of file: String) -> String { AbsolutePath(file, relativeTo: path.text).text }

    /// The present version; `nil` if the folder does not exist.
    private func version() throws(FileStoreError) -> Version? {
        for _ in 0..<Self.attempts {
            let target = versionTarget
            let folder = target.map { AbsolutePath($0.wrappedValue, relativeTo: path.text) } ?? path
            do {
                // The dot makes lstat(2) follow a link in the place of the folder.
                let status = try fileSystem.status(ofItemAt: folder.text + "/.")
                return Version(folder: folder, signature: status.signature)
            } catch let error where error.isNotFound && target != versionTarget {
                // The version was just replaced and removed.
                continue
            } catch let error where error.isNotFound && target == nil {
                return nil
            } catch {
                throw FileStoreError(.readFolder, path: path.text, error)
            }
        }
        throw .changing(.readFolder, path: path.text)
    }

    /// The target of the link to the present version; `nil` for a folder without versions.
    private var versionTarget: UTF8Text? {
        (try? fileSystem.target(ofLinkAt: path(of: SettingsFolder.versionLink))).map { UTF8Text($0) }
    }

    private func readFiles(of version: Version) throws(FileStoreError) -> Contents {
        let names: [String]
        do {
            names = try fileSystem.names(inFolder: version.folder.text).filter(SettingsFolder.isFileName)
        } catch {
            throw FileStoreError(.readFolder, path: path.text, error)
        }
        if names.count > SettingsFolder.maximumFileCount { throw .tooManyFiles(path: path.text, count: names.count) }
        var contents = Contents()
        for name in names {
            do throws(FileStoreError) {
                contents.texts[name] = try read(AbsolutePath(name, relativeTo: version.folder.text), named: name)
            } catch let error where error.isRefusal {
                contents.refusals[name] = error
            }
        }
        return contents
    }

    /// Reads a file; `nil` for a folder, and for a link that leads to nothing.
    private func read(_ file: AbsolutePath, named name: String) throws(FileStoreError) -> OutsideText? {
        for _ in 0..<Self.attempts {
            let found: RegularFile?
            do throws(FileStoreError) {
                found = try fileSystem.readFile(file, atMost: RegularFile.maximumSettingsSize) {
                    (status) throws(FileStoreError) in try isWanted(status, path: path(of: name))
                }
            } catch {
                // The folder of a version has a name that means nothing to a person.
                throw error.ofFile(path(of: name))
            }
            guard let found else { return nil }
            if found.isUnchanged { return found.setting }
        }
        throw .changing(.read, path: path(of: name))
    }

    private func isWanted(_ status: FileStatus, path: String) throws(FileStoreError) -> Bool {
        switch status.kind {
        case .folder: return false
        case .symbolicLink, .special: return true
        case .regular: break
        }
        if status.permissions & 0o002 != 0 || (status.permissions & 0o004 != 0 && !allowsWorldReadable) {
            throw .worldAccessible(path: path, permissions: status.permissions)
        }
        return true
    }
}

extension FileStoreError {
    /// The folder or file had another state each time it was read.
    static func changing(_ step: Step, path: String) -> FileStoreError {
        let error = SystemCallError(.read, path, EAGAIN)
        return FileStoreError(
            step: step,
            path: path,
            reason: "it has changed each time it was read",
            remedy: "replace it by a rename, in one step",
            underlying: error
        )
    }

    fileprivate static func tooManyFiles(path: String, count: Int) -> FileStoreError {
        FileStoreError(
            step: .readFolder,
            path: path,
            reason: "it has \(count) files, and the limit is \(SettingsFolder.maximumFileCount)",
            remedy: "give the path of a folder that has nothing but secrets",
            underlying: nil
        )
    }

    fileprivate static func worldAccessible(path: String, permissions: UInt32) -> FileStoreError {
        let mode = String(permissions, radix: 8)
        let isWritable = permissions & 0o002 != 0
        return FileStoreError(
            step: .validate,
            path: path,
            reason: "every user of the system may \(isWritable ? "write" : "read") it (mode \(mode))",
            remedy: isWritable
                ? "remove that permission (`chmod 0400`, or `defaultMode: 0400` of the volume)"
                : "remove that permission (`chmod 0400`, or `defaultMode: 0400` of the volume), or open the store with "
                    + "`allowsWorldReadable: true`",
            underlying: nil
        )
    }

    /// Whether the file is not taken as a value as it is, and a later attempt would end in the same way.
    fileprivate var isRefusal: Bool {
        guard step != .readFolder else { return false }
        guard let error = underlying as? SystemCallError else { return true }
        if error.isRefusal || error.isNotFolder { return true }
        // A loop of links, a name that is too long, and a socket or a device on Linux and on Apple systems.
        return [ELOOP, ENAMETOOLONG, ENXIO, ENODEV, EOPNOTSUPP].contains(error.errorNumber)
    }

    /// The same error of a file that a person knows by another path.
    fileprivate func ofFile(_ path: String) -> FileStoreError {
        FileStoreError(step: step, path: path, reason: reason, remedy: remedy, underlying: underlying)
    }
}
