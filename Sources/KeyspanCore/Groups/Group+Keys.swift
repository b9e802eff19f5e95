extension Defaults.Group {
    /// All keys of the group and of the groups inside it, under their full names, in the order of their declaration.
    ///
    /// They are found by reflection: the stored properties that are keys or groups. Keys in computed properties or in
    /// collections are not found. A key that throws is given as the one without that, of the same name.
    ///
    /// Costs a walk over the properties each time.
    public var allKeys: [Defaults.AnyKey] { keys.allKeys(prefix: prefix) }

    /// A key of the group with the tracker of the group.
    package func tracked<Value>(_ path: KeyPath<Keys, Defaults.Key<Value>>) -> TrackedKey<Value> {
        TrackedKey(key: key(path), tracker: tracker)
    }

    /// Checks that every stored value of the group can be read in full and breaks no rule of its key.
    ///
    /// The keys are those of ``allKeys``; absent values are good.
    ///
    /// - Throws: ``Defaults/ValidationError`` with everything that is wrong, as ``Defaults/validate(_:)``.
    public func validate() throws(Defaults.ValidationError) {
        try defaults.validate(allKeys)
    }
}

extension KeyGroup {
    /// All keys of this group and of the groups inside it, under their names here, in the order of their declaration.
    ///
    /// They are found by reflection: the stored properties that are keys or groups.
    public var allKeys: [Defaults.AnyKey] { allKeys(prefix: .none) }

    func allKeys(prefix: Prefix) -> [Defaults.AnyKey] {
        // A class inherits the properties of its superclass, which are in a mirror of their own.
        sequence(first: Mirror(reflecting: self), next: \.superclassMirror)
            .reversed()
            .flatMap(\.children)
            .flatMap { child -> [Defaults.AnyKey] in
                switch child.value {
                case let key as Defaults.AnyKey: [key.untyped.prefixed(by: prefix)]
                case let group as any KeyGroup: group.allKeys(prefix: prefix)
                case let group as any EnumerableKeys: group.allKeys(prefix: prefix)
                default: []
                }
            }
    }
}

/// A member of a group that has keys without being a group.
protocol EnumerableKeys {
    func allKeys(prefix: Prefix) -> [Defaults.AnyKey]
}

extension Defaults.Prefixed: EnumerableKeys {
    /// All keys of the group, under their full names.
    public var allKeys: [Defaults.AnyKey] { allKeys(prefix: .none) }

    func allKeys(prefix outer: Prefix) -> [Defaults.AnyKey] {
        keys.allKeys(prefix: prefix.appended(to: outer))
    }
}
