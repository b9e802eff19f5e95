import KeyspanCore
import KeyspanFileStore

extension FileCodec {
    /// The bytes of a whole file with a table.
    func encode(_ table: PropertyListTable) throws(FileFormatError) -> [UInt8] {
        try encode(table, upTo: .max)?.bytes ?? []
    }
}

extension JSONFileCodec {
    /// The bytes of a whole file with a table; every value has a form.
    func encode(_ table: PropertyListTable) -> [UInt8] {
        encode(table, upTo: .max)?.bytes ?? []
    }
}
