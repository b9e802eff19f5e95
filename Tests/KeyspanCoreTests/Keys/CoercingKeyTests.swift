import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

private enum Verbosity: Int, Defaults.Serializable, Defaults.Coercible {
    case quiet, normal, loud

    static func coerced(from stored: PropertyListValue) -> Verbosity? {
        switch stored.stringValue {
        case "quiet": .quiet
        case "loud": .loud
        default: Int.coerced(from: stored).flatMap(Verbosity.init)
        }
    }
}

/// The six coercing factories.
///
/// The tests of the table check the conversions themselves.
@Suite struct CoercingKeyTests {
    /// A key that converts a stored form to a value, and reads another form as its default.
    private func check<Value: Equatable & Sendable>(
        _ key: Defaults.Key<Value>,
        converts stored: PropertyListValue,
        to value: Value,
        not foreign: PropertyListValue,
        default defaultValue: Value,
        writes written: PropertyListValue
    ) throws {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        #expect(defaults[key] == defaultValue)
        try store.apply(PropertyListBatch(.set(stored, key: "key")))
        #expect(defaults[key] == value)
        try defaults.set(value, for: key)
        #expect(store.value(forKey: "key") == written)
        #expect(defaults[key] == value)
        try store.apply(PropertyListBatch(.set(foreign, key: "key")))
        let problems = reportedProblems { #expect(defaults[key] == defaultValue) }
        #expect(problems.count == 1)
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
    }

    @Test func `a coercing key converts what it can, reports what it cannot, and writes its own kind`() throws {
        try check(.bool(coercing: "key"), converts: "YES", to: true, not: "maybe", default: false, writes: true)
        try check(.integer(coercing: "key"), converts: "12", to: 12, not: "twelve", default: 0, writes: 12)
        try check(.float(coercing: "key"), converts: "0.5", to: 0.5, not: [], default: 0, writes: 0.5)
        try check(.double(coercing: "key"), converts: true, to: 1, not: "one", default: 0, writes: 1.0)
        try check(.string(coercing: "key"), converts: 12, to: "12", not: [12], default: nil, writes: "12")
        try check(
            .coercing("key", default: UInt16(80)),
            converts: "8080",
            to: 8080,
            not: "80800",
            default: 80,
            writes: 8080
        )
        try check(
            .float(coercing: "key"),
            converts: 16_777_216,
            to: 0x1p24,
            not: 16_777_217,
            default: 0,
            writes: 0x1p24
        )
        try check(.float(coercing: "key"), converts: 1e-45, to: 1e-45, not: 1e-60, default: 0, writes: .real(0x1p-149))
        try check(.double(coercing: "key"), converts: "5e-324", to: 5e-324, not: "1e-400", default: 0, writes: 5e-324)
        try check(.coercing("key"), converts: "1.5", to: 1.5, not: "x", default: Double?.none, writes: 1.5)
        // As Defaults stores a URL.
        let (file, stored) = (URL(filePath: "/tmp/file"), #""file:\/\/\/tmp\/file""# as PropertyListValue)
        try check(.url(coercing: "key"), converts: "/tmp/file", to: file, not: 12, default: nil, writes: stored)
    }

    @Test func `the conversion of a type is used wherever a source has only text`() throws {
        let arguments = ["program", "--one=quiet", "--several=quiet,2", "--named=7=loud", "--wrong=silent"]
        let defaults = Defaults(LaunchArgumentsStore(arguments))
        #expect(try defaults.value(for: Defaults.Key<Verbosity?>("one")) == .quiet)
        #expect(try defaults.value(for: Defaults.Key<[Verbosity]?>("several")) == [.quiet, .loud])
        #expect(try defaults.value(for: Defaults.Key<[Int: Verbosity]?>("named")) == [7: .loud])
        let error = #expect(throws: Defaults.ReadError.self) {
            try defaults.value(for: Defaults.Key<Verbosity?>("wrong"))
        }
        #expect(error?.description.contains(Verbosity.coercionRule) == true)
        let file = Defaults(InMemoryStore(["one": "quiet"]))
        #expect(throws: Defaults.ReadError.self) { try file.value(for: Defaults.Key<Verbosity?>("one")) }
    }
}
