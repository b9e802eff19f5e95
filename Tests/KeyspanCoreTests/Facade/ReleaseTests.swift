import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

/// An object in a closure or an error may run any code when it is released, and use the object that held it.
@Suite struct ReleaseTests {
    private struct Failure: Error {
        var object: Releasing?
    }

    private static let problem = Defaults.Problem.storeNotice(name: "store", notice: "noticed")

    @Test func `a handler of problems may report a problem when it is replaced`() {
        let reporter = ProblemReporter()
        let heard = Recorder<String>()
        do {
            let object = Releasing { reporter.report(Self.problem) }
            reporter.setHandler { _ in withExtendedLifetime(object) {} }
        }
        reporter.setHandler { _ in heard.record("handler") }
        #expect(heard.values == ["handler"])
    }

    @Test func `who receives the marked keys may mark one when it is replaced`() {
        do {
            let object = Releasing { MarkedKeys.add(Defaults.Key<Int>("of ReleaseTests", default: 0)) }
            MarkedKeys.receive { _ in withExtendedLifetime(object) {} }
        }
        let names = Recorder<String>()
        MarkedKeys.receive { keys in
            for key in keys { names.record(key.name) }
        }
        MarkedKeys.receive { _ in }
        #expect(names.values.contains("of ReleaseTests"))
    }

    @Test func `the error of a scripted store may use the store when it is replaced`() {
        let store = ScriptedStore()
        let heard = Recorder<String>()
        func error() -> StoreError {
            let object = Releasing { heard.record("\(store.count(of: .synchronize))") }
            return StoreError(
                .notDurable,
                store: store.name,
                reason: "",
                remedy: "",
                underlying: Failure(object: object)
            )
        }
        store.failWrites(with: error())
        store.failWrites(with: nil)
        #expect(heard.values == ["0"])
        store.failSynchronize(with: error())
        store.failSynchronize(with: nil)
        #expect(heard.values == ["0", "0"])
    }
}
