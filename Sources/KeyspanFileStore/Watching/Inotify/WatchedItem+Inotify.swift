#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if !canImport(Darwin)
extension WatchedItem {
    /// What inotify(7) is asked to tell of.
    ///
    /// A watch adds to what others ask for at the same folder, and does not follow a link that took its place.
    var inotifyMask: UInt32 {
        let events =
            switch self {
            case .name: UInt32(IN_ONLYDIR) | Self.renaming
            // The permissions count, because a file that could not be read may have become readable.
            case .file: UInt32(IN_ONLYDIR) | Self.renaming | Self.writing | UInt32(IN_ATTRIB)
            case .contents: Self.writing
            }
        return events | UInt32(IN_MASK_ADD) | UInt32(IN_DONT_FOLLOW)
    }

    /// What an event at the watched folder or file means for the item; nothing if it is about another name.
    func events(of event: InotifyEvent) -> ItemEvents {
        if event.isOverflow || event.mask & UInt32(IN_UNMOUNT) != 0 { return [.moved, .changed] }
        switch self {
        case .name(let name, _):
            if event.isEnd { return [.moved, .changed] }
            return event.isOf(name) && event.mask & Self.renaming != 0 ? [.moved, .changed] : []
        case .file(let name, let companion, _):
            if event.isEnd { return [.moved, .changed] }
            if event.isOf(name) { return event.mask & Self.renaming != 0 ? [.moved, .changed] : .changed }
            // The companion is opened for writing to be locked, which is no change.
            let counts = event.mask & (Self.renaming | UInt32(IN_MODIFY)) != 0
            return event.isOf(companion) && counts ? .changed : []
        case .contents:
            // The file's end is told by its name.
            return event.mask & Self.writing != 0 ? .changed : []
        }
    }

    /// Whether nothing is missed if the item cannot be watched for this reason.
    ///
    /// An item that is gone has left an event at the folder above it. A file that cannot be read cannot be watched, and
    /// what is written to it is told by its name.
    func canDoWithout(_ error: SystemCallError) -> Bool {
        switch error.errorNumber {
        case ENOENT, ENOTDIR, ELOOP: true
        case EACCES: if case .contents = self { true } else { false }
        default: false
        }
    }

    private static let renaming = UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    /// Closing counts, because writes to a mapping of the file are not told.
    private static let writing = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)
}
#endif
