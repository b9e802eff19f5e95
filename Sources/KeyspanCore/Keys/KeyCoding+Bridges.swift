extension KeyCoding where Value: Defaults.Serializable {
    /// The coding that the value's type names.
    @inlinable static var ofType: KeyCoding {
        directCoder(for: Value.bridge).map { .direct($0) } ?? .entry(.ofType)
    }
}

extension KeyCoding {
    /// The coding of values by a bridge.
    init<Bridge: Defaults.Bridge & Sendable>(_ bridge: Bridge) where Bridge.Value == Value {
        self = Self.directCoder(for: bridge).map { .direct($0) } ?? .entry(EntryCoder(bridge))
    }

    /// The coding of optional values by a bridge for what they wrap.
    init<Bridge: Defaults.Bridge & Sendable>(optional bridge: Bridge) where Value == Bridge.Value? {
        if let direct = bridge as? any Defaults.DirectBridge,
            let coder = makeOptionalCoder(for: direct) as? any DirectCoder<Value>
        {
            self = .direct(coder)
        } else {
            self = .entry(EntryCoder(bridge).optional)
        }
    }

    /// The coder of a direct bridge, or of one that an optional wraps; `nil` for any other.
    @usableFromInline
    static func directCoder(for bridge: any Defaults.Bridge) -> (any DirectCoder<Value>)? {
        if let direct = bridge as? any Defaults.DirectBridge {
            return makeCoder(for: direct) as? any DirectCoder<Value>
        }
        if let wrapping = bridge as? any WrappingBridge,
            let direct = wrapping.wrappedBridge as? any Defaults.DirectBridge
        {
            return makeOptionalCoder(for: direct) as? any DirectCoder<Value>
        }
        return nil
    }
}

/// A bridge that leaves the work to the bridge of a wrapped type.
protocol WrappingBridge {
    var wrappedBridge: any Defaults.Bridge { get }
}

extension Defaults.OptionalBridge: WrappingBridge {
    var wrappedBridge: any Defaults.Bridge { Wrapped.bridge }
}

// These open the existential: inside, the type of the bridge is known.
private func makeCoder<Bridge: Defaults.DirectBridge>(for bridge: Bridge) -> any DirectCoder {
    DirectBridgeCoder(bridge: bridge)
}

private func makeOptionalCoder<Bridge: Defaults.DirectBridge>(for bridge: Bridge) -> any DirectCoder {
    OptionalDirectBridgeCoder(wrapped: DirectBridgeCoder(bridge: bridge))
}
