#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The readable form of a type of values that are otherwise stored in another form, such as JSON text; see ``Defaults/ValueForm``.
///
/// Bridges read both forms, so there is nothing to decode.
@usableFromInline
struct ReadableCoding<Value>: Sendable {
    /// Makes the readable form of a value, or the other one if that could be mistaken; `nil` for a value that is stored as no entry.
    @usableFromInline let encode: @Sendable (Value) throws(ValueEncodingError) -> PropertyListValue?

    /// Whether the form is used in place of a stored value, which keeps its form, or for a new one (`nil`).
    let isUsed: @Sendable (PropertyListValue?) -> Bool

    init(
        encode: @escaping @Sendable (Value) throws(ValueEncodingError) -> PropertyListValue?,
        isUsed: @escaping @Sendable (PropertyListValue?) -> Bool
    ) {
        self.encode = encode
        self.isUsed = isUsed
    }

    /// The readable form of an array.
    ///
    /// - Parameter elements: Makes the array's elements of a value, in their stored order unless `isSorted`.
    static func array<Element: Defaults.Serializable>(
        of element: ReadableCoding<Element>,
        sorted isSorted: Bool = false,
        elements: @escaping @Sendable (Value) -> [Element]
    ) -> ReadableCoding {
        ReadableCoding { (value) throws(ValueEncodingError) in
            let encoded = try Element.encodeElements(elements(value), as: element.encodePart)
            return .array(isSorted ? encoded.sorted(by: PropertyListValue.isOrderedBefore) : encoded)
        } isUsed: { stored in
            guard case .array(let parts)? = stored, !parts.isEmpty else { return element.isUsed(nil) }
            return parts.allSatisfy(element.isUsed)
        }
    }

    /// The readable form of a dictionary.
    static func dictionary<Bridge: EntryEncodingBridge>(
        of element: ReadableCoding<Bridge.Element>,
        encodedBy bridge: Bridge
    ) -> ReadableCoding where Bridge.Value == Value {
        ReadableCoding { (value) throws(ValueEncodingError) in
            try bridge.encode(value, elementsAs: element.encodePart)
        } isUsed: { stored in
            guard case .dictionary(let entries)? = stored, !entries.isEmpty else { return element.isUsed(nil) }
            return entries.entries.values.allSatisfy(element.isUsed)
        }
    }

    /// The readable form of values that are made from those of this coding.
    func converted<Other>(from: @escaping @Sendable (Other) -> Value?) -> ReadableCoding<Other> {
        ReadableCoding<Other>(
            encode: { (value) throws(ValueEncodingError) in
                guard let value = from(value) else { return nil }
                return try encode(value)
            },
            isUsed: isUsed
        )
    }

    /// The form of a value inside a collection, where `nil` has none.
    func encodePart(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        guard let encoded = try encode(value) else {
            throw ValueEncodingError(reason: "nil has no stored form inside a collection")
        }
        return encoded
    }
}

/// A bridge whose values may have a readable form beside another one.
///
/// A bridge of a user's chooses its form itself, so it does not conform.
protocol ReadableFormBridge: Defaults.Bridge {
    /// The readable form; `nil` if there is only one form.
    ///
    /// - Parameter levels: The number of nested bridges that may still be asked.
    func readableCoding(levels: Int) -> ReadableCoding<Value>?
}

extension ReadableCoding where Value: Defaults.Serializable {
    /// The readable form of a type of keys; `nil` if there is only one form.
    @usableFromInline static var ofType: ReadableCoding? { Value.readableCoding(levels: 64) }
}

extension Defaults.Serializable {
    /// The readable form of this type; `nil` if there is only one form.
    ///
    /// - Parameter levels: The number of nested bridges that may still be asked, because bridges may store one another's types.
    static func readableCoding(levels: Int) -> ReadableCoding<Self>? {
        guard levels > 0, let bridge = bridge as? any ReadableFormBridge else { return nil }
        return readableCoding(of: bridge, levels: levels - 1)
    }

    // Calling this opens the existential, so the type of the bridge is known inside.
    private static func readableCoding<Own: ReadableFormBridge>(of bridge: Own, levels: Int) -> ReadableCoding<Self>? {
        guard let coding = bridge.readableCoding(levels: levels) else { return nil }
        if let coding = coding as? ReadableCoding<Self> { return coding }
        // The bridge of an optional is for the type that it wraps.
        return coding.converted { $0 as? Own.Value }
    }
}

