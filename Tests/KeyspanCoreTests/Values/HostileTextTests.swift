import Foundation
import KeyspanCore
import Testing

private enum Weight: Int, CaseIterable, Defaults.Serializable {
    case yes = 0
    case no = 1
}

private struct Recursive: Codable, Equatable, Defaults.Serializable {
    var next: [Recursive]?
}

@Suite struct HostileTextTests {
    @Test(arguments: [#"{"é": 1, "e\u0301": 2}"#, "{\"é\": 1, \"e\u{301}\": 2}", #"{"a": null}"#, "5"])
    func `JSON text that no dictionary can hold is an error`(text: String) {
        #expect(throws: Defaults.ReadError.self) { try CollectionTextTests.read(text, as: [String: Int].self) }
    }

    @Test func `JSON text with a null is not taken for parts between commas`() throws {
        #expect(throws: Defaults.ReadError.self) { try CollectionTextTests.read(#"["a", null]"#, as: [String].self) }
        #expect(try CollectionTextTests.read(#"["a", "null"]"#, as: [String].self) == ["a", "null"])
    }

    @Test func `an error about a secret has no part of its text`() {
        for text in ["hunter2=x", "{\"hunter2\":\"x\"}", "{hunter2=x;}", "hunter2,5", "[\"hunter2\"]"] {
            let store = EnvironmentStore(prefix: "APP_", environment: ["APP_KEY": text])
            func check<Value: Defaults.Serializable>(_ type: Value.Type) {
                let key = Defaults.Key<Value?>("key").secret()
                do { _ = try Defaults(store).value(for: key) } catch {
                    let all = "\(error) \(String(reflecting: error))"
                    #expect(!all.contains("hunter2"), "\(Value.self) \(error)")
                }
            }
            let types: [any Defaults.Serializable.Type] = [
                [String: Int].self, [Int].self, [Int: Int].self, Weight.self, Duration.self, Defaults.ByteCount.self,
                Defaults.IPAddress.self, Recursive.self, [Recursive].self, Set<Int>.self, ClosedRange<Int>.self,
            ]
            for type in types { check(type) }
        }
    }

    @Test func `an error about a secret that cannot be written has no part of it`() throws {
        let store = InMemoryStore()
        func check<Value: Defaults.Serializable & Sendable>(_ value: Value) throws {
            let key = Defaults.Key<Value?>("key").secret()
            let step = Defaults.Migration.Step.transform(key, from: Defaults.Key<Int>("old", default: 0)) { _ in value }
            try store.apply(PropertyListBatch(.set(1, key: "old")))
            let plan = Defaults.MigrationPlan("\(Value.self)", Defaults.Migration(to: 1, step))
            for write in [
                { try Defaults(store).set(value, for: key) },
                { try Defaults(store).commit { $0[key] = value } },
                { try Defaults(store).migrate(plan) },
            ] as [() throws -> Void] {
                let error = try #require(#expect(throws: (any Error).self) { try write() })
                let all = "\(error) \(String(reflecting: error))"
                #expect(!all.contains("hunter2"), "\(Value.self) \(error)")
            }
        }
        try check(["hunter2": Duration(secondsComponent: .max, attosecondsComponent: 0) * 4])
        try check(["hunter2": Decimal.nan])
        try check(["a": ["hunter2": Decimal.nan]])
        try check([["hunter2": Decimal.nan]])
    }

    @Test(arguments: [50, 127, 200, 400, 511, 513, 5000])
    func `deep text on a small stack`(depth: Int) async {
        let done = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let thread = Thread {
                let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                _ = try? CollectionTextTests.read(deep, as: [[Int]].self)
                let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
                _ = try? CollectionTextTests.read(objects, as: [String: [String: Int]].self)
                continuation.resume(returning: true)
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(done)
    }

    @Test(arguments: [
        "[9223372036854775807,0]", "[-9223372036854775808,0]", "[1e30,0]", "[0,-1]", "[1]", "[null,1]", "[",
    ])
    func `a duration that ends the program when someone asks for its components is refused`(text: String) {
        #expect(throws: Defaults.ReadError.self) { try CollectionTextTests.read(text, as: Duration.self) }
    }
}
