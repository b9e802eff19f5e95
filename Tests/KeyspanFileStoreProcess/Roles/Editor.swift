import KeyspanCore

/// Edits the file as editors do: reads it, changes a key and renames a new version over it, knowing of no lock.
struct Editor: Work {
    let invocation: Invocation

    func run() throws {
        var number: Int64 = 0
        var overwritten = 0
        while !StopRequest.isMade {
            overwritten += try edit(&number) ? 0 : 1
            usleep(UInt32.random(in: 0...10_000))
        }
        // By now nobody writes but those who react to the edits, and after this one nobody edits.
        _ = try edit(&number)
        Output.standard.write("\(Report.overwritten)\(overwritten)")
        Output.standard.write("\(Report.acknowledged)\(number)")
    }

    /// Raises the editor's key by one.
    ///
    /// - Returns: Whether the last edit was still in the file.
    private func edit(_ number: inout Int64) throws -> Bool {
        var table = try PlainFile.read(invocation.path) ?? PropertyListTable()
        let isThere = number == 0 || table[invocation.name]?.integerValue?.int64 == number
        number += 1
        table[invocation.name] = .integer(PropertyListInteger(number))
        try PlainFile.replace(invocation.path, with: table)
        return isThere
    }
}
