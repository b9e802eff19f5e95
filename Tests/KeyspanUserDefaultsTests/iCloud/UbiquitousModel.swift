import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanUserDefaults

/// The key-value storage of iCloud for one program on the devices of several people, as Apple describes it.
///
/// A device has a copy of the values of its account. Changes travel as messages, which a test delivers one by one in any order.
/// Apple's pages are those of `NSUbiquitousKeyValueStore`, its notification and its reasons for a change at developer.apple.com/documentation/foundation,
/// and *Designing for Key-Value Data in iCloud* of the archived *iCloud Design Guide*.
///
/// | Behavior | Source |
/// |---|---|
/// | A write is in memory at first and travels later. | `NSUbiquitousKeyValueStore`, overview |
/// | The server keeps the value that arrives last, whatever the program compares. | *iCloud Design Guide* |
/// | A device does not take over an entry that it is about to upload. | none; a device that did would lose its own write |
/// | Several changes come as one notification, or one as several. | ArtSabintsev/Zephyr issue 53 |
/// | A notification comes later than the values can be read, or twice. | apple/sample-cloudkit-privatedb-sync issue 9 saw both orders |
/// | A notification need not have the names of the changed keys. | `NSUbiquitousKeyValueStoreChangedKeysKey`: "when present" |
/// | Another account replaces all values, whatever their age. | `NSUbiquitousKeyValueStoreAccountChange` |
/// | What is written before the first download is discarded. | `NSUbiquitousKeyValueStoreInitialSyncChange`, its text until 2023 |
/// | Values written while nobody is signed in go to the next account, unless that has a value. | `NSUbiquitousKeyValueStore`, its overview until 2023 |
/// | A write that exceeds the quota changes nothing, and a notification reports it. | `NSUbiquitousKeyValueStoreQuotaViolationChange` |
/// | The identity of the account changes at once, before the notification, and some programs do not get it. | `FileManager.ubiquityIdentityToken` |
final class UbiquitousModel: Sendable {
    enum Message: Hashable {
        case upload(device: Int, key: String)
        case download(device: Int, keys: Set<String>)
        case firstDownload(device: Int)
        case notification(device: Int, UbiquitousChange)

        var device: Int {
            switch self {
            case .upload(let device, _), .download(let device, _), .firstDownload(let device),
                .notification(let device, _):
                device
            }
        }
    }

    private struct Copy {
        let namesAccount: Bool
        var account: String?
        /// The account that the program can know, while it is another one than that of the values; no source gives their order.
        var announced: String??
        var entries: [String: PropertyListValue] = [:]
        /// Whether the values of the account are not here yet.
        var isLoading = false
        var receivers: [Int: @Sendable (UbiquitousChange) -> Void] = [:]
        var lastReceiver = 0
    }

    private struct State {
        var servers: [String: [String: PropertyListValue]] = [:]
        var copies: [Copy]
        var messages: [Message] = []
        var maximumCount = Int.max

        mutating func send(_ message: Message) {
            if !messages.contains(message) { messages.append(message) }
        }

        func isUploading(_ key: String, _ device: Int) -> Bool { messages.contains(.upload(device: device, key: key)) }
    }

    private let state: Locked<State>

    /// Makes devices on which nobody is signed in.
    ///
    /// - Parameter namesAccounts: For each device, whether its program can know the account.
    init(namesAccounts: [Bool]) {
        state = Locked(State(copies: namesAccounts.map { Copy(namesAccount: $0) }))
    }

    /// The values of an account on the server.
    func server(_ account: String) -> [String: PropertyListValue] { state.withLock { $0.servers[account] ?? [:] } }

    func setServer(_ account: String, _ entries: [String: PropertyListValue]) {
        state.withLock { $0.servers[account] = entries }
    }

    /// Limits the number of keys of an account.
    func setQuota(_ count: Int) { state.withLock { $0.maximumCount = count } }

    func account(of device: Int) -> String? { state.withLock { $0.copies[device].account } }

    func isLoading(_ device: Int) -> Bool { state.withLock { $0.copies[device].isLoading } }

    var messages: [Message] { state.withLock(\.messages) }

    /// The user of a device signs in to an account, or out.
    ///
    /// - Parameters:
    ///   - isLoading: Whether the values of the account are still to come.
    ///   - isLate: Whether the notification is a message too.
    func signIn(_ account: String?, on device: Int, isLoading: Bool = false, isLate: Bool = false) {
        state.withLock { state in
            let before = state.copies[device]
            // Notifications of earlier changes can still be on their way.
            state.messages.removeAll { message in
                if case .notification = message { false } else { message.device == device }
            }
            state.copies[device].account = account
            state.copies[device].announced = nil
            state.copies[device].entries = [:]
            state.copies[device].isLoading = account != nil && isLoading
            if isLoading, account != nil { state.send(.firstDownload(device: device)) }
            if let account, !isLoading { state.copies[device].entries = state.servers[account] ?? [:] }
            guard account != nil, before.account == nil, !isLoading else { return }
            for (key, value) in before.entries where state.copies[device].entries[key] == nil {
                state.copies[device].entries[key] = value
                state.send(.upload(device: device, key: key))
            }
        }
        notify(device, .accountChanged, isLate: isLate)
    }

