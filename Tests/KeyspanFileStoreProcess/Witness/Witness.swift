import KeyspanCore

/// Looks at one state after the other, and finds what must not be: a batch in parts, and one that goes back.
struct Witness {
    private let subject: String
    private var numbers: [String: Int] = [:]

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
        Output.standard.write("\(Report.fault)\(subject): \(what)")
    }
}
