import KeyspanCore

/// A shared store as devices see it: each has a copy of its own, and changes travel whenever the model lets them.
///
/// The server takes the uploads as they arrive, whatever is in them: the last one stays. A device does not take a download
/// of an entry that it is about to upload.
final class CloudModel: Sendable {
    private enum Message {
        case upload(key: String, device: Int)
        case download(key: String, device: Int)
    }

    private struct State {
        var server: PropertyListTable = [:]
        var messages: [Message] = []
    }

    /// The copy of each device.
    let copies: [InMemoryStore]

    private let state = Locked(State())
    private let observations = Locked<[StoreObservation]>([])

    init(devices: Int) {
        copies = (0..<devices).map { InMemoryStore(name: "cloud copy of device \($0)") }
        for (device, copy) in copies.enumerated() {
            let observation = copy.observe(.all, initial: false) { [weak self] change in
                self?.state.withLock { state in
                    // An entry of the server is a download, or needs no upload.
                    state.messages += change.entries
                        .filter { $0.new != state.server[$0.key] }
                        .map { .upload(key: $0.key, device: device) }
                }
            }
            observations.withLock { $0.append(observation) }
        }
    }

    /// The number of changes on their way.
    var messageCount: Int { state.withLock(\.messages.count) }

    /// The entries of the server.
    var server: PropertyListTable { state.withLock(\.server) }

    /// Lets one change arrive, any of those on their way.
    func deliverOne(using generator: inout some RandomNumberGenerator) throws {
        let index = Int.random(in: 0..<messageCount, using: &generator)
        switch state.withLock({ $0.messages.remove(at: index) }) {
        case .upload(let key, let device):
            let value = copies[device].value(forKey: key)
            state.withLock { state in
                state.server[key] = value
                state.messages += copies.indices.filter { $0 != device }.map { .download(key: key, device: $0) }
            }
        case .download(let key, let device):
            let (value, isUploading) = state.withLock { state in
                let isUploading = state.messages.contains {
                    if case .upload(key, device) = $0 { true } else { false }
                }
                return (state.server[key], isUploading)
            }
            guard !isUploading, copies[device].value(forKey: key) != value else { return }
            try copies[device].apply(PropertyListBatch(value.map { .set($0, key: key) } ?? .remove(key: key)))
        }
    }
}
