import KeyspanCore

/// The formats that the files of domains have, told by how their paths end.
enum DomainFormat: String, CaseIterable {
    case json, plist

    /// The format of a file; `nil` if the path ends like none.
    init?(path: String) {
        guard let format = Self.allCases.first(where: { path.hasUTF8Suffix($0.pathExtension) }) else { return nil }
        self = format
    }

    /// How the paths of the files end.
    var pathExtension: String { ".\(rawValue)" }
}
