/// The way between the values of a key and the one entry of a store that holds them.
///
/// It is made of closures, because those are compiled for the type of the key where the key is declared; a protocol's
/// methods would be called through the runtime's generic code each time.
@usableFromInline
struct EntryCoder<Value>: Sendable {
    /// Whether a decoded value may be handed to all who read the key.
    @usableFromInline let sharesDecodedValues: Bool

    /// The type of the bridge, or the type of the values if that names the bridge; for descriptions.
    @usableFromInline let storedBy: any SendableMetatype.Type

    /// Makes the stored form of a value; `nil` for a value that is stored as no entry.
    @usableFromInline
    typealias Encode = @Sendable (Value) throws(ValueEncodingError) -> PropertyListValue?

    /// Makes the value of a stored form.
    @usableFromInline
    typealias Decode = @Sendable (PropertyListValue, inout Defaults.DecodingContext) throws(ValueDecodingError) -> Value

    @usableFromInline let encode: Encode
    @usableFromInline let decode: Decode

    @inlinable
    init(
        sharesDecodedValues: Bool,
        storedBy: any SendableMetatype.Type,
        encode: @escaping Encode,
        decode: @escaping Decode
    ) {
        self.sharesDecodedValues = sharesDecodedValues
        self.storedBy = storedBy
        self.encode = encode
        self.decode = decode
    }
}

extension EntryCoder where Value: Defaults.Serializable {
    /// Codes with the bridge that the type names.
    @inlinable static var ofType: EntryCoder {
        EntryCoder(
            sharesDecodedValues: Value.sharesDecodedValues,
            storedBy: Value.self
        ) { (value) throws(ValueEncodingError) in
            try Value.encode(value)
        } decode: { (stored, context) throws(ValueDecodingError) in
            try Value.decode(stored, in: &context)
        }
    }
}

extension EntryCoder {
    /// Codes with a bridge that the key names.
    init<Bridge: Defaults.Bridge & Sendable>(_ bridge: Bridge) where Bridge.Value == Value {
        self.init(
            sharesDecodedValues: !(Value.self is AnyObject.Type),
            storedBy: Bridge.self
        ) { (value) throws(ValueEncodingError) in
            try bridge.encode(value)
        } decode: { (stored, context) throws(ValueDecodingError) in
            try bridge.decode(stored, in: &context)
        }
    }

    /// Codes optional values; no value is no entry.
    var optional: EntryCoder<Value?> {
        EntryCoder<Value?>(sharesDecodedValues: sharesDecodedValues, storedBy: storedBy) {
            (value) throws(ValueEncodingError) in
            guard let value else { return nil }
            return try encode(value)
        } decode: { (stored, context) throws(ValueDecodingError) in
            try decode(stored, &context)
        }
    }

    /// Codes the values that the optional ones of this coder wrap: what makes a key with a default of one without.
    func unwrapped<Wrapped>() -> EntryCoder<Wrapped> where Value == Wrapped? {
        EntryCoder<Wrapped>(sharesDecodedValues: sharesDecodedValues, storedBy: storedBy) {
            (value) throws(ValueEncodingError) in
            try encode(value)
        } decode: { (stored, context) throws(ValueDecodingError) in
            guard let value = try decode(stored, &context) else {
                throw .unreadable(stored, reason: "it makes no value")
            }
            return value
        }
    }

    /// Codes raw-representable values by their raw values.
    func representing<Represented: RawRepresentable & SendableMetatype>(
        _ type: Represented.Type
    ) -> EntryCoder<Represented?> where Value == Represented.RawValue? {
        let isShared = sharesDecodedValues && !(type is AnyObject.Type)
        return EntryCoder<Represented?>(sharesDecodedValues: isShared, storedBy: storedBy) {
            (value) throws(ValueEncodingError) in
            try encode(value?.rawValue)
        } decode: { (stored, context) throws(ValueDecodingError) in
            guard let value = try decode(stored, &context).flatMap(Represented.init(rawValue:)) else {
                throw .unreadable(stored, reason: "it is no raw value of \(Represented.self)")
            }
            return value
        }
    }
}
