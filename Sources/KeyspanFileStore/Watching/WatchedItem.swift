/// One thing that the system is to tell of, so that no change of a file goes unnoticed.
///
/// The folders have no links in their paths.
enum WatchedItem: Sendable, Hashable {
    /// A name on the way to the file: nothing has it any more, or something new.
    case name(String, folder: String)
    /// The names of the file and its companion: the same, and what is written to them.
    case file(String, companion: String, folder: String)
    /// What is written to the file by any of its names, also in another folder.
    case contents(path: String)

    /// The folder or file that the system watches for this.
    var path: String {
        switch self {
        case .name(_, let folder), .file(_, _, let folder): folder
        case .contents(let path): path
        }
    }
}
