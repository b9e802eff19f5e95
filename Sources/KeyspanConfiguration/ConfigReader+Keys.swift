#if Configuration
public import Configuration
@_spi(StoreAuthors) public import KeyspanCore

extension Defaults.AnyKey {
    /// The key of swift-configuration whose components are the parts of the name between its dots.
    public var configKey: ConfigKey { ConfigKey(entryName: name) }
}

/// Values of Keyspan's keys: converted by the key, and with its default.
extension ConfigReader {
    /// The value of a key, or its default if there is none, or if it is refused or unreadable, which is reported.
    ///
    /// ```swift
    /// // With the trait Configuration
    /// extension Defaults.Keys {
    ///     static let timeout = Key<Duration>("http.timeout", default: .seconds(5))
    /// }
    ///
    /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
    /// let timeout = config[.timeout]  // HTTP_TIMEOUT=1m30s
    /// ```
    ///
    /// The value is asked for as a ``ConfigurationStore`` asks for it, each time. Access logs never have the value of a key marked with
    /// `secret()`, and no error has any value, because a reader does not say which values its providers mark as secret. An unreadable value
    /// is reported to `Defaults.onProblem(_:)` once for each key and value, a refused one once for each key and reason. All entries of the
    /// key are of one version of the providers. For frequent reads, make a ``ConfigurationStore``, which keeps the converted values.
    ///
    /// - Parameters:
    ///   - key: The key. The scope of the reader is a prefix of its name.
    ///   - fileID: The file of the access, for access logs.
    ///   - line: The line of the access, for access logs.
    public subscript<Value>(key: Defaults.Key<Value>, fileID: String = #fileID, line: UInt = #line) -> Value {
        snapshot()[key, fileID, line]
    }

    /// The value of a throwing key, or its default if there is none.
    ///
    /// - Throws: ``ConfigurationReadError`` if there is a value that is refused or unreadable.
    public subscript<Value>(
        key: Defaults.ThrowingKey<Value>,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Value {
        get throws(ConfigurationReadError) { try snapshot()[key, fileID, line] }
    }

    /// The value of a key, or its default if there is none; an error if there is one that is refused or unreadable.
    ///
    /// Collections are read whole: an unreadable element is an error.
    ///
    /// - Throws: ``ConfigurationReadError``.
    public func value<Value>(
        for key: Defaults.Key<Value>,
        fileID: String = #fileID,
        line: UInt = #line
    ) throws(ConfigurationReadError) -> Value {
        try snapshot().value(for: key, fileID: fileID, line: line)
    }

    /// Calls a handler with the values of a key: the present one, and one for each version of the providers in which its stored form differs.
    ///
    /// ```swift
    /// // With the trait Configuration
    /// try await config.watch(.timeout) { values in
    ///     for await timeout in values { client.setTimeout(timeout) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - fileID: The file of the access, for access logs.
    ///   - line: The line of the access, for access logs.
    ///   - updatesHandler: Reads the values. They end when the task is canceled.
    /// - Returns: The result of the handler.
    /// - Throws: The error of the handler, or of a provider that cannot be watched.
    nonisolated(nonsending) public func watch<Value: Sendable, Return: ~Copyable>(
        _ key: Defaults.Key<Value>,
        fileID: String = #fileID,
        line: UInt = #line,
        updatesHandler:
            nonisolated(nonsending) (
                _ values: ConfigUpdatesAsyncSequence<Value, Never>
            ) async throws -> Return
    ) async throws -> Return {
        try await watchEntries(of: key, fileID: fileID, line: line, as: { key.value(of: $0) }, updatesHandler)
    }

    /// Calls a handler with the values of a throwing key, or the errors in their place: the present one, and one for each version of the
    /// providers in which its stored form differs.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - fileID: The file of the access, for access logs.
    ///   - line: The line of the access, for access logs.
    ///   - updatesHandler: Reads the values. They end when the task is canceled.
    /// - Returns: The result of the handler.
    /// - Throws: The error of the handler, or of a provider that cannot be watched.
    nonisolated(nonsending) public func watch<Value: Sendable, Return: ~Copyable>(
        _ key: Defaults.ThrowingKey<Value>,
        fileID: String = #fileID,
        line: UInt = #line,
        updatesHandler:
            nonisolated(nonsending) (
                _ values: ConfigUpdatesAsyncSequence<Result<Value, ConfigurationReadError>, Never>
            ) async throws -> Return
    ) async throws -> Return {
        try await watchEntries(
            of: key,
            fileID: fileID,
            line: line,
            as: { entries in Result { () throws(ConfigurationReadError) in try key.strictValue(of: entries) } },
            updatesHandler
        )
    }

    /// Calls a handler with what a conversion makes of the entries of a key, in each version of the providers in which these differ.
    private nonisolated(nonsending) func watchEntries<Element: Sendable, Return: ~Copyable>(
        of key: Defaults.AnyKey,
        fileID: String,
        line: UInt,
        as convert: @escaping @Sendable (EntriesOfKey) -> Element,
        _ handler: nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Element, Never>) async throws -> Return
    ) async throws -> Return {
        try await watchSnapshot(fileID: fileID, line: line) { readers in
            let last = Locked<EntriesOfKey?>(nil)
            let elements = readers.compactMap { (_) -> Element? in
                // Of several writers, the slower one may deliver its older version last, so the delivered version is not used.
                let entries = snapshot().entries(of: key, fileID: fileID, line: line)
                // Taken out, because an error of a provider must not be released under the lock.
                let previous = last.withLock { last in
                    defer { last = entries }
                    return last
                }
                return previous == entries ? nil : convert(entries)
            }
            return try await handler(ConfigUpdatesAsyncSequence(elements))
        }
    }
}

/// Values of Keyspan's keys: converted by the key, and with its default.
extension ConfigSnapshotReader {
    /// The value of a key, or its default if there is none, or if it is refused or unreadable, which is reported; as for `ConfigReader`.
    public subscript<Value>(key: Defaults.Key<Value>, fileID: String = #fileID, line: UInt = #line) -> Value {
        key.value(of: entries(of: key, fileID: fileID, line: line))
    }

    /// The value of a throwing key, or its default if there is none.
    ///
    /// - Throws: ``ConfigurationReadError`` if there is a value that is refused or unreadable.
    public subscript<Value>(
        key: Defaults.ThrowingKey<Value>,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Value {
        get throws(ConfigurationReadError) { try key.strictValue(of: entries(of: key, fileID: fileID, line: line)) }
    }

    /// The value of a key, or its default if there is none; an error if there is one that is refused or unreadable.
    ///
    /// - Throws: ``ConfigurationReadError``.
    public func value<Value>(
        for key: Defaults.Key<Value>,
        fileID: String = #fileID,
        line: UInt = #line
    ) throws(ConfigurationReadError) -> Value {
        try key.strictValue(of: entries(of: key, fileID: fileID, line: line))
    }
}
#endif
