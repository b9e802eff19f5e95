@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

struct Window: Equatable, Defaults.Serializable {
    var width: Double
    var height: Double

    static let bridge = WindowBridge()
}

/// A direct bridge with two entries, and one more for a mark that it writes only.
struct WindowBridge: Defaults.DirectBridge {
    func entries(of key: String) -> [String] { [key + ".width", key + ".height"] }

    func get(key: String, store: PropertyListTable) -> Window? {
        guard case .real(let width)? = store[key + ".width"], case .real(let height)? = store[key + ".height"] else {
            return nil
        }
        return Window(width: width, height: height)
    }

    func save(key: String, value: Window?, store: inout PropertyListEdit) throws(ValueEncodingError) {
        if value?.width == 0 { throw ValueEncodingError(reason: "a window has a width") }
        store[key + ".width"] = value.map { .real($0.width) }
        store[key + ".height"] = value.map { .real($0.height) }
    }
}

/// A type whose direct bridge has one entry: it can be an element too.
struct Frog: Hashable, Defaults.Serializable {
    var name: String

    struct Bridge: Defaults.DirectBridge {
        func get(key: String, store: PropertyListTable) -> Frog? {
            if case .string(let name)? = store[key] { Frog(name: name) } else { nil }
        }

        func save(key: String, value: Frog?, store: inout PropertyListEdit) {
            store[key] = value.map { .string($0.name) }
        }
    }

    static let bridge = Bridge()
}

@Suite(.bounded) struct DirectBridgeTests {
    private let store = InMemoryStore(name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let window = Defaults.Key<Window>("window", default: Window(width: 1, height: 1))
    private let panel = Defaults.Key<Window?>("panel")
    private let hinted = Defaults.Key<Window?>("hinted", bridge: WindowBridge())
    private let sized = Defaults.Key<Window>("sized", default: Window(width: 9, height: 9), bridge: WindowBridge())

    @Test func `a value is in the entries that the bridge chooses`() throws {
        #expect(defaults[window] == Window(width: 1, height: 1))
        #expect(defaults[panel] == nil)
        defaults[window] = Window(width: 3, height: 4)
        defaults[panel] = Window(width: 5, height: 6)
        defaults[hinted] = Window(width: 7, height: 8)
        try defaults.set(Window(width: 2, height: 2), for: sized)
        #expect(
            store.snapshot() == [
                "window.width": 3.0, "window.height": 4.0, "panel.width": 5.0, "panel.height": 6.0,
                "hinted.width": 7.0, "hinted.height": 8.0, "sized.width": 2.0, "sized.height": 2.0,
            ]
        )
        #expect(defaults[window] == Window(width: 3, height: 4))
        #expect(defaults[panel] == Window(width: 5, height: 6))
        #expect(try defaults.value(for: hinted) == Window(width: 7, height: 8))
        #expect(defaults.snapshot()[sized] == Window(width: 2, height: 2))
        #expect(defaults.hasValue(for: panel))
        defaults[panel] = nil
        defaults.reset(window, hinted, sized)
        #expect(store.snapshot().isEmpty)
        #expect(!defaults.hasValue(for: window))
    }

