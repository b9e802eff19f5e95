import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// The values that travel after the user of a device has changed the account of iCloud.
@Suite struct UbiquitousAccountTests {
    private let clock = TestClock(Date(timeIntervalSinceReferenceDate: 1_000))

    private func entry(_ seconds: Double, _ value: PropertyListValue?) -> PropertyListValue {
        .array([.date(Date(timeIntervalSinceReferenceDate: seconds))] + (value.map { [$0] } ?? []))
    }

    /// Two accounts, one phone that is signed in to Anna's, and values of Bob that are older than hers.
    private func makePhone(
        namesAccount: Bool,
        local: any PropertyListStore = InMemoryStore()
    ) -> (UbiquitousModel, UbiquitousDevice) {
        let model = UbiquitousModel(namesAccounts: [namesAccount])
        model.signIn("anna", on: 0)
        model.setServer("bob", ["theme": entry(5, "bob light"), "sound": entry(5, nil)])
        let phone = UbiquitousDevice(0, of: model, names: ["theme", "mail", "sound"], clock: clock, local: local)
        phone.local.set("anna dark", forKey: "theme")
        phone.local.set("anna@example.com", forKey: "mail")
        phone.local.set("anna loud", forKey: "sound")
        model.deliverAll()
        return (model, phone)
    }

    /// How a program learns of the change.
    enum Way: CaseIterable {
        /// It is notified and cannot name the account.
        case notification
        /// It is notified twice, and writes in between.
        case notificationTwice
        /// The values of the new account are still to come.
        case firstDownload
        /// It names the account and is notified.
        case identity
        /// It names the account and reads the new values before it is notified.
        case lateNotification
        /// It names the account, and a write is the first that it does after the change.
        case writeBeforeNotification
        /// It names the account, and does not run when that changes.
        case start
        /// It can name the new account while the values are still those of the old one.
        case identityFirst
        /// Nobody is signed in as far as it knows, while the values are still those of the old account.
        case identityGone

        var namesAccount: Bool { ![.notification, .notificationTwice, .firstDownload].contains(self) }
    }

