#if Remote
/// The pauses between attempts that fail: each is a random part of a time that doubles, so that many clients do not
/// come back together.
struct RetryDelay: Sendable {
    /// The longest pause after the first failure.
    var first: Duration
    /// The longest pause of all.
    let longest: Duration
    private(set) var failures = 0

    /// The pause before the next attempt: a random part of the whole, which is the next doubled one.
    mutating func next() -> Duration {
        let whole = min(first * (1 << min(failures, 20)), longest)
        failures += 1
        return whole * Double.random(in: 0...1)
    }

    /// Whether what was attempted lasted long enough for the pauses to begin anew: for the longest pause before it, or
    /// for four times the first one if that is shorter: a proxy may end everything before the longest pauses are reached.
    func isOutlasted(by duration: Duration) -> Bool {
        duration >= min(first * (1 << min(max(failures - 1, 0), 2)), longest)
    }

    /// Begins anew after a success.
    mutating func reset() { failures = 0 }
}

/// The header fields of a response that concern the time of the next request.
enum RetryFields {
    /// The longest time that a server can ask for: one wrong answer must not silence its clients for a day.
    private static let longest: Int64 = 3_600

    /// The time of `Retry-After` in seconds; a date counts as none, because clocks are wrong.
    static func retryAfter(_ text: String?) -> Duration? { text.flatMap { seconds(of: Substring($0).utf8) } }

    /// The `max-age` of `Cache-Control`.
    static func maximumAge(_ text: String?) -> Duration? {
        let directives = (text ?? "").lowercased().utf8.split(separator: UInt8(ascii: ","))
        let name = "max-age="
        let values = directives.map { $0.drop { $0 == UInt8(ascii: " ") } }.filter { $0.starts(with: name.utf8) }
        return values.first.flatMap { seconds(of: $0.dropFirst(name.utf8.count)) }
    }

    private static func seconds(of text: Substring.UTF8View) -> Duration? {
        let digits = text.drop { $0 == UInt8(ascii: " ") }.prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? nil : .seconds(min(Int64(Substring(digits)) ?? longest, longest))
    }
}
#endif
