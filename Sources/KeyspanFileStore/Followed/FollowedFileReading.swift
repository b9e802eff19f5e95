@_spi(StoreAuthors) internal import KeyspanCore

/// The last reading of a file that is followed, with which the next one is compared.
struct FollowedFileReading: Sendable {
    /// A version that takes effect.
    struct Version {
        /// The members of the file.
        let table: PropertyListTable
        /// Where they are.
        let lines: MemberLines
        /// Whether values are held back that were not before.
        let isNewlyHeld: Bool
        /// What to report when no lock is held.
        let reports: [@Sendable () -> Void]
    }

    private let path: AbsolutePath
    private let format: any TextFormat
    private let entryNames: [String]
    private let naming: NestedNaming?
    private let nesting: FileStoreOptions.Nesting
    private let names: UnknownNameCheck?
    private let values: UnusableValueCheck?
    private let validate: StoreValidation.Validator?
    private let fileSystem: any FileSystem
    private let report: @Sendable (FileReport) -> Void

    /// The version that is in effect; `nil` before there was one.
    private var accepted: FileVersion?
    private var table: PropertyListTable = [:]
    /// The values of it that are held back.
    private(set) var held: HeldValues?
    private var heldReports = HeldBackReports()
    /// The version that was rejected last, which is not parsed again.
    private var rejected: (version: FileVersion, error: FileStoreError)?
    /// The keys of which a notice said that the file has them twice, and that it has so still.
    private var reportedKeys: Set<UTF8Text> = []

    /// How often a file is read again because it has changed meanwhile, before the attempt fails.
    private static let attempts = 8

    init(
        path: AbsolutePath,
        format: any TextFormat,
        keys: [Defaults.AnyKey],
        unknownNames: Defaults.UnknownNames,
        duplicates: FileStoreOptions.Nesting.Duplicates,
        validate: StoreValidation.Validator?,
        fileSystem: any FileSystem,
        report: @escaping @Sendable (FileReport) -> Void
    ) {
        self.path = path
        self.format = format
        entryNames = keys.flatMap(\.entryNames)
        nesting = FileStoreOptions.Nesting(duplicates: duplicates)
        naming = FileStoreOptions(nesting: nesting).naming(nesting: entryNames)
        names = UnknownNameCheck(of: entryNames, unknownNames, path: path.text)
        values = UnusableValueCheck(of: keys, path: path.text)
        self.validate = validate
        self.fileSystem = fileSystem
        self.report = report
    }

    /// Reads the file.
    ///
    /// - Parameter examination: The calls of the program's code.
    /// - Returns: `nil` if the version that is in effect is there still.
    /// - Throws: ``FileStoreError`` if the values from before stay.
    mutating func readVersion(in examination: Examination) throws(FileStoreError) -> Version? {
        let bytes = try readBytes()
        let version = bytes.map { FileVersion($0) } ?? .missing
        if accepted == version {
            rejected = nil
            return nil
        }
        if let rejected, rejected.version == version { throw rejected.error }
        do throws(FileStoreError) {
            let new = try accept(bytes, in: examination)
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

    private mutating func accept(_ bytes: [UInt8]?, in examination: Examination) throws(FileStoreError) -> Version {
        let text: ParsedText
        do throws(TextFileError) {
            text = try bytes.map { (bytes) throws(TextFileError) in try format.parse(bytes) } ?? .empty
        } catch {
            throw .unparsable(path: path.text, FileFormatError(error))
        }
        var new = text.members
        new.naming = naming
        let namesHeldTwice = new.namesHeldTwice
        if nesting.refusesDuplicates, let name = namesHeldTwice.first {
            throw .unparsable(path: path.text, .heldTwice(name))
        }
        var reports: [@Sendable () -> Void] = []
        let listing = EntryListing(of: entryNames)
        let (written, present) = (new, table.listed(by: listing))
        let lines = { (names: [String]) in
            TextDictionary(names.compactMap { name in text.lines.line(of: name, in: written).map { (name, $0) } })
        }
        // A file that is opened has no values before.
        let held =
            accepted == nil ? nil : values?.holdBack(from: &new, after: table, in: examination, findingLines: lines)
        do {
            try names?.check(written.listed(by: listing), madeOf: present, findingLines: lines) { reports.append($0) }
            try examination.run(exclusively: true) { try validate?(new.listed(by: listing)) }
        } catch let error as FileStoreError {
            throw error
        } catch {
            throw .refused(path: path.text, error)
        }
        // Not before, because the notices of a version that is rejected are not reported.
        reportedKeys.formIntersection(namesHeldTwice.map { UTF8Text($0) })
        for name in namesHeldTwice.prefix(KeyHeldTwice.limit) where reportedKeys.insert(name) {
            let lines = written.findAll(name).map { text.lines.line(at: $0.place) }
            let twice = KeyHeldTwice(
                key: name,
                countingLine: lines.first ?? nil,
                otherLine: lines.dropFirst().first ?? nil
            )
            reports.append { [report, path] in report(.notice(.keyHeldTwice(twice, path: path.text))) }
        }
        self.held = held
        let isNewlyHeld = heldReports.note(held, of: written)
        return Version(table: new, lines: text.lines, isNewlyHeld: isNewlyHeld, reports: reports)
    }
}

extension MemberLines {
    /// The line of the value to which a name leads in a table.
    func line(of name: String, in table: PropertyListTable) -> Int? {
        table.find(name).flatMap { line(at: $0.place) }
    }

    fileprivate func line(at place: EntryPlace) -> Int? { member(at: ValuePath(place).steps)?.line }
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
