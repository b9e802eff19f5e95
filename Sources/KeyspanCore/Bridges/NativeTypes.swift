#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Bool: Defaults.Serializable {}
extension Int: Defaults.Serializable {}
extension Int8: Defaults.Serializable {}
extension Int16: Defaults.Serializable {}
extension Int32: Defaults.Serializable {}
extension Int64: Defaults.Serializable {}
extension UInt: Defaults.Serializable {}
extension UInt8: Defaults.Serializable {}
extension UInt16: Defaults.Serializable {}
extension UInt32: Defaults.Serializable {}
extension UInt64: Defaults.Serializable {}
extension Float: Defaults.Serializable {}
extension Double: Defaults.Serializable {}
extension String: Defaults.Serializable {}
extension Date: Defaults.Serializable {}
extension Data: Defaults.Serializable {}
extension PropertyListValue: Defaults.Serializable {}
