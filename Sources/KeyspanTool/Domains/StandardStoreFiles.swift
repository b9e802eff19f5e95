import Keyspan
import KeyspanCore
import KeyspanFileStore

/// The files of programs' standard stores: `<program>/defaults.json` in the user's folder for configuration.
///
/// They are where a program without `Defaults.bootstrap(_:)` keeps its settings on Linux.
struct StandardStoreFiles: Equatable {
    /// The absolute path of the folder for configuration, without a trailing slash.
    let folder: String

    private static let file = "defaults.json"
    /// The file that has the first settings until they are brought into the file itself.
    private static let journal = ".defaults.json.journal"
    /// The folder of named domains, in which the file is the domain `defaults`.
    private static let folderOfDomains = "keyspan"

    /// The path of a program's file, whether or not there is one.
    func path(ofProgram program: String) -> String {
        "\(folder)/\(program)/\(Self.file)"
    }

    /// Whether a program has a standard store.
    ///
    /// A folder that cannot be read has none, because other programs keep their own files there.
    func contains(_ program: String) -> Bool {
        guard Domain.isName(program), !program.hasSameUTF8(as: Self.folderOfDomains) else { return false }
        return [Self.file, Self.journal].contains { file in
            (try? InterruptRetryingFileSystem().status(ofItemAt: "\(folder)/\(program)/\(file)")) != nil
        }
    }

    /// The programs that have a standard store, sorted by name; none if the folder cannot be read.
    var programs: [String] {
        let names = (try? InterruptRetryingFileSystem().names(inFolder: folder)) ?? []
        return names.filter(contains).sorted { $0.utf8Precedes($1) }
    }
}
