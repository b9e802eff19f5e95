extension SettingsConsole {
    /// The title, the place and the limits of a console.
    public struct Options: Sendable {
        /// The title of the page, such as the name of the program.
        public var title = "Settings"

        /// The path of the console, as requests have it, without a slash at its end.
        ///
        /// The links of the page are relative, so a proxy may add or remove a prefix.
        public var path = "/settings-console"

        /// Whether the settings can be changed, by the persons that the access closure permits it.
        public var allowsEditing = false

        /// The number of changes in the history, which has the last ones.
        public var maximumHistoryCount = 200

        /// The largest body of a request, in bytes.
        public var maximumBodySize = 1 << 20

        /// The largest number of pages that follow the settings at once; a further one is answered with 503.
        public var maximumStreamCount = 100

        /// The values of `Host` that requests may have, such as `admin.example.com` or `localhost:8080`; any if empty.
        ///
        /// They protect a console whose access closure permits by address: another site can make a browser use the address of this one under
        /// its own name (DNS rebinding).
        public var hosts: [String] = []

        /// Origins such as `https://admin.example.com` from which changes are accepted, besides the host that the request names.
        ///
        /// Only a proxy that changes the `Host` of requests needs one.
        public var trustedOrigins: [String] = []

        /// The interval at which an event stream without changes sends a comment, so that proxies keep it open.
        public var heartbeat = Duration.seconds(15)

        /// The time after which an event stream ends; the page opens another one, and the access closure decides anew.
        public var streamDuration = Duration.seconds(300)

        /// Called after changes that were made on the page, such as for a log, before the page has its answer.
        ///
        /// Changes that were refused are not reported.
        public var onEdit: (@Sendable (Edit) -> Void)?

        /// Makes the standard options.
        public init() {}
    }

    /// Changes that a person made on the page as one batch, for a log.
    public struct Edit: Sendable, Hashable {
        /// The change of one key, without its value.
        public struct Change: Sendable, Hashable {
            /// The name of the key.
            public let key: String
            /// The kind of the change.
            public let kind: Kind
        }

        /// The kind of a change.
        public enum Kind: Sendable, Hashable {
            /// The key was given a value.
            case set
            /// The value was removed, so that the key has its default again.
            case reset
        }

        /// The outcome of a change.
        public enum Outcome: Sendable, Hashable {
            /// The change is as durable as the store promises.
            case saved
            /// The change is in effect, and may be lost.
            case notDurable
            /// The store does not know whether the change was made.
            case unknown
        }

        /// The person, as the access closure named them.
        public let person: String?
        /// The changes.
        public let changes: [Change]
        /// The outcome.
        public let outcome: Outcome
    }
}

extension SettingsConsole.Options {
    /// The options with numbers that make sense.
    var clamped: Self {
        var options = self
        options.maximumHistoryCount = max(0, maximumHistoryCount)
        options.maximumStreamCount = max(0, maximumStreamCount)
        options.maximumBodySize = max(0, maximumBodySize)
        options.heartbeat = min(max(.milliseconds(1), heartbeat), .seconds(86_400))
        options.streamDuration = min(max(.zero, streamDuration), .seconds(86_400))
        return options
    }

    /// The place of a path within the console, such as `/events`; `nil` for a path outside of it.
    func place(of path: String) -> String? {
        let (path, mount) = (Array(path.utf8), Array(mountPath.utf8))
        guard path.starts(with: mount) else { return nil }
        let place = path.dropFirst(mount.count)
        guard place.isEmpty || place.first == UInt8(ascii: "/") else { return nil }
        return String(decoding: place, as: UTF8.self)
    }

    /// The last part of the path, from which the page in it is reached.
    var folderName: String { mountPath.split(separator: "/").last.map(String.init) ?? "" }

    private var mountPath: String {
        let trimmed = path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
        return trimmed.utf8.first == UInt8(ascii: "/") || trimmed.isEmpty ? trimmed : "/" + trimmed
    }
}
