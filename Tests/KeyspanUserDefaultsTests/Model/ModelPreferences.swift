#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanUserDefaults

/// A model of the preferences of one process on Apple's systems: the values and the notifications of its `UserDefaults`.
///
/// Each behavior names its source. Where sources contradict each other or are silent, the model has an option, and no promise may
/// depend on it.
///
/// - The first hit counts: managed values, arguments, the own domain, the system's domain, registered defaults; arguments and registered defaults
///   are those of the process, for every object (`NSUserDefaults.h`; Apple, `UserDefaults`, *Domains*).
/// - `set` and `removeObject` change the own domain only, at once, and also below a higher hit (`NSUserDefaults.h`).
/// - `persistentDomain(forName:)` has the own values only, and is `nil` without any (Apple, `persistentDomain(forName:)`).
/// - Key-value observing reports a change of the value that a key shows, in the call, on the calling thread (Foundation release
///   notes for macOS 10.13); nothing if it shows the same one, nothing for `register` (gnustep/libs-base#420, a test that was
///   validated on macOS 15.0.1). Names with a dot or a leading `@` are paths (ReactiveX/RxSwift#1478, sindresorhus/Defaults#59).
/// - `didChangeNotification` follows each write of this process, on its thread, also one of an equal value, and never one of another
///   process (Apple, `didChangeNotification`; mattermost/react-native-emm#2; VergeGroup/UserDefaultsSnapshot#1).
/// - Observers may write within a notification (linearmouse/linearmouse#1090).
/// - Reads see the writes of other processes soon, without a bound; key-value observing reports them later, and only those of keys
///   that are observed by then (Foundation release notes for OS X 10.10 and macOS 10.12).
final class ModelPreferences: Sendable {
    struct Options: Sendable, Hashable, CaseIterable {
        /// Whether `didChangeNotification` is posted only by ``postLate()``.
        var postsLate = false
        /// Whether the notification names its object; sources contradict each other (unsignedapps/Vexil#75,
        /// fatbobman/ObservableDefaults#22).
        var namesObject = true
        /// Whether key-value observing reports equal values too, as old systems did (sindresorhus/Defaults#34).
        var reportsEqual = false

        static var allCases: [Options] {
            [false, true].flatMap { late in
                [true, false].flatMap { names in
                    [false, true].map { Options(postsLate: late, namesObject: names, reportsEqual: $0) }
                }
            }
        }
    }

    /// An observer of one of the process's objects.
    typealias Receive = @Sendable (UserDefaultsEvent) -> Void

    private struct State {
        /// The domains as this process sees them.
        var domains: [String: PropertyListTable] = [:]
        /// Writes of other processes that this process does not see yet.
        var arriving: [(domain: String, key: String, value: PropertyListValue?)] = []
        var managed = PropertyListTable()
        var arguments = PropertyListTable()
        var registered = PropertyListTable()
        var observers: [Int: (domain: String, keys: Set<UTF8Text>, receive: Receive)] = [:]
        var late: [ObjectIdentifier?] = []
        var writes = 0
        var wholeReads = 0
        /// Run within notifications, as observers of the program are.
        var nested: (@Sendable (String) -> Void)?

        func shown(_ key: String, in domain: String) -> PropertyListValue? {
            managed[key] ?? arguments[key] ?? domains[domain]?[key] ?? domains[UserDefaults.globalDomain]?[key]
                ?? registered[key]
        }
    }

    let options: Options
    private let state = Locked(State())

    init(_ options: Options = Options()) {
        self.options = options
    }

    func makeDefaults(_ domain: String = "own") -> UserDefaults { ModelDefaults(self, domain) ?? .standard }

    func table(of domain: String) -> PropertyListTable { state.withLock { $0.domains[domain] ?? PropertyListTable() } }

    func shown(_ key: String, in domain: String) -> PropertyListValue? { state.withLock { $0.shown(key, in: domain) } }

    /// The value that a key would show without launch arguments and managed values.
    func lookup(_ key: String, in domain: String) -> PropertyListValue? {
        state.withLock { state in
            var state = state
            (state.arguments, state.managed) = ([:], [:])
            return state.shown(key, in: domain)
        }
    }

    /// Values of an administrator, in front of all others.
    var managed: PropertyListTable {
        get { state.withLock(\.managed) }
        set { state.withLock { $0.managed = newValue } }
    }