// MARK: - Codable values

extension Defaults.CodableBridge where Self: Sendable {
    /// The readable form of values that the bridge stores as JSON text.
    func codableReadableCoding() -> ReadableCoding<Value> {
        // The closures have the bridge and not its types, whose conformances could belong to an actor.
        ReadableCoding { (value) throws(ValueEncodingError) in
            try encodeReadably(value)
        } isUsed: { stored in
            guard let stored, let value = jsonValue(of: stored) else { return true }
            // Where the readable form could be mistaken, JSON text is the form of both.
            return (try? encodeReadably(value)) == stored
        }
    }

    private func encodeReadably(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        if !(Value.self is any RawRepresentable.Type), let name = CaseNames.name(of: value), isRead(name) {
            return .string(name)
        }
        // A value that has no structured form may still be encoded as JSON text, and otherwise that gives the reason.
        guard let form = try? PropertyListValueEncoder().encode(value), jsonValue(of: form) == nil else {
            return try encode(value)
        }
        return form
    }

    /// Whether readers take the name of a case for that case: a type that decodes itself may take it for any other.
    private func isRead(_ name: String) -> Bool {
        let stored = PropertyListValue.string(name)
        guard jsonValue(of: stored) == nil,
            let value = try? CodableForm.decode(Value.self, from: stored, preferring: .json)
        else { return false }
        return CaseNames.name(of: value)?.hasSameUTF8(as: name) == true
    }

    /// The value for which readers take JSON text; `nil` for another form.
    private func jsonValue(of stored: PropertyListValue) -> Value? {
        switch stored {
        case .string, .data: try? JSONCoding.decode(Value.self, from: stored)
        default: nil
        }
    }
}

extension Defaults.TopLevelCodableBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Value>? { codableReadableCoding() }
}

extension Defaults.RawRepresentableCodableBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Value>? { codableReadableCoding() }
}

// MARK: - Values that people write in another form than keys

/// A bridge for an enumeration whose cases people may name in place of its raw values.
private protocol CaseNamingBridge: Defaults.Bridge, Sendable {
    func encodeByName(_ value: Value) throws(ValueEncodingError) -> PropertyListValue
    func isName(_ stored: PropertyListValue) -> Bool
}

extension CaseNamingBridge {
    /// The name of the case where a person wrote one; a new value is its raw value.
    fileprivate func caseNameCoding() -> ReadableCoding<Value> {
        // The closures have the bridge and not its types, whose conformances could belong to an actor.
        ReadableCoding { (value) throws(ValueEncodingError) in
            try encodeByName(value)
        } isUsed: { stored in
            stored.map { isName($0) } ?? false
        }
    }
}

extension Defaults.RawRepresentableBridge: ReadableFormBridge, CaseNamingBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Value>? {
        Value.self is any CaseIterable.Type ? caseNameCoding() : nil
    }

    fileprivate func encodeByName(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
        guard let name = CaseNames.name(of: value), isName(.string(name)) else { return try encode(value) }
        return .string(name)
    }

    /// Whether a stored value is read as the name of a case, and not as the raw value of one.
    fileprivate func isName(_ stored: PropertyListValue) -> Bool {
        guard case .string(let name) = stored, CaseNames.value(of: name, as: Value.self) != nil else { return false }
        var context = Defaults.DecodingContext(isStrict: true)
        let rawValue = try? Value.RawValue.decode(stored, in: &context)
        return rawValue.flatMap(Value.init(rawValue:)) == nil
    }
}

extension Defaults.DecimalBridge: ReadableFormBridge {
    /// A number where a person wrote one, unless it would lose digits; a new value is a text.
    func readableCoding(levels: Int) -> ReadableCoding<Decimal>? {
        ReadableCoding { (value) throws(ValueEncodingError) in
            let text = try encode(value)
            guard case .string(let digits) = text else { return text }
            let numbers: [PropertyListValue?] = [
                Int64(digits).map { .integer(.init($0)) }, Double(digits).map { .real($0) },
            ]
            return numbers.lazy.compactMap(\.self).first { number in
                var context = Defaults.DecodingContext(isStrict: true)
                return (try? decode(number, in: &context)) == value
            } ?? text
        } isUsed: { stored in
            switch stored {
            case .integer?, .real?: true
            default: false
            }
        }
    }
}

