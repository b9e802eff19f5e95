#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Values by name without a key, in the manner of Foundation's `UserDefaults`, for code that moves over line by line.
///
/// A value of another kind is converted by <doc:CoercingValues>. One that does not convert reads as if it were absent, without a
/// report; a ``Defaults/Key`` distinguishes the two cases. Reading does no I/O.
extension PropertyListStore {
    /// The value of a name, or `nil` if there is none.
    @inlinable
    public func object(forKey key: String) -> PropertyListValue? {
        value(forKey: key)
    }

    /// The text of a name, numbers and truth values converted; `nil` for anything else.
    @inlinable
    public func string(forKey key: String) -> String? {
        value(forKey: key).flatMap(CoercionTable.string)
    }

    /// The array of a name, or `nil` if there is none.
    @inlinable
    public func array(forKey key: String) -> [PropertyListValue]? {
        value(forKey: key)?.arrayValue
    }

    /// The dictionary of a name, or `nil` if there is none.
    @inlinable
    public func dictionary(forKey key: String) -> PropertyListDictionary? {
        value(forKey: key)?.dictionaryValue
    }

    /// The array of strings of a name; `nil` if there is none, or if one of its elements is not a string.
    ///
    /// Numbers in it are not converted, as with `UserDefaults`.
    @inlinable
    public func stringArray(forKey key: String) -> [String]? {
        value(forKey: key)?.converted()
    }

    /// The bytes of a name, or `nil` if there are none.
    @inlinable
    public func data(forKey key: String) -> Data? {
        value(forKey: key)?.dataValue
    }

    /// The truth value of a name, numbers and some texts converted; `false` for anything else.
    @inlinable
    public func bool(forKey key: String) -> Bool {
        value(forKey: key).flatMap(CoercionTable.bool) ?? false
    }

    /// The whole number of a name, other numbers, truth values and numerals converted; 0 for anything else.
    @inlinable
    public func integer(forKey key: String) -> Int {
        value(forKey: key).flatMap { CoercionTable.integer($0) } ?? 0
    }

    /// The number of single precision of a name, other kinds converted as for a whole one; 0 for anything else.
    ///
    /// A whole number is rounded to the nearest one.
    @inlinable
    public func float(forKey key: String) -> Float {
        value(forKey: key)?.nearestNumber(CoercionTable.float) ?? 0
    }

    /// The number of double precision of a name, other kinds converted as for a whole one; 0 for anything else.
    ///
    /// A whole number is rounded to the nearest one.
    @inlinable
    public func double(forKey key: String) -> Double {
        value(forKey: key)?.nearestNumber(CoercionTable.double) ?? 0
    }

    /// The URL of a name; `nil` for anything else.
    ///
    /// It is read as ``Defaults/URLBridge`` stores it, from the path of a file, and from the text of a URL.
    /// `UserDefaults` archives a URL that does not refer to a file; this method does not read archives.
    @inlinable
    public func url(forKey key: String) -> URL? {
        value(forKey: key).flatMap(CoercionTable.url)
    }

    /// All names and values as they are at one instant; O(*n*).
    ///
    /// `snapshot()` has the same without the copy.
    public func dictionaryRepresentation() -> PropertyListDictionary {
        snapshot().dictionary
    }
}

/// Writing by name without a key, in the manner of Foundation's `UserDefaults`, for code that moves over line by line.
///
/// None of these throws. A value that cannot be written is reported to ``Defaults/onProblem(_:)``, and the old one stays;
/// ``PropertyListStore/apply(_:)`` throws instead.
extension PropertyListStore {
    /// Writes a value of any type that keys can have, in the form in which a key of that type stores it.
    ///
    /// `1` is stored as an integer, `1.0` as a real, `true` as a truth value. An optional without a value removes the name. A
    /// URL is stored as ``Defaults/URLBridge`` does.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The name.
    public func set<Value: Defaults.Serializable>(_ value: Value, forKey key: String) {
        do {
            let readable = valueForm == .readable ? ReadableCoding<Value>.ofType : nil
            if let readable, readable.isUsed(writtenStore.value(forKey: key)) {
                write(try readable.encode(value), forKey: key)
            } else {
                write(try Value.encode(value), forKey: key)
            }
        } catch {
            Defaults.WriteError(key: key, store: name, cause: .encoding(error)).report()
        }
    }

    /// Writes a stored value, such as a literal whose elements are of several types; `nil` removes the name.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The name.
    public func set(_ value: PropertyListValue?, forKey key: String) {
        write(value, forKey: key)
    }

    /// Removes a name and its value.
    public func removeObject(forKey key: String) {
        write(nil, forKey: key)
    }

    private func write(_ value: PropertyListValue?, forKey key: String) {
        do {
            try LibraryEntries.check(CollectionOfOne(key), in: name)
            try apply(PropertyListBatch(value.map { .set($0, key: key) } ?? .remove(key: key)))
        } catch {
            Defaults.WriteError(key: key, store: name, cause: .store(error)).report()
        }
    }
}

extension RegisteringStore {
    /// Registers values as defaults, as ``register(_:)`` does, and reports to ``Defaults/onProblem(_:)`` if it cannot.
    public func register(defaults values: PropertyListDictionary) {
        do {
            try register(PropertyListTable(values))
        } catch {
            Defaults.Problem.storeFailed(error).report()
        }
    }
}

extension PropertyListValue {
    /// A number for callers who get 0 for none, which would be farther from a whole number than the nearest one is.
    @usableFromInline
    func nearestNumber<Number: BinaryFloatingPoint>(_ convert: (PropertyListValue) -> Number?) -> Number? {
        if case .integer(let integer) = self { integer.nearest() } else { convert(self) }
    }
}