    var arguments: PropertyListTable {
        get { state.withLock(\.arguments) }
        set { state.withLock { $0.arguments = newValue } }
    }

    var registered: PropertyListTable { state.withLock(\.registered) }

    /// How often all values were read so far.
    var wholeReads: Int { state.withLock(\.wholeReads) }

    func noteWholeRead() { state.withLock { $0.wholeReads += 1 } }

    /// The number of writes of this process so far.
    var writes: Int { state.withLock(\.writes) }

    func register(_ values: PropertyListTable) {
        state.withLock { state in
            for (key, value) in values { state.registered[key] = value }
        }
    }

    /// Does something within each notification of this process's writes, for the written key.
    func whenNotified(_ action: (@Sendable (String) -> Void)?) { state.withLock { $0.nested = action } }

    /// Writes in this process.
    func write(_ value: PropertyListValue?, forKey key: String, in domain: String, through object: ObjectIdentifier) {
        let (old, new) = state.withLock { state in
            let old = state.shown(key, in: domain)
            state.domains[domain, default: PropertyListTable()][key] = value
            state.writes += 1
            return (old, state.shown(key, in: domain))
        }
        if old != new || options.reportsEqual { report(key, in: domain) }
        state.withLock(\.nested)?(key)
        let named = options.namesObject ? object : nil
        if options.postsLate { state.withLock { $0.late.append(named) } } else { post(named) }
    }

    /// Writes in another process; this one sees it after ``arrive()``.
    func writeElsewhere(_ value: PropertyListValue?, forKey key: String, in domain: String) {
        state.withLock { $0.arriving.append((domain, key, value)) }
    }

    /// Lets this process see the writes of others.
    ///
    /// - Parameter isReporting: Whether key-value observing reports them.
    func arrive(reporting isReporting: Bool = true) {
        let changed = state.withLock { state in
            defer { state.arriving = [] }
            return state.arriving.filter { domain, key, value in
                let old = state.shown(key, in: domain)
                state.domains[domain, default: PropertyListTable()][key] = value
                return old != state.shown(key, in: domain)
            }
        }
        if isReporting { for change in changed { report(change.key, in: change.domain) } }
    }

    /// Posts the notifications that wait; without the option there are none.
    func postLate(asOne isOne: Bool = false) {
        let late = state.withLock { state in
            defer { state.late = [] }
            return isOne ? Array(state.late.prefix(1)) : state.late
        }
        late.forEach(post)
    }

    func activate() {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.receive(.activated) }
    }

    // MARK: - Observers

    private func report(_ key: String, in domain: String) {
        for observer in state.withLock({ Array($0.observers.values) })
        where observer.domain == domain && observer.keys.contains(UTF8Text(key)) {
            observer.receive(.changed(key: key))
        }
    }

    private func post(_ object: ObjectIdentifier?) {
        for observer in state.withLock({ Array($0.observers.values) }) {
            observer.receive(.changedAnything(of: object))
        }
    }

    func addObserver(of domain: String, _ receive: @escaping Receive) -> Int {
        state.withLock { state in
            let number = (state.observers.keys.max() ?? 0) + 1
            state.observers[number] = (domain, [], receive)
            return number
        }
    }

    func observe(_ key: String, by number: Int) {
        guard !key.utf8.contains(UInt8(ascii: ".")), key.utf8.first != UInt8(ascii: "@") else { return }
        state.withLock { _ = $0.observers[number]?.keys.insert(UTF8Text(key)) }
    }

    func removeObserver(_ number: Int) { state.withLock { $0.observers[number] = nil } }

    var observerCount: Int { state.withLock(\.observers.count) }
}

/// The notifications of a model as those of a `UserDefaults`.
final class ModelChanges: UserDefaultsChanges {
    private let model: ModelPreferences
    private let domain: String
    private let number = Locked<Int?>(nil)

    init(_ model: ModelPreferences, _ domain: String) {
        self.model = model
        self.domain = domain
    }

    func begin(_ receive: @escaping @Sendable (UserDefaultsEvent) -> Void) {
        number.withLock { $0 = model.addObserver(of: domain, receive) }
    }

    func follow(_ key: String) {
        if let number = number.withLock(\.self) { model.observe(key, by: number) }
    }

    func end() {
        if let number = number.withLock(\.self) { model.removeObserver(number) }
    }
}
#endif
