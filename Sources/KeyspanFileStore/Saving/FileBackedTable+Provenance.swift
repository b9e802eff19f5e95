package import KeyspanCore

extension FileBackedTable {
    /// Where the values of keys came from.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - store: The name of the store: its path to the file, which another store may reach by a link.
    ///   - findingLines: Whether the file is read to find their lines.
    package func provenance(forKeys keys: [String], store: String, findingLines: Bool) -> TextDictionary<Provenance> {
        let values = contents.snapshot()
        let present = keys.filter { values[$0] != nil }
        let located = findingLines && !present.isEmpty ? locate(Set(present)) : nil
        return present.reduce(into: [:]) { found, key in
            guard let located else { return found[key] = Provenance([.init(store: store)]) }
            if let place = located[key], place.value == values[key] {
                found[key] = Provenance([.init(store: store, line: place.line)])
            } else {
                // The line of another value would mislead.
                found[key] = Provenance([.init(store: store, detail: "(not in the file now)")])
            }
        }
    }

    /// The places of keys in the file as it is now; `nil` if that cannot be told.
    private func locate(_ keys: Set<UTF8Text>) -> TextDictionary<LocatedValue>? {
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
