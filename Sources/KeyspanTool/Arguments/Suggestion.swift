import KeyspanCore

/// The known word that a person probably meant by an unknown one.
enum Suggestion {
    /// The nearest known word; `nil` if none is near.
    ///
    /// A word is near if at most a third of its letters have to change, where two exchanged neighbors are one change, or if the
    /// unknown word is its beginning or differs from it only in case.
    static func nearest(to word: String, among known: [String]) -> String? {
        let scalars = Array(word.lowercased().unicodeScalars)
        let isTooShort = scalars.count < 2
        let ranked = known.compactMap { candidate -> (distance: Int, candidate: String)? in
            let letters = Array(candidate.lowercased().unicodeScalars)
            let distance = distance(from: scalars, to: letters)
            let isNear = distance <= max(1, max(scalars.count, letters.count) / 3)
            guard !isTooShort, isNear || letters.starts(with: scalars) else { return nil }
            return (distance, candidate)
        }
        return ranked.min { $0.distance < $1.distance }?.candidate
    }

    /// The number of insertions, removals, replacements and exchanges of neighbors between two texts.
    private static func distance(from left: [Unicode.Scalar], to right: [Unicode.Scalar]) -> Int {
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for (row, scalar) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column + 1], current[column]) + 1
                best = min(best, last[column] + (scalar == other ? 0 : 1))
                if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
