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
        public var historyCount = 200

        /// The largest body of a request, in bytes.
        public var maximumBodySize = 1 << 20

        /// The largest number of pages that follow the settings at once; a further one is answered with 503.
        public var streamCount = 100

        /// Origins such as `https://admin.example.com` from which changes are accepted, besides the host that the request names.
        ///
        /// Only a proxy that changes the `Host` of requests needs one.
        public var trustedOrigins: [String] = []

        /// The interval at which an event stream without changes sends a comment, so that proxies keep it open.
        public var heartbeat = Duration.seconds(15)

        /// The time after which an event stream ends; the page opens another one, and the access closure decides anew.
        public var streamDuration = Duration.seconds(300)

        /// Called after each change that was made on the page, on a thread of the library, such as for a log; it has no values.
        public var onEdit: (@Sendable (Edit) -> Void)?

        /// Makes the standard options.
        public init() {}
    }

    /// A change that a person made on the page.
    public struct Edit: Sendable, Hashable {
        /// The person, as the access closure named them.
        public let person: String?
        /// The names of the keys.
        public let keys: [String]
    }
}

extension SettingsConsole.Options {
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
