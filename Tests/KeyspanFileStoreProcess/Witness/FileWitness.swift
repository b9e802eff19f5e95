import KeyspanCore
import KeyspanFileStore

/// Looks at a file as any other program would: without a lock, without the journal.
struct FileWitness {
    private let path: String
    private var witness = Witness(of: "the file")
    private var wasThere = false

    init(path: String) {
        self.path = path
    }

    /// Looks at the file.
    mutating func look() {
        do {
            guard let table = try PlainFile.read(path) else {
                if wasThere { witness.report("it has gone") }
                return
            }
            wasThere = true
            witness.look(at: table)
        } catch {
            witness.report("\(error)")
        }
    }
}
