import KeyspanCore
import KeyspanFileStore

/// Opens the store again and again, and looks at what it has and at the file.
struct Reader: Work {
    let invocation: Invocation

    func run() throws {
        Output.standard.write(Report.ready)
        var file = FileWitness(path: invocation.path)
        var witness = Witness(of: "the reopened store")
        var count = 0
        while !StopRequest.isMade {
            witness.look(at: try invocation.open().snapshot())
            file.look()
            count += 1
        }
        Output.standard.write("\(Report.looks)\(count)")
    }
}
