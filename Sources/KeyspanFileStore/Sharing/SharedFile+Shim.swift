extension SharedFile {
    mutating func write(_ delta: TableDelta, flushing: Bool) throws(FileStoreError) {
        if !delta.isEmpty || mustBeAdopted { try write(delta) }
    }
}
