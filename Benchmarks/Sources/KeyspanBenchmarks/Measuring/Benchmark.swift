/// A subject and the floor that it is compared with, both made when their turn comes.
struct Benchmark {
    /// The operation of the subject, for the table and the filter.
    let name: String
    /// Makes the subject and its floor; called once.
    ///
    /// Both are released before the next benchmark begins.
    let setUp: () throws -> (subject: Workload, floor: Workload)

    /// Makes a benchmark whose subject has its name.
    ///
    /// - Parameters:
    ///   - name: The operation of the subject.
    ///   - setUp: Makes the two workloads.
    init(_ name: String, setUp: @escaping () throws -> (subject: Workload, floor: Workload)) {
        self.name = name
        self.setUp = setUp
    }
}
