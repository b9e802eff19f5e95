#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// What a ``ConfigurationStore`` reads: a provider, or a reader of several.
protocol ConfigurationSource: Sendable {
    associatedtype Version: ConfigurationVersion

    /// The name in errors and diagnostics.
    var name: String { get }

    /// The present version of all values.
    func version() -> Version

    /// Calls a closure with the present version and with each later one, until it returns `false`, the task is canceled, or the
    /// source ends.
    nonisolated(nonsending) func follow(_ take: (Version) -> Bool) async throws
}

/// The values of a source at one instant.
protocol ConfigurationVersion {
    /// Whether the values are marked that are secret.
    static var marksSecrets: Bool { get }

    /// The value of an entry.
    ///
    /// - Throws: The error of the source if it has a value of another type.
    func value(of query: EntryQuery, as type: ConfigType) throws -> LookupResult
}

/// A provider as a source.
struct ProviderSource: ConfigurationSource {
    let provider: any ConfigProvider

    struct Version: ConfigurationVersion {
        static var marksSecrets: Bool { true }

        let snapshot: any ConfigSnapshot

        func value(of query: EntryQuery, as type: ConfigType) throws -> LookupResult {
            try snapshot.value(forKey: AbsoluteConfigKey(query.configKey), type: type)
        }
    }

    var name: String { provider.providerName }

    func version() -> Version { Version(snapshot: provider.snapshot()) }

    nonisolated(nonsending) func follow(_ take: (Version) -> Bool) async throws {
        try await provider.watchSnapshot { snapshots in
            // Of several writers, the slower one may deliver its older version last, so the delivered version is not used.
            for await _ in snapshots {
                if !take(version()) { return }
            }
        }
    }
}

/// A reader as a source.
struct ReaderSource: ConfigurationSource {
    let reader: ConfigReader

    struct Version: ConfigurationVersion {
        static var marksSecrets: Bool { false }

        let reader: ConfigSnapshotReader

        func value(of query: EntryQuery, as type: ConfigType) throws -> LookupResult {
            try reader.lookUp(query, as: type, fileID: #fileID, line: #line)
        }
    }

    var name: String { reader.description }

    func version() -> Version { Version(reader: reader.snapshot()) }

    nonisolated(nonsending) func follow(_ take: (Version) -> Bool) async throws {
        try await reader.watchSnapshot { readers in
            for await _ in readers {
                if !take(version()) { return }
            }
        }
    }
}
#endif
