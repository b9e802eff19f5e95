internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The stored form of a colour.
///
/// It is the one that Defaults writes: an array of the name of the colour space and the array of the components, of which the
/// last is the opacity; or, for a colour without those, the archive of a colour of AppKit or UIKit.
enum StoredColor: Equatable {
    /// The components of a colour in a colour space with a name.
    case components([Double], space: String)

    /// A keyed archive.
    case archive(Data)

    /// The value that the store holds.
    var propertyListValue: PropertyListValue {
        switch self {
        case .components(let components, let space): [.string(space), PropertyListValue(components)]
        case .archive(let archive): .data(archive)
        }
    }

    /// Finds out which form a stored value has.
    init(_ stored: PropertyListValue) throws(ValueDecodingError) {
        switch stored {
        case .data(let archive): self = .archive(archive)
        case .array(let parts):
            guard parts.count == 2 else {
                throw .unreadable(stored, reason: "a color has a color space and components, not \(parts.count) parts")
            }
            let space = try Self.part(0, of: parts, as: String.self)
            let components = try Self.part(1, of: parts, as: [Double].self)
            self = .components(components, space: space)
        default: throw .typeMismatch(expected: .array, found: stored)
        }
    }

    /// Checks that a colour space has as many components, beside the opacity.
    ///
    /// Core Graphics does not: it reads what it needs, beyond the end of an array.
    static func check(
        _ components: [Double],
        fit count: Int,
        in stored: PropertyListValue
    ) throws(ValueDecodingError) {
        guard components.count == count + 1 else {
            throw .unreadable(
                stored,
                reason: "a color of this color space has \(count + 1) components, not \(components.count)"
            )
        }
    }

    private static func part<Part: PropertyListConvertible>(
        _ index: Int,
        of parts: [PropertyListValue],
        as type: Part.Type
    ) throws(ValueDecodingError) -> Part {
        do throws(ValueDecodingError) {
            return try Part(propertyListValue: parts[index])
        } catch {
            throw error.nested(under: .index(index))
        }
    }
}
