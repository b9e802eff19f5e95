/// How the names of a program's keys are spelled, where a name of several words has to be made of one in another form.
///
/// An environment variable `LAUNCH_COUNT` and an argument `--launch-count` have words, and no key of that name; the spelling
/// says which key they stand for.
public enum KeySpelling: Sendable, Hashable {
    /// `launchCount`.
    case camelCase
    /// `launch_count`.
    case snakeCase
    /// `launch-count`.
    case kebabCase

    /// Joins words; a digit never loses the separator before it, which could not be found again.
    func join(_ words: [Substring]) -> String {
        switch self {
        case .camelCase:
            words.reduce(into: "") { name, word in
                guard !name.isEmpty, let first = word.first else { return name += word }
                name += first.isNumber ? "_" + word : first.uppercased() + word.dropFirst()
            }
        case .snakeCase: words.joined(separator: "_")
        case .kebabCase: words.joined(separator: "-")
        }
    }
}
