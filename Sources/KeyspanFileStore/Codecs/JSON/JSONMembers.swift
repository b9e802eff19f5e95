import KeyspanCore

/// The members of the object of a document, or the elements of its array, in the order of the text.
struct JSONMembers: RandomAccessCollection {
    /// Where a member is.
    struct Member {
        let start: Int
        let nameEnd: Int
        let valueStart: Int
        let end: Int
    }

    private let entries: ContiguousArray<JSONEntry>

    init(of index: JSONIndex) {
        entries = index.entries
    }

    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }
    subscript(position: Int) -> Member {
        let entry = entries[position]
        return Member(
            start: entry.start,
            nameEnd: entry.name.upperBound,
            valueStart: entry.value.lowerBound,
            end: entry.end
        )
    }
}

extension JSONMembers {
    /// The runs of adjacent members whose entries are at some places.
    func runs(of places: Set<Int>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for position in places.sorted() {
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
