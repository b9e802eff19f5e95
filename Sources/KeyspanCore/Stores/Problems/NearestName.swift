/// Finds the name that a misspelt one was probably meant to be.
@_spi(StoreAuthors) public enum NearestName {
    /// The longest name that is compared.
    private static let longest = 128

    /// The name with the fewest changes of one character, or swaps of two neighbors, to a given one.
    ///
    /// Case makes no difference. A name needs as many characters in common with the given one as a person sees in it: at most one change
    /// in three characters.
    ///
    /// - Parameters:
    ///   - name: The misspelt name.
    ///   - candidates: The right names.
    /// - Returns: `nil` if no name is near; of several the first one in the order of their UTF-8.
    /// - Complexity: O(*n* · *m*) for each candidate, in the lengths of both names.
    @_spi(StoreAuthors) public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars)
        if wanted.isEmpty || wanted.count > longest { return nil }
        var nearest: (name: String, distance: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().unicodeScalars)
            let limit = max(wanted.count, letters.count) / 3
            if letters.count > longest || abs(letters.count - wanted.count) > limit { continue }
            let distance = distance(from: wanted, to: letters)
            if distance > limit { continue }
            if let nearest, nearest.distance < distance { continue }
            if let nearest, nearest.distance == distance, !candidate.utf8Precedes(nearest.name) { continue }
            nearest = (candidate, distance)
        }
        return nearest?.name
    }

    /// The number of names for which the nearest key is looked for, which takes time for each of the keys.
    package static let mostSuggestions = 50

    /// Names with the ones that they were probably meant to be, as far as a list of them is worth the time.
    package static func suggestions(
        for names: [String],
        nearest: (String) -> String?
    ) -> [(name: String, suggestion: String?)] {
        names.enumerated().map { number, name in (name, number < mostSuggestions ? nearest(name) : nil) }
    }

    /// The number of changes and swaps between two texts (optimal string alignment).
    private static func distance(from left: [Unicode.Scalar], to right: [Unicode.Scalar]) -> Int {
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for row in 1...left.count {
            var present = [row]
            present.reserveCapacity(right.count + 1)
            for column in 0..<right.count {
                let isSame = left[row - 1] == right[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, present[column] + 1)
                if row > 1, column > 0, left[row - 1] == right[column - 1], left[row - 2] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                present.append(best)
            }
            (beforeLast, last) = (last, present)
        }
        return last[right.count]
    }
}
