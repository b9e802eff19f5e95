extension Defaults {
    /// The mode in which a bridge decodes a collection: completely or not at all, or skipping unreadable parts.
    public struct DecodingContext {
        /// Whether an unreadable part makes the whole value unreadable.
        public let isStrict: Bool

        /// Whether a text may stand for a number, a truth value or another ``Coercible`` value.
        ///
        /// It may where the present part of the value is typed text; see ``StoredValue/isText``.
        @inlinable public var readsText: Bool {
            if case .none = extent { false } else { true }
        }

        /// The parts that were skipped because they could not be read, each with its full path.
        @usableFromInline package private(set) var skipped: [ValueDecodingError] = []

        @usableFromInline var path: [ValuePath.Step] = []

        /// The extent of typed text in the present part.
        @usableFromInline var extent: TextExtent

        /// Makes a context.
        ///
        /// - Parameters:
        ///   - isStrict: Whether an unreadable part makes the whole value unreadable.
        ///   - readsText: Whether a text may stand for another value.
        @inlinable
        @_spi(StoreAuthors) public init(isStrict: Bool, readsText: Bool = false) {
            self.init(isStrict: isStrict, extent: readsText ? .whole : .none)
        }

        @usableFromInline
        init(isStrict: Bool, extent: TextExtent) {
            self.isStrict = isStrict
            self.extent = extent
        }

        /// A context for the present part that decodes it completely or not at all.
        var strict: DecodingContext { DecodingContext(isStrict: true, extent: extent) }

        /// Decodes one part of a collection.
        ///
        /// - Parameters:
        ///   - step: The place of the part in the collection.
        ///   - decode: Decodes the part.
        /// - Returns: The part; `nil` if it cannot be read and is skipped.
        /// - Throws: ``ValueDecodingError`` if the part cannot be read and reading is strict.
        @inlinable
        public mutating func part<Part>(
            at step: ValuePath.Step,
            _ decode: (inout DecodingContext) throws(ValueDecodingError) -> Part
        ) throws(ValueDecodingError) -> Part? {
            path.append(step)
            let whole = extent
            extent = whole.part(at: step)
            defer {
                path.removeLast()
                extent = whole
            }
            do {
                return try decode(&self)
            } catch {
                guard !isStrict else { throw error.nested(under: step) }
                skip(error)
                return nil
            }
        }

        /// Records that the part at the present place is skipped.
        @usableFromInline
        mutating func skip(_ error: ValueDecodingError) {
            skipped.append(ValueDecodingError(cause: error.cause, path: ValuePath(path + error.path.steps)))
        }
    }
}

extension Defaults.DecodingContext {
    /// The value of a text, where texts may stand for values.
    ///
    /// - Parameters:
    ///   - stored: The stored value.
    ///   - error: The error of decoding it without conversion; thrown unless `stored` is a text that may be converted.
    /// - Throws: ``ValueDecodingError`` with the rule of conversion if the text cannot be converted.
    @usableFromInline
    func value<Value>(
        ofText stored: PropertyListValue,
        insteadOf error: ValueDecodingError
    ) throws(ValueDecodingError) -> Value {
        guard readsText, case .string = stored, let type = Value.self as? any Defaults.Coercible.Type else {
            throw error
        }
        guard let value = type.coerced(from: stored) as? Value else {
            throw .unreadable(stored, reason: CoercionFlaw.reason(for: stored, as: type))
        }
        return value
    }

    /// The value of a text by the conversion that its type declares, if the bridge does not convert text itself.
    @usableFromInline
    func declaredValue<Value>(
        ofText stored: PropertyListValue,
        insteadOf error: ValueDecodingError
    ) throws(ValueDecodingError) -> Value {
        // The bridges of standard types and of URLs do, with errors of their own.
        if Value.self is any StructuredLeaf.Type { throw error }
        return try value(ofText: stored, insteadOf: error)
    }
}

