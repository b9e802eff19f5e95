@_spi(StoreAuthors) internal import KeyspanCore

/// The last reading of a file that is followed, with which the next one is compared.
struct FollowedFileReading: Sendable {
    /// A version that takes effect.
    struct Version {
        let table: PropertyListTable
        /// The line of each key.
        let lines: TextDictionary<Int>
        /// What to report when no lock is held.
        let reports: [@Sendable () -> Void]
    }

    private let path: AbsolutePath
    private let format: any TextFormat
    private let form: EntryForm
    private let names: UnknownNameCheck?
    private let validate: StoreValidation.Validator?
    private let fileSystem: any FileSystem
    private let report: @Sendable (FileReport) -> Void

    /// The version that is in effect; `nil` before there was one.
    private var accepted: FileVersion?
    private var table: PropertyListTable = [:]
    /// The version that was rejected last, which is not parsed again.
    private var rejected: (version: FileVersion, error: FileStoreError)?
    /// The keys of which a notice said that the file has them twice.
    private var reportedKeys: Set<UTF8Text> = []

    /// How often a file is read again because it has changed meanwhile, before the attempt fails.
    private static let attempts = 8

    init(
        path: AbsolutePath,
        format: any TextFormat,
        keys: [String],
        unknownNames: Defaults.UnknownNames,
        duplicates: FileStoreOptions.Nesting.Duplicates,
        validate: StoreValidation.Validator?,
        fileSystem: any FileSystem,
        report: @escaping @Sendable (FileReport) -> Void
    ) {
        self.path = path
        self.format = format
        form = EntryForm(groups: GroupNames(of: keys), nesting: .init(duplicates: duplicates))
        names = UnknownNameCheck(of: keys, unknownNames, path: path.text)
        self.validate = validate
        self.fileSystem = fileSystem
        self.report = report
    }

    /// Reads the file.
    ///
    /// - Returns: `nil` if the version that is in effect is there still.
    /// - Throws: ``FileStoreError`` if the values from before stay.
    mutating func readVersion() throws(FileStoreError) -> Version? {
        let bytes = try readBytes()
        let version = bytes.map { FileVersion($0) } ?? .missing
        if accepted == version {
            rejected = nil
            return nil
        }
        if let rejected, rejected.version == version { throw rejected.error }
        do throws(FileStoreError) {
            let new = try accept(bytes)
            (accepted, table, rejected) = (version, new.table, nil)
            return new
        } catch {
            rejected = (version, error)
            throw error
        }
    }

    /// All bytes of one version; `nil` if the file does not exist.
    private func readBytes() throws(FileStoreError) -> [UInt8]? {
        for _ in 0..<Self.attempts {
            guard let file = try fileSystem.readFile(path, atMost: RegularFile.maximumSettingsSize) else { return nil }
            // The beginning of a text is often a text as well.
            guard file.isUnchanged else { continue }
            if file.bytes.isEmpty, !table.isEmpty { throw .emptied(path: path.text) }
            return file.bytes
        }
        throw .changing(.read, path: path.text)
    }

    private mutating func accept(_ bytes: [UInt8]?) throws(FileStoreError) -> Version {
        let (entries, lines, keysHeldTwice) = try entries(of: bytes)
        let new = PropertyListTable(entries)
        var reports: [@Sendable () -> Void] = []
        do {
            try names?.check(new, madeOf: table, lines: lines) { reports.append($0) }
            try validate?(new)
        } catch let error as FileStoreError {
            throw error
        } catch {
            throw .refused(path: path.text, error)
        }
        // Not before, because the notices of a version that is rejected are not reported.
        for twice in keysHeldTwice where reportedKeys.insert(twice.key) {
            reports.append { [report, path] in report(.notice(.keyHeldTwice(twice, path: path.text))) }
        }
        return Version(table: new, lines: lines, reports: reports)
    }

    private func entries(
        of bytes: [UInt8]?
    ) throws(FileStoreError) -> (NestedEntries, TextDictionary<Int>, [KeyHeldTwice]) {
        let text: ParsedText
        do throws(TextFileError) {
            text = try bytes.map { (bytes) throws(TextFileError) in try format.parse(bytes) } ?? .empty
        } catch {
            throw .unparsable(path: path.text, FileFormatError(error))
        }
        let entries: NestedEntries
        do throws(NestedEntries.DuplicateKey) {
            entries = try NestedEntries(text.members, as: form)
        } catch {
            throw .unparsable(
                path: path.text,
                FileFormatError(
                    reason: "the key \(error.key.debugDescription) is there twice, nested and with dots",
                    remedy: "remove one of the two",
                    underlying: error
                )
            )
        }
        let table = PropertyListTable(entries)
        let lines = TextDictionary<Int>(
            table.sortedKeys.compactMap { key in
                text.lines.line(at: entries.path(ofKey: key)).map { (key: key, value: $0) }
            }
        )
        let keysHeldTwice = entries.shadowed.prefix(KeyHeldTwice.limit).map { key, path, _ in
            KeyHeldTwice(key: key, countingLine: lines[key], otherLine: text.lines.line(at: path))
        }
        return (entries, lines, keysHeldTwice)
    }
}

extension FileStoreError {
    /// Many programs empty a file before they write it.
    fileprivate static func emptied(path: String) -> FileStoreError {
        FileStoreError(
            step: .parse,
            path: path,
            reason: "it is empty, and had values before",
            remedy: "write a comment into it if it is meant to have no values",
            underlying: nil
        )
    }
}
