import Keyspan
import NotesShared

/// The notes, in memory; the settings say how many and how large.
actor Notebook {
    enum Refusal: Error {
        case readOnly
        case tooLarge(Defaults.ByteCount)
    }

    private let settings: Defaults.Group<NotesKeys>
    private(set) var notes: [String] = []

    init(_ settings: Defaults.Group<NotesKeys>) {
        self.settings = settings
    }

    /// Adds a note, by the settings of this instant.
    func add(_ note: String) throws(Refusal) {
        let settings = settings.snapshot()
        if settings.isReadOnly { throw .readOnly }
        guard note.utf8.count <= settings.limits.noteSize.bytes else { throw .tooLarge(settings.limits.noteSize) }
        notes.append(note)
        trim(to: settings.limits.notes)
    }

    /// Drops the oldest notes beyond a number.
    func trim(to count: Int) {
        notes.removeFirst(max(0, notes.count - count))
    }
}
