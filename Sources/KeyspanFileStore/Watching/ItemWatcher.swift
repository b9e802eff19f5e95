import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Subscribes to events at single items: the common part of inotify(7) and kqueue(2).
protocol ItemWatcher: Sendable {
    /// Begins to watch an item, and reports all events after this method returns.
    ///
    /// A missing item is not an error: the watch of the folder above reports it.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - onEvents: Called on the thread of all items, without a lock, so it must return at once.
    /// - Returns: The watch, which ends when it is released.
    /// - Throws: ``ItemWatchError`` if the system cannot watch the item.
    func watch(
        _ item: WatchedItem,
        onEvents: @escaping @Sendable (ItemEvents) -> EventResponse
    ) throws(ItemWatchError) -> FileWatch?
}

/// One folder or file that the system watches, so that no change of a store's file goes unnoticed.
///
/// The paths of the folders contain no links.
enum WatchedItem: Sendable, Hashable {
    /// A name on the way to the file: the item of that name is removed or replaced.
    case name(String, folder: String)
    /// The names of the file and its companion, if it has one: the files are removed, replaced or written to.
    case file(String, companion: String?, folder: String)
    /// The names in a folder: any item is added, removed or replaced.
    case items(folder: String)
    /// The contents of the file: it is written to by any of its names, also in another folder.
    case contents(path: String)

    /// The folder or file that the system watches for this item.
    var path: String {
        switch self {
        case .name(_, let folder), .file(_, _, let folder), .items(let folder): folder
        case .contents(let path): path
        }
    }
}

/// The events at a ``WatchedItem``.
struct ItemEvents: OptionSet, Sendable {
    let rawValue: UInt8

    /// The contents of the file or its companion changed, or their names lead to other files.
    static let changed = ItemEvents(rawValue: 1)
    /// The path may lead elsewhere now, so that other items need to be watched.
    static let moved = ItemEvents(rawValue: 2)
    /// The companion was written to, and its name leads to the same file as before.
    static let appended = ItemEvents(rawValue: 4)
}

/// The reason why the system cannot watch an item, in the clauses of a ``FileWatchError``.
struct ItemWatchError: Error {
    /// The problem, as a clause without a full stop.
    let reason: String
    /// The remedy, as a clause without a full stop.
    let remedy: String
    /// The system call that failed, if one did.
    let underlying: SystemCallError?
}

extension ItemWatchError {
    /// Makes the error for a failed system call.
    init(_ error: SystemCallError) {
        self.init(reason: "\(error)", remedy: Self.remedy(for: error), underlying: error)
    }

    /// Makes the error for a file system whose files other machines can change without this system's knowledge.
    static func remote(_ type: String) -> ItemWatchError {
        ItemWatchError(
            reason: "it is on a remote file system (\(type)), which does not report changes by other machines",
            remedy: "choose a path on a local disk if changes have to arrive sooner",
            underlying: nil
        )
    }

    private static func remedy(for error: SystemCallError) -> String {
        switch (error.call, error.errorNumber) {
        case (SystemCall.inotifyInit.rawValue, EMFILE):
            "raise fs.inotify.max_user_instances (sysctl) or the limit of open files"
        case (SystemCall.inotifyAddWatch.rawValue, ENOSPC):
            "raise fs.inotify.max_user_watches (sysctl)"
        case (_, EACCES):
            "let the process read the folders on the way to the file"
        case (_, ENOMEM):
            "free memory"
        default:
            error.remedy
        }
    }
}
