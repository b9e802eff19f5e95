@_spi(StoreAuthors) internal import KeyspanCore

/// The last reading of a folder of secrets, with which the next one is compared.
struct SecretFolderReading: Sendable {
    /// The values of one version, and what to report of it.
    struct Secrets {
        let values: PropertyListTable
        /// The paths of the files that gave each key its value.
        let origins: TextDictionary<[String]>
        /// Whether values are held back that were not before.
        let isNewlyHeld: Bool
        let notices: [FileStoreNotice]
        /// The files that no key has, if the store reports them.
        let unknown: [Defaults.UnknownName]
    }

    private let folder: SecretFolder
    private let isOptional: Bool
    private let unknownNames: Defaults.UnknownNames
    private let alsoKnown: Set<UTF8Text>
    private let check: UnusableValueCheck?
    /// The values that are held back.
    private(set) var held: HeldValues?
    private var heldReports = HeldBackReports()
    private var isOpen = false
    /// The names of the files that gave values in the last version; `nil` before there was one.
    private var fileNames: Set<UTF8Text>?
    /// The notices of the last version, none of which is repeated.
    private var reported: Set<String> = []
    /// The names of the files that were reported because no key has them.
    private var reportedNames: Set<UTF8Text> = []

    /// Makes the state before the first reading.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - isOptional: Whether it may be missing.
    ///   - unknownNames: What happens to files that no key has.
    ///   - alsoKnown: The names of files that the program uses in other ways.
    ///   - keys: The keys whose values are examined.
    init(
        of folder: SecretFolder,
        isOptional: Bool,
        _ unknownNames: Defaults.UnknownNames,
        alsoKnown: [String],
        checking keys: [Defaults.AnyKey]
    ) {
        self.folder = folder
        self.isOptional = isOptional
        self.unknownNames = unknownNames
        self.alsoKnown = Set(alsoKnown)
        check = UnusableValueCheck(of: keys, path: folder.path.text)
    }

    /// Reads the folder.
    ///
    /// - Parameters:
    ///   - names: The names of the keys' files.
    ///   - before: The values in effect.
    ///   - examination: The calls of the program's code.
    /// - Returns: `nil` if the folder is optional and does not exist yet.
    /// - Throws: ``FileStoreError`` if the values from before stay.
    mutating func readSecrets(
        named names: VariableNames,
        after before: PropertyListTable,
        in examination: Examination
    ) throws(FileStoreError) -> Secrets? {
        defer { isOpen = true }
        guard let contents = try folder.read() else {
            if isOptional, fileNames == nil { return nil }
            throw .missingFolder(path: folder.path.text, isOptional: isOptional)
        }
        let refused = contents.refusals.sortedByName()
        // Without this file the version would be incomplete.
        if let (_, error) = refused.first(where: { fileNames?.contains(UTF8Text($0.key)) == true }) { throw error }
        let unknown = try unknownFiles(of: contents, named: names)
        let (given, conflicts) = values(of: contents.texts, named: names)
        let written = given.values.markedAsText
        var values = written
        // A folder that is opened has no values before.
        let held = isOpen ? check?.holdBack(from: &values, after: before, in: examination) : nil
        fileNames = Set(contents.texts.map { UTF8Text($0.key) })
        let notices = refused.map { FileStoreNotice.unusableSecret($0.value) } + conflicts
        self.held = held
        defer { reported = Set(notices.map(\.description)) }
        return Secrets(
            values: values,
            origins: given.names,
            isNewlyHeld: heldReports.note(held, of: written),
            notices: notices.filter { !reported.contains($0.description) },
            unknown: unknown.filter { reportedNames.insert($0.name) }
        )
    }

    /// The files that no key has, refused ones among them.
    ///
    /// - Throws: ``FileStoreError`` if there are any and the store is strict.
    private func unknownFiles(
        of contents: SecretFolder.Contents,
        named names: VariableNames
    ) throws(FileStoreError) -> [Defaults.UnknownName] {
        if names.isEmpty || unknownNames == .areIgnored { return [] }
        let files = Set(contents.texts.sortedKeys + contents.refusals.sortedKeys).sortedTexts().filter { file in
            !alsoKnown.contains(file) && !keys(ofFile: file, named: names).contains(where: names.isRead(key:))
        }
        let unknown = NearestName.suggestions(for: files) { nearestFile(to: $0, named: names) }.map {
            file,
            suggestion in
            let source = Provenance([.init(store: folder.path(of: file))])
            return Defaults.UnknownName(file, .file, source: source, suggestion: suggestion)
        }
        if unknownNames == .strict, !unknown.isEmpty { throw .unknownNames(unknown, path: folder.path.text) }
        return unknown
    }

    /// The name of the key, or of the known file, whose words are most similar to those of a file.
    private func nearestFile(to file: String, named names: VariableNames) -> String? {
        var known = TextDictionary(names.known.map { (key: $0, value: names.keys(ofVariable: $0).first ?? $0) })
        for file in alsoKnown.sortedTexts() { known[names.variable(withWordsOf: file)] = file }
        return NearestName.of(names.variable(withWordsOf: file), among: known.sortedKeys).flatMap { known[$0] }
    }

    /// The values of files, and a notice for each key that two files stand for.
    private func values(
        of texts: TextDictionary<OutsideText>,
        named names: VariableNames
    ) -> (given: GivenValues, conflicts: [FileStoreNotice]) {
        var files: TextDictionary<[String]> = [:]
        for (file, _) in texts.sortedByName() {
            for key in keys(ofFile: file, named: names) { files[key, default: []].append(file) }
        }
        var given = GivenValues()
        var conflicts: [FileStoreNotice] = []
        for (key, candidates) in files.sortedByName() {
            let file = candidates.first(where: key.hasSameUTF8) ?? candidates[0]
            guard let text = texts[file] else { continue }
            given.setNested(text.value, forKey: key, as: folder.path(of: file))
            if candidates.count > 1, !file.hasSameUTF8(as: key) {
                conflicts.append(.ambiguousSecret(key: key, paths: candidates.map(folder.path(of:))))
            }
        }
        return (given, conflicts)
    }

    /// The keys that a file stands for, each once.
    private func keys(ofFile file: String, named names: VariableNames) -> [String] {
        let variable = names.variable(withWordsOf: file)
        let keys = names.keys(ofVariable: variable)
        return names.isKnown(variable) || keys.contains(where: file.hasSameUTF8) ? keys : [file] + keys
    }
}

extension FileStoreError {
    fileprivate static func missingFolder(path: String, isOptional: Bool) -> FileStoreError {
        FileStoreError(
            step: .readFolder,
            path: path,
            reason: "it does not exist",
            remedy: isOptional ? "mount it again" : "mount it, or open the store with `isOptional: true`",
            underlying: nil
        )
    }
}

extension FileStoreNotice {
    fileprivate static func ambiguousSecret(key: String, paths: [String]) -> FileStoreNotice {
        let others = paths.dropFirst().map(\.quoted).joined(separator: ", ")
        return FileStoreNotice(
            kind: .unusableSecret,
            path: paths[0],
            reason: "key \(key.quoted) has its value from this file, and \(others) stands for it too",
            remedy: "remove all but one of them",
            underlying: nil
        )
    }
}
