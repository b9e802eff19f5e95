public import KeyspanCore

extension StoreError.Code {
    /// No suite of `UserDefaults` can have the name.
    public static let invalidSuiteName = StoreError.Code("invalidSuiteName")
    /// What the store keeps its values in could not be opened.
    public static let cannotOpen = StoreError.Code("cannotOpen")
    /// What other code stored under the key is no property-list value.
    public static let notPropertyList = StoreError.Code("notPropertyList")
}
