import KeyspanCore

/// How the members of a file stand for the entries of a store.
package struct EntryForm: Sendable, Hashable {
    /// The groups in which the file may nest keys.
    package var groups: GroupNames
    /// Where new keys go, and which of two places of one key counts.
    package var nesting: FileStoreOptions.Nesting
    /// Whether the file may have comments and commas behind last members, if its format knows them.
    package var allowsComments: Bool
    /// Whether other processes nest the keys as well when they read that this process has written one.
    ///
    /// A program with keys of its own announces them. A visitor that has only the name of an entry does not, because to the program
    /// the dictionary around it may be a value.
    package var announcesKeys: Bool

    /// Makes a form; by default each member is an entry.
    package init(
        groups: GroupNames = GroupNames(),
        nesting: FileStoreOptions.Nesting = FileStoreOptions.Nesting(),
        allowsComments: Bool = false,
        announcesKeys: Bool = true
    ) {
        self.groups = groups
        self.nesting = nesting
        self.allowsComments = allowsComments
        self.announcesKeys = announcesKeys
    }

    /// Makes the form of a store's file.
    ///
    /// - Parameters:
    ///   - keys: The keys of the store.
    ///   - options: The options of the store.
    ///   - path: The path of the file, whose extension may allow comments.
    init(of keys: [Defaults.AnyKey], _ options: FileStoreOptions, path: String) {
        self.init(named: keys.flatMap(\.entryNames), options, path: path)
    }

    /// Makes the form of a visitor's file.
    ///
    /// - Parameters:
    ///   - names: The names of the entries that it reads and writes, which the file may nest.
    ///   - options: The options of the store.
    ///   - path: The path of the file, whose extension may allow comments.
    init(reaching names: [String], _ options: FileStoreOptions, path: String) {
        self.init(named: names, options, path: path)
        announcesKeys = false
    }

    private init(named names: [String], _ options: FileStoreOptions, path: String) {
        let allowsComments =
            switch options.comments {
            case .inJSONC: path.hasUTF8Suffix(".jsonc")
            case .inAllFiles: true
            }
        self.init(
            groups: GroupNames(of: names),
            nesting: options.nesting,
            allowsComments: allowsComments
        )
    }

    /// The form in which each member is an entry.
    static let flat = EntryForm()

    /// Which of two places of one key counts; `nil` if such a file is refused.
    ///
    /// - Parameters:
    ///   - depth: How many objects are around the new place.
    ///   - present: How many are around the place that counts so far, which is the first one in the text.
    /// - Returns: Whether the new place counts.
    func counts(_ depth: Int, over present: Int) -> Bool? {
        switch nesting.duplicates {
        case .dottedCounts: depth < present
        case .nestedCounts: depth > present
        case .areRefused: nil
        }
    }

    /// Whether new keys are nested in a file in which some keys are.
    ///
    /// - Parameters:
    ///   - nested: The number of members of the file that are nested.
    ///   - dotted: The number of members with a dot in their names.
    func nestsNewKeys(besides nested: Int, dotted: Int) -> Bool {
        switch nesting.newKeys {
        case .nested: true
        case .flat: false
        case .likeOthers: nested >= dotted
        }
    }
}
