@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting

@_spi(StoreAuthors) @testable import KeyspanTOML

#if YAML
@_spi(StoreAuthors) @testable import KeyspanYAML
#endif

/// The formats of files that are read and not written.
enum LayerFormat: CaseIterable {
    #if YAML
    case yaml
    #endif
    case toml

    /// Reads a text.
    func parse(_ text: String) throws -> PropertyListTable {
        try parse(Array(text.utf8))
    }

    func parse(_ bytes: [UInt8]) throws -> PropertyListTable {
        switch self {
        #if YAML
        case .yaml: try YAMLText().parse(bytes).members
        #endif
        case .toml: try TOMLText().parse(bytes).members
        }
    }

    func open(
        _ path: String,
        keys: [String] = [],
        typed: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        duplicates: FileStoreOptions.Nesting.Duplicates = .dottedCounts,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil,
        seams: FileStoreSeams? = nil
    ) throws(FileStoreError) -> any FollowedFileStore {
        let keys: [Defaults.AnyKey] = keys.map { Defaults.Key<Defaults.AnySerializable?>($0) } + typed
        let seams = seams ?? FileStoreSeams(fileSystem: POSIXFileSystem())
        return switch self {
        #if YAML
        case .yaml:
            try YAMLFileStore(
                path: path,
                keys: keys,
                unknownNames: unknownNames,
                duplicates: duplicates,
                validate: validate,
                seams: seams
            )
        #endif
        case .toml:
            try TOMLFileStore(
                path: path,
                keys: keys,
                unknownNames: unknownNames,
                duplicates: duplicates,
                validate: validate,
                seams: seams
            )
        }
    }

    /// Picks the text of this format.
    func text(yaml: String, toml: String) -> String {
        switch self {
        #if YAML
        case .yaml: yaml
        #endif
        case .toml: toml
        }
    }
}
