/// What a key says of itself beyond its name, its type and its default.
@usableFromInline
struct KeyDetails: Sendable {
    /// What the value is for, in a sentence.
    var summary: String?

    /// Whether the value must not be shown.
    var isSecret = false

    /// Whether the value is to be the same on all devices of a user, where there is a store that can do that.
    var iCloud = false

    @usableFromInline
    init(summary: String? = nil, isSecret: Bool = false, iCloud: Bool = false) {
        self.summary = summary
        self.isSecret = isSecret
        self.iCloud = iCloud
    }
}
