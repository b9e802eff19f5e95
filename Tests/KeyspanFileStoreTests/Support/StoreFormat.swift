import KeyspanCore
import KeyspanFileStore

/// The file stores, for tests of what all of them do alike.
enum StoreFormat: String, CaseIterable, Sendable {
    case json, xml, binary

    /// Makes a codec for one file.
    var codec: any FileCodec {
        switch self {
        case .json: JSONFileCodec()
        case .xml: PropertyListFileCodec(.xml)
        case .binary: PropertyListFileCodec(.binary)
        }
    }

    /// Opens a store of this format.
    func open(
        path: String,
        options: FileStoreOptions = FileStoreOptions(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) -> any PropertyListStore {
        switch self {
        case .json: try JSONFileStore(path: path, options: options, validate: validate, seams: seams)
        case .xml:
            try PropertyListFileStore(path: path, format: .xml, options: options, validate: validate, seams: seams)
        case .binary:
            try PropertyListFileStore(path: path, format: .binary, options: options, validate: validate, seams: seams)
        }
    }
}
