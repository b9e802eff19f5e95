import Keyspan
import KeyspanCore

/// The marks of hidden values: a text for people, and a list of paths for programs.
enum HiddenValue {
    /// The text in place of a hidden value.
    static let placeholder = "(hidden secret)"

    /// The member of a document for programs that has the paths of the values that are left out.
    static let member = "$hidden"

    /// Throws if entries that are stored come from a listing with hidden secrets, which they would overwrite.
    static func refuse(in entries: some Sequence<(key: String, value: PropertyListValue)>) throws(ToolError) {
        let document = PropertyListDictionary(entries.map { ($0.key, $0.value) })
        let names = document.flatMap { key, value in
            absentPaths(listedBy: key, value, in: document) + (value.hasHiddenSecret ? [key] : [])
        }
        guard let first = names.min(by: { $0.utf8Precedes($1) }) else { return }
        throw .failure(
            "The secrets of \(first.quoted)\(names.count > 1 ? " and \(names.count - 1) more" : "") are hidden in the document "
                + "or value, and nothing was changed; make the document with `keyspan export`, or list the domain with "
                + "--show-secrets."
        )
    }

    /// The paths that a member lists as left out and that the document does not have; none for any other member.
    ///
    /// A program may use the name for a member of its own.
    fileprivate static func absentPaths(
        listedBy name: String,
        _ value: PropertyListValue,
        in document: PropertyListDictionary
    ) -> [String] {
        guard name.hasSameUTF8(as: member) || name.hasUTF8Suffix(".\(member)"), let list = value.arrayValue,
            list.first?.kind == .string
        else { return [] }
        let group = String(Substring(name.utf8.dropLast(member.utf8.count)))
        var present = Set<UTF8Text>(document.keys)
        PropertyListValue.dictionary(document).addPaths(below: [], to: &present)
        return list.compactMap(\.stringValue).filter { !present.contains(UTF8Text(group + $0)) }
    }

    /// A path as the member has it.
    fileprivate static func text(of path: [ValuePath.Step]) -> String {
        String(ValuePath(path).description.unicodeScalars.drop { $0 == "." })
    }
}

extension PropertyListValue {
    /// Whether a value in it is hidden, or left out.
    var hasHiddenSecret: Bool {
        switch self {
        case .string(let text): text.hasSameUTF8(as: HiddenValue.placeholder)
        case .array(let elements): elements.contains(where: \.hasHiddenSecret)
        case .dictionary(let members):
            members.contains { name, value in
                !HiddenValue.absentPaths(listedBy: name, value, in: members).isEmpty || value.hasHiddenSecret
            }
        default: false
        }
    }

    /// Adds the paths of the values inside of a value.
    fileprivate func addPaths(below path: [ValuePath.Step], to paths: inout Set<UTF8Text>) {
        let inner: [(ValuePath.Step, PropertyListValue)]
        switch self {
        case .dictionary(let members): inner = members.map { (.name($0.key), $0.value) }
        case .array(let elements): inner = elements.enumerated().map { (.index($0), $1) }
        default: return
        }
        for (step, value) in inner {
            paths.insert(UTF8Text(HiddenValue.text(of: path + [step])))
            value.addPaths(below: path + [step], to: &paths)
        }
    }

    /// The value without the hidden ones in it, in place of the text for people; `nil` for a hidden value.
    ///
    /// A dictionary loses members, and an array with a hidden element is left out, because the other elements would have other positions.
    /// The member ``HiddenValue/member`` of the outermost dictionary has the paths.
    var forPrograms: PropertyListValue? {
        guard hasHiddenSecret else { return self }
        var paths: [String] = []
        guard let shown = withoutHidden(at: [], &paths) else { return nil }
        guard var members = shown.dictionaryValue, !paths.isEmpty else { return shown }
        members[HiddenValue.member] = .array(paths.map { .string($0) })
        return .dictionary(members)
    }

    /// The value for programs, or an object that says that it is hidden.
    var markedForPrograms: PropertyListValue { forPrograms ?? ["hidden": true] }

    private func withoutHidden(at path: [ValuePath.Step], _ paths: inout [String]) -> PropertyListValue? {
        switch self {
        case .dictionary(let members):
            return .dictionary(
                members.sortedByName().reduce(into: [:]) { shown, member in
                    shown[member.key] = member.value.withoutHidden(at: path + [.name(member.key)], &paths)
                }
            )
        case .array(let elements):
            var inner = paths
            let shown = elements.enumerated().compactMap { $1.withoutHidden(at: path + [.index($0)], &inner) }
            if shown.count == elements.count {
                paths = inner
                return .array(shown)
            }
        default: guard hasHiddenSecret else { return self }
        }
        paths.append(HiddenValue.text(of: path))
        return nil
    }
}

extension PropertyListTable {
    /// The entries without the hidden ones, and the list of these.
    var forPrograms: PropertyListTable {
        PropertyListValue.dictionary(dictionary).forPrograms?.dictionaryValue.map { PropertyListTable($0) } ?? self
    }
}
