public import Foundation
public import KeyspanCore

/// Stored as a real; an integer is read too, if it is exact.
extension CGFloat: PropertyListConvertible, Defaults.Serializable {
    public var propertyListValue: PropertyListValue { .real(Double(self)) }

    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        self = CGFloat(try Double(propertyListValue: stored))
    }
}
