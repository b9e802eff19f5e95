@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) public import KeyspanFileStore
public import Testing

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
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areIgnored,
        options: FileStoreOptions = FileStoreOptions(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) -> any PropertyListStore {
        switch self {
        case .json:
            return try JSONFileStore(
                path: path,
                keys: keys,
                unknownNames: unknownNames,
                options: options,
                validate: validate,
                seams: seams
            )
        case .xml: return try openPropertyList(.xml)
        case .binary: return try openPropertyList(.binary)
        }

        func openPropertyList(_ format: PropertyListFormat) throws(FileStoreError) -> PropertyListFileStore {
            try PropertyListFileStore(
                path: path,
                format: format,
                keys: keys,
                unknownNames: unknownNames,
                options: options,
                validate: validate,
                seams: seams
            )
        }
    }

    /// The bytes of a file with members.
    func bytes(_ members: PropertyListTable) throws -> [UInt8] {
        switch self {
        case .json: JSONText.encode(members)
        case .xml: try PropertyListData.encode(members, as: .xml)
        case .binary: try PropertyListData.encode(members, as: .binary)
        }
    }

    /// The members of a file.
    func members(of bytes: [UInt8]) throws -> PropertyListTable {
        switch self {
        case .json: try JSONText.parseTable(bytes)
        case .xml, .binary: try PropertyListData.parseTable(bytes)
        }
    }
}

extension JSONFileStore {
    /// Stores a text under a key.
    func set(_ text: String, forKey key: String = "key") throws {
        try apply(PropertyListBatch(.set(.string(text), key: key)))
    }
}

/// The bytes of a file that holds one text.
func fileBytes(_ text: String, forKey key: String = "key") -> [UInt8] {
    JSONFileCodec().encode([key: .string(text)])
}

extension FileStoreOptions {
    /// Without a journal: every save is a new version of the file.
    static let oneFile = FileStoreOptions(journal: .none)

    /// Saves nothing in the background within the time of a test.
    static let unhurried = FileStoreOptions(
        saveDelay: .seconds(3600),
        journal: .beside(checkpointDelay: .seconds(3600))
    )

    /// Every mode that saves differently.
    static let modes: [FileStoreOptions] = [
        FileStoreOptions(), .oneFile,
        FileStoreOptions(durability: .everyBatch), FileStoreOptions(durability: .everyBatch, journal: .none),
        FileStoreOptions(durability: .onSynchronize), FileStoreOptions(durability: .onSynchronize, journal: .none),
        FileStoreOptions(recovery: .lastGoodCopy), FileStoreOptions(journal: .none, recovery: .lastGoodCopy),
    ]
}

extension FileStoreOptions: CustomTestStringConvertible {
    public var testDescription: String {
        "\(durability), \(journal == .none ? "one file" : "journal")\(recovery == .none ? "" : ", recovering")"
    }
}