    /// The program can know the next account, or that there is none, before the values change.
    func announce(_ account: String?, on device: Int) {
        state.withLock { $0.copies[device].announced = .some(account) }
    }

    /// Notifies the program now, or by a message.
    func notify(_ device: Int, _ change: UbiquitousChange, isLate: Bool) {
        let receivers = state.withLock { state -> [@Sendable (UbiquitousChange) -> Void] in
            if isLate { state.send(.notification(device: device, change)) }
            return isLate ? [] : Array(state.copies[device].receivers.values)
        }
        for receive in receivers { receive(change) }
    }

    /// Delivers all messages, the oldest first; so many that more of them would be an echo without end.
    func deliverAll() {
        for _ in 0..<10_000 {
            guard let message = messages.first else { return }
            deliver(message, isLate: false)
        }
    }

    /// Delivers a message.
    ///
    /// - Parameters:
    ///   - isLate: Whether the notification of it is a message too.
    ///   - isNamed: Whether the notification names the keys.
    func deliver(_ message: Message, isLate: Bool, isNamed: Bool = true) {
        let change = state.withLock { state -> UbiquitousChange? in
            guard let index = state.messages.firstIndex(of: message) else { return nil }
            state.messages.remove(at: index)
            let device = message.device
            switch message {
            case .notification(_, let change): return change
            case .firstDownload:
                state.copies[device].isLoading = false
                state.copies[device].entries = state.copies[device].account.flatMap { state.servers[$0] } ?? [:]
                // The reason is the first download.
                return .accountChanged
            case .upload(_, let key):
                guard let account = state.copies[device].account else { return nil }
                var server = state.servers[account] ?? [:]
                server[key] = state.copies[device].entries[key]
                if server.count > state.maximumCount {
                    state.copies[device].entries[key] = state.servers[account]?[key]
                    return .quotaViolated([UTF8Text(key)])
                }
                state.servers[account] = server
                for (other, copy) in state.copies.enumerated() where other != device && copy.account == account {
                    if !copy.isLoading { state.send(.download(device: other, keys: [key])) }
                }
                return nil
            case .download(_, let keys):
                guard let account = state.copies[device].account, !state.copies[device].isLoading else { return nil }
                // Another change of the same kind may come with it.
                var all = keys
                for case .download(device, let more) in state.messages { all.formUnion(more) }
                state.messages.removeAll { if case .download(device, _) = $0 { true } else { false } }
                var changed: Set<UTF8Text> = []
                for key in all where !state.isUploading(key, device) {
                    let value = state.servers[account]?[key]
                    if state.copies[device].entries[key] != value { changed.insert(UTF8Text(key)) }
                    state.copies[device].entries[key] = value
                }
                return .changed(isNamed ? .named(changed) : .all)
            }
        }
        guard let change else { return }
        let isNotification = if case .notification = message { true } else { false }
        notify(message.device, change, isLate: isLate && !isNotification)
    }

    /// The system's object on a device.
    func values(of device: Int) -> Values { Values(model: self, device: device) }

    /// The system's object on a device.
    final class Values: UbiquitousValues {
        private let model: UbiquitousModel
        private let device: Int

        fileprivate init(model: UbiquitousModel, device: Int) {
            self.model = model
            self.device = device
        }

        var accountIdentity: Data? {
            model.state.withLock { [device] state in
                let copy = state.copies[device]
                return copy.namesAccount ? (copy.announced ?? copy.account).map { Data($0.utf8) } : nil
            }
        }

        func entries(_ names: Set<UTF8Text>?) -> TextDictionary<UbiquitousEntry> {
            let entries = model.state.withLock { [device] in $0.copies[device].entries }
            return TextDictionary(
                entries.filter { names?.contains($0.key) ?? true }.mapValues { UbiquitousEntry.value($0) }
            )
        }

        func set(_ value: PropertyListValue?, forKey key: String) {
            model.state.withLock { [device] state in
                state.copies[device].entries[key] = value
                // Before the first download a write is discarded, and without an account it waits.
                if state.copies[device].account != nil, !state.copies[device].isLoading {
                    state.send(.upload(device: device, key: key))
                }
            }
        }

        func synchronize() -> Bool { true }

        func observe(_ receive: @escaping @Sendable (UbiquitousChange) -> Void) -> StoreObservation {
            let number = model.state.withLock { [device] state in
                state.copies[device].lastReceiver += 1
                state.copies[device].receivers[state.copies[device].lastReceiver] = receive
                return state.copies[device].lastReceiver
            }
            return StoreObservation { [model, device] in
                let removed = model.state.withLock { $0.copies[device].receivers.removeValue(forKey: number) }
                withExtendedLifetime(removed) {}
            }
        }
    }
}
