#if canImport(Darwin)
import CoreFoundation
import Foundation

extension FoundationNumber {
    /// Whether a number object is a truth value: one of the two objects that Core Foundation has for them.
    static func isBoolean(_ number: NSNumber) -> Bool {
        CFGetTypeID(number) == CFBooleanGetTypeID()
    }
}
#endif
