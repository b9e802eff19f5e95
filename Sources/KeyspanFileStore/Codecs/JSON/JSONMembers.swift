import KeyspanCore

/// The members of an object of a document, in the order of the text: entries and groups.
struct JSONMembers: RandomAccessCollection {
    /// Where a member is.
    struct Member {
        let start: Int
        let nameEnd: Int
        let valueStart: Int
        let end: Int
        /// The place of the entry that it is; `nil` for a group.
        let place: Int?
    }

    private let entries: ContiguousArray<JSONEntry>
    /// The members; `nil` if all entries are.
    private let list: [Member]?

    private init(entries: ContiguousArray<JSONEntry>, list: [Member]?) {
        (self.entries, self.list) = (entries, list)
    }

    /// The members of each object, by its number; O(1) in a text without groups.
    static func all(in index: JSONIndex) -> [JSONMembers] {
        guard index.groups.count > 1 else { return [JSONMembers(entries: index.entries, list: nil)] }
        var lists: [[Member]] = Array(repeating: [], count: index.groups.count)
        for place in index.entries.indices {
            lists[index.group(ofEntryAt: place)].append(member(index.entries[place], at: place))
        }
        for inner in index.groups.dropFirst() {
            lists[inner.parent].append(
                Member(
                    start: inner.start,
                    nameEnd: inner.name.upperBound,
                    valueStart: inner.open,
                    end: inner.end,
                    place: nil
                )
            )
        }
        return lists.map { JSONMembers(entries: [], list: $0.sorted { $0.start < $1.start }) }
    }

    private static func member(_ entry: JSONEntry, at place: Int) -> Member {
        Member(
            start: entry.start,
            nameEnd: entry.name.upperBound,
            valueStart: entry.value.lowerBound,
            end: entry.end,
            place: place
        )
    }

    var startIndex: Int { 0 }
    var endIndex: Int { list?.count ?? entries.count }
    subscript(position: Int) -> Member { list?[position] ?? Self.member(entries[position], at: position) }
}

extension JSONMembers {
    /// The runs of adjacent members whose entries are at some places.
    func runs(of places: Set<Int>) -> [Range<Int>] {
        if places.isEmpty { return [] }
        let positions = list.map { list in list.indices.filter { list[$0].place.map(places.contains) ?? false } }
        var runs: [Range<Int>] = []
        for position in positions ?? places.sorted() {
            if let last = runs.last, last.upperBound == position {
                runs[runs.count - 1] = last.lowerBound..<(position + 1)
            } else {
                runs.append(position..<(position + 1))
            }
        }
        return runs
    }

    /// The index of the first member that does not precede a name; the names are sorted.
    func index(of name: String, in document: JSONDocument) -> Int {
        document.bytes.withUnsafeBufferPointer { bytes in
            var indices = 0..<count
            while !indices.isEmpty {
                let middle = indices.lowerBound + indices.count / 2
                if bytes.name(of: self[middle]).utf8Precedes(name) {
                    indices = (middle + 1)..<indices.upperBound
                } else {
                    indices = indices.lowerBound..<middle
                }
            }
            return indices.lowerBound
        }
    }

    /// Whether the names are sorted by their UTF-8.
    func areSorted(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            zip(self, dropFirst()).allSatisfy { bytes.name(of: $0).utf8Precedes(bytes.name(of: $1)) }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The name of a member, without escapes.
    fileprivate func name(of member: JSONMembers.Member) -> String {
        let name = (member.start + 1)..<member.nameEnd
        return text(ofName: name, hasEscapes: self[name].contains(ASCII.backslash))
    }
}
