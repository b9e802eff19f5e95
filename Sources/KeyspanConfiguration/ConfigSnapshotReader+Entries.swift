#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

extension ConfigSnapshotReader {
    /// The value of an entry.
    ///
    /// The methods for optional values answer a refused value like an absent one. Those for required values distinguish the two by
    /// their error.
    ///
    /// - Throws: The error of the provider.
    func lookUp(_ query: EntryQuery, as type: ConfigType, fileID: String, line: UInt) throws -> LookupResult {
        let isSecret = query.isSecret
        do {
            let content = try content(query.configKey, as: type, isSecret: isSecret, fileID: fileID, line: line)
            return LookupResult(encodedKey: query.name, value: ConfigValue(content, isSecret: isSecret))
        } catch  where error.isAboutAbsentValue {
            return LookupResult(encodedKey: query.name, value: nil)
        }
    }

    private func content(
        _ key: ConfigKey,
        as type: ConfigType,
        isSecret: Bool,
        fileID: String,
        line: UInt
    ) throws -> ConfigContent {
        switch type {
        case .string: .string(try requiredString(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .int: .int(try requiredInt(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .double: .double(try requiredDouble(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .bool: .bool(try requiredBool(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .bytes: .bytes(try requiredBytes(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .stringArray:
            .stringArray(try requiredStringArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .intArray: .intArray(try requiredIntArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .doubleArray:
            .doubleArray(try requiredDoubleArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .boolArray: .boolArray(try requiredBoolArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        case .byteChunkArray:
            .byteChunkArray(try requiredByteChunkArray(forKey: key, isSecret: isSecret, fileID: fileID, line: line))
        }
    }
}

extension Error {
    /// Whether the error of a required value says that no provider has one.
    ///
    /// The type of that error is not public, so its case is found by reflection. If it had another name, keys would throw in place of
    /// reading their default, and the tests of this module would fail.
    fileprivate var isAboutAbsentValue: Bool {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.first?.label == "missingRequiredConfigValue"
    }
}
#endif
