import KeyspanCore

extension FileBackedTable.Report {
    /// Hands it to `Defaults.onProblem(_:)`.
    func report() {
        switch self {
        case .failure(let error): Defaults.Problem.storeUnavailable(name: error.path, cause: error).report()
        case .notice(let notice): Defaults.Problem.storeNotice(name: notice.path, notice: notice).report()
        }
    }
}
