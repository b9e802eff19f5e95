extension Defaults {
    /// A type with a bridge of its own for arrays of it, beside the one for single values.
    ///
    /// ```swift
    /// struct Frog: Defaults.ArraySerializable {
    ///     var name: String
    ///
    ///     static let bridge = FrogBridge()
    ///     static let arrayBridge = FrogsBridge()
    /// }
    ///
    /// struct FrogBridge: Defaults.Bridge {
    ///     func serialize(_ value: Frog?) -> String? { value?.name }
    ///     func deserialize(_ object: String?) -> Frog? { object.map { Frog(name: $0) } }
    /// }
    ///
    /// /// One string for all frogs, instead of an array of strings.
    /// struct FrogsBridge: Defaults.Bridge {
    ///     func serialize(_ value: [Frog]?) -> String? { value?.map(\.name).joined(separator: ",") }
    ///     func deserialize(_ object: String?) -> [Frog]? { object?.split(separator: ",").map { Frog(name: String($0)) } }
    /// }
    /// ```
    ///
    /// Wherever a key's value has an array of the type, ``ArrayBridge`` leaves it to this bridge: in `[Frog]`, `[[Frog]]`,
    /// `[String: [Frog]]` and `[Frog]?`. Sets and other collections are still stored by their elements. A class has to be final.
    ///
    /// Conform in the module that conforms the type to ``Serializable``, or arrays do not learn of it.
    public protocol ArraySerializable: Serializable {
        /// The type of the bridge for arrays.
        associatedtype ArrayBridge: Defaults.Bridge where ArrayBridge.Value == [Self]

        /// The bridge for arrays.
        static var arrayBridge: ArrayBridge { get }
    }
}

extension Defaults.ArraySerializable {
    public static var _arrayBridge: (any Defaults.Bridge)? { arrayBridge }
}
