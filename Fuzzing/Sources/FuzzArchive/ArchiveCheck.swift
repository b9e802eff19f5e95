#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanUserDefaults
import LibFuzzer

/// Contains any object of the classes that archives can have.
final class Holder: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let content: NSObject

    init?(coder: NSCoder) {
        let types: [AnyClass] = [NSObject.self]
        guard let content = coder.decodeObject(of: types, forKey: "content") as? NSObject else { return nil }
        self.content = content
    }

    func encode(with coder: NSCoder) {
        coder.encode(content, forKey: "content")
    }
}

/// Checks that an archive is read or rejected, and that a decoded object can be used, written and read again.
struct ArchiveCheck {
    private static let types: [any (NSObject & NSSecureCoding).Type] = [
        Holder.self, NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self,
        NSMutableString.self,
        NSNumber.self, NSData.self, NSMutableData.self, NSDate.self, NSNull.self, NSURL.self, NSUUID.self,
        NSLocale.self,
        NSTimeZone.self, NSCalendar.self, NSDateComponents.self, NSPersonNameComponents.self, Unit.self,
        UnitConverterLinear.self, NSMeasurement.self, NSCharacterSet.self, NSIndexSet.self, NSIndexPath.self,
        NSAttributedString.self, NSValue.self, NSRegularExpression.self, NSURLQueryItem.self,
    ]

    let archive: Data

    func run() {
        for type in Self.types { check(type) }
    }

    private func check<Object: NSObject & NSSecureCoding>(_ type: Object.Type) {
        let bridge = Defaults.NSSecureCodingBridge<Object>()
        var context = Defaults.DecodingContext(isStrict: true)
        guard let object = try? bridge.decode(.data(archive), in: &context) else { return }
        _ = object.hash
        _ = object.isEqual(object)
        // Some objects cannot be written, but never end the program.
        guard let written = try? bridge.encode(object) else { return }
        Fuzzing.check(
            (try? bridge.decode(written, in: &context)) != nil,
            "a \(type) was written that cannot be read"
        )
    }
}
#endif
