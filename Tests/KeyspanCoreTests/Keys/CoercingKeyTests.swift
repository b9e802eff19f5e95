import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

/// The six coercing factories.
///
/// The tests of the table check the conversions themselves.
@Suite struct CoercingKeyTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable (InMemoryStore) throws -> Void

        /// A key, a stored form that it converts, one that it cannot, and the default.
        init<Value: Equatable & Sendable>(
            _ name: String,
            _ key: @escaping @Sendable () -> Defaults.Key<Value>,
            converts stored: PropertyListValue,
            to value: Value,
            not foreign: PropertyListValue,
            default defaultValue: Value,
            writes written: PropertyListValue
        ) {
            testDescription = name
            check = { store in
                let (key, defaults) = (key(), Defaults(store))
                #expect(defaults[key] == defaultValue)
                try store.apply(PropertyListBatch(.set(stored, key: "key")))
                #expect(defaults[key] == value)
                try defaults.set(value, for: key)
                #expect(store.value(forKey: "key") == written)
                #expect(defaults[key] == value)
                try store.apply(PropertyListBatch(.set(foreign, key: "key")))
                let reports = reportedProblems { #expect(defaults[key] == defaultValue) }
                #expect(reports.count == 1)
                #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
            }
        }
    }

    static let examples = [
        Example(
            "bool",
            { .bool(coercing: "key") },
            converts: "YES",
            to: true,
            not: "maybe",
            default: false,
            writes: true
        ),
        Example(
            "integer",
            { .integer(coercing: "key") },
            converts: "12",
            to: 12,
            not: "twelve",
            default: 0,
            writes: 12
        ),
        Example("float", { .float(coercing: "key") }, converts: "0.5", to: 0.5, not: [], default: 0, writes: 0.5),
        Example("double", { .double(coercing: "key") }, converts: true, to: 1, not: "one", default: 0, writes: 1.0),
        Example("string", { .string(coercing: "key") }, converts: 12, to: "12", not: [12], default: nil, writes: "12"),
        Example(
            "url",
            { .url(coercing: "key") },
            converts: "/tmp/file",
            to: URL(filePath: "/tmp/file"),
            not: 12,
            default: nil,
            // As Defaults stores a URL.
            writes: #""file:\/\/\/tmp\/file""#
        ),
        Example(
            "with a default",
            { .coercing("key", default: UInt16(80)) },
            converts: "8080",
            to: 8080,
            not: "80800",
            default: 80,
            writes: 8080
        ),
        Example(
            "optional",
            { .coercing("key") },
            converts: "1.5",
            to: 1.5,
            not: "x",
            default: Double?.none,
            writes: 1.5
        ),
    ]

    @Test(arguments: examples)
    func `a coercing key converts what it can, reports what it cannot, and writes its own kind`(_ example: Example)
        throws
    {
        try example.check(InMemoryStore())
    }
}
