import KeyspanCore
import KeyspanTesting
import Testing

@Suite struct InitialisingTests {
    private let key = Defaults.Key<Int?>("key")

    @Test func `the first value is recorded, and the later ones are not even made`() {
        let store = InMemoryStore()
        #expect(Defaults(store)[key, initialisingWith: 1] == 1)
        #expect(store.value(forKey: "key") == 1)
        var isMade = false
        func make() -> Int {
            isMade = true
            return 2
        }
        #expect(Defaults(store)[key, initialisingWith: make()] == 1)
        #expect(!isMade)
    }

    @Test func `of threads that ask at once all get the value of one`() async {
        for _ in 0..<200 {
            let store = InMemoryStore()
            let values = await withTaskGroup(of: Int.self) { group in
                for thread in 1...4 {
                    group.addTask { Defaults(store)[key, initialisingWith: thread] }
                }
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(values.count == 1)
            #expect(values.first.map { PropertyListValue($0) } == store.value(forKey: "key"))
        }
    }

    @Test func `a store that refuses is reported, and the value is given all the same`() {
        let store = ScriptedStore()
        store.failWrites(with: .init(.readOnly, store: "scripted", reason: "it is sealed", remedy: "break the seal"))
        let reports = reportedProblems { #expect(Defaults(store)[key, initialisingWith: 1] == 1) }
        #expect(reports.count == 1)
        #expect(store.value(forKey: "key") == nil)
    }
}