extension ValueDecodingError {
    /// The error for an entry whose name makes the same key as an earlier entry, although the names differ in the store.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - stored: The stored value of the entry.
    ///   - first: The name of the earlier entry.
    static func equalNames(
        _ name: String,
        of stored: PropertyListValue,
        after first: String
    ) -> ValueDecodingError {
        let text = first.hasSameUTF8(as: name) ? "the same one" : first.scalarDescription
        return .unreadable(
            stored,
            reason: "its name \(name.scalarDescription) and \(text) make equal keys, of which a dictionary holds one"
        )
    }
}

extension Defaults.DecodingContext {
    /// Reports each element of an array that a set has dropped for an earlier one although their stored forms differ.
    ///
    /// Elements can be equal to Swift and not to a store: "é" and "e" with U+0301, 0.0 and -0.0.
    ///
    /// - Throws: ``ValueDecodingError`` for the first such element if reading is strict.
    @usableFromInline
    mutating func reportEqualElements<Elements: SetAlgebra>(
        in stored: PropertyListValue,
        as type: Elements.Type
    ) throws(ValueDecodingError) where Elements.Element: Defaults.Serializable {
        guard case .array(let parts) = stored else { return }
        var elements = Elements()
        // An unreadable part is in this context already.
        var repeated = self
        for (index, stored) in parts.enumerated() {
            let element = try repeated.part(at: .index(index)) { (context) throws(ValueDecodingError) in
                try Elements.Element.decode(stored, in: &context)
            }
            guard let element else { continue }
            let (isNew, member) = elements.insert(element)
            if isNew || Self.haveSameForm(element, member) { continue }
            let _: Void? = try part(at: .index(index)) { (_) throws(ValueDecodingError) in throw .equalElement(stored) }
        }
    }

    private static func haveSameForm<Element: Defaults.Serializable>(_ left: Element, _ right: Element) -> Bool {
        guard let left = Element.toSerializable(left) else { return false }
        return left == Element.toSerializable(right)
    }
}

extension ValueDecodingError {
    /// The error for a text that names no case of an enumeration.
    ///
    /// - Parameters:
    ///   - stored: The text.
    ///   - clause: The cases, as ``CaseNames/clause(of:)`` lists them.
    static func noCase(_ stored: PropertyListValue, _ clause: String) -> ValueDecodingError {
        .unreadable(stored, reason: noCase + clause)
    }

    /// The error for an element that a set drops for an earlier one although their stored forms differ.
    static func equalElement(_ stored: PropertyListValue) -> ValueDecodingError {
        .unreadable(stored, reason: equalInSet + "for an earlier element, whose stored form differs")
    }
}

extension String {
    /// The quoted text with everything but ASCII escaped, so that texts that look alike can be distinguished.
    fileprivate var scalarDescription: String {
        "\"" + unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
    }
}

extension ValueDecodingError {
    /// The same error without the names of entries, which are parts of the value like any other.
    var concealed: ValueDecodingError {
        let steps = path.steps.prefix { if case .index = $0 { true } else { false } }
        guard steps.count < path.steps.count || showsContent else { return self }
        guard case .unreadable(let found, _) = cause else {
            return ValueDecodingError(cause: cause, path: ValuePath(Array(steps)))
        }
        return ValueDecodingError(
            cause: .unreadable(found: found, reason: "a part of the secret value does not fit its key"),
            path: ValuePath(Array(steps))
        )
    }

    /// Whether the reason has a part of the value, such as a name or the place of damage, or all values that it can be.
    private var showsContent: Bool {
        guard case .unreadable(_, let reason) = cause else { return false }
        return reason.hasUTF8Prefix("its name ") || reason.hasUTF8Prefix(Self.noCase + CaseNames.clauseBeginning)
            || reason.hasUTF8Prefix(CollectionText.damage)
    }

    /// Whether the error is about texts that look alike, which only their escaped forms distinguish.
    var isAboutEqualTexts: Bool {
        guard case .unreadable(_, let reason) = cause else { return false }
        return reason.hasUTF8Prefix("its name ") || reason.hasUTF8Prefix(Self.equalInSet)
            || reason.hasUTF8Prefix("a set in it ")
    }

    /// The beginning of the reason of ``noCase(_:_:)``.
    private static let noCase = "it is not "

    /// The beginning of the reason of ``equalElement(_:)``.
    private static let equalInSet = "a set takes it "
}
