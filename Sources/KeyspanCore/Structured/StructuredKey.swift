/// The keys of a structured form that no type declares: the index of an element, and the place of a superclass.
enum StructuredKey: CodingKey {
    case index(Int)
    case `super`

    init(intValue: Int) { self = .index(intValue) }

    init?(stringValue: String) { nil }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    var stringValue: String {
        switch self {
        case .index(let index): String(index)
        case .super: "super"
        }
    }
}
