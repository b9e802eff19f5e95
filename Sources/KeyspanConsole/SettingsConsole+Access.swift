#if Console
public import KeyspanCore

extension SettingsConsole {
    /// The answer of the access closure: the person behind a request, and the keys that they may read and change.
    public struct Access: Sendable {
        /// The name of the person in the history; `nil` if the program does not know it.
        public let person: String?

        /// The reason for which the person sees nothing.
        let refusal: Refusal?
        private let isReadable: @Sendable (Defaults.AnyKey) -> Bool
        private let isEditable: @Sendable (Defaults.AnyKey) -> Bool
        /// Whether the person may change anything at all.
        let mayEdit: Bool

        /// The refusal of a request.
        enum Refusal: Sendable {
            case unauthorized(challenge: String)
            case forbidden

            /// The same in an audit trail.
            var reported: AuditEvent.Refusal {
                switch self {
                case .unauthorized: .unauthorized
                case .forbidden: .forbidden
                }
            }
        }

        private init(
            as person: String?,
            refusal: Refusal? = nil,
            mayEdit: Bool = false,
            reading isReadable: @escaping @Sendable (Defaults.AnyKey) -> Bool = { _ in false },
            editing isEditable: @escaping @Sendable (Defaults.AnyKey) -> Bool = { _ in false }
        ) {
            self.person = person
            self.refusal = refusal
            self.mayEdit = mayEdit
            self.isReadable = isReadable
            self.isEditable = isEditable
        }

        /// Nobody that the program knows: the response is 401, with a challenge.
        ///
        /// - Parameter challenge: The value of the header `WWW-Authenticate` (RFC 9110, section 11.6.1), such as
        ///   `Basic realm="settings", charset="UTF-8"`, at which a browser asks for a name and a password.
        public static func unauthorized(challenge: String) -> Access {
            Access(as: nil, refusal: .unauthorized(challenge: challenge))
        }

        /// A person who may not see the settings: the response is 403.
        public static var forbidden: Access {
            Access(as: nil, refusal: .forbidden)
        }

        /// A person who may read settings.
        ///
        /// - Parameters:
        ///   - person: The name of the person.
        ///   - isReadable: Which keys they see; the others do not exist for them.
        public static func reading(
            as person: String?,
            readable isReadable: @escaping @Sendable (_ key: Defaults.AnyKey) -> Bool = { _ in true }
        ) -> Access {
            Access(as: person, reading: isReadable)
        }

        /// A person who may read and change settings; they only read if ``Options/allowsEditing`` is not set.
        ///
        /// - Parameters:
        ///   - person: The name of the person.
        ///   - isReadable: Which keys they see; the others do not exist for them.
        ///   - isEditable: Which of these keys they may change.
        public static func editing(
            as person: String?,
            readable isReadable: @escaping @Sendable (_ key: Defaults.AnyKey) -> Bool = { _ in true },
            editable isEditable: @escaping @Sendable (_ key: Defaults.AnyKey) -> Bool = { _ in true }
        ) -> Access {
            Access(as: person, mayEdit: true, reading: isReadable, editing: isEditable)
        }

        /// Whether the person sees a key.
        func canRead(_ key: Defaults.AnyKey) -> Bool { isReadable(key) }

        /// Whether the person sees a key and may change it.
        func canEdit(_ key: Defaults.AnyKey) -> Bool { mayEdit && isReadable(key) && isEditable(key) }

        /// The same person as a reader, where nothing can be changed.
        var withoutEditing: Access { Access(as: person, refusal: refusal, reading: isReadable) }
    }
}
#endif
