package import KeyspanCore

extension FileBackedTable {
    /// Where the values of keys came from.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - findingLines: Whether the file is read to find their lines.
    package func provenance(forKeys keys: [String], findingLines: Bool) -> [String: Provenance] {
        let values = contents.snapshot()
        let present = keys.filter { values[$0] != nil }
        let located = findingLines && !present.isEmpty ? locate(Set(present)) : nil
        return present.reduce(into: [:]) { found, key in
            found[key] = Provenance([source(of: values[key], at: located?[key], isLocated: located != nil)])
        }
    }

    /// A value that the file has not has no line: that of another value would mislead.
    private func source(
        of value: PropertyListValue?,
        at place: LocatedValue?,
        isLocated: Bool
    ) -> Provenance.Source {
        guard isLocated else { return Provenance.Source(store: path) }
        guard let place, place.value == value else {
            return Provenance.Source(store: path, detail: "(not in the file now)")
        }
        return Provenance.Source(store: path, line: place.line)
    }

    /// The places of keys in the file as it is now; `nil` if that cannot be told.
    private func locate(_ keys: Set<String>) -> [String: LocatedValue]? {
        do {
            let contents = try file.withLock { (file) throws(FileStoreError) in try file.readBytes(of: file.path) }
            guard let contents else { return [:] }
            return try codec.locate(keys, in: contents.bytes)
        } catch {
            // That the file cannot be used is told by those who need it; the values are known without it.
            return nil
        }
    }
}
