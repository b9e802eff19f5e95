#if Remote
/// Random numbers that are the same in each run with the same seed (SplitMix64).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number of milliseconds from zero up to a bound, which is not included.
    mutating func roll(below bound: Int) -> Int {
        // The high half of the product, because a remainder would prefer small numbers.
        bound <= 0 ? 0 : Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
#endif
