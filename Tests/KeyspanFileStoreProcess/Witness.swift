package import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// Looks at one state after the other, and finds what must not be: a batch in parts, and one that goes back.
struct Witness {
    private let subject: String
    private var numbers: [String: Int] = [:]

    /// The sum of the last numbers of all writers.
    var sum: Int { numbers.values.reduce(0, +) }

    /// Makes a witness.
    ///
    /// - Parameter subject: The name of the watched store or file in reports.
    init(of subject: String) {
        self.subject = subject
    }

    /// Looks at the next state, and reports what is wrong with it.
    mutating func look(at table: PropertyListTable) {
        for writer in Set(NumberedBatch.writers(in: table)).union(numbers.keys) {
            let last = numbers[writer] ?? 0
            switch NumberedBatch.trace(of: writer, in: table) {
            case .whole(let number):
                if number < last { report("\(writer) went back from \(last) to \(number)") }
                numbers[writer] = number
            case .nothing: report("\(writer) had \(last), and has gone")
            case .torn(let what): report(what)
            }
        }
    }

    /// Reports what is wrong.
    func report(_ what: String) {
        say("\(Report.fault)\(subject): \(what)")
    }
}

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

/// A settings file as a program sees it that does not know of stores.
package enum PlainFile {
    /// Reads it; `nil` if there is none.
    package static func read(_ path: String) throws -> PropertyListTable? {
        do {
            return try JSONText.parseTable([UInt8](Data(contentsOf: URL(filePath: path))))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    /// Writes a new version as editors do: to a file of its own that is renamed over the old one.
    static func replace(_ path: String, with table: PropertyListTable) throws {
        try Data(JSONText.encode(table)).write(to: URL(filePath: path + ".edited"))
        if rename(path + ".edited", path) != 0 { throw POSIXError(.EIO) }
    }
}
