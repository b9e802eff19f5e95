#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

extension Defaults.AnyKey {
    /// The text in which people write a value that has no type of its own in swift-configuration; `nil` if there is none.
    func text(of stored: StoredValue, as type: ConfigType) -> ConfigContent? {
        guard type == .string || type == .stringArray, let form = readableForm(of: stored) else { return nil }
        if type == .string { return form.isTextual ? form.writtenText.map { .string($0) } : nil }
        guard case .array(let elements) = form, elements.allSatisfy(\.isTextual) else { return nil }
        let texts = elements.compactMap(\.writtenText)
        return texts.count == elements.count ? .stringArray(texts) : nil
    }
}

extension PropertyListValue {
    /// Whether text stands for the value because no other type does.
    fileprivate var isTextual: Bool {
        switch self {
        case .string, .date, .dictionary: true
        case .integer(let integer): integer.converted(to: Int.self) == nil
        case .boolean, .real, .data: false
        case .array(let elements): !elements.hasOneType
        }
    }
}

extension [PropertyListValue] {
    /// Whether the elements make an array of a type of swift-configuration.
    fileprivate var hasOneType: Bool {
        allSatisfy { if case .string = $0 { true } else { false } }
            || allSatisfy { if case .boolean = $0 { true } else { false } }
            || allSatisfy { if case .data = $0 { true } else { false } }
            || allSatisfy(\.isNumber)
    }
}

extension PropertyListValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .real: true
        case .integer(let integer): integer.converted(to: Int.self) != nil
        default: false
        }
    }
}
#endif
