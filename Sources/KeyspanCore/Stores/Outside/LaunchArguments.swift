/// The settings in a program's launch arguments, by the rules of ``LaunchArgumentsStore``.
package struct LaunchArguments: Sendable, Hashable {
    /// The values by key: text, truth values, and property lists.
    package let values: PropertyListTable

    /// The arguments that gave each key its value, without that value: `-port`, `--no-color`.
    package let names: TextDictionary<[String]>

    /// The argument behind each flag without `=`, if it could be the value that was meant: `9000` for `--port 9000`.
    let followers: TextDictionary<String>

    /// Reads arguments for keys that have the given names, among others.
    init(_ arguments: [OutsideText], names: ArgumentNames) {
        var given = GivenValues()
        var followers: TextDictionary<String> = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst(), argument != OutsideText("--") {
            if argument.hasPrefix("--") {
                let option = names.option(argument)
                for key in option.keys { given.setNested(option.value, forKey: key, as: option.name) }
                followers[option.name] = option.hasValue ? nil : rest.first.flatMap { Self.isValue($0) ? $0.text : nil }
            } else if argument.hasPrefix("-"), let value = rest.first, Self.isValue(value) {
                rest.removeFirst()
                guard let key = OutsideText(argument.bytes.dropFirst()).text, !key.isEmpty else { continue }
                given.set(
                    value.text.map { Self.value(of: Self.trimmed($0)) } ?? value.value,
                    forKey: key,
                    as: "-" + key
                )
            }
        }
        values = given.values
        self.names = given.names
        self.followers = followers
    }

    private static func value(of text: String) -> PropertyListValue {
        OldStyleReader.parseMarked(text) ?? .string(text)
    }

    private static func isValue(_ argument: OutsideText) -> Bool {
        if !argument.hasPrefix("-") { return true }
        return argument.text.flatMap { DecimalNumeral($0, allowsSpace: true) } != nil
    }

    /// By scalars, as the platform does: a space and a combining character behind it are one `Character`, which is white space.
    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard
            let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...last])
    }
}

/// The settings in a program's launch arguments as a store, such as `-port 8080 --launch-count=3 --verbose --no-color`: the
/// highest layer of a ``LayeredStore``.
///
/// | argument | key | value |
/// | --- | --- | --- |
/// | `-port 8080` | `port` | the text `8080`, as `NSArgumentDomain` has it |
/// | `-servers '(a, b)'` | `servers` | the array that the text is a property list of |
/// | `--port=8080` | `port` | the text behind the first `=`, exactly |
/// | `--launch-count=3` | `launchCount` | as above |
/// | `--server.port=8080` | `server.port`, and `server`, a dictionary with a member `port` | as above |
/// | `--verbose` | `verbose` | true |
/// | `--no-color` | `color` | false |
/// | `--no-color=1` | `noColor` | the text `1` |
/// | `--port 8080` | `port` | true, which is an error for a key of a number; `8080` is left to the program |
/// | `--` | | ends the settings |
///
/// **With one hyphen**, arguments are read as `NSArgumentDomain` reads them on Linux (swift-corelibs-foundation,
/// `UserDefaults.swift`): one that begins with `-` is a key, letter by letter, if another argument follows that does not,
/// and that one is its value. Space around the value is removed. A value that begins with `{`, `(`, `<` or `"` is read as an
/// old-style property list: `'(a, "b c")'` is an array, `'{cpu = 2;}'` a dictionary, `'<0fbd>'` data. The numbers in one are
/// text. A value that cannot be read as such a list, or has more levels of collections than a store can hold, stays text.
/// Two things differ from the platform. A decimal number may follow though it begins with `-`, as in `-offset -5`, which the
/// platform ignores. And XML property lists, which the platform reads, stay text.
///
/// **With two hyphens**, no value follows, so what is behind a flag is never mistaken for its value. (The platform takes
/// `--port 8080` for a value of the key `-port`.) A name without a hyphen in it is the key, letter by letter. One with
/// hyphens is made of words, which the ``KeySpelling`` joins, unless one of the keys that were given has the words: then it
/// stands for that key. `--no-` is a part of the name for a given key that begins so, such as `noColor`, and else the
/// opposite of the flag.
///
/// Of several values of one key the last one counts. All other arguments are left to the program.
///
/// **Arguments that no key has** are reported with the nearest key if the store is given keys, or stop the program if it is
/// strict: those with two hyphens before `--`, unless they are named in `alsoKnown`. Those with one hyphen are not checked, because
/// the platform and its tools add their own to the command line (`-AppleLanguages '(en)'`), and short options of the program
/// itself look the same.
///
/// **Arguments that are not UTF-8** have U+FFFD in `CommandLine.arguments`. In their place the value is data with the bytes of
/// the argument, so a key of another type reports that it cannot read it. A key whose name is not UTF-8 is passed over, with its
/// value.
///
/// Text is converted by <doc:CoercingValues> for keys of other types:
/// `-port 8080` and `--port=8080` are 8080 for a key of an `Int`. The values never change, and writes are refused. Safe to
/// use from any thread, without a lock.
public final class LaunchArgumentsStore: ConstantStore {
    public let name: String

    package let contents: ConstantTable
    private let arguments: TextDictionary<[String]>
    private let followers: TextDictionary<String>
    private let names: ArgumentNames

    /// Makes a store of arguments that were read.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - names: The arguments of keys, by which they were read.
    ///   - name: The name of the store in errors and diagnostics.
    package init(
        _ arguments: LaunchArguments,
        names: ArgumentNames = ArgumentNames(entries: [], spelling: .camelCase),
        name: String = "arguments"
    ) {
        self.name = name
        contents = ConstantTable(arguments.values.markedAsText)
        self.arguments = arguments.names
        followers = arguments.followers
        self.names = names
    }

    /// The argument that is read for a key, without its value, such as `--server.port`, whether there is such an argument or not.
    ///
    /// - Returns: `nil` if no argument with two hyphens is: the store was not given the key, and it is spelled otherwise than the
    ///   store's keys are, or has its argument in common with a key that was given.
    public func argumentName(forKey key: String) -> String? {
        names.argument(ofKey: key)
    }

    /// The argument behind a flag without a value; `nil` if there is none that could be its value.
    func argument(behindFlag flag: String) -> String? { followers[flag] }

    /// Whether `--no-` before the name of a key makes it false.
    func hasNegation(forKey key: String) -> Bool { names.hasNegation(forKey: key) }

    package var remedyForWrite: String { "write to another layer" }

    @_spi(StoreAuthors) public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance>
    {
        provenance(forKeys: keys) { arguments[$0]?.joined(separator: ", ") }
    }
}

extension PropertyListStore {
    /// The argument behind a flag in the launch arguments of this store or of one of its layers.
    ///
    /// - Returns: `nil` if there is no such flag, or no argument behind it that could be its value.
    func argument(behindFlag flag: String) -> String? {
        switch self {
        case let store as LaunchArgumentsStore: store.argument(behindFlag: flag)
        case let store as LayeredStore: store.layers.lazy.compactMap { $0.store.argument(behindFlag: flag) }.first
        default: nil
        }
    }
}