    @Test(arguments: Way.allCases, [false, true])
    func `nothing of an account reaches the next one, whose values replace it`(_ way: Way, restarts: Bool) {
        let (model, phone) = makePhone(namesAccount: way.namesAccount)
        let bobs = model.server("bob")
        switch way {
        case .notification, .identity, .notificationTwice: model.signIn("bob", on: 0)
        case .firstDownload: model.signIn("bob", on: 0, isLoading: true)
        case .lateNotification:
            model.signIn("bob", on: 0, isLate: true)
            model.notify(0, .changed(.named(["theme"])), isLate: false)
        case .writeBeforeNotification:
            model.signIn("bob", on: 0, isLate: true)
            phone.local.set("anna@home.example", forKey: "mail")
        case .start:
            phone.stop()
            model.signIn("bob", on: 0)
            phone.start()
        case .identityFirst, .identityGone:
            model.announce(way == .identityFirst ? "bob" : nil, on: 0)
            model.notify(0, .changed(.named(["theme"])), isLate: false)
            if restarts { phone.start() }
            model.deliverAll()
            model.signIn("bob", on: 0)
        }
        if restarts { phone.start() }
        model.deliverAll()
        #expect(model.server("bob") == bobs)
        #expect(phone.local.string(forKey: "theme") == "bob light" && phone.local.value(forKey: "sound") == nil)
        #expect(phone.local.string(forKey: "mail")?.hasPrefix("anna@") == true)
        // What Bob writes is his, also over a value that Anna has left behind.
        clock.advance(by: 1)
        phone.local.set("bob@example.com", forKey: "mail")
        if way == .notificationTwice { model.notify(0, .accountChanged, isLate: false) }
        phone.local.set("bob dark", forKey: "theme")
        if restarts { phone.start() }
        model.deliverAll()
        #expect(model.server("bob")["mail"]?[1] == "bob@example.com" && model.server("bob")["theme"]?[1] == "bob dark")
        #expect(phone.local.string(forKey: "mail") == "bob@example.com")
        // Anna's values are hers when she comes back.
        model.signIn("anna", on: 0)
        model.deliverAll()
        #expect(
            phone.local.string(forKey: "theme") == "anna dark" && phone.local.string(forKey: "sound") == "anna loud"
        )
        let annas = model.server("anna").values.compactMap { $0[1]?.stringValue }
        #expect(annas.count == 3 && annas.allSatisfy { $0.hasPrefix("anna") })
    }

    @Test(arguments: [false, true])
    func `a key that is used later is not sent to another account than the one of its value`(namesAccount: Bool) {
        let (model, phone) = makePhone(namesAccount: namesAccount)
        phone.stop()
        // In this run the program uses one of its keys only.
        var later: UbiquitousDevice? = UbiquitousDevice(
            0,
            of: model,
            names: ["theme"],
            clock: clock,
            local: phone.local
        )
        model.signIn("bob", on: 0)
        later?.stop()
        later = nil
        phone.start()
        model.deliverAll()
        #expect(model.server("bob")["mail"] == nil && phone.local.string(forKey: "mail") == "anna@example.com")
    }

    @Test(arguments: [false, true], [ScriptedStore.Call.write, .snapshot])
    func `the account may change in the middle of a transfer`(namesAccount: Bool, _ call: ScriptedStore.Call) {
        let local = ScriptedStore()
        let (model, phone) = makePhone(namesAccount: namesAccount, local: local)
        let bobs = model.server("bob")
        clock.advance(by: 1)
        local.beforeNext(call) { model.signIn("bob", on: 0) }
        local.base.set("anna@home.example", forKey: "mail")
        model.deliverAll()
        #expect(model.server("bob") == bobs)
        #expect(local.string(forKey: "theme") == "bob light" && local.string(forKey: "mail") == "anna@home.example")
        withExtendedLifetime(phone) {}
    }

    @Test func `nothing is sent while the local store refuses to follow the account, which is reported once`() throws {
        let local = ScriptedStore(name: "phone")
        let (model, phone) = makePhone(namesAccount: false, local: local)
        let bobs = model.server("bob")
        let full = StoreError(.tooLarge, store: "phone", reason: "it is full", remedy: "remove something")
        let problems = try reportedProblems {
            local.failWrites(with: full)
            model.signIn("bob", on: 0)
            try phone.synchronizer?.synchronize()
            try phone.synchronizer?.synchronize()
            model.deliverAll()
        }
        #expect(problems.filter { $0 == full.description }.count == 1, "\(problems)")
        #expect(model.server("bob") == bobs && local.string(forKey: "theme") == "anna dark")
        local.failWrites(with: nil)
        try phone.synchronizer?.synchronize()
        model.deliverAll()
        #expect(model.server("bob") == bobs && local.string(forKey: "theme") == "bob light")
    }

    @Test(arguments: [false, true])
    func `the account is known although the program removes all values`(restarts: Bool) {
        let (model, phone) = makePhone(namesAccount: true)
        phone.local.removeAll()
        clock.advance(by: 1)
        phone.local.set("anna@home.example", forKey: "mail")
        model.deliverAll()
        if restarts { phone.stop() }
        model.signIn("bob", on: 0)
        if restarts { phone.start() }
        model.deliverAll()
        #expect(model.server("bob")["mail"] == nil && phone.local.string(forKey: "theme") == "bob light")
    }

    @Test(arguments: RoundTripStore.allCases)
    func `a store of any kind keeps which values belong to another account`(_ kind: RoundTripStore) throws {
        let folder = try TemporaryFolder()
        var made: UbiquitousModel?
        let local = try kind.reopened(in: folder) { store in
            let (model, phone) = makePhone(namesAccount: false, local: store)
            model.signIn("bob", on: 0)
            model.deliverAll()
            phone.stop()
            made = model
        }
        let model = try #require(made)
        let bobs = model.server("bob")
        let phone = UbiquitousDevice(0, of: model, names: ["theme", "mail", "sound"], clock: clock, local: local)
        model.deliverAll()
        #expect(model.server("bob") == bobs)
        #expect(local.string(forKey: "theme") == "bob light" && local.string(forKey: "mail") == "anna@example.com")
        withExtendedLifetime(phone) {}
    }

    @Test func `a value that was held up by a foreign entry does not reach the next account`() {
        let model = UbiquitousModel(namesAccounts: [false])
        model.setServer("anna", ["theme": "foreign"])
        model.signIn("anna", on: 0)
        let phone = UbiquitousDevice(
            0,
            of: model,
            names: ["theme"],
            clock: clock,
            local: InMemoryStore(["theme": "anna dark"])
        )
        model.signIn("bob", on: 0)
        model.deliverAll()
        #expect(model.server("bob").isEmpty && phone.local.string(forKey: "theme") == "anna dark")
    }

    @Test func `values that are written while nobody is signed in go to the next account`() {
        let (model, phone) = makePhone(namesAccount: true)
        model.signIn(nil, on: 0)
        clock.advance(by: 1)
        phone.local.set("nobody@example.com", forKey: "mail")
        model.signIn("bob", on: 0)
        model.deliverAll()
        #expect(model.server("bob")["mail"]?[1] == "nobody@example.com")
        #expect(phone.local.string(forKey: "theme") == "bob light")
    }

    @Test func `what was written before the first download is sent after it, unless the account has a newer value`() {
        let model = UbiquitousModel(namesAccounts: [true])
        model.setServer("anna", ["old": entry(5, "old"), "new": entry(2_000, "newer"), "early": entry(5, "chosen")])
        let phone = UbiquitousDevice(
            0,
            of: model,
            names: ["old", "new", "own", "early"],
            clock: clock,
            // From before the program used iCloud.
            local: InMemoryStore(["early": "default"])
        )
        model.signIn("anna", on: 0, isLoading: true)
        for name in ["old", "new", "own"] { phone.local.set("written", forKey: name) }
        model.deliverAll()
        #expect(
            model.server("anna").mapValues { $0[1] } == [
                "old": "written", "new": "newer", "own": "written", "early": "chosen",
            ]
        )
        #expect(phone.local.string(forKey: "new") == "newer" && phone.local.string(forKey: "early") == "chosen")
    }

    @Test func `a value that iCloud has no room for is sent after a restart when there is room`() {
        let (model, phone) = makePhone(namesAccount: true)
        model.setQuota(3)
        phone.synchronizer?.add("extra")
        let problems = reportedProblems {
            phone.local.set("anna extra", forKey: "extra")
            model.deliverAll()
        }
        #expect(problems.count == 1 && model.server("anna")["extra"] == nil)
        #expect(phone.local.string(forKey: "extra") == "anna extra")
        model.setQuota(4)
        phone.start()
        phone.synchronizer?.add("extra")
        model.deliverAll()
        #expect(model.server("anna")["extra"]?[1] == "anna extra")
    }

    @Test func `the change of the account on two devices, step by step`() {
        let model = UbiquitousModel(namesAccounts: [true, true])
        let devices = (0..<2).map { UbiquitousDevice($0, of: model, names: ["theme", "mail"], clock: clock) }
        var steps: [String] = []
        func values(_ entries: [(String, PropertyListValue?)]) -> String {
            let known = entries.filter { $0.1 != nil }.sorted { $0.0 < $1.0 }
            return known.isEmpty ? "nothing" : known.map { $0.1?.stringValue ?? "?" }.joined(separator: ", ")
        }
        func step(_ what: String) {
            clock.advance(by: 1)
            model.deliverAll()
            let local = devices.map { device in values(["mail", "theme"].map { ($0, device.local.value(forKey: $0)) }) }
            let servers = ["anna", "bob"].map { person in values(model.server(person).map { ($0.key, $0.value[1]) }) }
            steps.append("\(what) | \(local[0]) | \(local[1]) | \(servers[0]) | \(servers[1])")
        }
        model.signIn("anna", on: 0)
        model.signIn("bob", on: 1)
        step("Anna signs in on the phone, Bob on the tablet")
        devices[1].local.set("bob light", forKey: "theme")
        step("Bob chooses a theme")
        devices[0].local.set("anna dark", forKey: "theme")
        devices[0].local.set("anna@a", forKey: "mail")
        step("Anna chooses a theme and an address, later than Bob")
        model.signIn("bob", on: 0, isLate: true)
        step("Bob signs in on the phone")
        devices[0].start()
        step("the program on the phone is restarted")
        devices[1].local.set("bob blue", forKey: "theme")
        step("Bob chooses another theme on the tablet")
        devices[0].local.set("bob@b", forKey: "mail")
        step("Bob chooses an address on the phone")
        model.signIn("anna", on: 0, isLate: true)
        step("Anna signs in on the phone again")
        #expect(
            steps == [
                "Anna signs in on the phone, Bob on the tablet | nothing | nothing | nothing | nothing",
                "Bob chooses a theme | nothing | bob light | nothing | bob light",
                "Anna chooses a theme and an address, later than Bob | anna@a, anna dark | bob light | anna@a, anna dark | bob light",
                "Bob signs in on the phone | anna@a, bob light | bob light | anna@a, anna dark | bob light",
                "the program on the phone is restarted | anna@a, bob light | bob light | anna@a, anna dark | bob light",
                "Bob chooses another theme on the tablet | anna@a, bob blue | bob blue | anna@a, anna dark | bob blue",
                "Bob chooses an address on the phone | bob@b, bob blue | bob@b, bob blue | anna@a, anna dark | bob@b, bob blue",
                "Anna signs in on the phone again | anna@a, anna dark | bob@b, bob blue | anna@a, anna dark | bob@b, bob blue",
            ]
        )
    }
}
