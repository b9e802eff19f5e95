import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanUserDefaults

/// The task of the program.
enum Role: String {
    /// Writes a number under a key in a store, and returns without synchronising.
    case set
    /// Writes the same keys again and again in a store, and synchronizes each time.
    case rewrite
    /// Writes keys with a prefix, one by one, in a store.
    case add
    /// Reads a suite with `UserDefaults` itself again and again, and says how often keys were missing.
    case count
    /// Writes a number under a key with `UserDefaults` itself, and synchronizes.
    case setPlainly
    /// Synchronizes a store while `UserDefaults` itself has unsaved values of another suite.
    case saveBeside
    /// Writes to `UserDefaults.standard` with `UserDefaults` itself and with a store, and says what the store reads.
    case standard
    /// Says what keys have that the launch arguments set.
    case arguments

    func run(suite: String, _ words: [String]) throws {
        switch self {
        case .set:
            Defaults(try UserDefaultsStore(suiteName: suite))[.number(words[0])] = Int(words[1])
        case .rewrite:
            let store = try UserDefaultsStore(suiteName: suite)
            for round in 0..<(Int(words[1]) ?? 0) {
                var batch = PropertyListBatch()
                for index in 0..<(Int(words[0]) ?? 0) {
                    batch.set(.integer(PropertyListInteger(round)), forKey: "key\(index)")
                }
                try store.apply(batch)
                try store.synchronize()
            }
        case .add:
            let defaults = Defaults(try UserDefaultsStore(suiteName: suite))
            for index in 0..<(Int(words[1]) ?? 0) {
                defaults[.number("\(words[0])\(index)")] = index
            }
        case .count:
            let defaults = UserDefaults(suiteName: suite)
            let expected = Int(words[0]) ?? 0
            var missing = 0
            for _ in 0..<(Int(words[1]) ?? 0) {
                defaults?.synchronize()
                if defaults?.dictionaryRepresentation().count != expected { missing += 1 }
            }
            print(missing)
        case .setPlainly:
            let defaults = UserDefaults(suiteName: suite)
            defaults?.set(Int(words[1]), forKey: words[0])
            defaults?.synchronize()
        case .saveBeside:
            UserDefaults(suiteName: words[0])?.set(1, forKey: "theirs")
            let store = try UserDefaultsStore(suiteName: suite)
            try store.apply(PropertyListBatch(.set(1, key: "ours")))
            try store.synchronize()
        case .standard:
            UserDefaults.standard.set(1, forKey: "theirs")
            UserDefaults.standard.synchronize()
            let defaults = Defaults(UserDefaultsStore.standard)
            defaults[.number("ours")] = 2
            print(defaults[.number("theirs")] ?? -1)
        case .arguments:
            let defaults = Defaults(try UserDefaultsStore(suiteName: suite))
            print(defaults[.number("port")] ?? -1, defaults[Defaults.Key<Bool>("verbose", default: false)])
        }
    }
}

extension Defaults.Key<Int?> {
    fileprivate static func number(_ name: String) -> Defaults.Key<Int?> { Defaults.Key(name) }
}
