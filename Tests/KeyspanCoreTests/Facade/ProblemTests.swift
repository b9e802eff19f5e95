@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct ProblemTests {
    private let store = InMemoryStore(["number": "text", "list": [1, "two", 3, true]], name: "the store")

    private func problems(of operation: (Defaults) throws -> Void) rethrows -> [String] {
        try reportedProblems { try operation(Defaults(store)) }
    }

    @Test func `an unreadable value reads as the default, stays, and is reported once for each stored value`() {
        let number = Defaults.Key<Int>("number", default: 5)
        let reports = problems { defaults in
            for _ in 0..<3 {
                #expect(defaults[number] == 5)
                // Another key changes, so that no cache answers the next read.
                defaults[Defaults.Key<Int>("other", default: 0)] += 1
                #expect(defaults[Defaults.Key<Int>("number", default: 6)] == 6)
            }
        }
        #expect(reports.count == 1)
        #expect(
            reports.first?.hasPrefix("key \"number\" of the store: expected an integer but found the string \"text\"")
                == true
        )
        #expect(store.value(forKey: "number") == "text")
        let more = problems { defaults in
            try? store.apply(PropertyListBatch(.set(true, key: "number")))
            #expect(defaults[number] == 5)
            #expect(defaults[number] == 5)
        }
        #expect(more.count == 1)
    }

    #if os(macOS) || os(Linux) || os(FreeBSD)
    @Test func `without a handler, the problems of any store are lines on standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = ScriptedStore(["number": "text"], name: "the database")
            store.failWrites(
                with: StoreError(.init("busy"), store: store.name, reason: "it is busy", remedy: "try again")
            )
            let defaults = Defaults(store)
            let number = Defaults.Key<Int>("number", default: 5)
            #expect(defaults[number] == 5)
            defaults[number] = 1
            defaults.modify(number) { $0 += 1 }
            Defaults.onProblem { _ in }
            defaults[number] = 1
            Defaults.onProblem(nil)
            defaults.reset(number)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("keyspan: ") }
        #expect(lines.count == 4, "\(text)")
        #expect(lines.first?.contains("expected an integer") == true)
        #expect(
            lines.dropFirst().allSatisfy { $0 == #"keyspan: key "number" of the database: it is busy; try again."# }
        )
    }
    #endif

    @Test func `elements that cannot be read are left out, each with its index`() throws {
        let list = Defaults.Key<[Int]>("list", default: [])
        let reports = problems { defaults in
            #expect(defaults[list] == [1, 3])
        }
        #expect(reports.count == 2)
        #expect(reports.first?.contains("\"list\"[1]") == true)
        #expect(reports.last?.contains("\"list\"[3]") == true)
        let error = #expect(throws: Defaults.ReadError.self) { try Defaults(store).value(for: list) }
        #expect(error?.cause.path == ValuePath([.index(1)]))
        #expect(store.value(forKey: "list") == [1, "two", 3, true])
    }

    @Test func `parts of parts are reported with their full path`() throws {
        try store.apply(PropertyListBatch(.set(["a": [1, "x"], "b": "y"], key: "nested")))
        let nested = Defaults.Key<[String: [Int]]>("nested", default: [:])
        let reports = problems { #expect($0[nested] == ["a": [1]]) }
        #expect(reports.count == 2)
        #expect(reports.contains { $0.contains("\"nested\".a[1]") })
        #expect(reports.contains { $0.contains("\"nested\".b") })
    }

    @Test func `a handler receives the problems of its own operation only`() {
        let outer = problems { defaults in
            let inner = problems { #expect($0[Defaults.Key<Int>("number", default: 0)] == 0) }
            #expect(inner.count == 1)
        }
        #expect(outer.isEmpty)
    }
}