    @Test func `entries that make no value are reported, and written over by none`() throws {
        try store.apply(PropertyListBatch(.set("wide", key: "window.width")))
        let reports = reportedProblems { #expect(defaults[window] == Window(width: 1, height: 1)) }
        #expect(reports.count == 1)
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: window) }
        #expect(throws: Defaults.WriteError.self) { try defaults.set(Window(width: 0, height: 1), for: window) }
        #expect(store.snapshot() == ["window.width": "wide"])
    }

    @Test func `an observer receives a change of any entry, and one for both`() async {
        defaults[window] = Window(width: 3, height: 4)
        var updates = defaults.updates(window).makeAsyncIterator()
        #expect(await updates.next() == Window(width: 3, height: 4))
        defaults[window] = Window(width: 5, height: 6)
        #expect(await updates.next() == Window(width: 5, height: 6))
        defaults[window].height = 7
        #expect(await updates.next() == Window(width: 5, height: 7))
    }

    private static func sides(_ windows: Window...) -> [Double] { windows.flatMap { [$0.width, $0.height] } }

    @Test func `an observer that receives changes late receives each as it was`() async throws {
        let (heard, updated, isReleased) = (Recorder<[Double]>(), Recorder<[Double]>(), Recorder<Bool>())
        let (store, window) = (store, window)
        try await TestThread.run {
            let defaults = Defaults(store)
            defaults[window] = Window(width: 1, height: 1)
            let observation = defaults.observe(window, options: []) { change in
                heard.record(Self.sides(change.oldValue, change.newValue))
                guard change.newValue == Window(width: 1, height: 2) else { return }
                eventually("the test releases the handler") { isReleased.count == 1 }
            }
            let results = defaults.observe(window.throwing(), initial: false) { result in
                if let value = try? result.get() { updated.record(Self.sides(value)) }
            }
            let writer = TestThread { Defaults(store)[window] = Window(width: 1, height: 2) }
            eventually("the handler is called") { heard.count == 1 }
            // Finds the first change in the queue of the second observer, which the writer has not come to.
            defaults[window] = Window(width: 2, height: 2)
            defaults[window] = Window(width: 2, height: 3)
            isReleased(true)
            writer.join()
            observation.invalidate()
            results.invalidate()
        }
        #expect(heard.values == [[1, 1, 1, 2], [1, 2, 2, 2], [2, 2, 2, 3]])
        #expect(updated.values == [[1, 2], [2, 2], [2, 3]])
    }

    @Test func `an observer receives the present value only on request, and never a quiet change`() {
        let heard = Recorder<[Double]>()
        defaults[window] = Window(width: 3, height: 4)
        let initial = defaults.observe(window) { heard.record(Self.sides($0.oldValue, $0.newValue)) }
        #expect(heard.values == [[1, 1, 3, 4]])
        initial.invalidate()
        let observation = defaults.observe(window, options: []) { heard.record(Self.sides($0.oldValue, $0.newValue)) }
        #expect(heard.values.count == 1)
        Defaults.withoutPropagation { defaults[window] = Window(width: 5, height: 4) }
        defaults[window] = Window(width: 5, height: 6)
        #expect(heard.values.dropFirst() == [[5, 4, 5, 6]])
        observation.invalidate()
    }

    @Test func `a batch reads the entries that it has written`() {
        defaults.update {
            $0[window] = Window(width: 3, height: 4)
            $0[window].width += 1
        }
        #expect(defaults[window] == Window(width: 4, height: 4))
    }

    @Test func `composed keys keep the entries`() {
        let composed = Defaults.Key.defaulting(panel, with: Window(width: 8, height: 8))
        #expect(defaults[composed] == Window(width: 8, height: 8))
        defaults[composed] = Window(width: 3, height: 4)
        #expect(defaults[panel] == Window(width: 3, height: 4))
    }

    @Test func `a bridge with one entry serves elements too`() throws {
        let frog = Defaults.Key<Frog?>("frog")
        let frogs = Defaults.Key<[Frog]>("frogs", default: [])
        let named = Defaults.Key<[String: Frog]>("named", default: [:])
        defaults[frog] = Frog(name: "Lily")
        defaults[frogs] = [Frog(name: "Rana"), Frog(name: "Hyla")]
        defaults[named] = ["first": Frog(name: "Bufo")]
        #expect(store.snapshot() == ["frog": "Lily", "frogs": ["Rana", "Hyla"], "named": ["first": "Bufo"]])
        #expect(try defaults.value(for: frogs) == [Frog(name: "Rana"), Frog(name: "Hyla")])
        #expect(try defaults.value(for: named) == ["first": Frog(name: "Bufo")])
        #expect(throws: Defaults.WriteError.self) {
            try defaults.set([Window(width: 1, height: 1)], for: Defaults.Key<[Window]>("windows", default: []))
        }
        try store.apply(PropertyListBatch(.set(["Rana", 5], key: "frogs")))
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: frogs) }
        #expect(error?.cause.path == ValuePath([.index(1)]))
    }

    @Test func `threads never see one entry without the other`() async {
        let isWhole = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for side in 1...2_000 {
                    defaults[window] = Window(width: Double(side), height: Double(side))
                }
                return true
            }
            for _ in 0..<2 {
                group.addTask {
                    (0..<2_000).allSatisfy { _ in
                        let seen = defaults[window]
                        return seen.width == seen.height
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(isWhole)
    }
}
