import Keyspan
import KeyspanCore

/// A write to a domain, parsed from the arguments after the domain's name.
enum WriteRequest: Equatable {
    /// Replace all keys of the domain.
    case replace(PropertyListDictionary)
    /// Store a value.
    case set(PropertyListValue, key: String)
    /// Store a text as the kind of the value that it replaces.
    case setText(UntypedText, key: String)
    /// Append elements to an array, or create it if the key is absent.
    case append([PropertyListValue], key: String)
    /// Set entries of a dictionary, or create it if the key is absent.
    case merge(PropertyListDictionary, key: String)

    /// Reads the arguments: a whole dictionary, or a key and a value in the grammar of `defaults`.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: Reads the text for `-` and `--stdin`.
    /// - Throws: ``ToolError`` with status 64 for arguments that are not a request.
    init(
        arguments: [String],
        input: () throws(ToolError) -> String = { () throws(ToolError) in try DocumentFile(argument: "-").text() }
    ) throws(ToolError) {
        let isTerminated = arguments.first == "--"
        let arguments = arguments.dropFirst(isTerminated ? 1 : 0)
        guard let key = arguments.first else {
            throw .usage("A key and a value, or a whole dictionary, are missing; see `keyspan help write`.")
        }
        let words = Array(arguments.dropFirst())
        if !isTerminated { try Self.checkIsKey(key) }
        guard let first = words.first else {
            self = .replace(try Self.wholeDomain(key))
            return
        }
        if first == "-" || first == "--stdin" {
            self = try Self.ofInput(words.dropFirst(), key: key, input: input)
            return
        }
        switch ValueType(option: first) {
        case .array: self = .set(.array(try ValueWords.elements(words.dropFirst())), key: key)
        case .arrayAdd: self = .append(try ValueWords.elements(words.dropFirst()), key: key)
        case .dictionary: self = .set(.dictionary(try ValueWords.entries(words.dropFirst(), of: first)), key: key)
        case .dictionaryAdd: self = .merge(try ValueWords.entries(words.dropFirst(), of: first), key: key)
        case nil where !ValueWords.isOption(first):
            self = .setText(.argument(first), key: key)
            try Self.expectEnd(words.dropFirst())
        case .string, .data, .integer, .real, .boolean, .date, nil:
            var rest = words[...]
            self = .set(try ValueWords.value(from: &rest), key: key)
            try Self.expectEnd(rest)
        }
    }

    /// Throws for a word that the other commands would take for an option.
    private static func checkIsKey(_ word: String) throws(ToolError) {
        if ValueType(option: word) != nil {
            throw .usage("A key is missing before \(word); give it as in `write domain key \(word) …`.")
        }
        if word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
            throw .usage(ArgumentMistake.terminator(before: word))
        }
    }

    /// The request to store standard input, with an option for the kind or without.
    private static func ofInput(
        _ words: ArraySlice<String>,
        key: String,
        input: () throws(ToolError) -> String
    ) throws(ToolError) -> WriteRequest {
        try expectEnd(words.dropFirst())
        guard let option = words.first else {
            let text = try input()
            // The command that writes it has probably failed.
            guard !text.isEmpty else {
                throw .failure(
                    "Standard input is empty, so nothing is stored under the key \(key.quoted); `--stdin -string` stores the empty "
                        + "text."
                )
            }
            return .setText(.input(text), key: key)
        }
        guard let type = ValueType(option: option), type.isScalar else {
            throw .usage(
                "Only -string, -int, -float, -bool, -date and -data can follow the word for standard input; remove the "
                    + "other word."
            )
        }
        // The error does not contain the text, which may be a secret.
        guard let value = ScalarArgument.value(try input(), as: type) else {
            throw .usage("Standard input is not a value for \(option); \(ScalarArgument.remedy(for: type)).")
        }
        return .set(value, key: key)
    }

    private static func expectEnd(_ words: ArraySlice<String>) throws(ToolError) {
        // It may be a part of the value.
        if !words.isEmpty { throw .usage("A word follows the value; quote a value that contains spaces.") }
    }

    private static func wholeDomain(_ text: String) throws(ToolError) -> PropertyListDictionary {
        let value = try BareArgument.parse(text, isDomain: true)
        if case .dictionary(let entries) = value { return entries }
        throw .usage(
            "A value is missing after the key; give one, "
                + "or a dictionary in the key's place to replace the whole domain."
        )
    }
}

