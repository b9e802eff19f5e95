#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file that a path leads to once the links in its place are followed.
package struct ResolvedFile {
    /// Where it is, or will be.
    package let path: AbsolutePath
    /// What it is now; `nil` if there is no such file yet.
    package let status: FileStatus?
}

extension FileSystem {
    /// Makes a path absolute; a relative one starts from the present working folder.
    package func absolutePath(of path: String) throws(SystemCallError) -> AbsolutePath {
        AbsolutePath(path, relativeTo: AbsolutePath.isAbsolute(path) ? "/" : try workingFolder())
    }

    /// Follows the symbolic links in the place of a file, so that a save replaces the file and not a link to it.
    ///
    /// Links in the place of folders are left to the system. A link to nothing leads to the file that it names, as
    /// with `open(2)`.
    ///
    /// - Throws: `ELOOP` after more than 40 links, the limit of Linux (path_resolution(7)).
    package func resolve(_ path: AbsolutePath) throws(SystemCallError) -> ResolvedFile {
        var path = path
        for _ in 0...40 {
            guard !path.name.isEmpty else { throw SystemCallError(.readlink, path.text, EISDIR) }
            let status: FileStatus
            do {
                status = try self.status(ofItemAt: path.text)
            } catch let error where error.isNotFound {
                return ResolvedFile(path: path, status: nil)
            }
            guard status.kind == .symbolicLink else { return ResolvedFile(path: path, status: status) }
            path = path.sibling(try target(ofLinkAt: path.text))
        }
        throw SystemCallError(.readlink, path.text, ELOOP)
    }
}
