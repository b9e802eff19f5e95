/// The formats that the files of domains have, told by how their paths end.
enum DomainFormat: String, CaseIterable {
    case json, plist

    /// The format of a file; `nil` if the path ends like none.
    init?(path: String) {
        // By bytes: the dot can be in one grapheme with what stands before it.
        let format = Self.allCases.first { path.utf8.reversed().starts(with: $0.pathExtension.utf8.reversed()) }
        guard let format else { return nil }
        self = format
    }

    /// How the paths of the files end.
    var pathExtension: String { ".\(rawValue)" }
}
