#if Remote
/// The pauses between attempts that fail: each is a random part of a time that doubles, so that many clients do not
/// come back together.
struct RetryDelay: Sendable {
    /// The longest pause after the first failure.
    var first: Duration
    /// The longest pause of all.
    let longest: Duration
    private(set) var failures = 0

    init(first: Duration, longest: Duration) {
        (self.first, self.longest) = (first, longest)
    }

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
    mutating func reset() {
        failures = 0
    }
}

/// The headers of a response that concern the time of the next request.
enum RetryHeaders {
    /// The longest time for which a server can ask clients to use its answer.
    static let longest = Duration.seconds(86_400)
    /// The longest pause that a server can ask for: one wrong answer must not silence its clients for a day.
    static let longestPause = Duration.seconds(3_600)

    /// The time of `Retry-After` in seconds; a date counts as none, because clocks are wrong.
    static func retryAfter(_ text: String?) -> Duration? { text.flatMap(seconds).map { min($0, longestPause) } }

    /// The `max-age` of `Cache-Control`.
    static func maximumAge(_ text: String?) -> Duration? {
        for part in (text ?? "").utf8.split(separator: UInt8(ascii: ",")) {
            let directive = String(Substring(part)).lowercased().utf8.drop { $0 == UInt8(ascii: " ") }
            if directive.starts(with: "max-age=".utf8) {
                return seconds(String(Substring(directive.dropFirst("max-age=".utf8.count))))
            }
        }
        return nil
    }

    private static func seconds(_ text: String) -> Duration? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: " ") }.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        guard digits.count <= 9, let number = Int64(String(Substring(digits))) else { return longest }
        return min(.seconds(number), longest)
    }
}
#endif
