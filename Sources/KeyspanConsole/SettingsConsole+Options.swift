#if Console
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

        /// Called for each submission of changes, whatever became of it, and for each request that was refused: for an audit trail.
        ///
        /// It is called before the sender has the answer, and nothing is kept here. Strangers can cause events, as many as they send
        /// requests, so a trail on a disk needs a limit of its own.
        public var onAuditEvent: (@Sendable (AuditEvent) -> Void)?

        /// Makes the standard options.
        public init() {}
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
#endif