extension WriteRequest {
    /// The key that is written; `nil` for a whole domain.
    private var key: String? {
        switch self {
        case .replace: nil
        case .set(_, let key), .setText(_, let key), .append(_, let key), .merge(_, let key): key
        }
    }

    /// Writes to a domain, and reports on standard error if the kind of the present value has decided about the new one.
    ///
    /// - Parameters:
    ///   - domain: The domain.
    ///   - isArgument: Whether the value was an argument, which is reported if it is secret.
    func run(on domain: Domain, isArgument: Bool = false) throws(ToolError) {
        var (before, notice) = (PropertyListTable(), String?.none)
        if case .replace(let entries) = self {
            try HiddenValue.refuse(in: entries)
            before = try domain.replace(by: entries)
        } else {
            let replaced = try domain.write(reaching: [key].compactMap(\.self)) { (table, batch) throws(ToolError) in
                before = table
                notice = try add(to: &batch, on: table)
            }
            replaced.reportNewRecord(in: domain)
        }
        for sentence in [notice, isArgument ? exposure(in: domain, before) : nil].compactMap(\.self) {
            KeyspanCommand.report(sentence)
        }
    }

    /// The sentence about a secret that was an argument; `nil` if the schema of the domain marks nothing in it.
    private func exposure(in domain: Domain, _ present: PropertyListTable) -> String? {
        let entries: PropertyListDictionary
        switch self {
        case .replace(let all): entries = all
        case .set(let value, let key): entries = [key: value]
        case .setText(let text, let key):
            entries = [key: (try? text.value(replacing: present[key], ofKey: key).value) ?? ""]
        case .append(let elements, let key): entries = [key: .array(elements)]
        case .merge(let members, let key): entries = [key: .dictionary(members)]
        }
        let isSchemaNew = entries[SchemaReference.member] != nil
        let mask = domain.secretMask(isSchemaNew ? PropertyListTable(entries) : present)
        return mask.firstSecret(in: entries).map { key in
            "The secret value of the key \(key.quoted) was an argument, which the history of the shell and the list of "
                + "processes show; give - in its place to type it, or to read it from standard input."
        }
    }

    /// Adds the writes of this request to a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch; it fails if a value that it extends has changed since the table was read.
    ///   - table: The contents of the domain.
    /// - Returns: A sentence for the user, if the kind of the present value has decided about the new one.
    /// - Throws: ``ToolError`` with status 1 if the value to extend or to replace has another kind.
    @discardableResult
    func add(to batch: inout PropertyListBatch, on table: PropertyListTable) throws(ToolError) -> String? {
        switch self {
        case .replace(let entries):
            let new = table.replaced(by: entries)
            for key in table.keysOfDifference(to: new).sortedTexts() { batch.set(new[key], forKey: key) }
        case .set(let value, let key):
            try HiddenValue.refuse(in: [key: value])
            batch.set(value, forKey: key)
        case .setText(let text, let key):
            let (value, notice) = try text.value(replacing: table[key], ofKey: key)
            try HiddenValue.refuse(in: [key: value])
            // Another process may store another kind in the meantime.
            batch.expect(table[key], forKey: key)
            batch.set(value, forKey: key)
            return notice
        case .append(let elements, let key):
            guard let present = (table[key] ?? []).arrayValue else {
                throw Self.otherKind(key: key, found: table[key], option: "-array-add", remedy: "-array")
            }
            try HiddenValue.refuse(in: [key: .array(elements)])
            batch.expect(table[key], forKey: key)
            batch.set(.array(present + elements), forKey: key)
        case .merge(let entries, let key):
            guard let present = (table[key] ?? [:]).dictionaryValue else {
                throw Self.otherKind(key: key, found: table[key], option: "-dict-add", remedy: "-dict")
            }
            try HiddenValue.refuse(in: [key: .dictionary(entries)])
            batch.expect(table[key], forKey: key)
            batch.set(.dictionary(present.merging(entries) { _, new in new }), forKey: key)
        }
        return nil
    }

    private static func otherKind(
        key: String,
        found value: PropertyListValue?,
        option: String,
        remedy: String
    ) -> ToolError {
        .failure(
            "The key \(key.quoted) holds a value of the kind \(value?.kind.rawValue ?? "none"), to which "
                + "\(option) cannot add; use \(remedy) to replace it."
        )
    }
}
