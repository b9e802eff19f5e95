/// The kinds that `write` can name, by their options in `defaults`.
enum ValueType: CaseIterable {
    case string, data, integer, real, boolean, date
    case array, arrayAdd, dictionary, dictionaryAdd

    /// The options that name it, with their hyphen.
    var options: [String] {
        switch self {
        case .string: ["-string"]
        case .data: ["-data"]
        case .integer: ["-int", "-integer"]
        case .real: ["-float"]
        case .boolean: ["-bool", "-boolean"]
        case .date: ["-date"]
        case .array: ["-array"]
        case .arrayAdd: ["-array-add"]
        case .dictionary: ["-dict"]
        case .dictionaryAdd: ["-dict-add"]
        }
    }

    /// Whether it takes one argument; the others take any number.
    var isScalar: Bool {
        switch self {
        case .string, .data, .integer, .real, .boolean, .date: true
        case .array, .arrayAdd, .dictionary, .dictionaryAdd: false
        }
    }

    /// The kind that an option names.
    init?(option: String) {
        guard let type = Self.allCases.first(where: { $0.options.contains(option) }) else { return nil }
        self = type
    }

    /// All options in one line, for errors.
    static let allOptions = allCases.flatMap(\.options).joined(separator: ", ")
}
