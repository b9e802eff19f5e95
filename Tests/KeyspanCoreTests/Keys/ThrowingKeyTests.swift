@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite(.bounded) struct ThrowingKeyTests {
    struct Account: Codable, Equatable {
        var name: String
        var weight: Double = 1
    }

    private let store = InMemoryStore(name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let account = Defaults.ThrowingKey<Account?>.jsonCoded("account")
    private let list = Defaults.Key<[Int]>("list", default: [7]).throwing()

    @Test func `reads what is there, or the default, and throws for what it cannot read`() throws {
        #expect(try defaults[account] == nil)
        #expect(try defaults[list] == [7])
        #expect(try defaults[resultOf: list].get() == [7])
        try store.apply(PropertyListBatch(.set([1, "two"], key: "list")))
        try store.apply(PropertyListBatch(.set("{\"name\":5}", key: "account")))
        let error = #expect(throws: Defaults.ReadError.self) { try defaults[list] }
        #expect(error?.key == "list")
        #expect(error?.cause.path == ValuePath([.index(1)]))
        guard case .failure(let reason) = defaults[resultOf: account] else {
            Issue.record("An unreadable account was read.")
            return
        }
        #expect(reason.cause.path == ValuePath([.name("name")]))
    }

    @Test func `writes, removes, and throws for what has no stored form`() throws {
        try defaults.set(Account(name: "Ada"), for: account)
        #expect(try defaults[account] == Account(name: "Ada"))
        #expect(store.value(forKey: "account") == "{\"name\":\"Ada\",\"weight\":1}")
        let error = #expect(throws: Defaults.WriteError.self) {
            try defaults.set(Account(name: "Ada", weight: .infinity), for: account)
        }
        #expect(error?.key == "account")
        #expect(try defaults[account] == Account(name: "Ada"))
        try defaults.set(nil, for: account)
        #expect(store.value(forKey: "account") == nil)
        defaults.reset(list)
    }

    @Test func `composed keys throw as the ones that they are made of`() throws {
        let named = Defaults.ThrowingKey.defaulting(account, with: Account(name: "nobody"))
        #expect(try defaults[named] == Account(name: "nobody"))
        let fruit = Defaults.ThrowingKey<Fruit?>.rawRepresentable(represented: Defaults.Key.string("fruit").throwing())
        #expect(try defaults[fruit] == nil)
        try defaults.set(.pear, for: fruit)
        #expect(store.value(forKey: "fruit") == "pear")
        try store.apply(PropertyListBatch(.set("stone", key: "fruit")))
        #expect(throws: Defaults.ReadError.self) { try defaults[fruit] }
    }

    @Test func `its updates are values, or the errors with which reading failed`() async throws {
        var updates = defaults.updates(list).makeAsyncIterator()
        #expect(try await updates.next()?.get() == [7])
        try store.apply(PropertyListBatch(.set([1, "two"], key: "list")))
        guard case .failure(let error)? = await updates.next() else {
            Issue.record("An unreadable list was read.")
            return
        }
        #expect(error.cause.path == ValuePath([.index(1)]))
        try defaults.set([3], for: list)
        #expect(try await updates.next()?.get() == [3])
    }

    @Test func `a result of a plain key has the error that its subscript reports`() throws {
        try store.apply(PropertyListBatch(.set("five", key: "number")))
        let number = Defaults.Key<Int>("number", default: 0)
        #expect(throws: Defaults.ReadError.self) { try defaults[resultOf: number].get() }
        let reports = reportedProblems { #expect(defaults[number] == 0) }
        #expect(reports.count == 1)
    }
}
