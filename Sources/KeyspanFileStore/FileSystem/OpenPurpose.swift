/// What a file is opened for.
package enum OpenPurpose: Sendable, Hashable {
    /// To read it, without waiting for the other end if it turns out to be a pipe or a device (`O_NONBLOCK`).
    case reading
    /// To read and write a file that exists, and not what a link in its place leads to (`O_RDWR`, `O_NOFOLLOW`).
    case updating
    /// To read and write a file that does not exist yet, readable by its owner alone (`O_CREAT`, `O_EXCL`, `O_NOFOLLOW`, 0600).
    case creating
    /// To flush a folder (`O_DIRECTORY`).
    case folder
}
