extension Defaults {
    /// How a bridge decodes the parts of a collection: all of them or none, or as many as can be read.
    public struct DecodingContext {
        /// Whether a part that cannot be read makes the whole value unreadable.
        public let isStrict: Bool

        /// Whether a text may stand for a number, a truth value or another ``Coercible`` value.
        ///
        /// So it is where the present part of the value is text that someone typed; see ``StoredValue/isText``.
        @inlinable public var readsText: Bool {
            if case .none = extent { false } else { true }
        }

        /// The parts that were left out because they could not be read, each with its full path.
        public private(set) var skipped: [ValueDecodingError] = []

        @usableFromInline var path: [ValuePath.Step] = []

        /// Which parts of the present part are text.
        @usableFromInline var extent: TextExtent

        /// Makes a context.
        ///
        /// - Parameters:
        ///   - isStrict: Whether a part that cannot be read makes the whole value unreadable.
        ///   - readsText: Whether a text may stand for another value.
        @inlinable
        public init(isStrict: Bool, readsText: Bool = false) {
            self.init(isStrict: isStrict, extent: readsText ? .whole : .none)
        }

        @usableFromInline
        init(isStrict: Bool, extent: TextExtent) {
            self.isStrict = isStrict
            self.extent = extent
        }

        /// A context that decodes the present part as this one does, but all of it or none.
        var strict: DecodingContext { DecodingContext(isStrict: true, extent: extent) }

        /// Decodes one part of a collection.
        ///
        /// - Parameters:
        ///   - step: Where the part is in the collection.
        ///   - decode: Decodes the part.
        /// - Returns: The part, or `nil` if it cannot be read and is to be left out.
        /// - Throws: ``ValueDecodingError`` if it cannot be read and reading is strict.
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

        /// Notes that the part at the present place is left out.
        @usableFromInline
        mutating func skip(_ error: ValueDecodingError) {
            skipped.append(ValueDecodingError(cause: error.cause, path: ValuePath(path + error.path.steps)))
        }
    }
}
