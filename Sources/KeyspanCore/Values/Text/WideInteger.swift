/// A natural number of any size, with the few operations needed to compare decimal with binary numbers.
struct WideInteger {
    /// The words, least significant first, without zeros at the end.
    private var words: [UInt32] = []

    /// Makes a number.
    init(_ number: UInt64) {
        words = [UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32)]
        trim()
    }

    /// Makes the number that decimal digits stand for, the most significant first.
    init(digits: [UInt8]) {
        for digit in digits { multiply(by: 10, adding: UInt32(digit)) }
    }

    /// Multiplies by a power of ten.
    mutating func multiply(byPowerOfTen exponent: Int) {
        for _ in 0..<exponent / 9 { multiply(by: 1_000_000_000) }
        for _ in 0..<exponent % 9 { multiply(by: 10) }
    }

    /// Multiplies by a power of two.
    mutating func shiftLeft(by count: Int) {
        guard !words.isEmpty else { return }
        multiply(by: 1 << UInt32(count % 32))
        words.insert(contentsOf: repeatElement(0, count: count / 32), at: 0)
    }

    /// Whether another number differs by less than a distance, or by exactly the distance if that is included.
    func isWithin(_ distance: WideInteger, of other: WideInteger, orAt isDistanceIncluded: Bool) -> Bool {
        let (larger, smaller) = other.isLess(than: self) ? (self, other) : (other, self)
        let difference = larger.minus(smaller)
        return isDistanceIncluded ? !distance.isLess(than: difference) : difference.isLess(than: distance)
    }

    private mutating func multiply(by factor: UInt32, adding summand: UInt32 = 0) {
        var carry = UInt64(summand)
        for index in words.indices {
            // At most (2^32 - 1)^2 + 2^32 - 1, which 64 bits hold.
            let product = UInt64(words[index]) * UInt64(factor) + carry
            words[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { words.append(UInt32(carry)) }
    }

    private func isLess(than other: WideInteger) -> Bool {
        guard words.count == other.words.count else { return words.count < other.words.count }
        guard let index = words.indices.last(where: { words[$0] != other.words[$0] }) else { return false }
        return words[index] < other.words[index]
    }

    /// The difference from a number that is not larger.
    private func minus(_ other: WideInteger) -> WideInteger {
        var difference = self
        var borrow: Int64 = 0
        for index in words.indices {
            let part = Int64(words[index]) - borrow - (index < other.words.count ? Int64(other.words[index]) : 0)
            borrow = part < 0 ? 1 : 0
            difference.words[index] = UInt32(truncatingIfNeeded: part)
        }
        difference.trim()
        return difference
    }

    private mutating func trim() {
        while words.last == 0 { words.removeLast() }
    }
}
