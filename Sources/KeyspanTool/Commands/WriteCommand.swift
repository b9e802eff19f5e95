import ArgumentParser
import Keyspan

/// `write`: stores a value, or replaces a domain.
struct WriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Store a value under a key, or replace a whole domain.",
        usage: """
            keyspan write <domain> <key> <value>
            keyspan write <domain> '<dictionary>'
            """,
        discussion: """
            A value is one of:
              -string <text>
              -data <hexadecimal digits>
              -int | -integer <whole number>
              -float <number>
              -bool | -boolean true | yes | 1 | false | no | 0
              -date <2026-11-21T10:50:00Z, or "2026-11-21 10:50:00 +0000">
              -array <value> ...            -array-add <value> ...
              -dict <name> <value> ...      -dict-add <name> <value> ...
              <text>

            Values in an array or dictionary have their own options: -dict width -int 3. -array-add appends to the \
            present array, and -dict-add sets entries of the present dictionary; both create it if the key is absent.

            A text without an option is read as a property list if it begins like one: old-style, as in '(a, "b c")', \
            '{a = 1; b = <0fbd77>;}' and '"quoted"'; JSON, as in '[1, 2]' and '{"a": true}'; or XML. Any other text is \
            a string, even if it is all digits: 5 stores the string 5, and -int 5 stores the number. The same applies \
            inside old-style property lists, which have no numbers.

            A dictionary in place of the key replaces all keys of the domain in one step.
            """
    )

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The domain, the key and the value.", valueName: "word"),
        completion: .writeWord
    )
    var words: [String] = []

    func run() throws {
        // The parser captures all words, so that the options of values reach their own grammar; that includes these two.
        let words = words.first == "--" ? words.dropFirst() : words[...]
        guard let domain = words.first else { throw ToolError.usage("A domain is missing; see `keyspan help write`.") }
        guard domain != "--help", domain != "-h" else { throw CleanExit.helpRequest(Self.self) }
        let place = try Domain(argument: domain, in: DomainFolder())
        let request = try WriteRequest(arguments: Array(words.dropFirst()))
        try place.write { (table, batch) throws(ToolError) in
            try request.add(to: &batch, on: table)
        }
    }
}

/// A write to a domain, parsed from the arguments after the domain's name.
enum WriteRequest: Equatable {
    /// Replace all keys of the domain.
    case replace(PropertyListDictionary)
    /// Store a value.
    case set(PropertyListValue, key: String)
    /// Append elements to an array, or create it if the key is absent.
    case append([PropertyListValue], key: String)
    /// Set entries of a dictionary, or create it if the key is absent.
    case merge(PropertyListDictionary, key: String)

    /// Reads the arguments: a whole dictionary, or a key and a value in the grammar of `defaults`.
    ///
    /// - Throws: ``ToolError`` with status 64 for arguments that are not a request.
    init(arguments: [String]) throws(ToolError) {
        guard let key = arguments.first else {
            throw .usage("A key and a value, or a whole dictionary, are missing; see `keyspan help write`.")
        }
        let words = Array(arguments.dropFirst())
        guard let first = words.first else {
            self = .replace(try Self.wholeDomain(key))
            return
        }
        if ValueType(option: key) != nil {
            throw .usage("A key is missing before \(key); give it as in `write domain key \(key) …`.")
        }
        switch ValueType(option: first) {
        case .array: self = .set(.array(try ValueWords.elements(words.dropFirst())), key: key)
        case .arrayAdd: self = .append(try ValueWords.elements(words.dropFirst()), key: key)
        case .dictionary: self = .set(.dictionary(try ValueWords.entries(words.dropFirst(), of: first)), key: key)
        case .dictionaryAdd: self = .merge(try ValueWords.entries(words.dropFirst(), of: first), key: key)
        case .string, .data, .integer, .real, .boolean, .date, nil:
            var rest = words[...]
            self = .set(try ValueWords.value(from: &rest), key: key)
            if let extra = rest.first {
                throw .usage("\(extra.debugDescription) follows the value; quote a value that contains spaces.")
            }
        }
    }

    private static func wholeDomain(_ text: String) throws(ToolError) -> PropertyListDictionary {
        let value = try BareArgument.parse(text, isDomain: true)
        if case .dictionary(let entries) = value { return entries }
        throw .usage(
            "A value is missing after the key \(text.debugDescription); give one, "
                + "or a dictionary in the key's place to replace the whole domain."
        )
    }
}

extension WriteRequest {
    /// Adds the writes of this request to a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch; it fails if a value that it extends has changed since the table was read.
    ///   - table: The contents of the domain.
    /// - Throws: ``ToolError`` with status 1 if the value to extend has another kind.
    func add(to batch: inout PropertyListBatch, on table: PropertyListTable) throws(ToolError) {
        switch self {
        case .replace(let entries):
            batch.removeAll()
            for (key, value) in entries {
                batch.set(value, forKey: key)
            }
        case .set(let value, let key):
            batch.set(value, forKey: key)
        case .append(let elements, let key):
            guard let present = (table[key] ?? []).arrayValue else {
                throw Self.otherKind(key: key, found: table[key], option: "-array-add", remedy: "-array")
            }
            batch.expect(table[key], forKey: key)
            batch.set(.array(present + elements), forKey: key)
        case .merge(let entries, let key):
            guard let present = (table[key] ?? [:]).dictionaryValue else {
                throw Self.otherKind(key: key, found: table[key], option: "-dict-add", remedy: "-dict")
            }
            batch.expect(table[key], forKey: key)
            batch.set(.dictionary(present.merging(entries) { _, new in new }), forKey: key)
        }
    }

    private static func otherKind(
        key: String,
        found value: PropertyListValue?,
        option: String,
        remedy: String
    ) -> ToolError {
        .failure(
            "The key \(key.debugDescription) holds a value of the kind \(value?.kind.rawValue ?? "none"), to which "
                + "\(option) cannot add; use \(remedy) to replace it."
        )
    }
}
