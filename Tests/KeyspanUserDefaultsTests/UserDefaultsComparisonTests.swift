import Foundation
import KeyspanCore
import Testing

/// The accessors of a store beside those of Foundation's `UserDefaults`: values of each kind, read by each accessor.
@Suite struct UserDefaultsComparisonTests {
    private static let key = "key"

    private static func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nil" }

    /// The accessors of both, which describe their answers.
    private static var accessors:
        [(name: String, ofStore: (any PropertyListStore) -> String, ofUserDefaults: (UserDefaults) -> String)]
    {
        [
            ("string", { text($0.string(forKey: key)) }, { text($0.string(forKey: key)) }),
            ("bool", { text($0.bool(forKey: key)) }, { text($0.bool(forKey: key)) }),
            ("integer", { text($0.integer(forKey: key)) }, { text($0.integer(forKey: key)) }),
            ("float", { text($0.float(forKey: key)) }, { text($0.float(forKey: key)) }),
            ("double", { text($0.double(forKey: key)) }, { text($0.double(forKey: key)) }),
            ("data", { text($0.data(forKey: key)) }, { text($0.data(forKey: key)) }),
            ("array", { text($0.array(forKey: key)?.count) }, { text($0.array(forKey: key)?.count) }),
            ("stringArray", { text($0.stringArray(forKey: key)) }, { text($0.stringArray(forKey: key)) }),
            ("dictionary", { text($0.dictionary(forKey: key)?.count) }, { text($0.dictionary(forKey: key)?.count) }),
            ("url", { text($0.url(forKey: key)) }, { text($0.url(forKey: key)) }),
        ]
    }

    /// A value in both forms.
    struct Sample: Sendable, CustomTestStringConvertible {
        let stored: PropertyListValue
        let set: @Sendable (UserDefaults) -> Void

        var testDescription: String { "\(stored)" }

        init(_ stored: PropertyListValue, _ object: some Sendable) {
            self.stored = stored
            set = { $0.set(object, forKey: key) }
        }
    }

    private static let samples = [
        Sample(true, true), Sample(false, false), Sample(0, 0), Sample(42, 42), Sample(-7, -7),
        Sample(.init(Int.max), Int.max), Sample(0.0, 0.0), Sample(1.0, 1.0), Sample(12.34, 12.34), Sample(-2.7, -2.7),
        Sample(9_007_199_254_740_993, 9_007_199_254_740_993), Sample(16_777_217, 16_777_217),
        Sample(1e20, 1e20), Sample(1e39, 1e39), Sample(1e-60, 1e-60), Sample("1e-400", "1e-400"),
        Sample("YES", "YES"), Sample("no", "no"), Sample("1", "1"), Sample("0", "0"), Sample("10", "10"),
        Sample("10.75", "10.75"), Sample("12abc", "12abc"), Sample("1e3", "1e3"), Sample("yellow", "yellow"),
        Sample("", ""), Sample("~/a", "~/a"), Sample("/never/there", "/never/there"),
        Sample("https://a.b", "https://a.b"),
        Sample(.date(Date(timeIntervalSinceReferenceDate: 1.5)), Date(timeIntervalSinceReferenceDate: 1.5)),
        Sample(.data(Data([1, 2])), Data([1, 2])),
        Sample([1, 2], [1, 2]), Sample(["a", "b"], ["a", "b"]), Sample(["a": 1], ["a": 1]),
    ]

    @Test(arguments: samples)
    func `an accessor answers what that of UserDefaults does, but for the differences that are listed`(
        _ sample: Sample
    ) throws {
        let store = InMemoryStore([Self.key: sample.stored])
        let suite = "keyspan-comparison-\(UUID().uuidString)"
        let userDefaults = try #require(UserDefaults(suiteName: suite))
        defer { userDefaults.removePersistentDomain(forName: suite) }
        sample.set(userDefaults)
        for accessor in Self.accessors {
            // swift-corelibs-foundation ends the program for data that is not an archive.
            if accessor.name == "url", sample.stored.kind == .data { continue }
            let own = accessor.ofStore(store)
            let difference = Self.differences[sample.testDescription]?[accessor.name]
            if let difference { #expect(difference.own == own, "\(accessor.name)") }
            #if os(Linux)
            let expected = difference?.linux ?? own
            #expect(accessor.ofUserDefaults(userDefaults) == expected, "\(accessor.name)")
            #endif
        }
    }

    /// By value and accessor, what is answered here and what Foundation on Linux answers; each is in *Coming from UserDefaults*.
    private static let differences: [String: [String: (own: String, linux: String)]] = [
        // Linux does not recognize a number of 2^63-1 and above.
        "9223372036854775807": [
            "string": ("9223372036854775807", "nil"), "bool": ("true", "false"),
            "integer": ("9223372036854775807", "0"), "float": ("9.223372e+18", "0.0"),
            "double": ("9.223372036854776e+18", "0.0"),
        ],
        // Apple's systems write a real without a fraction as here.
        "0.0": ["string": ("0", "0.0")],
        "1.0": ["string": ("1", "1.0")],
        // A number that the type does not hold is none.
        "1e+20": ["integer": ("0", "-9223372036854775808")],
        "1e+39": ["integer": ("0", "-9223372036854775808"), "float": ("0.0", "inf")],
        // Text is read whole or not at all, and of truth values only the words count.
        "\"10\"": ["bool": ("false", "true")],
        "\"10.75\"": ["bool": ("false", "true"), "integer": ("0", "10")],
        "\"1e3\"": ["bool": ("false", "true"), "integer": ("0", "1")],
        "\"1e-400\"": ["bool": ("false", "true"), "integer": ("0", "1")],
        "\"12abc\"": [
            "bool": ("false", "true"), "integer": ("0", "12"), "float": ("0.0", "12.0"), "double": ("0.0", "12.0"),
        ],
        "\"yellow\"": ["bool": ("false", "true")],
        // The empty text is not a path, and the text of a URL is that URL.
        "\"\"": ["url": ("nil", "./ -- file://\(workingFolder)")],
        "\"https://a.b\"": ["url": ("https://a.b", "https%3A//a.b -- file://\(workingFolder)")],
    ]

    private static var workingFolder: String {
        let path = FileManager.default.currentDirectoryPath
        return path.hasSuffix("/") ? path : path + "/"
    }
}