extension Defaults.NativeBridge: ReadableFormBridge where Value == Date {
    /// The text of RFC 3339 where a person wrote one; a new value has the kind of a date.
    func readableCoding(levels: Int) -> ReadableCoding<Date>? {
        ReadableCoding { (date) throws(ValueEncodingError) in
            let interval = date.timeIntervalSinceReferenceDate
            guard let text = DateText.text(for: interval), DateText.interval(from: text) == interval else {
                return .date(date)
            }
            return .string(text)
        } isUsed: { stored in
            if case .string? = stored { true } else { false }
        }
    }
}

// MARK: - Collections and other bridges that contain one

extension Defaults.ArrayBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<[Element]>? {
        // The separate bridge for arrays chooses its form itself.
        guard Element._arrayBridge == nil else { return nil }
        return Element.readableCoding(levels: levels).map { .array(of: $0) { $0 } }
    }
}

extension Defaults.CollectionBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Value>? {
        Element.readableCoding(levels: levels).map { .array(of: $0) { Array($0) } }
    }
}

extension Defaults.SetBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Set<Element>>? {
        Element.readableCoding(levels: levels).map { .array(of: $0, sorted: true) { Array($0) } }
    }
}

extension Defaults.SetAlgebraBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Value>? {
        Element.readableCoding(levels: levels).map { .array(of: $0, sorted: true) { $0.toArray() } }
    }
}

extension Defaults.RangeBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<T>? {
        T.Bound.readableCoding(levels: levels).map { .array(of: $0) { [$0.lowerBound, $0.upperBound] } }
    }
}

extension Defaults.OptionalBridge: ReadableFormBridge {
    func readableCoding(levels: Int) -> ReadableCoding<Wrapped.Value>? {
        guard levels > 0, let bridge = Wrapped.bridge as? any ReadableFormBridge else { return nil }
        return Self.readableCoding(of: bridge, levels: levels - 1) as? ReadableCoding<Wrapped.Value>
    }

    // Calling this opens the existential.
    private static func readableCoding<Own: ReadableFormBridge>(of bridge: Own, levels: Int) -> Any? {
        bridge.readableCoding(levels: levels)
    }
}

/// A bridge for dictionaries that can store the elements in another form.
protocol EntryEncodingBridge: Defaults.Bridge, Sendable {
    /// The type of the elements.
    associatedtype Element: Defaults.Serializable

    /// The stored form of a dictionary.
    func encode(
        _ value: Value,
        elementsAs encode: (Element) throws(ValueEncodingError) -> PropertyListValue
    ) throws(ValueEncodingError) -> PropertyListValue
}

extension Defaults.DictionaryBridge: ReadableFormBridge, EntryEncodingBridge {
    func readableCoding(levels: Int) -> ReadableCoding<[Key: Element]>? {
        let element =
            Self.textStoredElement.map { Self.readableCoding(ofText: $0) } ?? Element.readableCoding(levels: levels)
        return element.map { .dictionary(of: $0, encodedBy: self) }
    }

    /// The readable form of elements that are stored as JSON text because the dictionary's keys are not strings.
    private static func readableCoding<Text: TextStored>(ofText text: Text.Type) -> ReadableCoding<Element> {
        ReadableCoding { (element) throws(ValueEncodingError) in
            try text.encodeReadably(element)
        } isUsed: { stored in
            guard let stored, text.isJSONText(stored) else { return true }
            var context = Defaults.DecodingContext(isStrict: true)
            guard let element = try? text.decodeText(stored, in: &context) as? Element else { return false }
            // Where the readable form could be mistaken, JSON text is the form of both.
            return (try? text.encodeReadably(element)) == stored
        }
    }
}

extension TextStored {
    /// The stored form of an element of this type without conversion, or as JSON text if it could be mistaken for that.
    fileprivate static func encodeReadably<Element: Defaults.Serializable>(
        _ element: Element
    ) throws(ValueEncodingError) -> PropertyListValue {
        let form = try Element.encodePart(element)
        guard isJSONText(form), let element = element as? Self else { return form }
        return try encodeText(element)
    }
}
