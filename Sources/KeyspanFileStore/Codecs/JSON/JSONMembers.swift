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

    /// The indices of the first members that do not precede names; those of the members are sorted.
    func indices(of names: [String], in document: JSONDocument) -> [Int] {
        // A long name with escapes may be compared with many others.
        var known: [Int: String] = [:]
        return document.bytes.withUnsafeBufferPointer { bytes in
            names.map { name in
                var (name, range) = (name, 0..<count)
                while !range.isEmpty {
                    let middle = range.lowerBound + range.count / 2
                    let entry = entries[middle]
                    let precedes: Bool
                    if entry.nameHasEscapes {
                        let text = known[middle] ?? bytes.key(of: entry)
                        known[middle] = text
                        precedes = text.utf8Precedes(name)
                    } else {
                        precedes = name.withUTF8 { bytes.raw(entry.name).precedes(UnsafeRawBufferPointer($0)) }
                    }
                    range = precedes ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
                }
                return range.lowerBound
            }
        }
    }

    /// Whether the names are sorted by their UTF-8.
    func areSorted(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            zip(entries, entries.dropFirst()).allSatisfy { bytes.key(of: $0).utf8Precedes(bytes.key(of: $1)) }
        }
    }
}
