#if canImport(UIKit)
public import KeyspanCore
internal import KeyspanUserDefaults
public import UIKit

/// Stored as a keyed archive, in data.
extension UIFontDescriptor: Defaults.Serializable {}
#elseif canImport(AppKit)
public import AppKit
public import KeyspanCore
internal import KeyspanUserDefaults

/// Stored as a keyed archive, in data.
extension NSFontDescriptor: Defaults.Serializable {}
#endif
