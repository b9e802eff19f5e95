import Foundation
import Keyspan

// Strings are made at run time, because a literal is not reference-counted and would be cheaper than what users have.

extension Int: BenchmarkValue {
    static var typeName: String { "Int" }
    static var fallback: Int { -1 }
    static var samples: (Int, Int) { (1_234_567, 7_654_321) }
}

extension String: BenchmarkValue {
    static var typeName: String { "String" }
    static var fallback: String { "" }
    static let samples = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
}

extension Date: BenchmarkValue {
    static var typeName: String { "Date" }
    static var fallback: Date { .distantPast }
    static var samples: (Date, Date) { (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)) }
}

extension UUID: BenchmarkValue {
    static var typeName: String { "UUID" }
    static let fallback = UUID()
    static let samples = (UUID(), UUID())
}

extension URL: BenchmarkValue {
    static var typeName: String { "URL" }
    static let fallback = URL(filePath: "/")
    static let samples = (URL(filePath: "/etc/example/first"), URL(filePath: "/etc/example/second"))
}

extension Decimal: BenchmarkValue {
    static var typeName: String { "Decimal" }
    static var fallback: Decimal { -1 }
    static let samples = (Decimal(sign: .plus, exponent: -2, significand: 123_456_789), Decimal(42))
}

extension Optional: BenchmarkValue where Wrapped == Int {
    static var typeName: String { "Int?" }
    static var fallback: Int? { nil }
    static var samples: (Int?, Int?) { (1_234_567, 7_654_321) }
}

extension [Int]: BenchmarkValue {
    static var typeName: String { "[Int]" }
    static var fallback: [Int] { [] }
    static var samples: ([Int], [Int]) { (Array(0..<10), Array(10..<20)) }
}

extension Set<Int>: BenchmarkValue {
    static var typeName: String { "Set<Int>" }
    static var fallback: Set<Int> { [] }
    static let samples = (Set(0..<10), Set(10..<20))
}

extension [String: Int]: BenchmarkValue {
    static var typeName: String { "[String: Int]" }
    static var fallback: [String: Int] { [:] }
    static let samples = (dictionary(from: 0), dictionary(from: 10))

    private static func dictionary(from first: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (first..<(first + 10)).map { ("name \($0)", $0) })
    }
}

extension Range<Int>: BenchmarkValue {
    static var typeName: String { "Range<Int>" }
    static var fallback: Range<Int> { 0..<0 }
    static var samples: (Range<Int>, Range<Int>) { (1..<2, 3..<4) }
}

extension Defaults.AnySerializable: BenchmarkValue {
    static var typeName: String { "AnySerializable" }
    static var fallback: Self { Self(-1) }
    static let samples = (Self(["size": 1]), Self(["size": 2]))
}
