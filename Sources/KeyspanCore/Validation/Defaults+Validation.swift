extension Defaults {
    /// Checks that every stored value can be read in full and breaks no rule of its key; absent values are good.
    ///
    /// A program calls it at its start, so that it does not find out later, one key at a time. All values are from one
    /// instant. Nothing is changed.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong.
    public func validate(_ keys: [AnyKey]) throws(ValidationError) {
        let table = store.snapshot()
        let problems = keys.flatMap { $0.untyped.problems(in: table, of: store) }
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }
}
