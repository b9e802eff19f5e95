/// The changes that make an array of another one, in which elements that both have stay.
package struct ArrayChanges {
    /// The elements that get another value, by their places in the old array.
    package private(set) var replaced: [(place: Int, value: PropertyListValue)] = []
    /// The places of elements that are removed, or of the element before which new ones are added, in their order.
    package private(set) var stretches: [(removed: Range<Int>, new: [PropertyListValue])] = []

    /// The greatest number of elements among which those that stay are searched; the time for it grows with the square.
    private static let mostCompared = 1_000

    /// Finds the changes.
    package init(from old: [PropertyListValue], to new: [PropertyListValue]) {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
        let (oldRest, newRest) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
        guard !oldRest.isEmpty, !newRest.isEmpty, oldRest.count + newRest.count <= Self.mostCompared else {
            change(oldRest.indices, to: newRest)
            return
        }
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        var numbers = ElementNumbers()
        let (oldNumbers, newNumbers) = (oldRest.map { numbers[$0] }, newRest.map { numbers[$0] })
        for change in newNumbers.difference(from: oldNumbers) {
            switch change {
            case .remove(let offset, _, _): removed.insert(start + offset)
            case .insert(let offset, _, _): inserted.insert(start + offset)
            }
        }
        var (place, index) = (oldRest.startIndex, newRest.startIndex)
        while place < oldRest.endIndex || index < newRest.endIndex {
            let places = place..<(oldRest.indices[place...].first { !removed.contains($0) } ?? oldRest.endIndex)
            let indices = index..<(newRest.indices[index...].first { !inserted.contains($0) } ?? newRest.endIndex)
            change(places, to: new[indices])
            (place, index) = (places.upperBound + 1, indices.upperBound + 1)
        }
    }

    /// Notes that adjacent elements become others.
    private mutating func change(_ places: Range<Int>, to new: ArraySlice<PropertyListValue>) {
        replaced += zip(places, new).map { ($0, $1) }
        let count = min(places.count, new.count)
        if places.count != new.count {
            stretches.append((places.dropFirst(count), Array(new.dropFirst(count))))
        }
    }

    /// The new array, made of an array with as many elements as the old one.
    ///
    /// - Parameters:
    ///   - elements: The elements, of which those stay that did not change.
    ///   - replace: Makes the element for one that gets another value, from its place and that value.
    func applied(
        to elements: [PropertyListValue],
        replacing replace: (Int, PropertyListValue) -> PropertyListValue
    ) -> [PropertyListValue] {
        var elements = elements
        for (place, value) in replaced { elements[place] = replace(place, value) }
        for (removed, new) in stretches.reversed() { elements.replaceSubrange(removed, with: new) }
        return elements
    }
}

/// Numbers in the place of elements, which may be large, so that each is read once and not compared with many others.
private struct ElementNumbers {
    private var numbers: [PropertyListValue: Int] = [:]

    /// The same number for equal elements only.
    subscript(element: PropertyListValue) -> Int {
        mutating get {
            if let number = numbers[element] { return number }
            numbers[element] = numbers.count
            return numbers.count - 1
        }
    }
}
