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
            write(try Value.encode(value), forKey: key)
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
